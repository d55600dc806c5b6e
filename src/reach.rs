//! How often a session was reached, by which queries, and which of them led to its being opened.
//!
//! [`Reach`] is what is published of that. Underneath it is a **fold over the session's edges in the
//! order of their ids**, and nothing else: the same edges give the same reach, in whatever portions
//! and order they arrived. Three rules make an edge count:
//!
//! - A recall counts for its query (the query's tally).
//! - A drill counts as an opening and is credited to the query of the latest recall before it, at
//!   most 30 minutes earlier, that surfaced this session for the same source (a source that is not
//!   known on either side fits every other).
//! - A drill at most 30 minutes after another drill (or page) of this session by the same known source is a
//!   further *page* of the same reading and counts as nothing.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::edge::{SessionId, Ulid};
use crate::time::Millis;

/// How long a recall is credited with the drills after it, and how long a reading goes on.
pub const WINDOW: Millis = 30 * 60 * 1000;

/// The published aggregate of a session's edges: how often it was reached, and by which queries.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct Reach {
    /// All edges that count: times surfaced and times opened.
    pub count: u32,
    /// Times opened.
    pub drills: u32,
    /// The query with the most edges; ties go to the later one, then to the smaller text.
    pub query: Option<String>,
    /// The queries whose recall led to an opening, with how often each did, in the order of their text.
    pub led: Vec<(String, u32)>,
}

/// Looks up what is published of a session.
pub trait Reached {
    /// `None`: never reached, or not known.
    fn reach(&self, target: &SessionId) -> Option<Reach>;
}

/// A query's number; 0 stands for none.
pub(crate) type Query = u32;

/// One edge as its target sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Seen {
    /// The event's id.
    pub(crate) id: Ulid,
    /// The query of a recall; 0 for a drill.
    pub(crate) query: Query,
    /// The number of the session that did the reaching; 0 when it is not known.
    pub(crate) source: u32,
}

/// What an edge counts as, given the edges before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    /// Surfaced by this query.
    Surfaced(Query),
    /// Opened, because of this recall, as far as one is known.
    Opened(Option<Seen>),
    /// A further page of a reading that has been counted.
    Page,
}

/// A target's totals.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Totals {
    pub(crate) count: u32,
    pub(crate) drills: u32,
    pub(crate) last_query: Query,
    pub(crate) top_query: Query,
    pub(crate) top_count: u32,
    pub(crate) top_at: Millis,
    /// The id of the last edge, counted or not.
    pub(crate) last: u128,
}

/// How often one query reached one target.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tally {
    /// Times surfaced.
    pub(crate) count: u32,
    /// How many of them led to an opening.
    pub(crate) led: u32,
    /// When it was surfaced last.
    pub(crate) at: Millis,
}

impl Meaning {
    /// The query whose tally the edge is counted in; 0: in none.
    pub(crate) fn query(&self) -> Query {
        match self {
            Meaning::Surfaced(query) => *query,
            Meaning::Opened(Some(recall)) => recall.query,
            Meaning::Opened(None) | Meaning::Page => 0,
        }
    }
}

impl Tally {
    /// A single surfacing without consequence needs no row: the edge itself says it.
    pub(crate) fn is_kept(&self) -> bool {
        self.count > 1 || self.led > 0
    }
}

impl Seen {
    fn at(&self) -> Millis {
        self.id.timestamp_ms()
    }

    fn may_be_credited_with(&self, drill: &Seen) -> bool {
        self.query != 0 && (self.source == 0 || drill.source == 0 || self.source == drill.source)
    }

    fn is_same_reading(&self, drill: &Seen) -> bool {
        self.query == 0 && self.source != 0 && self.source == drill.source
    }
}

/// What `edge` counts as; `earlier` are the edges of the same target before it, latest first.
pub(crate) fn meaning(edge: &Seen, earlier: impl Iterator<Item = Result<Seen>>) -> Result<Meaning> {
    if edge.query != 0 {
        return Ok(Meaning::Surfaced(edge.query));
    }
    let mut credited = None;
    for before in earlier {
        let before = before?;
        if edge.at() - before.at() > WINDOW {
            break;
        }
        if before.is_same_reading(edge) {
            return Ok(Meaning::Page);
        }
        if credited.is_none() && before.may_be_credited_with(edge) {
            credited = Some(before);
        }
        if credited.is_some() && edge.source == 0 {
            break;
        }
    }
    Ok(Meaning::Opened(credited))
}

/// Folds edges into totals and tallies, one at a time, in the order of their ids.
pub(crate) struct Fold {
    pub(crate) totals: Totals,
    /// The tallies known so far. To go on from stored totals, the tally of every query that is
    /// pushed has to be here.
    pub(crate) tallies: BTreeMap<Query, Tally>,
}

impl Fold {
    pub(crate) fn from(totals: Totals) -> Self {
        let tallies = BTreeMap::new();
        Self { totals, tallies }
    }

