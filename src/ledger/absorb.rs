//! New events become edges, tallies and totals, in the caller's transaction.
//!
//! An event is new if its id is not in `events`; everything of it is written at once, so a known
//! event has nothing to add. A target whose new edges all come after its last one is brought up to
//! date from its totals; any other is folded anew.

use std::collections::{BTreeMap, BTreeSet};

use redb::ReadableTable;

use super::batch::Batch;
use super::events::UNKNOWN_RANK;
use super::refold::{earlier, refold, unkept_tally, write};
use super::rows::{self, EventRow};
use super::tables::{self, During, Tables, pair};
use crate::Result;
use crate::edge::{Event, Ulid};
use crate::reach::{self, Fold, Meaning, Query, Seen};

/// What absorbing some events did.
#[derive(Default, Debug)]
pub(crate) struct Absorbed {
    /// Events that were not known.
    pub(crate) events: u64,
    /// Edges that were not known.
    pub(crate) edges_new: u64,
    /// Edges of events that were known.
    pub(crate) edges_known: u64,
    /// The targets whose reach may have changed.
    pub(crate) changed: Changed,
}

/// The numbers of the targets whose reach may have changed.
#[derive(Default, Debug)]
pub(crate) struct Changed {
    pub(crate) targets: BTreeMap<u32, ChangedLed>,
}

/// Which queries led to other openings of a target than before. What a target publishes of them may be long, and
/// mostly none changed.
#[derive(Debug)]
pub(crate) enum ChangedLed {
    /// At most these.
    Of(BTreeSet<Query>),
    /// Any of them: the target is new, or was folded anew.
    Any,
}

impl Changed {
    fn note(&mut self, target: u32, led: ChangedLed) {
        let known = self.targets.entry(target).or_default();
        match (known, led) {
            (ChangedLed::Of(known), ChangedLed::Of(mut more)) => known.append(&mut more),
            (known, _) => *known = ChangedLed::Any,
        }
    }
}

impl Default for ChangedLed {
    fn default() -> Self {
        Self::Of(BTreeSet::new())
    }
}

/// Takes the events in. What they add is what they would have added in any other order or portions.
pub(crate) fn absorb(
    tables: &mut Tables<'_>,
    events: impl IntoIterator<Item = Result<Event>>,
    report: &mut Absorbed,
) -> Result<()> {
    let mut batch = Batch::default();
    for event in events {
        batch.push(event?);
        if batch.is_full() {
            write_batch(tables, std::mem::take(&mut batch), report)?;
        }
    }
    write_batch(tables, batch, report)
}

fn write_batch(tables: &mut Tables<'_>, mut batch: Batch, report: &mut Absorbed) -> Result<()> {
    retain_new(tables, &mut batch, report)?;
    if batch.is_empty() {
        return Ok(());
    }
    let chunk = Chunk::write(tables, batch)?;
    report.events += chunk.seen.len() as u64;
    report.edges_new += chunk.edges.len() as u64;
    for edges in chunk.edges.chunk_by(|a, b| a.target == b.target) {
        let target = edges[0].target;
        report.changed.note(target, chunk.count(tables, edges)?);
    }
    Ok(())
}

/// Drops events that are in the ledger, and repetitions.
fn retain_new(tables: &Tables<'_>, batch: &mut Batch, report: &mut Absorbed) -> Result<()> {
    let last = match tables.events.last().during("read the last event")? {
        Some((id, _)) => u128::from_be_bytes(*id.value()),
        None => 0,
    };
    batch.retain(|entry, repeated| {
        let is_known = repeated || entry.id.0 <= last && is_known(tables, entry.id)?;
        if is_known {
            report.edges_known += u64::from(entry.count);
        }
        Ok(!is_known)
    })
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
    fn write(tables: &mut Tables<'_>, mut batch: Batch) -> Result<Self> {
        let first_new_query = tables.numbers.next_query;
        batch.number(tables)?;
        let mut seen = Vec::with_capacity(batch.entries().len());
        let mut edges = Vec::new();
        for (event, entry) in (0..).zip(batch.entries()) {
            seen.push(Seen {
                id: entry.id,
                query: entry.query,
                source: entry.source,
            });
            edges.extend((1..).zip(batch.targets(entry)).map(|(rank, target)| Edge {
                target: *target,
                event,
                rank: match entry.query {
                    0 => 0,
                    _ if entry.is_ranked => rank,
                    _ => UNKNOWN_RANK,
                },
            }));
        }
        drop(batch);
        edges.sort_unstable();
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

    /// Counts one target's new edges. Where one came late, all its edges are folded anew.
    fn count(&self, tables: &mut Tables<'_>, edges: &[Edge]) -> Result<ChangedLed> {
        let target = edges[0].target;
        let totals = tables::totals(&tables.reach, target)?;
        if self.event(&edges[0]).id.0 <= totals.last {
            refold(tables, target)?;
            return Ok(ChangedLed::Any);
        }
        let before = totals;
        let mut fold = Fold::from(totals);
        let mut led = BTreeSet::new();
        for edge in edges {
            let edge = self.event(edge);
            let meaning = match edge.query {
                0 => reach::meaning(&edge, self.earlier(tables, target, edge.id)?)?,
                query => Meaning::Surfaced(query),
            };
            let query = meaning.query();
            if matches!(meaning, Meaning::Opened(Some(_))) {
                led.insert(query);
            }
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
        write(tables, target, &fold)?;
        Ok(match before.count {
            0 => ChangedLed::Any,
            _ => ChangedLed::Of(led),
        })
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
