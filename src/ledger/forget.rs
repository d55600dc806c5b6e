//! Events and sessions are taken out, and everything that followed from them.
//!
//! What stays of a forgotten event is its bare id, so that it does not come back; of a forgotten
//! session its number, which is then nobody's: whose events are whose is still known where that
//! decides what counts, who it was is not.

use std::collections::{BTreeSet, HashSet};

use redb::ReadableTable;

use super::View;
use super::refold::refold;
use super::rows::{self, EventRow};
use super::tables::{self, During, Tables, hash_key, pair, unpair};
use crate::Result;
use crate::edge::{SessionId, Ulid, clean_query, cut_query, fold_query};
use crate::hash::fnv64;
use crate::reach::Query;
use crate::time::Millis;

/// What is to be forgotten.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Forget {
    /// Every recall of this query, whether secrets were taken out of it or not.
    Query(String),
    /// Every recall whose query holds this text; white space counts as in a query. A blank one is in
    /// none.
    Text(String),
    /// Every edge of this session, and who did the reaching where it did.
    Session(SessionId),
    /// One event.
    Event(Ulid),
    /// Every event before this time.
    Before(Millis),
}

/// What was forgotten.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct Forgotten {
    /// Events of which only the id is left.
    pub events: u64,
    /// Edges.
    pub edges: u64,
    /// Query texts.
    pub queries: u64,
    /// Sessions whose id is no longer in the graph.
    pub sessions: u64,
}

/// Removes it from the tables. Nothing is left to publish of the targets that have no edge any more.
pub(crate) fn forget(tables: &mut Tables<'_>, what: &Forget) -> Result<Forgotten> {
    let mut report = Forgotten::default();
    let mut doomed = Doomed::find(tables, what)?;
    let affected = doomed.remove_edges(tables, &mut report)?;
    doomed.bury_events(tables, &mut report)?;
    remove_unasked_queries(tables, &doomed.queries, &mut report)?;
    for target in affected {
        refold(tables, target)?;
    }
    let nameless = match what {
        Forget::Session(session) => tables.number(session)?.into_iter().collect(),
        _ => unreached_sessions(tables)?,
    };
    for number in nameless {
        remove_name(tables, number, &mut report)?;
    }
    Ok(report)
}

/// What has to go.
#[derive(Default)]
struct Doomed {
    events: HashSet<Ulid>,
    /// A target all of whose edges go, whatever becomes of their events.
    target: Option<u32>,
    /// The queries of the events.
    queries: BTreeSet<Query>,
}

impl Doomed {
    fn find(tables: &Tables<'_>, what: &Forget) -> Result<Self> {
        let mut doomed = Self::default();
        match what {
            Forget::Event(id) => doomed.events.extend([*id]),
            Forget::Query(text) => {
                // It may have been written before its secrets were known as such.
                let forms = [clean_query(text), cut_query(&fold_query(text))];
                doomed.add_queries(tables, |query| forms.iter().flatten().any(|form| form == query))?;
            }
            Forget::Text(text) => {
                let text = fold_query(text);
                doomed.add_queries(tables, |query| !text.is_empty() && query.contains(&text))?;
            }
            Forget::Before(end) => {
                let end = Ulid::from_parts(*end, 0).0.to_be_bytes();
                for entry in tables.events.range::<&[u8; 16]>(..&end).during("read the events")? {
                    let (id, _) = entry.during("read the events")?;
                    doomed.events.insert(Ulid(u128::from_be_bytes(*id.value())));
                }
            }
            Forget::Session(session) => {
                doomed.target = tables.number(session)?;
                doomed.add_events_of_target_alone(tables)?;
            }
        }
        Ok(doomed)
    }

    fn add_queries(&mut self, tables: &Tables<'_>, is_doomed: impl Fn(&str) -> bool) -> Result<()> {
        for entry in tables.queries.iter().during("read the queries")? {
            let (number, text) = entry.during("read the queries")?;
            if !is_doomed(text.value()) {
                continue;
            }
            let (first, last) = (pair(number.value(), 0), pair(number.value(), u128::MAX));
            for event in tables
                .query_events
                .range::<&[u8; 20]>(&first..=&last)
                .during("read a query's events")?
            {
                let (key, _) = event.during("read a query's events")?;
                self.events.insert(unpair(key.value()).1);
            }
        }
        Ok(())
    }

