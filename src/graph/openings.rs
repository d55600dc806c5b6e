//! Which recall led to which opening.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::Result;
use crate::edge::{SessionId, Ulid};
use crate::ledger::events::{self, EdgeRow, UNKNOWN_RANK};
use crate::ledger::tables::{self, During, ReadTables};
use crate::ledger::{Ledger, View};
use crate::reach::{Meaning, Seen, meaning};
use crate::time::Millis;

/// A session that was opened because a recall had surfaced it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    /// What was asked.
    pub query: String,
    /// The session that asked, if it is known.
    pub source: Option<SessionId>,
    /// The session that was opened.
    pub session: SessionId,
    /// The rank at which it had been surfaced, from 1. `None`: nobody noted it.
    pub rank: Option<u8>,
}

/// Every opening that a recall led to, in the order of time.
pub fn openings(ledger: &Ledger) -> Result<Vec<Opening>> {
    let tables = ReadTables::open(&ledger.read()?)?;
    let mut opened = openings_of(&Record::read(&tables)?)?;
    opened.sort_by_key(|opening| (opening.at, opening.target));
    let mut openings = Vec::new();
    for Opened { target, recall, .. } in opened {
        let Some((recall, rank)) = recall else { continue };
        // A source that was forgotten keeps its number and has no name.
        let source = tables
            .targets
            .get(recall.source)
            .during("read a session's id")?
            .is_some();
        openings.push(Opening {
            query: tables::text(&tables.queries, recall.query)?,
            source: source.then(|| tables.session(recall.source)).transpose()?,
            session: tables.session(target)?,
            rank: Some(rank).filter(|rank| *rank != UNKNOWN_RANK),
        });
    }
    Ok(openings)
}

/// All edges, and the event behind each.
pub(super) struct Record {
    pub(super) edges: Vec<EdgeRow>,
    pub(super) seen: HashMap<Ulid, Seen>,
}

/// A drill that counts.
pub(super) struct Opened {
    pub(super) target: u32,
    pub(super) at: Millis,
    /// The recall that led to it, and the rank at which it surfaced the target.
    pub(super) recall: Option<(Seen, u8)>,
}

impl Record {
    pub(super) fn read(tables: &ReadTables) -> Result<Self> {
        let edges = events::edges(tables)?;
        let mut seen = HashMap::new();
        for edge in &edges {
            if let Entry::Vacant(entry) = seen.entry(edge.event) {
                entry.insert(tables::seen(&tables.events, edge.event)?);
            }
        }
        Ok(Self { edges, seen })
    }
}

/// The drills that count, as the fold over the edges of each target sees them.
pub(super) fn openings_of(record: &Record) -> Result<Vec<Opened>> {
    let Record { edges, seen } = record;
    let mut by_target: HashMap<u32, Vec<&EdgeRow>> = HashMap::new();
    for edge in edges {
        by_target.entry(edge.target).or_default().push(edge);
    }
    let mut opened = Vec::new();
    for (target, edges) in by_target {
        for (at, edge) in edges.iter().enumerate().filter(|(_, edge)| edge.rank == 0) {
            let earlier = edges[..at].iter().rev().map(|before| Ok(seen[&before.event]));
            let Meaning::Opened(recall) = meaning(&seen[&edge.event], earlier)? else {
                continue;
            };
            let rank = |recall: &Seen| {
                let surfaced = edges[..at].iter().rev().find(|before| before.event == recall.id);
                surfaced.map_or(UNKNOWN_RANK, |edge| edge.rank)
            };
            opened.push(Opened {
                target,
                at: edge.event.timestamp_ms(),
                recall: recall.map(|recall| (recall, rank(&recall))),
            });
        }
    }
    Ok(opened)
}
