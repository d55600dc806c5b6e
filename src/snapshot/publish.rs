//! Publishing: a temporary file, synced, renamed over the old one. Only the holder of the ledger
//! publishes, so one name for the temporary file is enough.

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::layout::{BLOCK, BUCKETS, HEADER, Header, Stamp, bucket, encode_block, encode_record, hash_of};
use super::read::{BASE, DELTA, Snapshot};
use crate::edge::SessionId;
use crate::hash::Sum;
use crate::reach::Reach;
use crate::{Error, Result};

/// A delta may hold this many records and an eighth of the base; then a new base costs little more.
const SMALL: usize = 256;

/// Publishes the reach of all sessions.
pub(crate) fn publish_whole(store: &Path, stamp: Stamp, records: &[(SessionId, Reach)]) -> Result<()> {
    write(store, BASE, stamp, stamp.generation, records)?;
    remove(&store.join(DELTA))
}

/// Publishes the sessions that changed between `since`, which is what is published, and `stamp`.
pub(crate) fn publish_changes(store: &Path, since: Stamp, stamp: Stamp, changed: &[(SessionId, Reach)]) -> Result<()> {
    let snapshot = Snapshot::open(store);
    let moved = || Error::corrupt(store.join(BASE), "another writer published meanwhile");
    let (Some(base), delta) = snapshot.files() else {
        return Err(moved());
    };
    if snapshot.stamp() != Some(since) {
        return Err(moved());
    }
    let mut records = match delta {
        Some(delta) => delta.all().ok_or_else(moved)?,
        None => Vec::new(),
    };
    let news: HashSet<&SessionId> = changed.iter().map(|(id, _)| id).collect();
    records.retain(|(id, _)| !news.contains(id));
    records.extend_from_slice(changed);
    write(store, DELTA, stamp, base.header.stamp.generation, &records)
}

impl Snapshot {
    /// Whether so many more changes still make a delta rather than a new base.
    pub(crate) fn has_room_for(&self, changes: usize) -> bool {
        match self.files() {
            (Some(base), Some(delta)) => {
                changes + delta.header.records as usize <= SMALL + base.header.records as usize / 8
            }
            (Some(base), None) => changes <= SMALL + base.header.records as usize / 8,
            _ => false,
        }
    }

    /// Takes back what is published, and what a dying writer had begun to: until the next publication
    /// nothing is known.
    pub(crate) fn withdraw(store: &Path) -> Result<()> {
        for name in [DELTA, BASE] {
            remove(&temporary(store, name))?;
            remove(&store.join(name))?;
        }
        Ok(())
    }
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(Error::io("remove", path, e)),
        _ => Ok(()),
    }
}

fn temporary(store: &Path, name: &str) -> PathBuf {
    store.join(format!("{name}.tmp"))
}

fn write(store: &Path, name: &str, stamp: Stamp, base: u64, records: &[(SessionId, Reach)]) -> Result<()> {
    let bytes = encode(stamp, base, records)?;
    let temporary = temporary(store, name);
    let path = store.join(name);
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&temporary)
        .map_err(|e| Error::io("create", &temporary, e))?;
    file.write_all(&bytes)
        .and_then(|()| file.sync_data())
        .map_err(|e| Error::io("write", &temporary, e))?;
    fs::rename(&temporary, &path).map_err(|e| Error::io("publish", &path, e))
}

fn encode(stamp: Stamp, base: u64, records: &[(SessionId, Reach)]) -> Result<Vec<u8>> {
    let header = Header {
        stamp,
        base,
        records: records.len() as u32,
        blocks: (records.len() * 2).div_ceil(BUCKETS).next_power_of_two() as u32,
        sum: 0,
    };
    let mut blocks = vec![[0; BUCKETS]; header.blocks as usize];
    let mut bytes = vec![0; header.records_at() as usize];
    for (id, reach) in records {
        let hash = hash_of(id);
        *free_bucket(&mut blocks, hash) = bucket(hash, bytes.len() as u64);
        encode_record(id, reach, &mut bytes)?;
    }
    for (to, block) in bytes[HEADER..].chunks_exact_mut(BLOCK).zip(&blocks) {
        to.copy_from_slice(&encode_block(block));
    }
    let sum = Sum::new().with(&bytes[HEADER..]).value();
    bytes[..HEADER].copy_from_slice(&Header { sum, ..header }.encode());
    Ok(bytes)
}

