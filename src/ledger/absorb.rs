//! New events become edges, tallies and totals, in the caller's transaction.
//!
//! An event is new if its id is not in `events`; everything of it is written at once, so a known
//! event has nothing to add. A target whose new edges all come after its last one is brought up to
//! date from its totals; any other is folded anew.

use std::collections::BTreeSet;

use redb::ReadableTable;

use super::intern::Numbered;
use super::refold::{earlier, refold, unkept_tally, write};
use super::rows::{self, EventRow};
use super::tables::{self, During, Tables, pair};
use crate::Result;
use crate::edge::{Event, Ulid};
use crate::reach::{self, Fold, Query, Seen};

/// What absorbing some events did.
#[derive(Default, Debug)]
pub(crate) struct Absorbed {
    /// Events that were not known.
    pub(crate) events: u64,
    /// Edges that were not known.
    pub(crate) edges_new: u64,
    /// Edges of events that were known.
    pub(crate) edges_known: u64,
    /// The numbers of the targets whose reach may have changed.
    pub(crate) changed: BTreeSet<u32>,
}

/// Takes the events in. What they add is what they would have added in any other order or portions.
pub(crate) fn absorb(tables: &mut Tables<'_>, mut events: Vec<Event>, report: &mut Absorbed) -> Result<()> {
    events.sort_by_key(Event::id);
    retain_new(tables, &mut events, report)?;
    if events.is_empty() {
        return Ok(());
    }
    let chunk = Chunk::write(tables, &events)?;
    report.events += events.len() as u64;
    report.edges_new += chunk.edges.len() as u64;
    for edges in chunk.edges.chunk_by(|a, b| a.target == b.target) {
        chunk.count(tables, edges)?;
        report.changed.insert(edges[0].target);
    }
    Ok(())
}

/// Drops events that are in the ledger, and repetitions; `events` are sorted by id.
fn retain_new(tables: &Tables<'_>, events: &mut Vec<Event>, report: &mut Absorbed) -> Result<()> {
    let mut kept: Vec<Event> = Vec::with_capacity(events.len());
    for event in events.drain(..) {
        let repeated = kept.last().is_some_and(|last| last.id() == event.id());
        if repeated || is_known(tables, event.id())? {
            report.edges_known += event.targets().len() as u64;
        } else {
            kept.push(event);
        }
    }
    *events = kept;
    Ok(())
}

fn is_known(tables: &Tables<'_>, id: Ulid) -> Result<bool> {
    Ok(tables
        .events
        .get(&id.0.to_be_bytes())
        .during("look an event up")?
        .is_some())
}

/// New events whose rows are written, but not yet counted.
struct Chunk {
    /// The events by id.
    seen: Vec<Seen>,
    /// Their edges by target, then by id.
    edges: Vec<Edge>,
    first_new_query: Query,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    target: u32,
    /// Its event's place in `seen`, which is the order of the ids.
    event: u32,
    rank: u8,
}

impl Chunk {
    /// Writes the rows of the events, each table in the order of its keys.
    fn write(tables: &mut Tables<'_>, events: &[Event]) -> Result<Self> {
        let numbered = Numbered::of(tables, events)?;
        let seen = events.iter().map(|event| Seen {
            id: event.id(),
            query: numbered.query(event.query()),
            source: numbered.session(event.source()),
        });
        let seen: Vec<Seen> = seen.collect();
        let mut edges = Vec::new();
        for (at, event) in events.iter().enumerate() {
            edges.extend(event.targets().iter().enumerate().map(|(place, target)| Edge {
                target: numbered.session(Some(target)),
                event: at as u32,
                rank: if event.query().is_some() { place as u8 + 1 } else { 0 },
            }));
        }
        edges.sort_unstable();
        let first_new_query = numbered.first_new_query;
        let chunk = Self {
            seen,
            edges,
            first_new_query,
        };
        chunk.write_events(tables)?;
        chunk.write_edges(tables)?;
        Ok(chunk)
    }

    fn write_events(&self, tables: &mut Tables<'_>) -> Result<()> {
        for &Seen { id, query, source } in &self.seen {
            let row = match query {
                0 => EventRow::Drill { source },
                query => EventRow::Recall { query, source },
            };
            let row = rows::encode(&row)?;
            tables
                .events
                .insert(&id.0.to_be_bytes(), row.as_slice())
                .during("write an event")?;
        }
        let recalls = self.seen.iter().filter(|seen| seen.query != 0);
        let mut keys: Vec<[u8; 20]> = recalls.map(|seen| pair(seen.query, seen.id.0)).collect();
        keys.sort_unstable();
        for key in &keys {
            tables.query_events.insert(key, ()).during("write a query's event")?;
        }
        Ok(())
    }

    fn write_edges(&self, tables: &mut Tables<'_>) -> Result<()> {
        for edge in &self.edges {
            let key = pair(edge.target, self.event(edge).id.0);
            tables.edges.insert(&key, edge.rank).during("write an edge")?;
        }
        Ok(())
    }

    fn event(&self, edge: &Edge) -> Seen {
        self.seen[edge.event as usize]
    }

    /// Counts one target's new edges.
    fn count(&self, tables: &mut Tables<'_>, edges: &[Edge]) -> Result<()> {
        let target = edges[0].target;
        let totals = tables::totals(&tables.reach, target)?;
        if self.event(&edges[0]).id.0 <= totals.last {
            return refold(tables, target);
        }
        let before = totals;
        let mut fold = Fold::from(totals);
        for edge in edges {
            let edge = self.event(edge);
            let meaning = reach::meaning(&edge, self.earlier(tables, target, edge.id)?)?;
            let query = meaning.query();
            if query != 0 && !fold.tallies.contains_key(&query) {
                let known = tables::tally(&tables.reach, target, query)?;
                let tally = match known {
                    Some(tally) => tally,
                    None if query >= self.first_new_query || before.count == 0 => Default::default(),
                    None => unkept_tally(tables, target, query, before.last, before.count)?,
                };
                fold.tallies.insert(query, tally);
            }
            fold.push(edge.id, meaning, &|query| tables::text(&tables.queries, query))?;
        }
        write(tables, target, &fold)
    }

    /// The target's edges before `id`, latest first. Events of this chunk are at hand; the others
    /// are looked up.
    fn earlier<'a>(
        &'a self,
        tables: &'a Tables<'_>,
        target: u32,
        id: Ulid,
    ) -> Result<impl Iterator<Item = Result<Seen>> + 'a> {
        let ids = earlier(&tables.edges, target, id)?;
        Ok(ids.map(|id| {
            let id = id?;
            match self.seen.binary_search_by_key(&id, |seen| seen.id) {
                Ok(at) => Ok(self.seen[at]),
                Err(_) => tables::seen(&tables.events, id),
            }
        }))
    }
}
