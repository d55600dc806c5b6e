//! Several files changed together: all of them, or none.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::answer::Failure;

/// A file that is made, changed or removed.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// The file itself and no link to it.
    pub path: PathBuf,
    /// What it holds; `None`: it is not there.
    pub before: Option<String>,
    /// What it will hold; `None`: it will not be there.
    pub after: Option<String>,
    /// The permissions of a new file, of which the user's mask is taken away.
    pub mode: u32,
}

impl Step {
    fn back(&self) -> Self {
        Self {
            before: self.after.clone(),
            after: self.before.clone(),
            ..self.clone()
        }
    }
}

/// Takes all steps; when one fails, those before it are taken back.
pub fn apply(steps: &[Step]) -> Result<(), Failure> {
    let mut made = Vec::new();
    for (done, step) in steps.iter().enumerate() {
        let folders = missing_folders(&step.path);
        made.extend(folders.iter().rev().cloned());
        let Err(failure) = take(step) else { continue };
        for step in steps[..done].iter().rev() {
            // The failure that is told is the first one.
            _ = take(&step.back());
        }
        remove_empty(made.iter().rev());
        return Err(failure.remedy_is("nothing was changed; mend that and run it again"));
    }
    Ok(())
}

/// The folders above a file that are not there, the deepest first.
pub fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let above = path.ancestors().skip(1).take_while(|folder| !folder.exists());
    above.map(Path::to_path_buf).collect()
}

/// Removes these folders, in this order, as far as they are empty.
pub fn remove_empty<'a>(folders: impl IntoIterator<Item = &'a PathBuf>) {
    for folder in folders {
        // One that holds something is the user's.
        _ = fs::remove_dir(folder);
    }
}

fn take(step: &Step) -> Result<(), Failure> {
    let path = &step.path;
    match &step.after {
        None => fs::remove_file(path).map_err(|error| Failure::io("remove", path, &error)),
        Some(text) => write(path, text, step.mode).map_err(|error| Failure::io("write to", path, &error)),
    }
}

/// Writes beside the file and renames, so that nobody sees half of it.
fn write(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    if let Ok(old) = fs::metadata(path) {
        fs::set_permissions(file.path(), Permissions::clone(&old.permissions()))?;
    }
    file.persist(path).map(drop).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn step(path: PathBuf, before: Option<&str>, after: Option<&str>) -> Step {
        let (before, after) = (before.map(str::to_owned), after.map(str::to_owned));
        Step {
            path,
            before,
            after,
            mode: 0o666,
        }
    }

    #[test]
    fn a_step_that_fails_takes_the_others_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for name in ["changed", "removed", "in-the-way"] {
            fs::write(at(name), "old").expect("written");
        }
        let steps = [
            step(at("new/deep/file"), None, Some("new")),
            step(at("changed"), Some("old"), Some("new")),
            step(at("removed"), Some("old"), None),
            step(at("in-the-way/file"), None, Some("new")),
        ];
        let failure = apply(&steps).expect_err("a file is no folder");
        assert!(failure.message().starts_with("write to "), "{failure:?}");
        assert_eq!(fs::read_to_string(at("changed")).expect("there"), "old");
        assert_eq!(fs::read_to_string(at("removed")).expect("there"), "old");
        assert!(!at("new").exists());
        apply(&steps[..3]).expect("done");
        assert_eq!(fs::read_to_string(at("new/deep/file")).expect("there"), "new");
        assert!(!at("removed").exists());
    }

    #[test]
    fn a_file_keeps_its_permissions() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("hook");
        fs::write(&path, "old").expect("written");
        fs::set_permissions(&path, Permissions::from_mode(0o710)).expect("set");
        apply(&[step(path.clone(), Some("old"), Some("new"))]).expect("done");
        let mode = fs::metadata(&path).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o710);
    }
}
