//! What is published, held against the ledger, for whoever looks for what is wrong.

use super::drain::generation;
use crate::Result;
use crate::ledger::tables::ReadTables;
use crate::ledger::{Counts, Ledger};
use crate::snapshot::{Snapshot, is_published};

/// How something that is published stands to the ledger.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Freshness {
    /// It is of the ledger's latest state.
    Current,
    /// It is of an earlier state.
    Behind,
    /// It is of a state that this ledger never was in, or of another ledger.
    Foreign,
    /// Its bytes are not as they were written.
    Damaged,
    /// There is nothing that this version can read.
    Missing,
}

/// How the published reach stands to the ledger, by what it says of itself and by its sums.
pub fn freshness(ledger: &Ledger) -> Result<Freshness> {
    let now = generation(ledger)?;
    let snapshot = Snapshot::open(ledger.store());
    Ok(match snapshot.stamp() {
        _ if !is_published(ledger.store()) => Freshness::Missing,
        _ if !snapshot.is_whole() => Freshness::Damaged,
        Some(stamp) if stamp == now => Freshness::Current,
        Some(stamp) if stamp.ledger == now.ledger && stamp.generation < now.generation => Freshness::Behind,
        _ => Freshness::Foreign,
    })
}

/// Lines that drains found to be no event, by reason, over all time.
pub fn bad_lines(ledger: &Ledger) -> Result<Counts> {
    ReadTables::open(&ledger.read()?)?.bad_lines()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::Graph;

    #[test]
    fn each_state_is_told_from_the_others() {
        let store = tempfile::tempdir().expect("a folder");
        let graph = Graph::open(store.path()).expect("a graph");
        let now = || freshness(&Ledger::open(store.path()).expect("a ledger")).expect("looked at");
        assert_eq!(now(), Freshness::Missing);
        let base = store.path().join("reach.snap");
        let mut published = Vec::new();
        for at in [1_796_040_000_000, 1_796_040_001_000] {
            graph.recorder().drilled(at, None, &"a".parse().expect("an id"));
            graph.drain(at).expect("drained");
            assert_eq!(now(), Freshness::Current);
            _ = fs::remove_file(store.path().join("reach.delta"));
            graph.rebuild().expect("published whole");
            published.push(fs::read(&base).expect("published"));
        }
        fs::write(&base, &published[0]).expect("written");
        assert_eq!(now(), Freshness::Behind);
        fs::write(&base, &published[1][..70]).expect("written");
        assert_eq!(now(), Freshness::Damaged);
        fs::write(&base, &published[1]).expect("written");
        fs::remove_file(store.path().join("store.redb")).expect("a ledger");
        assert_eq!(now(), Freshness::Foreign);
    }
}
