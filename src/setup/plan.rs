//! Putting the pieces in, and taking them out. What cannot be done is found before anything is written.

use std::fs;
use std::path::{Path, PathBuf};

use super::files::{self, Step};
use super::hook;
use super::mark::{Program, State};
use super::piece::{Found, Piece};
use super::record::{self, Record};
use super::site::Site;
use crate::answer::Failure;
use crate::place::Place;

/// What was done.
#[derive(Default)]
pub struct Done {
    /// The files that were made, changed or removed.
    pub changed: Vec<(Piece, PathBuf)>,
    /// Those that the user changed, or that are no text: they stay as they are.
    pub kept: Vec<Found>,
    /// The stores that the hooks named, beside the one that was asked for.
    pub stores: Vec<PathBuf>,
}

/// Puts these pieces in, and makes the store. Those that are in place stay as they are.
pub fn put_in(site: &Site, place: &Place, wanted: &[Piece], program: &Program) -> Result<Done, Failure> {
    let old = Record::read(&place.dir);
    let mut record = old.clone();
    let (mut steps, mut outcome) = (Vec::new(), Done::default());
    let found = Found::all(site)?;
    for found in found.iter().filter(|found| wanted.contains(&found.piece)) {
        if found.piece == Piece::Hook {
            check_hook(site, found)?;
        }
        match found.state {
            State::Foreign if found.piece == Piece::AgentHooks => return Err(no_settings(&found.path)),
            State::Changed | State::Foreign => outcome.kept.push(found.clone()),
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
pub fn take_out(site: &Site, store: &Path) -> Result<Done, Failure> {
    let mut all = Found::all(site)?;
    let mut outcome = Done {
        stores: named_stores(&all, store),
        ..Done::default()
    };
    let stores = outcome.stores.iter().map(PathBuf::as_path).chain([store]);
    let records: Vec<(&Path, Record)> = stores.map(|store| (store, Record::read(store))).collect();
    let mut old = Record::default();
    records.iter().for_each(|(_, record)| old.add(record));
    let others = site.others();
    let is_here = |path: &Path| site.holds(path) || others.iter().any(|other| other.holds(path));
    for other in others.iter().filter(|other| old.is_about(&other.root)) {
        all.extend(Found::all(other)?);
    }
    all.sort_by(|a, b| a.path.cmp(&b.path));
    all.dedup_by(|a, b| a.path == b.path);

    let (mut steps, mut folders) = (Vec::new(), Vec::new());
    for found in all {
        if found.state == State::Changed {
            outcome.kept.push(found.clone());
        }
        let Some(step) = take_one(&found, &old) else { continue };
        if found.piece == Piece::Skill {
            folders.extend(found.path.parent().map(Path::to_path_buf));
        }
        outcome.changed.push((found.piece, found.path));
        steps.push(step);
    }
    if outcome.kept.is_empty() {
        steps.extend(records.iter().filter_map(|(store, record)| {
            // A store outside may serve other repositories too, which are cleaned by themselves.
            let rest = if is_here(store) {
                Record::default()
            } else {
                record.without(is_here)
            };
            note(store, record, &rest)
        }));
    }
    files::apply(&steps)?;
    folders.extend(old.folders().into_iter().filter(|folder| is_here(folder)));
    files::remove_empty(&folders);
    Ok(outcome)
}

/// The stores that the hooks name, beside this one.
fn named_stores(all: &[Found], store: &Path) -> Vec<PathBuf> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let mut stores: Vec<PathBuf> = all.iter().filter_map(Found::store).map(|store| real(&store)).collect();
    stores.sort();
    stores.dedup();
    stores.retain(|named| *named != real(store));
    stores
}

/// Refuses a hook that git would not run with the block in it, or that is not this repository's alone.
fn check_hook(site: &Site, found: &Found) -> Result<(), Failure> {
    let refuse = |why: &str, remedy: &str| {
        let path = found.path.display();
        let what = format!("set up the hook {path}: {why}; nothing was changed");
        Err(Failure::usage(what).remedy_is(format!("{remedy}, then run rekal init again")))
    };
    let own = "let your hook start `rekal checkpoint --quiet` in the background";
    let text = found.text.as_deref();
    let is_there = found.path.exists();
    if text.is_some_and(hook::has_carriage_return) {
        let why = "its first line ends with a carriage return, so git cannot run it";
        return refuse(why, "end its lines as Unix does (tr -d '\\r')");
    }
    if !matches!(found.state, State::Ours | State::ByHand) {
        if !site.holds(&found.path) {
            let why = "it lies outside of the repository (core.hooksPath), and others may use it too";
            let elsewhere = "give this repository hooks of its own (git config core.hooksPath .git/hooks)";
            return refuse(why, &format!("{own}, or {elsewhere}"));
        }
        if fs::symlink_metadata(&site.hook).is_ok_and(|hook| hook.is_symlink()) {
            return refuse("it is a link to a file that may serve others too", own);
        }
    }
    let is_script = text.is_some() && found.piece.put(text, &Program::default()).is_some();
    match found.state {
        State::Absent | State::Foreign if is_there && !is_script => {
            refuse("it is no shell script, so nothing can be added to it", own)
        }
        _ if is_there && !is_executable(&found.path) => {
            refuse("it is not executable, so git does not run it", "make it so (chmod +x)")
        }
        _ => Ok(()),
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
    if !site.holds(path) {
        let why = "it leads out of the repository";
        return Err(refused(path, why, "make it a file of the repository"));
    }
    let Some(new) = found.piece.put(text, program) else {
        return Err(no_settings(path));
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

fn no_settings(path: &Path) -> Failure {
    let why = "it holds no settings as Claude Code reads them";
    refused(path, why, "mend it, or leave out --agent-hooks")
}

fn refused(path: &Path, why: &str, remedy: &str) -> Failure {
    let what = format!("write to {}: {why}; nothing was changed", path.display());
    Failure::usage(what).remedy_is(remedy)
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
