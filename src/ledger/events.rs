//! Reading events back whole: with their targets, in the order of their ids.

use redb::ReadableTable;

use super::View;
use super::tables::{self, During, pair, unpair};
use crate::Result;
use crate::edge::{Act, Event, SessionId, Ulid};

/// Stands for a rank that nobody noted.
pub(crate) const UNKNOWN_RANK: u8 = u8::MAX;

/// One edge: an event and one session it reached.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct EdgeRow {
    /// The event.
    pub(crate) event: Ulid,
    /// The rank at which the session was surfaced, from 1; 0 for a drill; or [`UNKNOWN_RANK`].
    pub(crate) rank: u8,
    /// The session's number.
    pub(crate) target: u32,
}

/// Every edge in the order of the events' ids, then of the ranks.
pub(crate) fn edges(tables: &impl View) -> Result<Vec<EdgeRow>> {
    let mut edges = Vec::new();
    for entry in tables.edges().iter().during("read the edges")? {
        let (key, rank) = entry.during("read the edges")?;
        let (target, event) = unpair(key.value());
        let rank = rank.value();
        edges.push(EdgeRow { event, rank, target });
    }
    edges.sort_unstable();
    Ok(edges)
}

/// The event of these edges, which are all of one event. `None`: it has been forgotten.
pub(crate) fn event(tables: &impl View, edges: &[EdgeRow]) -> Result<Option<Event>> {
    let Some(first) = edges.first() else {
        return Ok(None);
    };
    let targets = edges
        .iter()
        .map(|edge| tables.session(edge.target))
        .collect::<Result<Vec<_>>>()?;
    let (act, source) = act(tables, first.event)?;
    let event = Event::new(first.event, act, targets, source);
    Ok(match first.rank {
        UNKNOWN_RANK => event.map(Event::of_unknown_rank),
        _ => event,
    })
}

/// What an event was and who did it. A source whose id was forgotten is not known.
pub(crate) fn act(tables: &impl View, id: Ulid) -> Result<(Act, Option<SessionId>)> {
    let seen = tables::seen(tables.events(), id)?;
    let act = match seen.query {
        0 => Act::Drill,
        query => Act::Recall(tables::text(tables.queries(), query)?),
    };
    let source = match seen.source {
        0 => None,
        number => tables
            .targets()
            .get(number)
            .during("read a source")?
            .and_then(|id| super::packed::unpack(id.value())),
    };
    Ok((act, source))
}

/// The edges of one target in the order of the events' ids.
pub(crate) fn edges_of(tables: &impl View, target: u32) -> Result<Vec<EdgeRow>> {
    let (first, last) = (pair(target, 0), pair(target, u128::MAX));
    let mut edges = Vec::new();
    for entry in tables
        .edges()
        .range::<&[u8; 20]>(&first..=&last)
        .during("read a target's edges")?
    {
        let (key, rank) = entry.during("read a target's edges")?;
        let (event, rank) = (unpair(key.value()).1, rank.value());
        edges.push(EdgeRow { event, rank, target });
    }
    Ok(edges)
}
