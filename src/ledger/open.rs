//! Opening the ledger: one process at a time, migrated, private to the user.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::ops::Range;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use redb::backends::FileBackend;
use redb::{Builder, Database, ReadTransaction, ReadableDatabase, ReadableTable, WriteTransaction};

use super::guard::guarded;
use super::migrations::STEPS;
use super::rows;
use super::scrub::scrub;
use super::tables::{Bytes, During, META};
use crate::{Error, Result};

/// The file name of the ledger in its store.
const FILE: &str = "store.redb";

/// What lies beside a ledger from which something was published.
const PUBLISHED: [&str; 2] = ["reach.snap", "index"];

/// The bytes behind the mark with which a redb file begins, up to the end of its header's page.
const HEADER: Range<u64> = 9..4096;

/// The format that this version writes.
const KNOWN: u32 = STEPS.len() as u32;

/// Memory for cached pages. The default of 1 GiB would let a drain grow with the store.
const CACHE: usize = 32 << 20;

/// The ledger of one store, held by this process until it is dropped.
pub struct Ledger {
    database: Database,
    store: PathBuf,
    id: u128,
}

impl Ledger {
    /// Opens the ledger of the store at `store`, a folder that exists; a new one is made, an older
    /// one is brought to the present format.
    ///
    /// # Errors
    /// [`Error::is_locked`] when another process holds it, [`Error::is_newer_format`] when a newer
    /// version wrote it, [`Error::is_corrupt`] when it is damaged, else what the system said.
    pub fn open(store: &Path) -> Result<Self> {
        Self::open_as(store, false)
    }

    /// Opens it as [`open`](Self::open) does, and first compares every page with its checksum, which
    /// reads the whole file.
    pub fn open_checked(store: &Path) -> Result<Self> {
        Self::open_as(store, true)
    }

    /// Where the ledger of a store lies.
    pub(super) fn file(store: &Path) -> PathBuf {
        store.join(FILE)
    }

    fn open_as(store: &Path, checked: bool) -> Result<Self> {
        let path = Self::file(store);
        guarded(store, || Self::open_file(store, &path, checked)).map_err(|e| e.of_ledger(&path))
    }

    fn open_file(store: &Path, path: &Path, checked: bool) -> Result<Self> {
        let was_there = path.exists();
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)
            .map_err(|e| Error::io("open", path, e))?;
        let published = was_there && PUBLISHED.iter().any(|name| store.join(name).exists());
        make_ready(&file, published).map_err(|e| Error::io("look at", path, e))??;
        let database = Builder::new()
            .set_cache_size(CACHE)
            .set_check_integrity_on_open(checked)
            .create_with_backend(FileBackend::new(file).during("open")?)
            .during("open")?;
        let id = settle(&database)?;
        let store = store.to_path_buf();
        let mut ledger = Self { database, store, id };
        ledger.scrub()?;
        Ok(ledger)
    }

    /// The store it lies in.
    pub fn store(&self) -> &Path {
        &self.store
    }

    /// Its random id, which what is published from it carries.
    pub fn id(&self) -> u128 {
        self.id
    }

    /// A durable write transaction that is quick to repair after a kill (0.5 ms measured, instead of
    /// 200 to 1100).
    pub(crate) fn write(&self) -> Result<WriteTransaction> {
        let mut txn = self.database.begin_write().during("begin a transaction")?;
        txn.set_quick_repair(true);
        Ok(txn)
    }

    /// Takes what was removed out of the file's bytes, if it is marked for that.
    pub(crate) fn scrub(&mut self) -> Result<()> {
        scrub(&mut self.database)
    }

    pub(crate) fn read(&self) -> Result<ReadTransaction> {
        self.database.begin_read().during("begin reading")
    }
}

/// A file whose making was cut short by a kill is made from the beginning; one that is as blank although
/// something was published from it has been damaged.
fn make_ready(file: &File, published: bool) -> io::Result<Result<()>> {
    // Somebody who holds the file is making it, or will be named by the opening that follows.
    if !is_blank(file)? || matches!(file.try_lock(), Err(TryLockError::WouldBlock)) || !is_blank(file)? {
        return Ok(Ok(()));
    }
    if published {
        let what = "it is blank, although something was published from it";
        return Ok(Err(Error::corrupt("its beginning", what)));
    }
    file.set_len(0).map(Ok)
}

/// Whether nothing was ever committed to the file: redb writes the first bytes last, and before them
/// only a header.
fn is_blank(file: &File) -> io::Result<bool> {
    let mut bytes = [0; 64 << 10];
    let mut at = 0;
    loop {
        let portion = match file.read_at(&mut bytes, at)? {
            0 => return Ok(true),
            len => &bytes[..len],
        };
        let counts = |place: u64| !HEADER.contains(&place);
        if portion
            .iter()
            .zip(at..)
            .any(|(byte, place)| *byte != 0 && counts(place))
        {
            return Ok(false);
        }
        at += portion.len() as u64;
    }
}

/// The id of a ledger of the present format. One of an older format is migrated first, in a
/// transaction of its own; in the ordinary case nothing is written.
fn settle(database: &Database) -> Result<u128> {
    let txn = database.begin_read().during("begin reading")?;
    let stamp = match txn.open_table(META) {
        Err(redb::TableError::TableDoesNotExist(_)) => (0, None),
        other => stamp(&other.during("open meta")?)?,
    };
    drop(txn);
    if let (format, Some(id)) = stamp
        && format == KNOWN
    {
        return Ok(id);
    }
    let mut txn = database.begin_write().during("begin a migration")?;
    txn.set_quick_repair(true);
    let id = prepare(&txn)?;
    txn.commit().during("commit a migration")?;
    Ok(id)
}

