//! A host that takes the spool into a transaction of its own, on a disk that may fail.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use proptest::prelude::*;
use redb::{Builder, Database, ReadableDatabase, StorageBackend, TableDefinition};
use rekal::graph::{Drained, absorb};

use super::party::runs_alone;
use super::program::{THEN, append, claims, reach, recall, targets};

/// A table of the host that has the name of one of ours, but for the prefix.
const HOSTS: TableDefinition<&str, u64> = TableDefinition::new("events");

/// A disk in memory, of which only so many more calls succeed.
#[derive(Clone, Debug)]
struct Disk {
    bytes: Arc<Mutex<Vec<u8>>>,
    left: Arc<AtomicU64>,
}

impl Disk {
    fn with(bytes: Vec<u8>) -> Self {
        Self {
            bytes: Arc::new(Mutex::new(bytes)),
            left: Arc::new(AtomicU64::new(u64::MAX)),
        }
    }

    fn fails_after(&self, calls: u64) {
        self.left.store(calls, Ordering::Relaxed);
    }

    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn spend(&self) -> io::Result<()> {
        let one_less = |left: u64| left.checked_sub(1);
        let spent = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
        spent
            .map(|_| ())
            .map_err(|_| io::Error::from(io::ErrorKind::StorageFull))
    }

    fn database(&self) -> Database {
        Builder::new().create_with_backend(self.clone()).expect("a database")
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.bytes().len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let offset = offset as usize;
        out.copy_from_slice(&self.bytes()[offset..offset + out.len()]);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.spend()?;
        self.bytes().resize(len as usize, 0);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.spend()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.spend()?;
        let offset = offset as usize;
        self.bytes()[offset..offset + data.len()].copy_from_slice(data);
        Ok(())
    }
}

/// The bytes of a host's database with one row of its own.
fn host() -> Vec<u8> {
    let disk = Disk::with(Vec::new());
    let database = disk.database();
    let txn = database.begin_write().expect("a transaction");
    txn.open_table(HOSTS)
        .expect("a table")
        .insert("mine", 7)
        .expect("a row");
    txn.commit().expect("committed");
    drop(database);
    disk.bytes().clone()
}

fn host_row(database: &Database) -> Option<u64> {
    let txn = database.begin_read().expect("a transaction");
    let table = txn.open_table(HOSTS).expect("the host's table");
    let row = table.get("mine").expect("readable");
    row.map(|row| row.value())
}

fn append_events(store: &Path, first: u64, count: u64) {
    let events: Vec<_> = (first..first + count)
        .map(|n| recall(n, 1, &format!("query {}", n % 3), targets(4)))
        .collect();
    append(store, &events);
}

fn try_to_absorb(database: &Database, store: &Path) -> Result<Drained, String> {
    let txn = database.begin_write().map_err(|error| error.to_string())?;
    let pending = absorb(store, &txn, THEN + 1000).map_err(|error| error.to_string())?;
    txn.commit().map_err(|error| error.to_string())?;
    pending.finish().map_err(|error| error.to_string())
}

fn count(store: &Path) -> Option<u32> {
    reach(store, "session-3").map(|reach| reach.count)
}

#[test]
fn a_commit_that_fails_anywhere_keeps_the_claim_and_the_next_delivers_it_once() {
    if runs_alone("exactly_once::host::a_commit_that_fails_anywhere_keeps_the_claim_and_the_next_delivers_it_once") {
        return;
    }
    let host = host();
    let mut failed = 0;
    for calls in 0.. {
        let store = tempfile::tempdir().expect("a folder");
        append_events(store.path(), 0, 20);
        let disk = Disk::with(host.clone());
        let database = disk.database();
        disk.fails_after(calls);
        let first = try_to_absorb(&database, store.path());
        if let Ok(drained) = first {
            assert_eq!((drained.events, count(store.path())), (20, Some(20)));
            break;
        }
        failed += 1;
        assert_eq!(
            (claims(store.path()).len(), count(store.path())),
            (1, None),
            "after {calls}"
        );
        // One that cannot even close in order.
        drop(database);
        disk.fails_after(u64::MAX);
        let database = disk.database();
        append_events(store.path(), 20, 1);
        let drained = try_to_absorb(&database, store.path()).expect("the disk is well again");
        assert_eq!(drained.edges_new + drained.edges_known, 84, "after {calls}");
        assert_eq!(
            (claims(store.path()).len(), count(store.path())),
            (0, Some(21)),
            "after {calls}"
        );
        assert_eq!(host_row(&database), Some(7));
    }
    assert!(failed > 5, "{failed} calls are no commit");
}

/// What a host may do with a transaction that holds claims.
#[derive(Clone, Copy, Debug)]
enum Host {
    Commits,
    CommitsAndForgetsToFinish,
    Aborts,
    DropsEverything,
    Appends(u64),
}

fn any_host() -> impl Strategy<Value = Host> {
    prop_oneof![
        Just(Host::Commits),
        Just(Host::CommitsAndForgetsToFinish),
        Just(Host::Aborts),
        Just(Host::DropsEverything),
        (1u64..6).prop_map(Host::Appends),
    ]
}

#[test]
fn whatever_a_host_does_every_event_is_counted_once() {
    if runs_alone("exactly_once::host::whatever_a_host_does_every_event_is_counted_once") {
        return;
    }
    let config = ProptestConfig {
        cases: 24,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    proptest!(config, |(acts in prop::collection::vec(any_host(), 1..12))| acts_as(&acts)?);
}

fn acts_as(acts: &[Host]) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path();
    let disk = Disk::with(host());
    let database = disk.database();
    let mut sent = 0;
    for act in acts.iter().chain(&[Host::Appends(1), Host::Commits]) {
        if let Host::Appends(count) = act {
            append_events(store, sent, *count);
            sent += count;
            continue;
        }
        let txn = database.begin_write().expect("a transaction");
        let pending = absorb(store, &txn, THEN + 1000).expect("absorbed");
        match act {
            Host::Commits => {
                txn.commit().expect("committed");
                pending.finish().expect("finished");
                prop_assert_eq!(claims(store).len(), 0);
                prop_assert_eq!(u64::from(count(store).unwrap_or(0)), sent);
            }
            Host::CommitsAndForgetsToFinish => txn.commit().expect("committed"),
            Host::Aborts => txn.abort().expect("aborted"),
            Host::DropsEverything | Host::Appends(_) => drop(txn),
        }
    }
    prop_assert_eq!(u64::from(count(store).unwrap_or(0)), sent);
    prop_assert_eq!(host_row(&database), Some(7));
    Ok(())
}
