//! What is published, base and delta: undamaged it says what was published; damaged it says that or nothing;
//! arbitrary bytes cost no more than they are long.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use arbitrary::Arbitrary;

use crate::edge::SessionId;
use crate::hash::fnv64;
use crate::reach::{Reach, Reached};
use crate::snapshot::{Change, Snapshot, Stamp, publish_changes, publish_whole};

const FILES: [&str; 2] = ["reach.snap", "reach.delta"];

/// How many sessions are published at most.
const SESSIONS: u8 = 24;

/// What is published, and what becomes of the files.
#[derive(Arbitrary, Debug)]
pub struct Case {
    base: Vec<Record>,
    delta: Option<Vec<Record>>,
    harm: Harm,
}

#[derive(Arbitrary, Debug)]
struct Record {
    id: u8,
    count: u8,
    drills: u8,
    query: Option<String>,
    led: Vec<(u8, u8)>,
}

#[derive(Arbitrary, Debug)]
enum Harm {
    None,
    /// Bytes of a file are changed: where, and by what.
    Flipped {
        delta: bool,
        flips: Vec<(u16, u8)>,
    },
    /// A file ends early.
    Cut {
        delta: bool,
        at: u16,
    },
    /// A file holds something else.
    Replaced {
        delta: bool,
        bytes: Vec<u8>,
    },
    /// A file holds one record of other bytes, and all its sums are right.
    Forged {
        delta: bool,
        record: Vec<u8>,
        lies: Option<u32>,
    },
}

thread_local! {
    static STORE: tempfile::TempDir = crate::claim::in_memory();
}

pub fn check(case: &Case) {
    STORE.with(|store| {
        let store = store.path();
        Snapshot::withdraw(store).expect("an empty store");
        let truth = publish(store, case);
        let harmed = harm(store, &case.harm);
        let snapshot = Snapshot::open(store);
        for id in (0..SESSIONS + 8).map(session) {
            let said = snapshot.reach(&id);
            match harmed {
                Harmed::No => assert_eq!(said.as_ref(), truth.get(&id), "{id}"),
                Harmed::Yes => assert!(said.is_none() || said.as_ref() == truth.get(&id), "{id}: {said:?}"),
                Harmed::Arbitrary => {
                    if let Some(said) = said {
                        let bytes = postcard::to_extend(&said, Vec::new()).expect("written");
                        assert_eq!(postcard::from_bytes::<Reach>(&bytes).as_ref(), Ok(&said));
                    }
                }
            }
        }
        match harmed {
            Harmed::No => assert!(snapshot.is_whole() && snapshot.basis(0, 1).is_some()),
            Harmed::Yes => {
                assert!(!snapshot.is_whole(), "damage that nobody sees");
                assert!(snapshot.basis(0, 1).is_none(), "damage that a drain takes over");
            }
            Harmed::Arbitrary => drop((snapshot.is_whole(), snapshot.basis(0, 1))),
        }
        if let Some(all) = snapshot.all()
            && matches!(harmed, Harmed::No)
        {
            assert!(all.iter().map(|(id, reach)| (id, reach)).eq(&truth));
        }
    });
}

fn publish(store: &Path, case: &Case) -> BTreeMap<SessionId, Reach> {
    let stamp = |generation| Stamp { ledger: 77, generation };
    let mut truth = records(&case.base);
    publish_whole(store, stamp(1), &list(&truth)).expect("published");
    if let Some(delta) = &case.delta {
        let changed = records(delta);
        let published = Snapshot::open(store).basis(0, changed.len()).expect("undamaged");
        publish_changes(store, published, stamp(2), &changes(&changed)).expect("published");
        truth.extend(changed);
    }
    truth
}

fn records(records: &[Record]) -> BTreeMap<SessionId, Reach> {
    let reach = |record: &Record| Reach {
        count: u32::from(record.count),
        drills: u32::from(record.drills),
        query: record.query.clone(),
        led: record
            .led
            .iter()
            .map(|(n, times)| (format!("q{n}"), u32::from(*times)))
            .collect(),
    };
    records
        .iter()
        .map(|record| (session(record.id % SESSIONS), reach(record)))
        .collect()
}

fn list(records: &BTreeMap<SessionId, Reach>) -> Vec<(SessionId, Reach)> {
    records.iter().map(|(id, reach)| (id.clone(), reach.clone())).collect()
}

fn changes(records: &BTreeMap<SessionId, Reach>) -> Vec<Change> {
    let change = |(session, reach): (&SessionId, &Reach)| Change {
        session: session.clone(),
        reach: reach.clone(),
        led_stays: false,
    };
    records.iter().map(change).collect()
}

fn session(n: u8) -> SessionId {
    format!("session-{n}").parse().expect("an id")
}

#[derive(Clone, Copy)]
enum Harmed {
    No,
    Yes,
    Arbitrary,
}

fn harm(store: &Path, harm: &Harm) -> Harmed {
    let delta = match harm {
        Harm::None => return Harmed::No,
        Harm::Flipped { delta, .. }
        | Harm::Cut { delta, .. }
        | Harm::Replaced { delta, .. }
        | Harm::Forged { delta, .. } => *delta,
    };
    let path = store.join(FILES[usize::from(delta)]);
    let Ok(before) = fs::read(&path) else { return Harmed::No };
    let after = match harm {
        Harm::Replaced { bytes, .. } => bytes.clone(),
        Harm::Forged { record, lies, .. } => forge(&before, record, *lies),
        Harm::Cut { at, .. } => before[..usize::from(*at) % before.len()].to_vec(),
        Harm::Flipped { flips, .. } => {
            let mut bytes = before.clone();
            for (at, by) in flips.iter().take(4) {
                let at = usize::from(*at) % bytes.len();
                bytes[at] ^= by;
            }
            bytes
        }
        Harm::None => before.clone(),
    };
    fs::write(&path, &after).expect("written");
    match harm {
        _ if after == before => Harmed::No,
        Harm::Replaced { .. } | Harm::Forged { .. } => Harmed::Arbitrary,
        _ => Harmed::Yes,
    }
}

/// A file of one block, all of whose buckets lead to this record for one session after the other.
fn forge(before: &[u8], record: &[u8], lies: Option<u32>) -> Vec<u8> {
    let mut file = before[..64].to_vec();
    file[48..52].copy_from_slice(&1u32.to_le_bytes());
    let own = fnv64(&file[..56]);
    file[56..64].copy_from_slice(&own.to_le_bytes());
    for n in 0..7 {
        let hash = fnv64(session(n).as_str().as_bytes());
        file.extend_from_slice(&(hash >> 48 << 48 | 128).to_le_bytes());
    }
    let own = sum64(&file[64..]);
    file.extend_from_slice(&own.to_le_bytes());
    let len = lies.unwrap_or(record.len() as u32);
    file.extend_from_slice(&len.to_le_bytes());
    file.extend_from_slice(record);
    file.extend_from_slice(&sum64(record).to_le_bytes());
    file
}

/// As FORMAT.md says it.
fn sum64(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0xcbf2_9ce4_8422_2325, |sum: u64, part| {
        let mut eight = [0; 8];
        eight[..part.len()].copy_from_slice(part);
        let sum = (sum ^ u64::from_le_bytes(eight)).wrapping_mul(0x0100_0000_01b3);
        sum ^ sum >> 32
    })
}