/// Brings the ledger to the present format within the caller's transaction and gives its id.
pub(crate) fn prepare(txn: &WriteTransaction) -> Result<u128> {
    let (format, id) = stamp(&txn.open_table(META).during("open meta")?)?;
    match id {
        _ if format > KNOWN => return Err(Error::newer_format(format, KNOWN)),
        Some(id) if format == KNOWN => return Ok(id),
        _ => {}
    }
    for (at, step) in STEPS.iter().enumerate().skip(format as usize) {
        step(txn).during(&format!("migrate to format {}", at + 1))?;
    }
    let id = id.unwrap_or_else(crate::hash::random128);
    let mut meta = txn.open_table(META).during("open meta")?;
    for (name, row) in [("format", rows::encode(&KNOWN)?), ("ledger", rows::encode(&id)?)] {
        meta.insert(name, row.as_slice()).during("stamp the ledger")?;
    }
    Ok(id)
}

/// The format and the id that a ledger carries.
fn stamp(meta: &impl ReadableTable<&'static str, Bytes>) -> Result<(u32, Option<u128>)> {
    let format = match meta.get("format").during("read the format")? {
        Some(row) => rows::decode(row.value(), "rekal.meta")?,
        None => 0,
    };
    let id = match meta.get("ledger").during("read the ledger's id")? {
        Some(row) => Some(rows::decode(row.value(), "rekal.meta")?),
        None => None,
    };
    Ok((format, id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_new_ledger_is_private_and_keeps_its_id() {
        let store = tempfile::tempdir().expect("a folder");
        let id = Ledger::open(store.path()).expect("created").id();
        assert_eq!(Ledger::open(store.path()).expect("opened again").id(), id);
        let mode = std::fs::metadata(store.path().join(FILE))
            .expect("a file")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_held_ledger_is_locked() {
        let store = tempfile::tempdir().expect("a folder");
        let _held = Ledger::open(store.path()).expect("created");
        let error = Ledger::open(store.path()).map(|_| ()).expect_err("held");
        assert!(error.is_locked(), "{error}");
    }

    #[test]
    fn a_newer_format_is_refused_with_both_numbers_and_left_alone() {
        let store = tempfile::tempdir().expect("a folder");
        let ledger = Ledger::open(store.path()).expect("created");
        let txn = ledger.write().expect("a transaction");
        let row = rows::encode(&7u32).expect("encodes");
        let mut meta = txn.open_table(META).expect("meta");
        meta.insert("format", row.as_slice()).expect("inserted");
        drop(meta);
        txn.commit().expect("committed");
        drop(ledger);
        for _ in 0..2 {
            let error = Ledger::open(store.path()).map(|_| ()).expect_err("newer");
            assert!(error.is_newer_format());
            let both = "its format is 7, this version knows formats up to 1";
            assert!(error.to_string().contains(both), "{error}");
        }
    }

    #[test]
    fn a_file_that_is_no_ledger_is_damage() {
        let store = tempfile::tempdir().expect("a folder");
        let path = store.path().join(FILE);
        std::fs::write(&path, [7; 5000]).expect("written");
        let error = Ledger::open(store.path()).map(|_| ()).expect_err("no ledger");
        assert!(error.is_corrupt() && error.remedy().is_some(), "{error:?}");
        assert_eq!(error.path(), Some(path.as_path()));
        assert_eq!(std::fs::read(&path).expect("the file"), [7; 5000]);
    }

    #[test]
    fn a_file_whose_making_was_cut_short_is_made_anew() {
        let store = tempfile::tempdir().expect("a folder");
        let path = store.path().join(FILE);
        let mut begun = vec![0; 1 << 20];
        begun[9..300].fill(7);
        for bytes in [&[][..], &[0; 5], &begun[..200], &begun[..]] {
            std::fs::write(&path, bytes).expect("written");
            let id = Ledger::open(store.path()).expect("made").id();
            assert_eq!(Ledger::open(store.path()).expect("opened again").id(), id);
        }
    }

    #[test]
    fn a_blank_file_from_which_something_was_published_is_damage() {
        for published in PUBLISHED {
            let store = tempfile::tempdir().expect("a folder");
            let path = store.path().join(FILE);
            std::fs::write(store.path().join(published), "").expect("published");
            for len in [0, 1 << 20] {
                std::fs::write(&path, vec![0; len]).expect("blank");
                let error = Ledger::open(store.path()).map(|_| ()).expect_err("damaged");
                assert!(error.is_corrupt() && error.remedy().is_some(), "{error:?}");
                assert_eq!(std::fs::metadata(&path).expect("the file").len(), len as u64);
            }
            std::fs::remove_file(&path).expect("moved away");
            Ledger::open(store.path()).expect("a new one");
        }
    }

    #[test]
    fn every_changed_byte_that_counts_is_found_by_a_checked_opening() {
        let store = tempfile::tempdir().expect("a folder");
        let path = store.path().join(FILE);
        drop(Ledger::open(store.path()).expect("created"));
        drop(Ledger::open_checked(store.path()).expect("right"));
        let mut bytes = std::fs::read(&path).expect("the file");
        let name = bytes
            .windows(10)
            .position(|text| text == b"rekal.meta")
            .expect("a table");
        bytes[name] ^= 1;
        std::fs::write(&path, &bytes).expect("written");
        let error = Ledger::open_checked(store.path()).map(|_| ()).expect_err("damaged");
        assert!(error.is_corrupt(), "{error:?}");
    }
}
