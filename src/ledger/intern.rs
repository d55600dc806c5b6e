//! Session ids and query texts are written once and numbered.

use std::collections::HashMap;

use redb::ReadableTable;

use super::packed::pack;
use super::tables::{During, Tables, hash_key};
use crate::edge::{Event, SessionId};
use crate::hash::fnv64;
use crate::reach::Query;
use crate::{Error, Result};

/// The numbers of the sessions and queries of one chunk of events.
pub(super) struct Numbered<'e> {
    targets: HashMap<&'e SessionId, u32>,
    queries: HashMap<&'e str, Query>,
    /// Queries from this number on were never seen before this chunk.
    pub(super) first_new_query: Query,
}

impl<'e> Numbered<'e> {
    /// Looks every session and query of the events up, in the order of their keys, and numbers the
    /// new ones.
    pub(super) fn of(tables: &mut Tables<'_>, events: &'e [Event]) -> Result<Self> {
        let mut numbered = Self {
            targets: HashMap::new(),
            queries: HashMap::new(),
            first_new_query: tables.numbers.next_query,
        };
        numbered.number_targets(tables, events)?;
        numbered.number_queries(tables, events)?;
        Ok(numbered)
    }

    /// 0 for an unknown source.
    pub(super) fn session(&self, id: Option<&SessionId>) -> u32 {
        id.and_then(|id| self.targets.get(id)).copied().unwrap_or(0)
    }

    /// 0 for a drill.
    pub(super) fn query(&self, text: Option<&str>) -> Query {
        text.and_then(|text| self.queries.get(text)).copied().unwrap_or(0)
    }

    fn number_targets(&mut self, tables: &mut Tables<'_>, events: &'e [Event]) -> Result<()> {
        for id in events
            .iter()
            .flat_map(|event| event.targets().iter().chain(event.source()))
        {
            self.targets.entry(id).or_insert(0);
        }
        let mut packed: Vec<(Vec<u8>, &SessionId)> = self.targets.keys().map(|id| (pack(id), *id)).collect();
        packed.sort_unstable();
        for (bytes, id) in packed {
            let number = target_number(tables, &bytes)?;
            self.targets.insert(id, number);
        }
        Ok(())
    }

    fn number_queries(&mut self, tables: &mut Tables<'_>, events: &'e [Event]) -> Result<()> {
        for text in events.iter().filter_map(Event::query) {
            self.queries.entry(text).or_insert(0);
        }
        let mut hashed: Vec<(u64, &str)> = self
            .queries
            .keys()
            .map(|text| (fnv64(text.as_bytes()), *text))
            .collect();
        hashed.sort_unstable();
        for (hash, text) in hashed {
            let number = query_number(tables, hash, text)?;
            self.queries.insert(text, number);
        }
        Ok(())
    }
}

fn target_number(tables: &mut Tables<'_>, packed: &[u8]) -> Result<u32> {
    if let Some(number) = tables.target_ids.get(packed).during("look a session up")? {
        return Ok(number.value());
    }
    let number = tables.numbers.next_target;
    tables.numbers.next_target = next(number)?;
    tables.target_ids.insert(packed, number).during("number a session")?;
    tables.targets.insert(number, packed).during("number a session")?;
    Ok(number)
}

fn query_number(tables: &mut Tables<'_>, hash: u64, text: &str) -> Result<Query> {
    if let Some(number) = find_query(tables, hash, text)? {
        return Ok(number);
    }
    let number = tables.numbers.next_query;
    tables.numbers.next_query = next(number)?;
    tables
        .query_ids
        .insert(&hash_key(hash, number), ())
        .during("number a query")?;
    tables.queries.insert(number, text).during("number a query")?;
    Ok(number)
}

/// Texts of the same hash lie side by side; the text decides.
fn find_query(tables: &Tables<'_>, hash: u64, text: &str) -> Result<Option<Query>> {
    let (first, last) = (hash_key(hash, 0), hash_key(hash, Query::MAX));
    for entry in tables
        .query_ids
        .range::<&[u8; 12]>(&first..=&last)
        .during("look a query up")?
    {
        let (key, _) = entry.during("look a query up")?;
        let number = key.value()[8..].iter().fold(0, |n, byte| n << 8 | u32::from(*byte));
        if super::tables::text(&tables.queries, number)? == text {
            return Ok(Some(number));
        }
    }
    Ok(None)
}

fn next(number: u32) -> Result<u32> {
    number
        .checked_add(1)
        .ok_or_else(|| Error::invalid("number one more: all 4 billion numbers are taken"))
}
