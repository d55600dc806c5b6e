//! A target's reach from its edges alone: what a late event, `verify` and `rebuild` fall back on.

use redb::ReadableTable;

use super::rows;
use super::tables::{self, Bytes, During, Pair, Tables, pair, reach_key, unpair};
use crate::Result;
use crate::edge::Ulid;
use crate::reach::{self, Fold, Query, Seen, Tally};

/// All edges of a target in the order of their ids.
pub(super) fn edges_of(
    edges: &impl ReadableTable<Pair, u8>,
    events: &impl ReadableTable<&'static [u8; 16], Bytes>,
    target: u32,
) -> Result<Vec<Seen>> {
    let (first, last) = (pair(target, 0), pair(target, u128::MAX));
    let mut seen = Vec::new();
    for entry in edges
        .range::<&[u8; 20]>(&first..=&last)
        .during("read a target's edges")?
    {
        let (key, _) = entry.during("read a target's edges")?;
        let (_, id) = unpair(key.value());
        seen.push(tables::seen(events, id)?);
    }
    Ok(seen)
}

/// Folds the target anew and writes its totals and tallies.
pub(super) fn refold(tables: &mut Tables<'_>, target: u32) -> Result<()> {
    let seen = edges_of(&tables.edges, &tables.events, target)?;
    let fold = reach::fold(&seen, &|query| tables::text(&tables.queries, query))?;
    let (first, last) = (reach_key(target, 0), reach_key(target, Query::MAX));
    tables
        .reach
        .retain_in::<&[u8; 8], _>(&first..=&last, |_, _| false)
        .during("clear a target's reach")?;
    if seen.is_empty() {
        return Ok(());
    }
    write(tables, target, &fold)
}

/// Writes the totals and those tallies that are kept.
pub(super) fn write(tables: &mut Tables<'_>, target: u32, fold: &Fold) -> Result<()> {
    let totals = rows::encode(&fold.totals)?;
    tables
        .reach
        .insert(&reach_key(target, 0), totals.as_slice())
        .during("write a target's totals")?;
    for (query, tally) in fold.tallies.iter().filter(|(_, tally)| tally.is_kept()) {
        let row = rows::encode(tally)?;
        tables
            .reach
            .insert(&reach_key(target, *query), row.as_slice())
            .during("write a tally")?;
    }
    Ok(())
}

/// The edges of a target before an event, latest first.
pub(super) fn earlier<'a>(
    edges: &'a impl ReadableTable<Pair, u8>,
    target: u32,
    before: Ulid,
) -> Result<impl Iterator<Item = Result<Ulid>> + 'a> {
    let (first, end) = (pair(target, 0), pair(target, before.0));
    let range = edges.range::<&[u8; 20]>(&first..&end).during("read a target's edges")?;
    Ok(range.rev().map(|entry| {
        let (key, _) = entry.during("read a target's edges")?;
        Ok(unpair(key.value()).1)
    }))
}

/// The tally of a query that has no row, so was counted at most once up to the edge `last`: the one
/// edge says whether. Looks through the query's events or through the target's edges, whichever
/// are fewer.
pub(super) fn unkept_tally(tables: &Tables<'_>, target: u32, query: Query, last: u128, edges: u32) -> Result<Tally> {
    let once = |id: Ulid| Tally {
        count: 1,
        led: 0,
        at: id.timestamp_ms(),
    };
    let (first, end) = (pair(query, 0), pair(query, last));
    let mut looked = 0;
    for entry in tables
        .query_events
        .range::<&[u8; 20]>(&first..=&end)
        .during("read a query's events")?
        .rev()
    {
        let (key, _) = entry.during("read a query's events")?;
        let (_, id) = unpair(key.value());
        if tables
            .edges
            .get(&pair(target, id.0))
            .during("look an edge up")?
            .is_some()
        {
            return Ok(once(id));
        }
        looked += 1;
        if looked > edges {
            return scan_edges(tables, target, query, last).map(|found| found.map(once).unwrap_or_default());
        }
    }
    Ok(Tally::default())
}

fn scan_edges(tables: &Tables<'_>, target: u32, query: Query, last: u128) -> Result<Option<Ulid>> {
    for id in earlier(&tables.edges, target, Ulid(last.saturating_add(1)))? {
        let id = id?;
        if tables::seen(&tables.events, id)?.query == query {
            return Ok(Some(id));
        }
    }
    Ok(None)
}
