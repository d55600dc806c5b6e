//! Claims: spool files renamed aside, each the property of one drain.
//!
//! `recall-log.<ULID>.claim`; the ULID's time is the claim's own time, against which the times of its
//! events are held. A claim whose name holds no ULID (renamed by hand, or by another program) is drained
//! like the others, with the time of its last change for its own. Only a regular file is a claim.
//!
//! The spool is *never locked before it is renamed*: a writer that found it locked could not know whether
//! it is about to vanish. After the rename every writer that takes the shared lock sees that the path has
//! another inode and turns away, so the exclusive lock is had as soon as those who were writing are done.

use std::fs::{self, DirEntry, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, ErrorKind, Seek};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, UNIX_EPOCH};

use super::ids::{new_ulid, parse_ulid};
use super::reader::ClaimReader;
use super::writer::SPOOL;
use crate::hash::Fnv128;
use crate::time::Millis;
use crate::{Error, Result};

const PREFIX: &str = "recall-log.";
const CLAIM: &str = ".claim";
const UNFINISHED: &str = ".tmp";

/// How long a new claim is waited for: as long as a writer that holds it may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// Between two attempts to lock a claim.
const POLL: Duration = Duration::from_millis(1);

/// When a claim that was never finished has been left behind by a writer that died.
const ABANDONED: Millis = 3_600_000;

/// A spool file renamed aside, not yet locked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    path: PathBuf,
    name: String,
    at: Millis,
    patience: Duration,
}

/// Every claim of the store, oldest name first: the leftovers of drains that died, of writers that had
/// to make their own, and at the end the spool as it is now, if it holds anything.
pub fn claims(dir: &Path, now: Millis) -> Result<Vec<Claim>> {
    let mut all = leftovers(dir, now)?;
    all.extend(take(dir, now)?);
    Ok(all)
}

