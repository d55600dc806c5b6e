//! Removing a store: rekal's own files, whatever else the folder holds.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde_json::Value;

use crate::answer::Failure;
use crate::hold;
use crate::place::FOLDER;

/// What became of a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purged {
    /// There was none.
    Nothing,
    /// It is gone, with its folder.
    Folder,
    /// It is gone; the folder holds something else too.
    Files,
}

/// The names that no other program gives its files.
const OWN: [&str; 6] = [
    "store.redb",
    "recall-log.ndjson",
    "reach.snap",
    "reach.snap.tmp",
    "reach.delta",
    "reach.delta.tmp",
];

/// Removes the store, while nobody else writes to it.
pub fn purge(store: &Path, quiet: bool) -> Result<Purged, Failure> {
    if !is_store(store) {
        return Ok(Purged::Nothing);
    }
    let held = match store.join("store.redb").exists() {
        true => hold::ledger(store, quiet),
        false => return remove(store),
    };
    match held {
        Err(error) if error.is_locked() => Err(error.into()),
        // A damaged one goes as well.
        _ => remove(store),
    }
}

/// Whether a folder is named as a store is, or holds what only a store has: any other may have an `index`.
fn is_store(folder: &Path) -> bool {
    let has_own = || OWN.iter().any(|name| folder.join(name).is_file());
    folder.is_dir() && (is_named(folder) || has_own())
}

fn is_named(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == FOLDER)
}

fn remove(store: &Path) -> Result<Purged, Failure> {
    let failed = |path: &Path, error| Failure::io("remove", path, &error);
    let real = store.canonicalize().map_err(|error| failed(store, error))?;
    let is_its_own = is_named(store) || is_named(&real);
    for entry in fs::read_dir(&real).map_err(|error| failed(&real, error))? {
        let path = entry.map_err(|error| failed(&real, error))?.path();
        if !is_ours(&path, is_its_own) {
            continue;
        }
        let removed = match fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() => fs::remove_dir_all(&path),
            _ => fs::remove_file(&path),
        };
        removed.map_err(|error| failed(&path, error))?;
    }
    match fs::remove_dir(&real) {
        Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => Ok(Purged::Files),
        done => done.map(|()| Purged::Folder).map_err(|error| failed(&real, error)),
    }
}

/// Whether a file is rekal's. Where the folder is not the store's own, what is in it decides about names that others
/// use too.
fn is_ours(path: &Path, is_its_own: bool) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_spool = name.starts_with("recall-log.") && [".claim", ".tmp"].iter().any(|end| name.ends_with(end));
    let read = || fs::read_to_string(path).unwrap_or_default();
    let has_only = |known: &[&str]| match serde_json::from_str(&read()) {
        Ok(Value::Object(object)) => object.keys().all(|key| known.contains(&key.as_str())),
        _ => false,
    };
    let has_file = |name: &&str| path.join(name).is_file();
    match &*name {
        ".gitignore" => read() == "*\n",
        "config.json" => is_its_own || has_only(&["weights"]),
        "init.json" => is_its_own || has_only(&["folders", "originals"]),
        "index" => is_its_own || ["meta.json", ".managed.json"].iter().any(has_file),
        name => is_spool || OWN.contains(&name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What became of a store of this name, and the names of the files that are left.
    fn left(name: &str, files: &[(&str, &str)]) -> (Purged, Vec<String>) {
        let guard = tempfile::tempdir().expect("a folder");
        let store = guard.path().join(name);
        for (name, text) in files {
            let path = store.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            fs::write(path, text).expect("written");
        }
        let purged = purge(&store, true).expect("removed");
        let left = walkdir::WalkDir::new(&store).into_iter().filter_map(Result::ok);
        let left = left.filter(|entry| entry.file_type().is_file());
        let mut left: Vec<_> = left
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        left.sort();
        (purged, left)
    }

    const STORE: [(&str, &str); 8] = [
        ("reach.snap", ""),
        ("reach.delta.tmp", ""),
        ("recall-log.ndjson", ""),
        ("recall-log.01M8P570KV0000000000000000.claim", ""),
        (".gitignore", "*\n"),
        ("config.json", r#"{"weights":{}}"#),
        ("init.json", r#"{"folders":[],"originals":{}}"#),
        ("index/meta.json", "{}"),
    ];

    #[test]
    fn a_folder_goes_with_its_store() {
        assert_eq!(left(".rekal", &STORE), (Purged::Folder, vec![]));
        assert_eq!(left("data", &STORE), (Purged::Folder, vec![]));
        assert_eq!(left(".rekal", &[("config.json", "{ torn")]), (Purged::Folder, vec![]));
        assert_eq!(left("absent", &[]), (Purged::Nothing, vec![]));
    }

    #[test]
    fn what_others_call_the_same_stays() {
        let mine = [
            (".gitignore", "*\n!keep\n"),
            ("config.json", r#"{"weights":{},"port":1}"#),
            ("init.json", r#"{"name":"mine"}"#),
            ("index/main.html", ""),
            ("reach.md", ""),
            ("recall-log.txt", ""),
        ];
        let names = mine.map(|(path, _)| path.rsplit('/').next().unwrap_or(path).to_owned());
        assert_eq!(left("data", &mine), (Purged::Nothing, names.to_vec()));
        let with_store = [&mine[..], &[("store.redb", "damaged")]].concat();
        assert_eq!(left("data", &with_store), (Purged::Files, names.to_vec()));
    }
}
