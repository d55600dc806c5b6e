//! The drain: claims into the ledger, each in one transaction, exactly once.
//!
//! The ledger is held throughout, which keeps drains apart. A claim is deleted only after its
//! transaction is durable; one that is found again has nothing new to say, because its events' ids
//! are in the ledger.

use std::collections::BTreeMap;

use serde::Serialize;

use super::absorb::read;
use super::publication::Publication;
use crate::ledger::tables::{ReadTables, Tables};
use crate::ledger::{Absorbed, Changed, Counts, Ledger};
use crate::snapshot::{Snapshot, Stamp};
use crate::spool::claim::{Claim, claims};
use crate::spool::reader::ClaimReader;
use crate::spool::report::{Report, Sample};
use crate::time::Millis;
use crate::{Error, Result};

/// What a drain did.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Drained {
    /// Claims that were taken in.
    pub claims: u64,
    /// Events that were new.
    pub events: u64,
    /// Edges that were new.
    pub edges_new: u64,
    /// Edges of events that were known.
    pub edges_known: u64,
    /// Lines that are no event, by reason.
    pub bad_lines: BTreeMap<&'static str, u64>,
    /// Events whose time lay more than a day ahead and was brought back.
    pub clamped: u64,
    /// Claims that a writer still holds; the next drain takes them.
    #[serde(skip)]
    pub left: u64,
    /// The first few bad lines.
    #[serde(skip)]
    pub samples: Vec<Sample>,
}

/// Takes everything in the spool of the ledger's store into the ledger and publishes the snapshot,
/// also when there was nothing new but the published one is not this ledger's.
pub fn drain(ledger: &Ledger, now: Millis) -> Result<Drained> {
    let since = generation(ledger)?;
    let mut drained = Drained::default();
    let mut changed = Changed::default();
    for claim in claims(ledger.store(), now)? {
        take(ledger, claim, &mut drained, &mut changed)?;
    }
    publish(ledger, since, &changed)?;
    Ok(drained)
}

fn take(ledger: &Ledger, claim: Claim, drained: &mut Drained, changed: &mut Changed) -> Result<()> {
    let Some(mut reader) = claim.open()? else {
        drained.left += 1;
        return Ok(());
    };
    changed.append(absorb_claim(ledger, &mut reader, drained, true)?);
    reader.unlink()?;
    Ok(())
}

/// All of one claim in one durable transaction. Gives the targets that changed. Bad lines are counted for
/// good where it `is_spool`, and not a file that somebody imports.
pub(super) fn absorb_claim(
    ledger: &Ledger,
    reader: &mut ClaimReader,
    drained: &mut Drained,
    is_spool: bool,
) -> Result<Changed> {
    let mut absorbed = Absorbed::default();
    let txn = ledger.write()?;
    let mut tables = Tables::open(&txn)?;
    read(&mut tables, reader, &mut absorbed)?;
    let counted = is_spool && tables.count_bad_lines(vec![bad_lines(reader)])?;
    if absorbed.events > 0 {
        tables.go_on_from(Snapshot::open(ledger.store()).generation_of(ledger.id()));
        tables.write_numbers(true)?;
    }
    if absorbed.events > 0 || counted {
        drop(tables);
        txn.commit().map_err(|e| Error::store("commit a drain", e))?;
    } else {
        drop(tables);
        txn.abort().map_err(|e| Error::store("end a drain", e))?;
    }
    drained.note(reader.report());
    drained.count(&absorbed);
    Ok(absorbed.changed)
}

/// The claim's name and its bad lines by reason, when all of it was read.
pub(super) fn bad_lines(reader: &ClaimReader) -> (String, Counts) {
    let bad = reader.report().bad.iter();
    let counts = bad.map(|(reason, lines)| (reason.as_str().to_owned(), *lines));
    (reader.claim().name().to_owned(), counts.collect())
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

impl Drained {
    pub(super) fn note(&mut self, report: &Report) {
        self.claims += 1;
        self.clamped += report.clamped;
        for (reason, count) in &report.bad {
            *self.bad_lines.entry(reason.as_str()).or_default() += count;
        }
        self.samples.extend(report.samples.iter().cloned());
    }

    pub(super) fn count(&mut self, absorbed: &Absorbed) {
        self.events += absorbed.events;
        self.edges_new += absorbed.edges_new;
        self.edges_known += absorbed.edges_known;
    }
}
