//! What was opened against the ranking: at which rank would it stand now?

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde::Serialize;

use super::figures::rounded;
use super::settings::Setting;
use crate::Result;
use crate::edge::SessionId;
use crate::graph::Opening;
use crate::index::Index;
use crate::reach::Reached;
use crate::recall::{Ask, ranking};

/// So many rows are looked through; what stands behind them counts as not found.
const ROWS: usize = 50;

/// Where what was opened stands.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Replayed {
    /// The setting, or that it is the ranks of the record.
    pub name: &'static str,
    /// How many openings.
    pub n: usize,
    /// The middle rank (of an even number the lower one). `None`: it is not found.
    pub median_rank: Option<usize>,
    /// The share of openings at rank 1.
    pub at_1: f64,
    /// The share within the first 5.
    pub within_5: f64,
    /// The share within the first 20.
    pub within_20: f64,
}

/// Ranks the query of every opening again, by each setting; before them the ranks at which the sessions
/// were surfaced when they were opened, where these were noted.
///
/// # Errors
/// The index is damaged.
pub fn replay(
    index: &Index,
    reached: &dyn Reached,
    openings: &[Opening],
    settings: &[Setting],
) -> Result<Vec<Replayed>> {
    let then = openings.iter().filter_map(|opening| opening.rank);
    let then = then.map(|rank| Some(usize::from(rank))).collect();
    let mut rows = vec![Replayed::of("as it was shown", then)];
    for setting in settings {
        let mut known: HashMap<(&str, Option<&SessionId>), Vec<SessionId>> = HashMap::new();
        let mut ranks = Vec::with_capacity(openings.len());
        for opening in openings {
            let asked = (opening.query.as_str(), opening.source.as_ref());
            let sessions = match known.entry(asked) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let ask = Ask {
                        limit: ROWS,
                        exclude: opening.source.clone(),
                        ..Ask::new(&opening.query)
                    };
                    new.insert(ranking(index, reached, &ask, &setting.weights)?.sessions)
                }
            };
            let place = sessions.iter().position(|id| *id == opening.session);
            ranks.push(place.map(|before| before + 1));
        }
        rows.push(Replayed::of(setting.name, ranks));
    }
    Ok(rows)
}

impl Replayed {
    fn of(name: &'static str, mut ranks: Vec<Option<usize>>) -> Self {
        ranks.sort_by_key(|rank| rank.unwrap_or(usize::MAX));
        let share = |within| {
            let found = ranks.iter().flatten().filter(|rank| **rank <= within).count();
            rounded(found as f64 / ranks.len().max(1) as f64)
        };
        Self {
            name,
            n: ranks.len(),
            median_rank: ranks.get(ranks.len().saturating_sub(1) / 2).copied().flatten(),
            at_1: share(1),
            within_5: share(5),
            within_20: share(20),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_found_stands_behind_everything() {
        let row = Replayed::of("x", vec![None, Some(1), Some(6), None, Some(5)]);
        assert_eq!((row.n, row.median_rank), (5, Some(6)));
        assert_eq!((row.at_1, row.within_5, row.within_20), (0.2, 0.4, 0.6));
        assert_eq!(Replayed::of("x", vec![Some(1), None, None]).median_rank, None);
        assert_eq!(Replayed::of("x", vec![Some(2), None]).median_rank, Some(2));
        assert_eq!(Replayed::of("x", vec![]).median_rank, None);
    }
}