/// The claims that lie in the store, by name. Files of writers that died before they had finished one
/// are deleted: what is in them was never acknowledged.
pub fn leftovers(dir: &Path, now: Millis) -> Result<Vec<Claim>> {
    let failed = |error| Error::io("list", dir, error);
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if let Some(claim) = Claim::of(&entry) {
            found.push(claim);
        } else if is_abandoned(&entry, now) {
            remove_if_there(&entry.path())?;
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// A file that a writer has begun and not yet made a claim: it is at work, or it died.
pub fn unfinished(dir: &Path) -> Result<Option<PathBuf>> {
    let failed = |error| Error::io("list", dir, error);
    for entry in fs::read_dir(dir).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if unfinished_since(&entry).is_some() {
            return Ok(Some(entry.path()));
        }
    }
    Ok(None)
}

/// Files of writers that died before they had finished a claim: the next drain deletes them.
pub fn abandoned(dir: &Path, now: Millis) -> Result<Vec<PathBuf>> {
    let failed = |error| Error::io("list", dir, error);
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if is_abandoned(&entry, now) {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// Renames the spool to a new claim. `None`: there is no spool, it is empty, or it is no regular file.
pub fn take(dir: &Path, now: Millis) -> Result<Option<Claim>> {
    let spool = dir.join(SPOOL);
    let holds_something = match fs::symlink_metadata(&spool) {
        Ok(found) => found.is_file() && found.len() > 0,
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => return Err(Error::io("look at", &spool, error)),
    };
    if !holds_something {
        return Ok(None);
    }
    let name = claim_name(now);
    let path = dir.join(&name);
    match fs::rename(&spool, &path) {
        Ok(()) => Ok(Some(Claim {
            path,
            name,
            at: now,
            patience: PATIENCE,
        })),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("rename", &spool, error)),
    }
}

pub(super) fn claim_name(at: Millis) -> String {
    format!("{PREFIX}{}{CLAIM}", new_ulid(at))
}

pub(super) fn unfinished_name(at: Millis) -> String {
    format!("{PREFIX}{}{UNFINISHED}", new_ulid(at))
}

/// A file of lines from elsewhere, to be read like a claim made now. Lines without an id get theirs from
/// `import-` and the file's 128-bit FNV-1a hash in place of the claim's name, so that the same file
/// makes the same ids again.
pub fn import(path: &Path, now: Millis) -> Result<ClaimReader> {
    let failed = |error| Error::io("read", path, error);
    let mut file = File::open(path).map_err(failed)?;
    let hash = hash_of(&file).map_err(failed)?;
    // What cannot be read a second time, a pipe, fails here instead of looking empty.
    file.rewind().map_err(failed)?;
    let claim = Claim {
        path: path.to_path_buf(),
        name: format!("import-{hash:032x}"),
        at: now,
        patience: Duration::ZERO,
    };
    Ok(ClaimReader::new(claim, file))
}

fn hash_of(file: &File) -> io::Result<u128> {
    let mut input = BufReader::with_capacity(64 << 10, file);
    let mut hash = Fnv128::new();
    loop {
        let portion = input.fill_buf()?;
        if portion.is_empty() {
            return Ok(hash.value());
        }
        hash = hash.with(portion);
        let read = portion.len();
        input.consume(read);
    }
}

impl Claim {
    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name of its file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// When it was made.
    pub fn at(&self) -> Millis {
        self.at
    }

    /// Locks it, to be read and deleted. `None`: somebody else still holds it (a new claim is waited for
    /// up to 2 seconds, a leftover not at all), or it is gone: leave it to the next drain.
    pub fn open(self) -> Result<Option<ClaimReader>> {
        // For writing because network file systems lock a file exclusively only for those who may write it.
        let file = match OpenOptions::new().read(true).write(true).open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io("open", &self.path, error)),
        };
        let mut left = self.patience;
        while !is_locked_by_us(&file) {
            if left.is_zero() {
                return Ok(None);
            }
            sleep(POLL);
            left = left.saturating_sub(POLL);
        }
        Ok(Some(ClaimReader::new(self, file)))
    }

    /// The spool, not renamed: to be looked at only.
    pub(super) fn at_its_own_place(path: PathBuf, at: Millis) -> Self {
        Self {
            path,
            name: SPOOL.to_owned(),
            at,
            patience: Duration::ZERO,
        }
    }

    /// The claim that a file of the store is.
    pub(super) fn of(entry: &DirEntry) -> Option<Self> {
        let name = entry.file_name().into_string().ok()?;
        let middle = middle_of(&name, CLAIM)?;
        let regular = entry.file_type().ok()?.is_file();
        let at = match parse_ulid(middle) {
            Some(id) => id.timestamp_ms(),
            None => last_change(entry).ok()?,
        };
        regular.then(|| Self {
            path: entry.path(),
            name,
            at,
            patience: Duration::ZERO,
        })
    }
}

/// On a file system without locks no writer ever appends to a file that can be claimed (each makes a
/// claim of its own), so there is nobody to wait for.
fn is_locked_by_us(file: &File) -> bool {
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

fn middle_of<'a>(name: &'a str, suffix: &str) -> Option<&'a str> {
    name.strip_prefix(PREFIX)?.strip_suffix(suffix)
}

fn last_change(entry: &DirEntry) -> io::Result<Millis> {
    let since = entry.metadata()?.modified()?.duration_since(UNIX_EPOCH);
    Ok(since.map_or(0, |since| since.as_millis() as Millis))
}

fn is_abandoned(entry: &DirEntry, now: Millis) -> bool {
    unfinished_since(entry).is_some_and(|begun| begun.saturating_add(ABANDONED) < now)
}

fn unfinished_since(entry: &DirEntry) -> Option<Millis> {
    let name = entry.file_name();
    let id = parse_ulid(middle_of(name.to_str()?, UNFINISHED)?)?;
    Some(id.timestamp_ms())
}