    /// The events that reached nothing else go with the target.
    fn add_events_of_target_alone(&mut self, tables: &Tables<'_>) -> Result<()> {
        let Some(target) = self.target else {
            return Ok(());
        };
        let (first, last) = (pair(target, 0), pair(target, u128::MAX));
        for entry in tables
            .edges
            .range::<&[u8; 20]>(&first..=&last)
            .during("read a target's edges")?
        {
            let (key, _) = entry.during("read a target's edges")?;
            self.events.insert(unpair(key.value()).1);
        }
        for entry in tables.edges.iter().during("read the edges")? {
            let (key, _) = entry.during("read the edges")?;
            let (number, id) = unpair(key.value());
            if number != target {
                self.events.remove(&id);
            }
        }
        Ok(())
    }

    /// Removes the edges and gives the targets that had them.
    fn remove_edges(&self, tables: &mut Tables<'_>, report: &mut Forgotten) -> Result<BTreeSet<u32>> {
        let mut affected = BTreeSet::new();
        let keep = |key: &[u8; 20], _| {
            let (target, id) = unpair(key);
            let goes = self.target == Some(target) || self.events.contains(&id);
            if goes {
                affected.insert(target);
                report.edges += 1;
            }
            !goes
        };
        tables.edges.retain(keep).during("remove edges")?;
        Ok(affected)
    }

    fn bury_events(&mut self, tables: &mut Tables<'_>, report: &mut Forgotten) -> Result<()> {
        let grave = rows::encode(&EventRow::Forgotten)?;
        for id in &self.events {
            let key = id.0.to_be_bytes();
            let row: Option<EventRow> = match tables.events.get(&key).during("read an event")? {
                Some(row) => Some(rows::decode(row.value(), "rekal.events")?),
                None => None,
            };
            if let Some(EventRow::Recall { query, .. }) = row {
                tables
                    .query_events
                    .remove(&pair(query, id.0))
                    .during("remove a query's event")?;
                self.queries.insert(query);
            }
            report.events += u64::from(row.is_some_and(|row| row != EventRow::Forgotten));
            tables.events.insert(&key, grave.as_slice()).during("bury an event")?;
        }
        Ok(())
    }
}

/// Removes the texts that no event asks any more.
fn remove_unasked_queries(tables: &mut Tables<'_>, queries: &BTreeSet<Query>, report: &mut Forgotten) -> Result<()> {
    for &query in queries {
        let (first, last) = (pair(query, 0), pair(query, u128::MAX));
        let mut events = tables
            .query_events
            .range::<&[u8; 20]>(&first..=&last)
            .during("read a query's events")?;
        if events.next().is_some() {
            continue;
        }
        let text = tables::text(&tables.queries, query)?;
        tables
            .query_ids
            .remove(&hash_key(fnv64(text.as_bytes()), query))
            .during("remove a query")?;
        tables.queries.remove(query).during("remove a query")?;
        report.queries += 1;
    }
    Ok(())
}

/// Sessions that nothing reached and that reached nothing.
fn unreached_sessions(tables: &Tables<'_>) -> Result<BTreeSet<u32>> {
    let mut sessions = BTreeSet::new();
    for entry in tables.targets.iter().during("read the sessions")? {
        sessions.insert(entry.during("read the sessions")?.0.value());
    }
    for entry in tables.edges.iter().during("read the edges")? {
        sessions.remove(&unpair(entry.during("read the edges")?.0.value()).0);
    }
    for entry in tables.events.iter().during("read the events")? {
        let (_, row) = entry.during("read the events")?;
        if let EventRow::Recall { source, .. } | EventRow::Drill { source } = rows::decode(row.value(), "rekal.events")?
        {
            sessions.remove(&source);
        }
    }
    Ok(sessions)
}

fn remove_name(tables: &mut Tables<'_>, number: u32, report: &mut Forgotten) -> Result<()> {
    let packed = tables
        .targets
        .remove(number)
        .during("remove a session's id")?
        .map(|id| id.value().to_vec());
    if let Some(packed) = packed {
        tables
            .target_ids
            .remove(packed.as_slice())
            .during("remove a session's id")?;
        report.sessions += 1;
    }
    Ok(())
}
