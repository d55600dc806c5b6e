//! Publishing: a temporary file, renamed over the old one. Only the holder of the ledger publishes, so one
//! name for the temporary file is enough.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::basis::{Base, Basis};
use super::layout::Stamp;
use super::read::{BASE, DELTA, Snapshot};
use super::records::{Change, Records};
use crate::edge::SessionId;
use crate::reach::Reach;
use crate::{Error, Result};

/// Publishes the reach of all sessions.
pub(crate) fn publish_whole(store: &Path, stamp: Stamp, records: &[(SessionId, Reach)]) -> Result<()> {
    let mut all = Records::default();
    records
        .iter()
        .try_for_each(|(session, reach)| all.push(session, reach))?;
    write_base(store, stamp, &all)
}

/// Publishes the sessions that changed between the state that is published and `stamp`.
pub(crate) fn publish_changes(store: &Path, published: Basis, stamp: Stamp, changed: &[Change]) -> Result<()> {
    if Snapshot::open(store).stamp() != Some(published.stamp) {
        return Err(Error::corrupt(store.join(BASE), "another writer published meanwhile"));
    }
    let delta = published.delta.with_changes(changed)?;
    match published.base {
        Base::Stays(base) => write(store, DELTA, stamp, base, &delta),
        Base::New(records) => {
            let records = records.with(&delta);
            let records = records.ok_or_else(|| Error::corrupt(store.join(DELTA), "it is not of this base"))?;
            write_base(store, stamp, &records)
        }
    }
}

impl Snapshot {
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

fn write_base(store: &Path, stamp: Stamp, records: &Records) -> Result<()> {
    write(store, BASE, stamp, stamp.generation, records)?;
    remove(&store.join(DELTA))
}

/// The base is synced before it is renamed. The delta is not, which may be most of the time that publishing it
/// takes: a power cut can leave one that does not fit its sums. Then nothing is known until the next drain.
fn write(store: &Path, name: &str, stamp: Stamp, base: u64, records: &Records) -> Result<()> {
    let (header, blocks) = records.index(stamp, base);
    let temporary = temporary(store, name);
    let path = store.join(name);
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&temporary)
        .map_err(|e| Error::io("create", &temporary, e))?;
    let all = [&header.encode()[..], &blocks, records.as_bytes()];
    all.into_iter()
        .try_for_each(|part| file.write_all(part))
        .and_then(|()| if name == BASE { file.sync_data() } else { Ok(()) })
        .map_err(|e| Error::io("write", &temporary, e))?;
    fs::rename(&temporary, &path).map_err(|e| Error::io("publish", &path, e))
}

#[cfg(test)]
mod tests {
    use super::super::layout::{BLOCK, HEADER};
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

