//! SQLite as one would write it down first: one upsert after the other, as the events come. Either on
//! numbers, or with every text on every edge.

use std::path::Path;

use rekal::edge::Event;
use rusqlite::types::ToSql;
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::interned::{SCHEMA as NUMBERED, bytes, pack};
use crate::{Outcome, claims};

/// No numbers: the ids and the query stand on each edge and on each tally.
const TEXTS: &str = "
CREATE TABLE IF NOT EXISTS events (id BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS recall_edges (target TEXT, event BLOB, kind TEXT, query TEXT, source TEXT, rank INTEGER,
    PRIMARY KEY (target, event)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS session_reach (target TEXT, query TEXT, count INTEGER, led INTEGER, at INTEGER,
    PRIMARY KEY (target, query)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS session_totals (target TEXT PRIMARY KEY, count INTEGER, drills INTEGER,
    last_query TEXT, top_query TEXT, top_count INTEGER, top_at INTEGER, last BLOB) WITHOUT ROWID;
";

/// On the same tables as rekal's, with a tally for every surfacing.
pub fn drain_numbers(store: &Path) -> Outcome<()> {
    let mut db = claims::open(store, NUMBERED)?;
    claims::drain(store, &mut db, |txn, events| {
        for event in events {
            if is_known(txn, &event)? {
                continue;
            }
            let query = event
                .query()
                .map(|text| query_number(txn, text))
                .transpose()?
                .unwrap_or(0);
            let source = event
                .source()
                .map(|id| number(txn, &pack(id)))
                .transpose()?
                .unwrap_or(0);
            let id = bytes(event.id().0);
            txn.prepare_cached("INSERT INTO events VALUES (?1, ?2, ?3)")?
                .execute(params![id, query, source])?;
            if query != 0 {
                txn.prepare_cached("INSERT INTO query_events VALUES (?1, ?2)")?
                    .execute(params![query, id])?;
            }
            for (rank, target) in (1..).zip(event.targets()) {
                let target = number(txn, &pack(target))?;
                txn.prepare_cached("INSERT INTO recall_edges VALUES (?1, ?2, ?3)")?
                    .execute(params![target, id, if query == 0 { 0 } else { rank }])?;
                let asked = (query != 0).then_some(&query as &dyn ToSql);
                let earlier = "SELECT query FROM recall_edges JOIN events ON id = event
                    WHERE target = ?1 AND event < ?2 AND query != 0 AND source IN (0, ?3) AND event >= ?4
                    ORDER BY event DESC LIMIT 1";
                count::<i64>(txn, &event, &target, asked, &source, earlier)?;
            }
        }
        Ok(())
    })
}

/// With the texts on every edge.
pub fn drain_texts(store: &Path) -> Outcome<()> {
    let mut db = claims::open(store, TEXTS)?;
    claims::drain(store, &mut db, |txn, events| {
        for event in events {
            if is_known(txn, &event)? {
                continue;
            }
            let id = bytes(event.id().0);
            txn.prepare_cached("INSERT INTO events VALUES (?1)")?.execute([&id])?;
            let (query, source) = (event.query(), event.source().map(|id| id.as_str()));
            let kind = if query.is_some() { "recall" } else { "drill" };
            for (rank, target) in (1..).zip(event.targets()) {
                let target = target.as_str();
                txn.prepare_cached("INSERT INTO recall_edges VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
                    .execute(params![target, id, kind, query, source, rank])?;
                let asked = query.as_ref().map(|query| query as &dyn ToSql);
                let earlier = "SELECT query FROM recall_edges
                    WHERE target = ?1 AND event < ?2 AND query IS NOT NULL AND (source IS NULL OR source = ?3)
                    AND event >= ?4 ORDER BY event DESC LIMIT 1";
                count::<String>(txn, &event, &target, asked, &source, earlier)?;
            }
        }
        Ok(())
    })
}

/// Adds one edge to its tally and to its target's totals; `earlier` finds the query that led to a drill.
fn count<Q: ToSql + rusqlite::types::FromSql>(
    txn: &Transaction<'_>,
    event: &Event,
    target: &dyn ToSql,
    query: Option<&dyn ToSql>,
    source: &dyn ToSql,
    earlier: &str,
) -> Outcome<()> {
    let (id, at) = (bytes(event.id().0), event.at() as i64);
    let Some(query) = query else {
        let since = bytes(u128::from(event.at().saturating_sub(30 * 60 * 1000)) << 80);
        let led: Option<Q> = txn
            .prepare_cached(earlier)?
            .query_row(params![target, id, source, since], |row| row.get(0))
            .optional()?;
        if let Some(led) = led {
            txn.prepare_cached("UPDATE session_reach SET led = led + 1 WHERE target = ?1 AND query = ?2")?
                .execute(params![target, led])?;
        }
        txn.prepare_cached(
            "INSERT INTO session_totals VALUES (?1, 1, 1, NULL, NULL, 0, 0, ?2) ON CONFLICT DO UPDATE
             SET count = count + 1, drills = drills + 1, last = excluded.last",
        )?
        .execute(params![target, id])?;
        return Ok(());
    };
    let tally: i64 = txn
        .prepare_cached(
            "INSERT INTO session_reach VALUES (?1, ?2, 1, 0, ?3) ON CONFLICT DO UPDATE
             SET count = count + 1, at = excluded.at RETURNING count",
        )?
        .query_row(params![target, query, at], |row| row.get(0))?;
    txn.prepare_cached(
        "INSERT INTO session_totals VALUES (?1, 1, 0, ?2, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET
         count = count + 1, last_query = excluded.last_query, last = excluded.last,
         top_query = iif(excluded.top_count >= top_count, excluded.top_query, top_query),
         top_at = iif(excluded.top_count >= top_count, excluded.top_at, top_at),
         top_count = max(excluded.top_count, top_count)",
    )?
    .execute(params![target, query, tally, at, id])?;
    Ok(())
}

fn is_known(txn: &Transaction<'_>, event: &Event) -> Outcome<bool> {
    let mut known = txn.prepare_cached("SELECT 1 FROM events WHERE id = ?1")?;
    Ok(known.exists([bytes(event.id().0)])?)
}

fn number(txn: &Connection, packed: &[u8]) -> Outcome<i64> {
    let mut find = txn.prepare_cached("SELECT number FROM target_ids WHERE id = ?1")?;
    if let Some(number) = find.query_row([packed], |row| row.get(0)).optional()? {
        return Ok(number);
    }
    let number = txn
        .prepare_cached("INSERT INTO targets (id) VALUES (?1)")?
        .insert([packed])?;
    txn.prepare_cached("INSERT INTO target_ids VALUES (?1, ?2)")?
        .execute(params![packed, number])?;
    Ok(number)
}

fn query_number(txn: &Connection, text: &str) -> Outcome<i64> {
    let hash = crate::interned::hash(text);
    let mut find = txn.prepare_cached(crate::interned::FIND_QUERY)?;
    if let Some(number) = find.query_row(params![hash, text], |row| row.get(0)).optional()? {
        return Ok(number);
    }
    let number = txn
        .prepare_cached("INSERT INTO queries (text) VALUES (?1)")?
        .insert([text])?;
    txn.prepare_cached("INSERT INTO query_ids VALUES (?1, ?2)")?
        .execute(params![hash, number])?;
    Ok(number)
}
