//! What is derived is compared with what is true, and made so again.

use std::collections::BTreeSet;

use serde::Serialize;

use super::drain::{generation, publish};
use crate::edge::SessionId;
use crate::ledger::tables::{ReadTables, Tables};
use crate::ledger::{self, Changed, Ledger, Verify, View};
use crate::snapshot::Snapshot;
use crate::{Error, Result};

/// What verifying found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Verified {
    /// Sessions that have edges or a reach.
    pub targets: u64,
    /// Sessions whose reach in the ledger is not the fold over their edges.
    pub differing: Vec<SessionId>,
    /// Whether the published snapshot says what the ledger says.
    pub published: bool,
}

impl Verified {
    /// Whether everything agrees.
    pub fn is_right(&self) -> bool {
        self.differing.is_empty() && self.published
    }
}

/// Compares every reach row with a fold over the edges, and the snapshot with the rows.
pub fn verify(ledger: &Ledger) -> Result<Verified> {
    let tables = ReadTables::open(&ledger.read()?)?;
    let (differing, targets) = tables.differing()?;
    let differing = differing
        .into_iter()
        .map(|target| tables.session(target))
        .collect::<Result<_>>()?;
    let mut rows = tables.published_all()?;
    rows.sort();
    let snapshot = Snapshot::open(ledger.store());
    let published = snapshot.is_whole() && snapshot.all().is_some_and(|records| records == rows);
    Ok(Verified {
        targets,
        differing,
        published,
    })
}

/// Folds every session anew from its edges and publishes the result. Gives the number of sessions.
pub fn rebuild(ledger: &Ledger) -> Result<u64> {
    let since = generation(ledger)?;
    let txn = ledger.write()?;
    let mut tables = Tables::open(&txn)?;
    let targets: BTreeSet<u32> = ledger::rebuild(&mut tables)?;
    tables.go_on_from(Snapshot::open(ledger.store()).generation_of(ledger.id()));
    tables.write_numbers(true)?;
    drop(tables);
    txn.commit().map_err(|e| Error::store("commit a rebuild", e))?;
    // What is published may be damaged, so nothing of it is kept.
    Snapshot::withdraw(ledger.store())?;
    publish(ledger, since, &Changed::default())?;
    Ok(targets.len() as u64)
}