    fn publish_changes(store: &Path, since: Stamp, stamp: Stamp, changed: &[(SessionId, Reach)]) -> Result<()> {
        let published = Snapshot::open(store)
            .basis(0, changed.len())
            .filter(|basis| basis.stamp == since);
        let published = published.ok_or_else(|| Error::invalid("publish: something else is published"))?;
        let change = |(session, reach): &(SessionId, Reach)| Change {
            session: session.clone(),
            reach: reach.clone(),
            led_stays: false,
        };
        let changed: Vec<_> = changed.iter().map(change).collect();
        super::publish_changes(store, published, stamp, &changed)
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
    fn a_delta_that_would_be_too_long_becomes_a_new_base() {
        let store = tempfile::tempdir().expect("a folder");
        publish_whole(store.path(), stamp(1), &many(64)).expect("published");
        let changed: Vec<_> = (0..259)
            .map(|i| record(&format!("session-{}", i + 60), 1000 + i))
            .collect();
        let publish = |from, to, changed: &[_]| publish_changes(store.path(), stamp(from), stamp(to), changed);
        publish(1, 2, &changed[..257]).expect("published");
        assert!(store.path().join(DELTA).exists());
        publish(2, 3, &changed[257..258]).expect("published");
        assert!(store.path().join(DELTA).exists());
        publish(3, 4, &changed[258..]).expect("published");
        assert!(!store.path().join(DELTA).exists());
        for i in 0..319 {
            let right = if i < 60 { i + 1 } else { 1000 + i - 60 };
            assert_eq!(count(store.path(), &format!("session-{i}")), Some(right));
        }
        assert_eq!(Snapshot::open(store.path()).all().expect("undamaged").len(), 319);
        assert!(Snapshot::open(store.path()).is_whole());
    }

    #[test]
    fn queries_that_led_to_openings_stay_in_the_base_until_they_change() {
        let store = tempfile::tempdir().expect("a folder");
        let store = store.path();
        let reach = |count, led: &[&str]| Reach {
            count,
            drills: 1,
            query: Some("top".into()),
            led: led.iter().map(|query| ((*query).to_owned(), 1)).collect(),
        };
        let id = |n: u32| -> SessionId { format!("session-{n}").parse().expect("an id") };
        let publish = |now, session: u32, reach: Reach, led_stays| {
            let published = Snapshot::open(store).basis(0, 1).expect("undamaged");
            let session = id(session);
            super::publish_changes(
                store,
                published,
                stamp(now),
                &[Change {
                    session,
                    reach,
                    led_stays,
                }],
            )
        };
        let said = |n| Snapshot::open(store).reach(&id(n));
        let long = "q".repeat(1000);
        publish_whole(
            store,
            stamp(1),
            &[(id(0), reach(1, &[&long])), (id(1), reach(1, &["b"]))],
        )
        .expect("published");
        publish(2, 0, reach(2, &[]), true).expect("published");
        assert_eq!(said(0), Some(reach(2, &[&long])));
        assert!(fs::read(store.join(DELTA)).expect("a delta").len() < 300);
        publish(3, 0, reach(3, &[]), true).expect("published");
        publish(4, 1, reach(4, &["b", "c"]), false).expect("published");
        publish(5, 1, reach(5, &[]), true).expect("published");
        publish(6, 2, reach(6, &["new"]), false).expect("published");
        publish(7, 2, reach(7, &[]), true).expect("published");
        let right = [
            Some(reach(3, &[&long])),
            Some(reach(5, &["b", "c"])),
            Some(reach(7, &["new"])),
        ];
        let all = |store: &Path| Snapshot::open(store).all().expect("undamaged").into_iter();
        assert_eq!([0, 1, 2].map(said), right);
        assert!(all(store).map(|(_, reach)| Some(reach)).eq(right.clone()));

        let rest: Vec<_> = (3..260).map(|n| (id(n), reach(n, &[]))).collect();
        publish_changes(store, stamp(7), stamp(8), &rest[..200]).expect("published");
        publish_changes(store, stamp(8), stamp(9), &rest[200..]).expect("published");
        assert!(!store.join(DELTA).exists());
        assert_eq!([0, 1, 2].map(said), right);
        assert_eq!(all(store).len(), 260);
    }

    #[test]
    fn where_most_changed_nothing_is_taken_over() {
        let store = tempfile::tempdir().expect("a folder");
        publish_whole(store.path(), stamp(1), &many(8)).expect("published");
        let basis = |changes| Snapshot::open(store.path()).basis(0, changes);
        assert!(basis(258).is_some() && basis(259).is_none());
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
            let snapshot = Snapshot::open(store.path());
            fits && !snapshot.is_whole() && snapshot.basis(0, 1).is_none()
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
        let is_taken_over = || Snapshot::open(store.path()).basis(0, 1).is_some();
        for at in 0..good.len() {
            let mut torn = good.clone();
            torn[at] ^= 0x21;
            assert!(right(&torn) && !is_taken_over(), "byte {at}");
            assert!(right(&good[..at]) && !is_taken_over(), "cut at {at}");
        }
        assert!(right(&good) && is_taken_over());
        assert!(right(&[&good[..], b"more"].concat()));
        fs::write(&path, &good).expect("written");
        assert_eq!(count(store.path(), "session-3"), Some(4));
    }

    #[test]
    fn of_a_large_base_every_part_has_its_turn() {
        let store = tempfile::tempdir().expect("a folder");
        let path = store.path().join(BASE);
        publish_whole(store.path(), stamp(1), &many(500)).expect("published");
        let good = fs::read(&path).expect("bytes");
        let turns = good[48..52].iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte)) / 16;
        assert_eq!(turns, 16);
        let seen_in = |bytes: &[u8]| -> Vec<u64> {
            fs::write(&path, bytes).expect("written");
            let is_seen = |turn: &u64| Snapshot::open(store.path()).basis(*turn, 1).is_none();
            (100..100 + turns).filter(is_seen).collect()
        };
        assert!(seen_in(&good).is_empty());
        for at in (HEADER..good.len()).step_by(997) {
            let mut torn = good.clone();
            torn[at] ^= 0x21;
            assert_eq!(seen_in(&torn).len(), 1, "byte {at}");
        }
    }
}
