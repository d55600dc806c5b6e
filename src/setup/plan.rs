//! Putting the pieces in, and taking them out. What cannot be done is found before anything is written.

use std::fs;
use std::path::{Path, PathBuf};

use super::files::{self, Step};
use super::mark::{Program, State};
use super::piece::{Found, Piece};
use super::record::{self, Record};
use super::site::Site;
use crate::answer::Failure;
use crate::place::Place;

/// What was done.
#[derive(Default)]
pub struct Outcome {
    /// The files that were made, changed or removed.
    pub changed: Vec<(Piece, PathBuf)>,
    /// The files that the user changed, and that stay as they are.
    pub kept: Vec<PathBuf>,
}

/// Puts these pieces in, and makes the store. Those that are in place stay as they are.
pub fn put_in(site: &Site, place: &Place, wanted: &[Piece], program: &Program) -> Result<Outcome, Failure> {
    let old = Record::read(&place.dir);
    let mut record = old.clone();
    let (mut steps, mut outcome) = (Vec::new(), Outcome::default());
    let found = Found::all(site)?;
    for found in found.iter().filter(|found| wanted.contains(&found.piece)) {
        if found.piece == Piece::Hook {
            check_hook(site, found)?;
        }
        match found.state {
            State::Changed => outcome.kept.push(found.path.clone()),
            State::ByHand => {}
            State::Absent | State::Ours => {
                let Some(step) = put_one(site, found, program, &mut record)? else {
                    continue;
                };
                outcome.changed.push((found.piece, step.path.clone()));
                steps.push(step);
            }
        }
    }
    let is_new = !place.dir.exists();
    place.create()?;
    steps.splice(0..0, note(&place.dir, &old, &record));
    files::apply(&steps).inspect_err(|_| {
        if is_new {
            // Nothing but its own ignore file is in it.
            _ = fs::remove_dir_all(&place.dir);
        }
    })?;
    Ok(outcome)
}

/// Takes the pieces out of this worktree, and out of those that were set up with this store.
pub fn take_out(site: &Site, store: &Path) -> Result<Outcome, Failure> {
    let old = Record::read(store);
    let mut all = Found::all(site)?;
    for other in site.others().iter().filter(|other| old.is_about(&other.root)) {
        all.extend(Found::all(other)?);
    }
    all.sort_by(|a, b| a.path.cmp(&b.path));
    all.dedup_by(|a, b| a.path == b.path);

    let (mut steps, mut outcome, mut folders) = (Vec::new(), Outcome::default(), Vec::new());
    for found in all {
        if found.state == State::Changed && found.text.is_some() {
            outcome.kept.push(found.path.clone());
        }
        let Some(step) = take_one(&found, &old) else { continue };
        if found.piece == Piece::Skill {
            folders.extend(found.path.parent().map(Path::to_path_buf));
        }
        outcome.changed.push((found.piece, found.path));
        steps.push(step);
    }
    if outcome.kept.is_empty() {
        steps.extend(note(store, &old, &Record::default()));
    }
    files::apply(&steps)?;
    folders.extend(old.folders());
    files::remove_empty(&folders);
    Ok(outcome)
}

/// Refuses a hook that git would not run with the block in it, or that is not this repository's alone.
fn check_hook(site: &Site, found: &Found) -> Result<(), Failure> {
    let refuse = |why: &str| {
        let path = found.path.display();
        Err(
            Failure::usage(format!("set up the hook {path}: {why}; nothing was changed")).remedy_is(
                "let your hook start `rekal checkpoint --quiet` in the background, then run rekal init again",
            ),
        )
    };
    if matches!(found.state, State::Ours | State::ByHand) {
        return Ok(());
    }
    if !site.holds(&found.path) {
        return refuse("it lies outside of the repository (core.hooksPath), and others may use it too");
    }
    let is_link = fs::symlink_metadata(site.hooks.join("post-commit")).is_ok_and(|hook| hook.is_symlink());
    if is_link {
        return refuse("it is a link to a file that may serve others too");
    }
    if found.state == State::Changed && found.text.is_some() {
        return Ok(());
    }
    let is_there = found.path.exists();
    let is_script = found.text.is_some() && found.piece.put(found.text.as_deref(), &Program::default()).is_some();
    match () {
        () if is_there && !is_script => refuse("it is no shell script, so nothing can be added to it"),
        () if is_there && !is_executable(&found.path) => refuse("it is not executable, so git does not run it"),
        () => Ok(()),
    }
}

fn is_executable(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    path.exists()
}

/// The step that puts a piece in, noted in the record. `None`: it is in place.
fn put_one(site: &Site, found: &Found, program: &Program, record: &mut Record) -> Result<Option<Step>, Failure> {
    let (path, text) = (&found.path, found.text.as_deref());
    let refuse = |why: &str, remedy: &str| {
        let what = format!("write to {}: {why}; nothing was changed", path.display());
        Err(Failure::usage(what).remedy_is(remedy))
    };
    if !site.holds(path) {
        return refuse("it leads out of the repository", "make it a file of the repository");
    }
    let Some(new) = found.piece.put(text, program) else {
        return refuse(
            "it holds no settings as Claude Code reads them",
            "mend it, or leave out --agent-hooks",
        );
    };
    if text == Some(new.as_str()) {
        return Ok(None);
    }
    let was = match (found.state, text) {
        (State::Ours, Some(text)) => match record.original(path, text) {
            Some(original) => Some(original.to_owned()),
            None => found.piece.take(text),
        },
        (_, text) => text.map(str::to_owned),
    };
    let is_exact = found.piece.take(&new) == was;
    record.note(path, &new, was.filter(|_| !is_exact));
    record.made(files::missing_folders(path));
    Ok(Some(Step {
        path: path.clone(),
        before: found.text.clone(),
        after: Some(new),
        mode: found.piece.mode(),
    }))
}

/// The step that takes a piece out. `None`: there is nothing of ours.
fn take_one(found: &Found, record: &Record) -> Option<Step> {
    let text = found.text.as_deref()?;
    let after = match record.original(&found.path, text) {
        Some(original) => Some(original.to_owned()),
        None => found.piece.take(text),
    };
    (after.as_deref() != Some(text)).then(|| Step {
        path: found.path.clone(),
        before: found.text.clone(),
        after,
        mode: found.piece.mode(),
    })
}

/// The step that brings the record up.
fn note(store: &Path, old: &Record, new: &Record) -> Option<Step> {
    let path = store.join(record::FILE);
    // One that cannot be read says nothing, and is replaced.
    let before = fs::read_to_string(&path).ok();
    let is_due = old != new || (before.is_some() && new.text().is_none());
    (is_due && (before.is_some() || new.text().is_some())).then(|| Step {
        path,
        before,
        after: new.text(),
        mode: 0o600,
    })
}