/// At least half of them are free.
fn free_bucket(blocks: &mut [[u64; BUCKETS]], hash: u64) -> &mut u64 {
    let all = blocks.as_flattened_mut();
    let mut at = (hash % (all.len() / BUCKETS) as u64) as usize * BUCKETS;
    while all[at] != 0 {
        at = (at + 1) % all.len();
    }
    &mut all[at]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reach::Reached;

    const LEDGER: u128 = 77;

    fn stamp(generation: u64) -> Stamp {
        Stamp {
            ledger: LEDGER,
            generation,
        }
    }

    fn record(id: &str, count: u32) -> (SessionId, Reach) {
        let query = Some(format!("query of {id}"));
        let led = Vec::new();
        let reach = Reach {
            count,
            drills: 0,
            query,
            led,
        };
        (id.parse().expect("an id"), reach)
    }

    fn count(store: &Path, id: &str) -> Option<u32> {
        let reach = Snapshot::open(store).reach(&id.parse().expect("an id"));
        reach.map(|reach| reach.count)
    }

    fn many(n: u32) -> Vec<(SessionId, Reach)> {
        (0..n).map(|i| record(&format!("session-{i}"), i + 1)).collect()
    }

    #[test]
    fn every_session_is_found_and_no_other() {
        let store = tempfile::tempdir().expect("a folder");
        publish_whole(store.path(), stamp(1), &many(1000)).expect("published");
        for i in 0..1000 {
            assert_eq!(count(store.path(), &format!("session-{i}")), Some(i + 1));
        }
        assert_eq!(count(store.path(), "session-1000"), None);
        assert_eq!(Snapshot::open(store.path()).all().expect("undamaged").len(), 1000);
    }

    #[test]
    fn a_long_query_takes_a_second_read() {
        let store = tempfile::tempdir().expect("a folder");
        let mut long = record("long", 5);
        long.1.query = Some("q".repeat(1024));
        publish_whole(store.path(), stamp(1), std::slice::from_ref(&long)).expect("published");
        assert_eq!(Snapshot::open(store.path()).reach(&long.0), Some(long.1));
    }

    #[test]
    fn changes_lie_over_the_base_and_add_up() {
        let store = tempfile::tempdir().expect("a folder");
        publish_whole(store.path(), stamp(1), &many(3)).expect("published");
        let change = |from, to, id, n| publish_changes(store.path(), stamp(from), stamp(to), &[record(id, n)]);
        change(1, 2, "session-0", 50).expect("published");
        change(2, 5, "new", 60).expect("published");
        assert_eq!(count(store.path(), "session-0"), Some(50));
        assert_eq!(count(store.path(), "session-1"), Some(2));
        assert_eq!(count(store.path(), "new"), Some(60));
        assert_eq!(Snapshot::open(store.path()).stamp(), Some(stamp(5)));
        change(4, 6, "new", 61).expect_err("not what is published");
    }

    #[test]
    fn a_delta_of_another_base_does_not_count() {
        let store = tempfile::tempdir().expect("a folder");
        publish_whole(store.path(), stamp(1), &many(3)).expect("published");
        publish_changes(store.path(), stamp(1), stamp(2), &[record("session-0", 50)]).expect("published");
        let stale = fs::read(store.path().join(DELTA)).expect("a delta");
        publish_whole(store.path(), stamp(3), &many(2)).expect("published");
        fs::write(store.path().join(DELTA), stale).expect("put back");
        assert_eq!(count(store.path(), "session-0"), Some(1));
    }

    #[test]
    fn too_many_changes_ask_for_a_new_base() {
        let store = tempfile::tempdir().expect("a folder");
        publish_whole(store.path(), stamp(1), &many(8)).expect("published");
        let snapshot = Snapshot::open(store.path());
        assert!(snapshot.has_room_for(257));
        assert!(!snapshot.has_room_for(258));
    }

    #[test]
    fn damage_in_a_delta_never_brings_back_what_was_true_before() {
        let store = tempfile::tempdir().expect("a folder");
        let path = store.path().join(DELTA);
        publish_whole(store.path(), stamp(1), &many(3)).expect("published");
        let changed = [record("session-0", 50), record("session-2", 70)];
        publish_changes(store.path(), stamp(1), stamp(2), &changed).expect("published");
        let good = fs::read(&path).expect("bytes");
        let right = |bytes: &[u8]| {
            fs::write(&path, bytes).expect("written");
            let said = |n| count(store.path(), &format!("session-{n}"));
            let fits = [(0, 50), (1, 2), (2, 70)]
                .iter()
                .all(|(n, right)| said(*n).is_none_or(|said| said == *right));
            fits && !Snapshot::open(store.path()).is_whole()
        };
        for at in 0..good.len() {
            for by in [0x01, 0x21, 0x80] {
                let mut torn = good.clone();
                torn[at] ^= by;
                assert!(right(&torn), "byte {at}");
            }
            let mut lost = good.clone();
            lost[at..good.len().min(at + 8)].fill(0);
            assert!(lost == good || right(&lost), "eight bytes at {at}");
            assert!(right(&good[..at]), "cut at {at}");
        }
        // The highest bits of two numbers.
        for at in (64 + 7..64 + 56).step_by(8) {
            let mut torn = good.clone();
            torn[at] ^= 0x80;
            torn[71 + (at - 64) % 56] ^= 0x80;
            assert!(torn == good || right(&torn), "bits at {at}");
        }
        fs::write(&path, &good).expect("written");
        assert_eq!(count(store.path(), "session-0"), Some(50));
    }

    #[test]
    fn a_length_that_lies_costs_nothing() {
        let store = tempfile::tempdir().expect("a folder");
        let path = store.path().join(BASE);
        publish_whole(store.path(), stamp(1), &many(1)).expect("published");
        let mut forged = fs::read(&path).expect("bytes");
        let at = HEADER + BLOCK;
        forged[at..at + 4].copy_from_slice(&(16u32 << 20).to_le_bytes());
        fs::write(&path, &forged).expect("written");
        assert_eq!(count(store.path(), "session-0"), None);
    }

    #[test]
    fn every_flipped_byte_and_every_truncation_hides_at_most_what_it_hits() {
        let store = tempfile::tempdir().expect("a folder");
        let path = store.path().join(BASE);
        publish_whole(store.path(), stamp(1), &many(4)).expect("published");
        let good = fs::read(&path).expect("bytes");
        let right = |bytes: &[u8]| {
            fs::write(&path, bytes).expect("written");
            (0..4).all(|i| count(store.path(), &format!("session-{i}")).is_none_or(|n| n == i + 1))
                && Snapshot::open(store.path()).is_whole() == (bytes == good)
        };
        for at in 0..good.len() {
            let mut torn = good.clone();
            torn[at] ^= 0x21;
            assert!(right(&torn), "byte {at}");
            assert!(right(&good[..at]), "cut at {at}");
        }
        assert!(right(&good));
        assert!(right(&[&good[..], b"more"].concat()));
        fs::write(&path, &good).expect("written");
        assert_eq!(count(store.path(), "session-3"), Some(4));
    }
}
