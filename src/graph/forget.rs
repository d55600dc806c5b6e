//! Forgetting without a trace: what is removed is also no longer in the bytes of any file.
//!
//! The spool is drained first, so that nothing of it waits in a claim. Removing leaves the bytes in
//! free pages of the ledger, so it is compacted; a mark in the ledger makes the next one who opens it
//! finish a compaction that was interrupted. The snapshot is withdrawn before the removal is
//! committed: at no time is published what was forgotten.

use super::drain::{drain, generation, publish};
use crate::ledger::tables::Tables;
use crate::ledger::{self, Forget, Forgotten, Ledger};
use crate::snapshot::Snapshot;
use crate::time::Millis;
use crate::{Error, Result};

/// Forgets it, in the ledger and in everything published from it. Replayed, restored or imported
/// events of those forgotten stay so.
///
/// # Errors
/// When a claim of the spool cannot be had, because a writer holds it: then nothing was removed.
pub fn forget(ledger: &mut Ledger, what: &Forget, now: Millis) -> Result<Forgotten> {
    if drain(ledger, now)?.left > 0 {
        let why = "forget: a writer still holds a part of the spool";
        return Err(Error::invalid(why)
            .on(ledger.store())
            .remedy_is("run it again in a moment"));
    }
    Snapshot::withdraw(ledger.store())?;
    let txn = ledger.write()?;
    let mut tables = Tables::open(&txn)?;
    let report = ledger::forget(&mut tables, what)?;
    tables.write_numbers(true)?;
    drop(tables);
    ledger::mark_for_scrubbing(&txn)?;
    txn.commit().map_err(|e| Error::store("commit what is forgotten", e))?;
    ledger.scrub()?;
    publish(ledger, generation(ledger)?, &Default::default())?;
    Ok(report)
}

/// What forgetting would remove; nothing is changed.
pub fn forget_dry(ledger: &Ledger, what: &Forget, now: Millis) -> Result<Forgotten> {
    drain(ledger, now)?;
    let txn = ledger.write()?;
    let mut tables = Tables::open(&txn)?;
    let report = ledger::forget(&mut tables, what)?;
    drop(tables);
    txn.abort().map_err(|e| Error::store("leave everything as it is", e))?;
    Ok(report)
}
