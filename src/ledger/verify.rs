//! Compares every row of `session_reach` with a fold over the edges.

use std::collections::BTreeSet;

use redb::ReadableTable;

use super::published::View;
use super::tables::{self, During, Tables, unpair};
use crate::Result;
use crate::reach::{Query, Tally};

/// Comparing, in a transaction of either kind.
pub(crate) trait Verify: View {
    /// The numbers of the targets whose rows differ from the fold over their edges, ascending, and
    /// how many targets there are.
    fn differing(&self) -> Result<(Vec<u32>, u64)> {
        let mut all: BTreeSet<u32> = self.reached()?.into_iter().collect();
        all.extend(targets_with_edges(self.edges())?);
        let mut differing = Vec::new();
        for target in &all {
            if !self.agrees(*target)? {
                differing.push(*target);
            }
        }
        Ok((differing, all.len() as u64))
    }

    fn agrees(&self, target: u32) -> Result<bool> {
        let fold = self.folded(target)?;
        let without_edges = fold.totals.last == 0;
        let kept = fold.tallies.into_iter().filter(|(_, tally)| tally.is_kept());
        let kept: Vec<(Query, Tally)> = kept.collect();
        Ok(!without_edges && fold.totals == tables::totals(self.reach(), target)? && kept == self.tallies(target)?)
    }
}

impl<V: View> Verify for V {}

/// Folds every target anew. Gives the numbers of all of them.
pub(crate) fn rebuild(tables: &mut Tables<'_>) -> Result<BTreeSet<u32>> {
    tables.reach.retain(|_, _| false).during("clear session_reach")?;
    let targets = targets_with_edges(&tables.edges)?;
    for target in &targets {
        super::refold::refold(tables, *target)?;
    }
    Ok(targets)
}

fn targets_with_edges(edges: &impl ReadableTable<tables::Pair, u8>) -> Result<BTreeSet<u32>> {
    let mut targets = BTreeSet::new();
    for entry in edges.iter().during("read the edges")? {
        let (key, _) = entry.during("read the edges")?;
        targets.insert(unpair(key.value()).0);
    }
    Ok(targets)
}
