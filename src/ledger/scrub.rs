//! What was removed is taken out of the file's bytes as well.
//!
//! Removing leaves it in three places: in pages that are free, in the unused ends of pages that were
//! changed in place, and as keys that still part two pages of a tree. So the tables that hold content
//! are laid out anew, which leaves the last two behind in free pages; and a compaction cuts the free
//! pages off.

use redb::{Database, Key, ReadableDatabase, ReadableTable, TableDefinition, Value, WriteTransaction};

use super::rows;
use super::tables::{During, META, QUERIES, QUERY_IDS, TARGET_IDS, TARGETS};
use crate::Result;

/// The name in `meta` of the mark that a removal has yet to leave the file.
const SCRUB: &str = "scrub";

/// Marks the ledger: what this transaction removes has to leave the file as well.
pub(crate) fn mark_for_scrubbing(txn: &WriteTransaction) -> Result<()> {
    let mut meta = txn.open_table(META).during("open meta")?;
    meta.insert(SCRUB, rows::encode(&true)?.as_slice())
        .during("mark the ledger")?;
    Ok(())
}

/// Takes what was removed out of the file, if the ledger is marked for that. Whoever opens the ledger
/// next finishes it, wherever it was interrupted.
pub(super) fn scrub(database: &mut Database) -> Result<()> {
    if !is_marked(database)? {
        return Ok(());
    }
    let txn = begin(database)?;
    lay_out_anew(&txn)?;
    txn.commit().during("lay the tables out anew")?;
    compact(database)?;
    let txn = begin(database)?;
    txn.open_table(META)
        .during("open meta")?
        .remove(SCRUB)
        .during("take the mark off")?;
    txn.commit().during("take the mark off")
}

fn is_marked(database: &Database) -> Result<bool> {
    let txn = database.begin_read().during("begin reading")?;
    let meta = txn.open_table(META).during("open meta")?;
    Ok(meta.get(SCRUB).during("read the mark")?.is_some())
}

fn begin(database: &Database) -> Result<WriteTransaction> {
    let mut txn = database.begin_write().during("begin a transaction")?;
    txn.set_quick_repair(true);
    Ok(txn)
}

/// Every table from which content is ever removed.
fn lay_out_anew(txn: &WriteTransaction) -> Result<()> {
    copy(txn, QUERIES)?;
    copy(txn, QUERY_IDS)?;
    copy(txn, TARGETS)?;
    copy(txn, TARGET_IDS)?;
    #[cfg(feature = "cli")]
    lay_sessions_out_anew(txn)?;
    Ok(())
}

#[cfg(feature = "cli")]
fn lay_sessions_out_anew(txn: &WriteTransaction) -> Result<()> {
    use super::commits::COMMITS;
    use super::sessions::{CHECKPOINTS, SESSION_IDS, SESSIONS, TOOL_CALLS, TRANSCRIPTS, TURNS};
    copy(txn, SESSIONS)?;
    copy(txn, SESSION_IDS)?;
    copy(txn, TURNS)?;
    copy(txn, TOOL_CALLS)?;
    copy(txn, TRANSCRIPTS)?;
    copy(txn, CHECKPOINTS)?;
    copy(txn, COMMITS)
}

fn copy<K: Key + 'static, V: Value + 'static>(
    txn: &WriteTransaction,
    table: TableDefinition<'static, K, V>,
) -> Result<()> {
    let aside = TableDefinition::<K, V>::new("rekal.aside");
    match txn.rename_table(table, aside) {
        Err(redb::TableError::TableDoesNotExist(_)) => return Ok(()),
        other => other.during("set a table aside")?,
    }
    let old = txn.open_table(aside).during("open a table set aside")?;
    let mut new = txn.open_table(table).during("lay a table out anew")?;
    for entry in old.iter().during("read a table set aside")? {
        let (key, value) = entry.during("read a table set aside")?;
        new.insert(key.value(), value.value()).during("lay a table out anew")?;
    }
    drop((old, new));
    txn.delete_table(aside).during("remove a table set aside")?;
    Ok(())
}

