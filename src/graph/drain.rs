//! The drain: claims into the ledger, exactly once.
//!
//! The ledger is held throughout, which keeps drains apart. A claim is deleted only after its
//! transaction is durable; one that is found again has nothing new to say, because its events' ids
//! are in the ledger.

use redb::WriteTransaction;

use super::absorb::{TOGETHER, take_in};
use super::drained::Drained;
use super::publication::Publication;
use crate::ledger::tables::ReadTables;
use crate::ledger::{Changed, Ledger};
use crate::snapshot::Stamp;
use crate::spool::claim::{Claim, claims};
use crate::time::Millis;
use crate::{Error, Result};

/// Takes everything in the spool of the ledger's store into the ledger and publishes the snapshot,
/// also when there was nothing new but the published one is not this ledger's.
pub fn drain(ledger: &Ledger, now: Millis) -> Result<Drained> {
    let mut claims = claims(ledger.store(), now)?;
    let mut drained = Drained::default();
    if claims.is_empty() {
        publish(ledger, generation(ledger)?, &Changed::default())?;
    }
    while !claims.is_empty() {
        let later = claims.split_off(claims.len().min(TOGETHER));
        drained.append(take(ledger, claims)?);
        claims = later;
    }
    Ok(drained)
}

fn take(ledger: &Ledger, claims: Vec<Claim>) -> Result<Drained> {
    let txn = ledger.write()?;
    let (pending, is_new) = take_in(ledger.store(), ledger.id(), &txn, claims)?;
    end(txn, is_new)?;
    pending.finish()
}

/// Commits the transaction of a drain durably, or ends one that changed nothing.
pub(super) fn end(txn: WriteTransaction, is_new: bool) -> Result<()> {
    match is_new {
        true => txn.commit().map_err(|e| Error::store("commit a drain", e)),
        false => txn.abort().map_err(|e| Error::store("end a drain", e)),
    }
}

/// The state that the ledger is in.
pub(super) fn generation(ledger: &Ledger) -> Result<Stamp> {
    stamp(ledger, &ReadTables::open(&ledger.read()?)?)
}

fn stamp(ledger: &Ledger, tables: &ReadTables) -> Result<Stamp> {
    Ok(Stamp {
        ledger: ledger.id(),
        generation: tables.generation()?,
    })
}

/// Publishes the ledger's state, where `changed` is what changed since the state `since`.
pub(super) fn publish(ledger: &Ledger, since: Stamp, changed: &Changed) -> Result<()> {
    let tables = ReadTables::open(&ledger.read()?)?;
    let now = stamp(ledger, &tables)?;
    Publication::prepare(ledger.store(), &tables, since, now, changed)?.publish(ledger.store())
}
