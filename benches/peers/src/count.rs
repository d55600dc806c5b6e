//! rekal's rules of counting, on SQLite's rows. No event of the benches comes late, so a target is
//! always brought up to date from its totals.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, Transaction, params};

use crate::Outcome;
use crate::interned::{Seen, bytes};

/// Of a target: count, drills, text of the top query.
pub type Totals = (i64, i64, Option<String>);

/// For how long a recall is credited with a drill, and a reading goes on, in milliseconds.
const WINDOW: u128 = 30 * 60 * 1000;

#[derive(Clone, Copy, Default)]
struct Tally {
    count: i64,
    led: i64,
    at: i64,
}

#[derive(Default)]
struct Row {
    count: i64,
    drills: i64,
    last_query: i64,
    top_query: i64,
    top_count: i64,
    top_at: i64,
    last: u128,
}

/// Counts a target's new edges, which are in the order of their ids.
pub fn count(txn: &Transaction<'_>, target: i64, new: &[Seen], first_new_query: i64) -> Outcome<()> {
    let mut row = totals(txn, target)?;
    let (had, last) = (row.count, row.last);
    assert!(new[0].id > last || had == 0, "a late event");
    let mut tallies: BTreeMap<i64, Tally> = BTreeMap::new();
    for edge in new {
        row.last = edge.id;
        let (query, counts) = match edge.query {
            0 => match credited(txn, target, edge)? {
                None => continue,
                Some(query) => (query, true),
            },
            query => (query, false),
        };
        row.count += 1;
        row.drills += i64::from(counts);
        if query == 0 {
            continue;
        }
        if !tallies.contains_key(&query) {
            let is_new = query >= first_new_query || had == 0;
            tallies.insert(
                query,
                if is_new {
                    Tally::default()
                } else {
                    tally(txn, target, query, last)?
                },
            );
        }
        let tally = tallies.entry(query).or_default();
        if counts {
            tally.led += 1;
            continue;
        }
        (tally.count, tally.at) = (tally.count + 1, at(edge.id) as i64);
        row.last_query = query;
        // Ties by text need two surfacings in one millisecond, which the benches do not make.
        if (tally.count, tally.at) >= (row.top_count, row.top_at) {
            (row.top_query, row.top_count, row.top_at) = (query, tally.count, tally.at);
        }
    }
    write(txn, target, &row, &tallies)
}

fn write(txn: &Transaction<'_>, target: i64, row: &Row, tallies: &BTreeMap<i64, Tally>) -> Outcome<()> {
    let mut upsert =
        txn.prepare_cached("INSERT OR REPLACE INTO session_totals VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?;
    let last = bytes(row.last);
    upsert.execute(params![
        target,
        row.count,
        row.drills,
        row.last_query,
        row.top_query,
        row.top_count,
        row.top_at,
        last
    ])?;
    let mut upsert = txn.prepare_cached(
        "INSERT INTO session_reach VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE
         SET count = excluded.count, led = excluded.led, at = excluded.at",
    )?;
    for (query, tally) in tallies.iter().filter(|(_, tally)| tally.count > 1 || tally.led > 0) {
        upsert.execute(params![target, query, tally.count, tally.led, tally.at])?;
    }
    Ok(())
}

fn totals(txn: &Transaction<'_>, target: i64) -> Outcome<Row> {
    let mut find = txn.prepare_cached("SELECT * FROM session_totals WHERE target = ?1")?;
    let found = find.query_row([target], |row| {
        Ok(Row {
            count: row.get(1)?,
            drills: row.get(2)?,
            last_query: row.get(3)?,
            top_query: row.get(4)?,
            top_count: row.get(5)?,
            top_at: row.get(6)?,
            last: u128::from_be_bytes(row.get(7)?),
        })
    });
    Ok(found.optional()?.unwrap_or_default())
}

/// A tally without a row was counted at most once; the edge says whether.
fn tally(txn: &Transaction<'_>, target: i64, query: i64, last: u128) -> Outcome<Tally> {
    let mut find = txn.prepare_cached("SELECT count, led, at FROM session_reach WHERE target = ?1 AND query = ?2")?;
    let kept = find.query_row([target, query], |row| {
        let (count, led, at) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(Tally { count, led, at })
    });
    if let Some(kept) = kept.optional()? {
        return Ok(kept);
    }
    let mut find = txn.prepare_cached(
        "SELECT q.event FROM query_events q CROSS JOIN recall_edges r ON r.target = ?1 AND r.event = q.event
         WHERE q.query = ?2 AND q.event <= ?3 LIMIT 1",
    )?;
    let once = find
        .query_row(params![target, query, bytes(last)], |row| row.get(0))
        .optional()?;
    Ok(once.map_or(Tally::default(), |event| Tally {
        count: 1,
        led: 0,
        at: at(u128::from_be_bytes(event)) as i64,
    }))
}

/// The query that led to a drill, 0 where none is known; `None`: a further page of a reading.
fn credited(txn: &Transaction<'_>, target: i64, drill: &Seen) -> Outcome<Option<i64>> {
    let mut earlier = txn.prepare_cached(
        "SELECT query, source FROM recall_edges JOIN events ON id = event
         WHERE target = ?1 AND event < ?2 AND event >= ?3 ORDER BY event DESC",
    )?;
    let since = at(drill.id).saturating_sub(WINDOW) << 80;
    let mut rows = earlier.query(params![target, bytes(drill.id), bytes(since)])?;
    let mut credited = None;
    while let Some(row) = rows.next()? {
        let (query, source): (i64, i64) = (row.get(0)?, row.get(1)?);
        if query == 0 && source != 0 && source == drill.source {
            return Ok(None);
        }
        let fits = source == 0 || drill.source == 0 || source == drill.source;
        if query != 0 && fits && credited.is_none() {
            credited = Some(query);
        }
    }
    Ok(Some(credited.unwrap_or(0)))
}

fn at(id: u128) -> u128 {
    id >> 80
}
