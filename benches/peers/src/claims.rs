//! The way from the spool to a store, the same for every peer: claim, read, one durable transaction a
//! claim, delete the claim. Reading is rekal's own, so that only the stores differ.

use std::path::Path;

use rekal::edge::Event;
use rekal::spool::claim::claims;
use rusqlite::{Connection, Transaction};

use crate::Outcome;
use crate::events::NOW;

/// Memory for cached pages, in KiB, as much as rekal allows itself.
const CACHE: i64 = 32 << 10;

/// Opens the SQLite file of a store: write-ahead log, and a sync at every commit, as rekal does.
pub fn open(store: &Path, schema: &str) -> Outcome<Connection> {
    let db = Connection::open(store.join("store.sqlite"))?;
    db.pragma_update(None, "journal_mode", "WAL")?;
    db.pragma_update(None, "synchronous", "FULL")?;
    db.pragma_update(None, "cache_size", -CACHE)?;
    db.set_prepared_statement_cache_capacity(64);
    db.execute_batch(schema)?;
    Ok(db)
}

/// Takes each claim of the store in, in one transaction.
pub fn drain(
    store: &Path,
    db: &mut Connection,
    take: impl Fn(&Transaction<'_>, Vec<Event>) -> Outcome<()>,
) -> Outcome<()> {
    for claim in claims(store, NOW)? {
        let Some(mut reader) = claim.open()? else { continue };
        let mut events = Vec::new();
        while let Some(event) = reader.next_event()? {
            events.push(event);
        }
        let txn = db.transaction()?;
        take(&txn, events)?;
        txn.commit()?;
        reader.unlink()?;
    }
    Ok(())
}
