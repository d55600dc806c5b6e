//! How good recall is in use, without labels: what was opened of what was surfaced.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::openings::{Record, openings_of};
use crate::Result;
use crate::edge::{SessionId, Ulid};
use crate::ledger::events::{EdgeRow, UNKNOWN_RANK};
use crate::ledger::tables::{self, ReadTables};
use crate::ledger::{Ledger, View};
use crate::time::Millis;

/// A session surfaced so often without being opened is worth a look.
const OFTEN: u32 = 10;

/// How many of them are named.
const NAMED: usize = 10;

/// The record in figures.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Stats {
    /// Edges.
    pub edges: u64,
    /// Sessions reached.
    pub targets: u64,
    /// Different queries.
    pub queries: u64,
    /// Recalls that surfaced something.
    pub recalls: u64,
    /// Openings that count.
    pub drills: u64,
    /// Recalls that led to at least one opening.
    pub recalls_opened: u64,
    /// Their share of all recalls, 0 to 1; left out without recalls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opened_share: Option<f64>,
    /// Openings by the rank at which the session had been surfaced, where that is known.
    pub openings_by_rank: BTreeMap<u8, u64>,
    /// The middle one of these ranks; left out without openings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_opened_rank: Option<u8>,
    /// Openings that a recall led to which did not note its ranks.
    pub openings_of_unknown_rank: u64,
    /// Openings that no recall led to.
    pub openings_without_recall: u64,
    /// Lines of the spool that drains found to be no event, by reason, over all time.
    pub bad_lines: BTreeMap<String, u64>,
    /// Sessions surfaced at least 10 times and never opened, the most surfaced first.
    pub never_opened: Vec<NeverOpened>,
}

/// A session that was surfaced and not opened.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NeverOpened {
    /// The session.
    pub session_id: SessionId,
    /// Times surfaced.
    pub surfaced: u32,
}

/// The figures of all events since a time.
pub fn stats(ledger: &Ledger, since: Millis) -> Result<Stats> {
    let tables = ReadTables::open(&ledger.read()?)?;
    let record = Record::read(&tables)?;
    let edges = record.edges.iter();
    let recent: Vec<&EdgeRow> = edges.filter(|edge| edge.event.timestamp_ms() >= since).collect();
    let mut stats = Stats {
        edges: recent.len() as u64,
        targets: recent.iter().map(|edge| edge.target).collect::<BTreeSet<_>>().len() as u64,
        ..Stats::default()
    };
    let recalls: BTreeMap<Ulid, u32> = recent
        .iter()
        .map(|edge| (edge.event, record.seen[&edge.event].query))
        .collect();
    stats.recalls = recalls.values().filter(|query| **query != 0).count() as u64;
    let queries: BTreeSet<u32> = recalls.into_values().filter(|query| *query != 0).collect();
    stats.queries = queries.len() as u64;
    count_openings(&record, since, &mut stats)?;
    stats.opened_share = (stats.recalls > 0).then(|| stats.recalls_opened as f64 / stats.recalls as f64);
    stats.median_opened_rank = median(&stats.openings_by_rank);
    stats.bad_lines = tables.bad_lines()?;
    stats.never_opened = never_opened(&tables)?;
    Ok(stats)
}

/// What each drill counts as, in the order of its target's edges, as the fold sees it.
fn count_openings(record: &Record, since: Millis, stats: &mut Stats) -> Result<()> {
    let mut opened = BTreeSet::new();
    for opening in openings_of(record)?.into_iter().filter(|opening| opening.at >= since) {
        stats.drills += 1;
        match opening.recall {
            Some((recall, rank)) => {
                opened.insert(recall.id);
                match rank {
                    UNKNOWN_RANK => stats.openings_of_unknown_rank += 1,
                    rank => *stats.openings_by_rank.entry(rank).or_default() += 1,
                }
            }
            None => stats.openings_without_recall += 1,
        }
    }
    stats.recalls_opened = opened.len() as u64;
    Ok(())
}

fn median(by_rank: &BTreeMap<u8, u64>) -> Option<u8> {
    let all: u64 = by_rank.values().sum();
    let mut before = 0;
    by_rank.iter().find_map(|(rank, openings)| {
        before += openings;
        (before * 2 >= all).then_some(*rank)
    })
}

fn never_opened(tables: &ReadTables) -> Result<Vec<NeverOpened>> {
    let mut unopened = Vec::new();
    for target in tables.reached()? {
        let totals = tables::totals(&tables.reach, target)?;
        if totals.drills == 0 && totals.count >= OFTEN {
            unopened.push((std::cmp::Reverse(totals.count), target));
        }
    }
    unopened.sort_unstable();
    unopened.truncate(NAMED);
    let named = unopened.into_iter().map(|(surfaced, target)| {
        Ok(NeverOpened {
            session_id: tables.session(target)?,
            surfaced: surfaced.0,
        })
    });
    named.collect()
}