fn remove_if_there(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io("delete", path, error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spool::fixture::{CLAIM as NAME, NOON, drain, drill, put_claim};
    use crate::spool::writer::{Batch, Writer};

    fn append(dir: &Path, bits: u128) {
        let mut batch = Batch::new();
        batch.push(&drill(bits, "s1"));
        Writer::new(dir).append(&batch).expect("appended");
    }

    #[test]
    fn an_absent_or_empty_spool_makes_no_claim() {
        let dir = tempfile::tempdir().expect("a folder");
        assert_eq!(claims(dir.path(), NOON).expect("claims"), []);
        fs::write(dir.path().join(SPOOL), "").expect("an empty spool");
        assert_eq!(claims(dir.path(), NOON).expect("claims"), []);
        fs::remove_file(dir.path().join(SPOOL)).expect("no spool");
        fs::create_dir(dir.path().join(SPOOL)).expect("a folder in its place");
        assert_eq!(claims(dir.path(), NOON).expect("claims"), []);
    }

    #[test]
    fn a_store_that_is_not_there_is_an_error() {
        let error = claims(Path::new("/nowhere/at/all"), NOON).expect_err("no folder");
        assert_eq!((error.kind(), error.path()), ("io", Some(Path::new("/nowhere/at/all"))));
    }

    #[test]
    fn the_spool_becomes_a_claim_of_this_time_behind_the_leftovers() {
        let dir = tempfile::tempdir().expect("a folder");
        append(dir.path(), 2);
        put_claim(dir.path(), "");
        let all = claims(dir.path(), NOON + 1).expect("claims");
        assert_eq!((all.len(), all[0].name(), all[0].at()), (2, NAME, NOON));
        let (name, at) = (all[1].name(), all[1].at());
        assert!(
            name.starts_with("recall-log.01M8P570KW") && name.ends_with(".claim"),
            "{name}"
        );
        assert_eq!((name.len(), at), (43, NOON + 1));
        assert!(!dir.path().join(SPOOL).exists());
    }

    #[test]
    fn only_regular_files_of_the_name_are_claims() {
        let dir = tempfile::tempdir().expect("a folder");
        let at = |name: &str| dir.path().join(name);
        fs::write(at("recall-log.by-hand.claim"), "").expect("a file");
        fs::write(at("data.db"), "").expect("a file");
        fs::write(at("other.claim"), "").expect("a file");
        fs::create_dir(at("recall-log.folder.claim")).expect("a folder");
        std::os::unix::fs::symlink(at("data.db"), at("recall-log.link.claim")).expect("a link");
        let all = leftovers(dir.path(), NOON).expect("claims");
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].name(), "recall-log.by-hand.claim");
        let written = fs::metadata(at("recall-log.by-hand.claim")).and_then(|m| m.modified());
        let written = written.expect("a time").duration_since(UNIX_EPOCH).expect("a time");
        assert_eq!(u128::from(all[0].at()), written.as_millis());
    }

    #[test]
    fn a_claim_that_somebody_holds_is_left_to_the_next_drain() {
        let dir = tempfile::tempdir().expect("a folder");
        append(dir.path(), 1);
        let holder = File::open(dir.path().join(SPOOL)).expect("the spool");
        holder.lock_shared().expect("a lock");
        let new = take(dir.path(), NOON).expect("taken").expect("a claim");
        let path = new.path().to_path_buf();
        let before = std::time::Instant::now();
        assert!(new.open().expect("no error").is_none());
        assert!(before.elapsed() >= Duration::from_secs(2));

        let leftover = leftovers(dir.path(), NOON).expect("claims").remove(0);
        let before = std::time::Instant::now();
        assert!(leftover.open().expect("no error").is_none());
        assert!(before.elapsed() < Duration::from_millis(500));
        assert!(path.exists());

        drop(holder);
        assert_eq!(drain(dir.path()).0, [drill(1, "s1")]);
    }

    #[test]
    fn a_claim_that_is_gone_is_nobodys() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = put_claim(dir.path(), "");
        let claim = leftovers(dir.path(), NOON).expect("claims").remove(0);
        fs::remove_file(path).expect("deleted");
        assert!(claim.open().expect("no error").is_none());
    }

    #[test]
    fn what_a_dead_writer_left_unfinished_is_deleted_after_an_hour() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join(unfinished_name(NOON));
        let foreign = dir.path().join("recall-log.notes.tmp");
        fs::write(&path, "half").expect("a file");
        fs::write(&foreign, "mine").expect("a file");
        leftovers(dir.path(), NOON + ABANDONED).expect("claims");
        assert!(path.exists());
        leftovers(dir.path(), NOON + ABANDONED + 1).expect("claims");
        assert!(!path.exists() && foreign.exists());
    }
}
