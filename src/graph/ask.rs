//! Questions to the ledger: the most used sessions, one session in full, the latest edges.

use serde::Serialize;

use crate::Result;
use crate::edge::{Act, Kind, SessionId};
use crate::ledger::tables::{self, ReadTables};
use crate::ledger::{Ledger, View, events};
use crate::time::{Millis, format_rfc3339};

/// A session and how it was reached.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Standing {
    /// The session.
    pub session_id: SessionId,
    /// All edges that count.
    pub count: u32,
    /// Times surfaced.
    pub surfaced: u32,
    /// Times opened.
    pub drills: u32,
    /// The query with the most edges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_query: Option<String>,
    /// When it was reached last, RFC 3339.
    pub last_at: String,
}

/// What the most used sessions are sorted by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum By {
    /// Times opened, then all edges.
    #[default]
    Drills,
    /// All edges.
    Reach,
    /// When they were reached last.
    Recent,
}

/// How often one query reached a session.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct QueryTally {
    /// The query.
    pub query: String,
    /// Times it surfaced the session.
    pub count: u32,
    /// How many of them led to an opening.
    pub led: u32,
    /// When it surfaced the session last, RFC 3339.
    pub last_at: String,
}

/// One edge, for people.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct EdgeLine {
    /// The event's id.
    pub id: String,
    /// When, RFC 3339.
    pub at: String,
    /// Recall or drill.
    pub kind: Kind,
    /// The session reached.
    pub session_id: SessionId,
    /// The query of a recall.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The rank at which it was surfaced, from 1; left out for a drill and where nobody noted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<u8>,
    /// The session that did the reaching.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SessionId>,
}

/// A session in full.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Portrait {
    /// Its totals.
    #[serde(flatten)]
    pub standing: Standing,
    /// Its queries: the most frequent first.
    pub tallies: Vec<QueryTally>,
    /// Its latest edges, latest first.
    pub edges: Vec<EdgeLine>,
}

/// The `limit` most used sessions.
pub fn top(ledger: &Ledger, by: By, limit: usize) -> Result<Vec<Standing>> {
    let tables = ReadTables::open(&ledger.read()?)?;
    let mut rows = Vec::new();
    for target in tables.reached()? {
        rows.push((tables::totals(&tables.reach, target)?, target));
    }
    rows.sort_by_key(|(totals, target)| {
        let key = match by {
            By::Drills => (u128::from(totals.drills), totals.count),
            By::Reach => (u128::from(totals.count), totals.drills),
            By::Recent => (totals.last, 0),
        };
        (std::cmp::Reverse(key), *target)
    });
    rows.truncate(limit);
    rows.into_iter().map(|(_, target)| standing(&tables, target)).collect()
}

/// One session with its tallies and its `limit` latest edges. `None`: it was never reached.
pub fn show(ledger: &Ledger, session: &SessionId, limit: usize) -> Result<Option<Portrait>> {
    let tables = ReadTables::open(&ledger.read()?)?;
    let Some(target) = tables.number(session)? else {
        return Ok(None);
    };
    let fold = tables.folded(target)?;
    if fold.totals.count == 0 {
        return Ok(None);
    }
    let mut tallies = Vec::new();
    for (query, tally) in fold.tallies {
        tallies.push(QueryTally {
            query: tables::text(&tables.queries, query)?,
            count: tally.count,
            led: tally.led,
            last_at: format_rfc3339(tally.at),
        });
    }
    tallies.sort_by(|a, b| (b.count, &b.last_at, &a.query).cmp(&(a.count, &a.last_at, &b.query)));
    let mut edges = events::edges_of(&tables, target)?;
    edges.reverse();
    edges.truncate(limit);
    Ok(Some(Portrait {
        standing: standing(&tables, target)?,
        tallies,
        edges: edges
            .iter()
            .map(|edge| edge_line(&tables, edge))
            .collect::<Result<_>>()?,
    }))
}

/// The `limit` latest edges since a time, the latest event first, in it the first rank.
pub fn log(ledger: &Ledger, since: Millis, limit: usize) -> Result<Vec<EdgeLine>> {
    let tables = ReadTables::open(&ledger.read()?)?;
    let mut edges = events::edges(&tables)?;
    edges.sort_by_key(|edge| (std::cmp::Reverse(edge.event), edge.rank));
    let recent = edges.iter().take_while(|edge| edge.event.timestamp_ms() >= since);
    recent.take(limit).map(|edge| edge_line(&tables, edge)).collect()
}

fn standing(tables: &ReadTables, target: u32) -> Result<Standing> {
    let totals = tables::totals(&tables.reach, target)?;
    let (session_id, reach) = tables.published(target)?;
    Ok(Standing {
        session_id,
        count: reach.count,
        surfaced: reach.count - reach.drills,
        drills: reach.drills,
        top_query: reach.query,
        last_at: format_rfc3339((totals.last >> 80) as Millis),
    })
}

fn edge_line(tables: &ReadTables, edge: &events::EdgeRow) -> Result<EdgeLine> {
    let (act, source) = events::act(tables, edge.event)?;
    let (kind, query) = match act {
        Act::Recall(query) => (Kind::Recall, Some(query)),
        Act::Drill => (Kind::Drill, None),
    };
    Ok(EdgeLine {
        id: edge.event.to_string(),
        at: format_rfc3339(edge.event.timestamp_ms()),
        kind,
        session_id: tables.session(edge.target)?,
        query,
        rank: Some(edge.rank).filter(|rank| *rank > 0 && *rank != events::UNKNOWN_RANK),
        source,
    })
}
