//! How a new index takes the place of an old one.
//!
//! It is built in `.building/` inside the index folder. Its files have names that no other index has,
//! so they are moved in beside the old ones; the rename of `meta.json` is the one step that publishes
//! them. Killed before it, the old index is whole; after it, the new one. What is left over of either
//! goes with the next build.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::folder::create_private_folder;
use crate::{Error, Result};

const SITE: &str = ".building";

/// Published before everything it names is there, tantivy's list of its own files does no harm.
const MANAGED: &str = ".managed.json";
const META: &str = "meta.json";

/// An empty folder to build in.
pub(super) fn begin(dir: &Path) -> Result<PathBuf> {
    discard(dir)?;
    let site = dir.join(SITE);
    for folder in [dir, &site] {
        create_private_folder(folder).map_err(|error| Error::io("create", folder, error))?;
    }
    Ok(site)
}

/// Removes what a build left that was not finished.
pub(super) fn discard(dir: &Path) -> Result<()> {
    let site = dir.join(SITE);
    match fs::remove_dir_all(&site) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io("remove", site, error)),
        _ => Ok(()),
    }
}

/// Publishes what was built.
pub(super) fn put_in_place(dir: &Path) -> Result<()> {
    publish(dir).map_err(|error| Error::io("move a new index into", dir, error))
}

fn publish(dir: &Path) -> io::Result<()> {
    let site = dir.join(SITE);
    let built = names(&site)?;
    let move_in = |name: &OsStr| fs::rename(site.join(name), dir.join(name));
    for name in built.iter().filter(|name| is_segment(name)) {
        move_in(name)?;
    }
    move_in(OsStr::new(MANAGED))?;
    File::open(dir)?.sync_all()?;
    move_in(OsStr::new(META))?;
    File::open(dir)?.sync_all()?;
    for name in names(dir)?.difference(&built) {
        if is_segment(name) || is_temporary(name) {
            fs::remove_file(dir.join(name))?;
        }
    }
    fs::remove_dir_all(site)
}

fn names(dir: &Path) -> io::Result<HashSet<OsString>> {
    fs::read_dir(dir)?
        .map(|entry| entry.map(|entry| entry.file_name()))
        .collect()
}

/// `<32 hex digits>.store` and the like.
fn is_segment(name: &OsStr) -> bool {
    let stem = name.to_str().and_then(|name| name.split_once('.'));
    stem.is_some_and(|(stem, _)| stem.len() == 32 && stem.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Of a file that was being replaced when its writer was killed.
fn is_temporary(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(".tmp"))
}
