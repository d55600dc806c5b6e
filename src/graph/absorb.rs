//! Claims in somebody's transaction: the common part of a drain, of an import, and of a host that commits itself.

use std::path::{Path, PathBuf};

use redb::WriteTransaction;

use super::drained::Drained;
use super::publication::Publication;
use crate::Result;
use crate::ledger::tables::Tables;
use crate::ledger::{self, Absorbed, Counts};
use crate::snapshot::{Snapshot, Stamp};
use crate::spool::claim::{Claim, claims};
use crate::spool::reader::ClaimReader;
use crate::time::Millis;

/// Claims that one transaction takes in: each is an open file until it is committed.
pub(super) const TOGETHER: usize = 64;

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

/// Takes the store's spool into the host's transaction. The graph's tables, whose names all begin with
/// `rekal.`, are made and migrated in it as need be. On an error the host must abort. Damage that the engine
/// answers with a panic is an error.
pub fn absorb(store: &Path, txn: &WriteTransaction, now: Millis) -> Result<Pending> {
    ledger::guarded_of_host(|| {
        let ledger = ledger::prepare(txn)?;
        let mut claims = claims(store, now)?;
        let later = claims.split_off(claims.len().min(TOGETHER));
        let (mut pending, _) = take_in(store, ledger, txn, claims)?;
        pending.drained.left += later.len() as u64;
        Ok(pending)
    })
}

/// Takes in those of the claims that no writer holds. Gives also whether there is something to commit.
pub(super) fn take_in(
    store: &Path,
    ledger: u128,
    txn: &WriteTransaction,
    claims: Vec<Claim>,
) -> Result<(Pending, bool)> {
    let offered = claims.len();
    let owned = claims.into_iter().filter_map(|claim| claim.open().transpose());
    let mut claims = owned.collect::<Result<Vec<_>>>()?;
    let mut tables = Tables::open(txn)?;
    let (mut drained, publication) = read(store, ledger, &mut tables, &mut claims)?;
    drained.left = (offered - claims.len()) as u64;
    let counted = tables.count_bad_lines(claims.iter().map(bad_lines).collect())?;
    let is_new = counted || drained.events > 0;
    let store = store.to_path_buf();
    let pending = Pending {
        store,
        claims,
        publication,
        drained,
    };
    Ok((pending, is_new))
}

/// All events of these files into the tables, and what is to be published for them.
pub(super) fn read(
    store: &Path,
    ledger: u128,
    tables: &mut Tables<'_>,
    files: &mut [ClaimReader],
) -> Result<(Drained, Publication)> {
    let (mut drained, mut absorbed) = (Drained::default(), Absorbed::default());
    for file in files {
        let events = std::iter::from_fn(|| file.next_event().transpose());
        ledger::absorb(tables, events, &mut absorbed)?;
        drained.note(file.report());
    }
    drained.count(&absorbed);
    let stamp = |generation| Stamp { ledger, generation };
    let since = stamp(tables.numbers.generation);
    if absorbed.events > 0 {
        tables.go_on_from(Snapshot::open(store).generation_of(ledger));
        tables.write_numbers(true)?;
    }
    let now = stamp(tables.numbers.generation);
    let publication = Publication::prepare(store, tables, since, now, &absorbed.changed)?;
    Ok((drained, publication))
}

/// The claim's name and its bad lines by reason, when all of it was read.
fn bad_lines(claim: &ClaimReader) -> (String, Counts) {
    let bad = claim.report().bad.iter();
    let counts = bad.map(|(reason, lines)| (reason.as_str().to_owned(), *lines));
    (claim.claim().name().to_owned(), counts.collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::Graph;
    use crate::edge::Ulid;

    const NOON: Millis = 1_796_040_000_000;

    /// A store with so many claims of one drill each, as killed drains leave them.
    fn store(claims: u64) -> (tempfile::TempDir, Graph) {
        let store = tempfile::tempdir().expect("a folder");
        let graph = Graph::open(store.path()).expect("a graph");
        for at in (NOON..).take(claims as usize) {
            graph.recorder().drilled(at, None, &"a".parse().expect("an id"));
            let claim = format!("recall-log.{}.claim", Ulid(u128::from(at) << 80));
            fs::rename(store.path().join("recall-log.ndjson"), store.path().join(claim)).expect("claimed");
        }
        (store, graph)
    }

    #[test]
    fn a_drain_takes_more_claims_than_one_transaction() {
        let together = TOGETHER as u64;
        let (_store, graph) = store(2 * together + 1);
        let drained = graph.drain(NOON).expect("drained");
        assert_eq!(
            (drained.claims, drained.edges_new),
            (2 * together + 1, 2 * together + 1)
        );
        assert!(graph.verify().expect("verified").is_right());
    }

    #[test]
    fn what_is_too_much_for_one_transaction_of_a_host_is_left_to_the_next() {
        let together = TOGETHER as u64;
        let (store, graph) = store(together + 1);
        let database = redb::Database::create(store.path().join("host.redb")).expect("a database");
        let absorb = || {
            let txn = database.begin_write().expect("a transaction");
            let pending = graph.absorb(&txn, NOON).expect("absorbed");
            txn.commit().expect("committed");
            let drained = pending.finish().expect("published");
            let reach = graph.reach(&["a".parse().expect("an id")])[0].clone().expect("reached");
            (drained.claims, drained.left, u64::from(reach.drills))
        };
        assert_eq!(absorb(), (together, 1, together));
        assert_eq!(absorb(), (1, 0, together + 1));
    }
}
