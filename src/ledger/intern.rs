//! Session ids and query texts are written once and numbered.

use redb::ReadableTable;

use super::tables::{During, Tables, hash_key};
use crate::reach::Query;
use crate::{Error, Result};

/// The number of a session, which is a new one if it was never seen.
pub(super) fn target_number(tables: &mut Tables<'_>, packed: &[u8]) -> Result<u32> {
    if let Some(number) = tables.target_ids.get(packed).during("look a session up")? {
        return Ok(number.value());
    }
    let number = tables.numbers.next_target;
    tables.numbers.next_target = next(number)?;
    tables.target_ids.insert(packed, number).during("number a session")?;
    tables.targets.insert(number, packed).during("number a session")?;
    Ok(number)
}

/// The number of a query, which is a new one if it was never seen; `hash` is that of its text.
pub(super) fn query_number(tables: &mut Tables<'_>, hash: u64, text: &str) -> Result<Query> {
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