    /// Counts one edge. `text` gives the text of a query, for ties.
    pub(crate) fn push(&mut self, id: Ulid, meaning: Meaning, text: &dyn Fn(Query) -> Result<String>) -> Result<()> {
        self.totals.last = id.0;
        match meaning {
            Meaning::Page => {}
            Meaning::Opened(recall) => {
                self.totals.count += 1;
                self.totals.drills += 1;
                if let Some(recall) = recall {
                    self.tallies.entry(recall.query).or_default().led += 1;
                }
            }
            Meaning::Surfaced(query) => {
                self.totals.count += 1;
                self.totals.last_query = query;
                let tally = self.tallies.entry(query).or_default();
                tally.count += 1;
                tally.at = id.timestamp_ms();
                let tally = *tally;
                self.raise(query, tally, text)?;
            }
        }
        Ok(())
    }

    fn raise(&mut self, query: Query, tally: Tally, text: &dyn Fn(Query) -> Result<String>) -> Result<()> {
        let top = &mut self.totals;
        let order = (tally.count, tally.at).cmp(&(top.top_count, top.top_at));
        let wins = match order {
            Ordering::Equal if query != top.top_query => text(query)? < text(top.top_query)?,
            order => order.is_ge(),
        };
        if wins {
            (top.top_query, top.top_count, top.top_at) = (query, tally.count, tally.at);
        }
        Ok(())
    }
}

/// The fold over all edges of a target, in the order of their ids.
pub(crate) fn fold(edges: &[Seen], text: &dyn Fn(Query) -> Result<String>) -> Result<Fold> {
    let mut fold = Fold::from(Totals::default());
    for (at, edge) in edges.iter().enumerate() {
        let meaning = meaning(edge, edges[..at].iter().rev().map(|before| Ok(*before)))?;
        fold.push(edge.id, meaning, text)?;
    }
    Ok(fold)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Millis = 60_000;

    fn seen(at: Millis, query: Query, source: u32) -> Seen {
        Seen {
            id: Ulid::from_parts(at, 0),
            query,
            source,
        }
    }

    fn folded(edges: &[Seen]) -> Fold {
        let names = ["", "bravo", "alpha", "carol"];
        fold(edges, &|query| Ok(names[query as usize].to_owned())).expect("a fold without I/O")
    }

    #[test]
    fn every_surfacing_and_opening_counts() {
        let fold = folded(&[seen(1, 1, 0), seen(2, 1, 0), seen(3, 2, 0), seen(4, 0, 0)]);
        assert_eq!((fold.totals.count, fold.totals.drills), (4, 1));
        assert_eq!((fold.totals.top_query, fold.totals.last_query), (1, 2));
        assert_eq!((fold.tallies[&2].count, fold.tallies[&2].led), (1, 1));
        assert_eq!(fold.tallies[&1].led, 0);
    }

    #[test]
    fn a_drill_is_credited_for_thirty_minutes_to_the_millisecond() {
        let after = |gap| folded(&[seen(1000, 1, 0), seen(1000 + gap, 0, 0)]).tallies[&1].led;
        assert_eq!(after(30 * MINUTE), 1);
        assert_eq!(after(30 * MINUTE + 1), 0);
    }

    #[test]
    fn a_drill_is_credited_to_the_latest_recall_of_a_fitting_source() {
        let fold = folded(&[seen(1, 1, 7), seen(2, 2, 8), seen(3, 0, 7)]);
        assert_eq!((fold.tallies[&1].led, fold.tallies[&2].led), (1, 0));
        let fold = folded(&[seen(1, 1, 7), seen(2, 2, 0), seen(3, 0, 7)]);
        assert_eq!((fold.tallies[&1].led, fold.tallies[&2].led), (0, 1));
    }

    #[test]
    fn pages_of_one_reading_are_one_drill() {
        let fold = folded(&[seen(0, 0, 7), seen(20 * MINUTE, 0, 7), seen(50 * MINUTE, 0, 7)]);
        assert_eq!((fold.totals.count, fold.totals.drills), (1, 1));
        let apart = folded(&[seen(0, 0, 7), seen(30 * MINUTE + 1, 0, 7)]);
        assert_eq!(apart.totals.drills, 2);
        let others = folded(&[seen(0, 0, 7), seen(1, 0, 8), seen(2, 0, 0), seen(3, 0, 0)]);
        assert_eq!(others.totals.drills, 4);
    }

    #[test]
    fn a_tie_goes_to_the_later_query_then_to_the_smaller_text() {
        assert_eq!(folded(&[seen(1, 1, 0), seen(2, 3, 0)]).totals.top_query, 3);
        let same_time = |a, b| {
            let mut edges = [seen(5, a, 0), seen(5, b, 0)];
            edges[1].id = Ulid::from_parts(5, 1);
            folded(&edges).totals.top_query
        };
        assert_eq!((same_time(1, 2), same_time(2, 1)), (2, 2));
    }
}