fn compact(database: &mut Database) -> Result<()> {
    while database.compact().during("compact")? {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex, MutexGuard};

    use proptest::prelude::*;
    use redb::{Builder, StorageBackend};

    use super::*;
    use crate::edge::{Act, Event, SessionId, Ulid};
    use crate::ledger::tables::Tables;
    use crate::ledger::{Absorbed, Forget, absorb, forget, prepare};

    const NOON: u64 = 1_796_040_000_123;

    const SESSIONS: u64 = 150;

    /// A file in memory that can be looked into.
    #[derive(Clone, Default, Debug)]
    struct Bytes(Arc<Mutex<Vec<u8>>>);

    impl Bytes {
        fn get(&self) -> MutexGuard<'_, Vec<u8>> {
            self.0.lock().expect("no panic")
        }

        fn hold(&self, text: &str) -> bool {
            String::from_utf8_lossy(&self.get()).contains(text)
        }
    }

    impl StorageBackend for Bytes {
        fn len(&self) -> io::Result<u64> {
            Ok(self.get().len() as u64)
        }

        fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
            let offset = offset as usize;
            out.copy_from_slice(&self.get()[offset..offset + out.len()]);
            Ok(())
        }

        fn set_len(&self, len: u64) -> io::Result<()> {
            self.get().resize(len as usize, 0);
            Ok(())
        }

        fn sync_data(&self) -> io::Result<()> {
            Ok(())
        }

        fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
            let offset = offset as usize;
            self.get()[offset..offset + data.len()].copy_from_slice(data);
            Ok(())
        }
    }

    fn open(bytes: &Bytes) -> Database {
        Builder::new().create_with_backend(bytes.clone()).expect("a database")
    }

    fn write(database: &Database, work: impl FnOnce(&mut Tables<'_>)) {
        let txn = begin(database).expect("a transaction");
        prepare(&txn).expect("prepared");
        let mut tables = Tables::open(&txn).expect("tables");
        work(&mut tables);
        tables.write_numbers(true).expect("written");
        drop(tables);
        mark_for_scrubbing(&txn).expect("marked");
        txn.commit().expect("committed");
    }

    /// A session whose id holds the secret, or one of many others.
    fn session(n: u64) -> SessionId {
        let name = if n.is_multiple_of(5) { "zanzibar" } else { "harmless" };
        let id = format!("{name}-{n}-{}", "s".repeat(n as usize * 7 % 60));
        id.parse().expect("an id")
    }

    /// Recalls of queries of all lengths up to `len`; every `secret`-th holds the secret.
    fn events(first: u64, count: u64, secret: u64, len: usize) -> Vec<Event> {
        let event = |n: u64| {
            let name = if n.is_multiple_of(secret) {
                "zanzibar"
            } else {
                "harmless"
            };
            let query = format!("{n} {name} {}", "q".repeat((n as usize * 31) % len));
            let targets = (0..5).map(|k| session((n * 13 + k) % SESSIONS)).collect();
            Event::new(Ulid::from_parts(NOON + n, 0), Act::Recall(query), targets, None).expect("an event")
        };
        (first..first + count).map(event).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        #[test]
        fn nothing_of_it_is_left_however_it_lay_in_the_file(
            chunks in prop::collection::vec((1u64..300, 1u64..9, 1usize..900), 1..5),
        ) {
            let bytes = Bytes::default();
            let mut database = open(&bytes);
            let mut first = 0;
            for (count, secret, len) in chunks {
                write(&database, |tables| {
                    absorb(tables, events(first, count, secret, len).into_iter().map(Ok), &mut Absorbed::default()).expect("absorbed");
                });
                first += count;
            }
            prop_assert!(bytes.hold("zanzibar"));
            write(&database, |tables| {
                forget(tables, &Forget::Text("zanzibar".into())).expect("forgotten");
                for n in (0..SESSIONS).step_by(5) {
                    forget(tables, &Forget::Session(session(n))).expect("forgotten");
                }
            });
            scrub(&mut database).expect("scrubbed");
            prop_assert!(!bytes.hold("zanzibar"));
            drop(database);
            prop_assert!(!bytes.hold("zanzibar"));
        }
    }
}
