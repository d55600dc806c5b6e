//! Claims in somebody's transaction: the common part of a drain and of a host that commits itself.

use std::path::{Path, PathBuf};

use redb::WriteTransaction;

use super::drain::{Drained, bad_lines};
use super::publication::Publication;
use crate::Result;
use crate::ledger::tables::Tables;
use crate::ledger::{self, Absorbed};
use crate::snapshot::{Snapshot, Stamp};
use crate::spool::claim::claims;
use crate::spool::reader::ClaimReader;
use crate::time::Millis;

/// Claims that were taken into a transaction of the host, which has yet to commit it.
///
/// The host commits it *durably*, then calls [`finish`](Pending::finish). If it aborts, or this is
/// dropped unfinished, the claims stay where they are and are absorbed again: nothing is lost, and
/// nothing that was committed is counted twice.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let graph = rekal::Graph::open(folder.path())?;
/// # let database = rekal::redb::Database::create(folder.path().join("host.redb"))?;
/// graph.recorder().drilled(1_796_040_000_000, None, &"a".parse()?);
/// let txn = database.begin_write()?;
/// assert_eq!(graph.absorb(&txn, 1_796_040_000_000)?.drained().events, 1);
/// txn.abort()?;
///
/// let txn = database.begin_write()?;
/// let again = graph.absorb(&txn, 1_796_040_000_000)?;
/// txn.commit()?;
/// assert_eq!(again.finish()?.events, 1);
/// # Ok(())
/// # }
/// ```
#[must_use = "the claims stay until `finish` is called after the commit"]
pub struct Pending {
    store: PathBuf,
    claims: Vec<ClaimReader>,
    publication: Publication,
    drained: Drained,
}

impl Pending {
    /// What the transaction adds.
    pub fn drained(&self) -> &Drained {
        &self.drained
    }

    /// After the durable commit: deletes the claims and publishes the snapshot.
    pub fn finish(self) -> Result<Drained> {
        for claim in self.claims {
            claim.unlink()?;
        }
        self.publication.publish(&self.store)?;
        Ok(self.drained)
    }
}

/// Takes everything in the store's spool into the host's transaction. The graph's tables, whose names
/// all begin with `rekal.`, are made and migrated in it as need be. On an error the host must abort. Damage
/// that the engine answers with a panic is an error.
pub fn absorb(store: &Path, txn: &WriteTransaction, now: Millis) -> Result<Pending> {
    ledger::guarded_of_host(|| take_in(store, txn, now))
}

fn take_in(store: &Path, txn: &WriteTransaction, now: Millis) -> Result<Pending> {
    let ledger = ledger::prepare(txn)?;
    let mut tables = Tables::open(txn)?;
    let mut drained = Drained::default();
    let mut absorbed = Absorbed::default();
    let mut owned = Vec::new();
    for claim in claims(store, now)? {
        match claim.open()? {
            Some(mut reader) => {
                read(&mut tables, &mut reader, &mut absorbed)?;
                drained.note(reader.report());
                owned.push(reader);
            }
            None => drained.left += 1,
        }
    }
    drained.count(&absorbed);
    tables.count_bad_lines(owned.iter().map(bad_lines).collect())?;
    let stamp = |generation| Stamp { ledger, generation };
    let since = stamp(tables.numbers.generation);
    if absorbed.events > 0 {
        tables.go_on_from(Snapshot::open(store).generation_of(ledger));
    }
    tables.write_numbers(absorbed.events > 0)?;
    let now = stamp(tables.numbers.generation);
    let publication = Publication::prepare(store, &tables, since, now, &absorbed.changed)?;
    Ok(Pending {
        store: store.to_path_buf(),
        claims: owned,
        publication,
        drained,
    })
}

/// All events of one claim into the tables.
pub(super) fn read(tables: &mut Tables<'_>, reader: &mut ClaimReader, absorbed: &mut Absorbed) -> Result<()> {
    let events = std::iter::from_fn(|| reader.next_event().transpose());
    ledger::absorb(tables, events, absorbed)
}
