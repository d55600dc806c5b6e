//! SQLite as rekal would use it: the same tables, the same rows (no tally for a single surfacing
//! without consequence), every table written in the order of its keys, each target folded once a drain.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use rekal::SessionId;
use rekal::edge::Event;
use rusqlite::{OptionalExtension, Transaction, params};

use crate::count::{Totals, count};
use crate::{Outcome, claims};

/// Numbers stand for sessions and texts; a number's own table is keyed by rowid, which is its best.
pub const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS targets (number INTEGER PRIMARY KEY, id BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS target_ids (id BLOB PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS queries (number INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS query_ids (hash INTEGER, number INTEGER, PRIMARY KEY (hash, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (id BLOB PRIMARY KEY, query INTEGER, source INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS query_events (query INTEGER, event BLOB, PRIMARY KEY (query, event)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS recall_edges (target INTEGER, event BLOB, rank INTEGER, PRIMARY KEY (target, event)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS session_reach (target INTEGER, query INTEGER, count INTEGER, led INTEGER, at INTEGER,
    PRIMARY KEY (target, query)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS session_totals (target INTEGER PRIMARY KEY, count INTEGER, drills INTEGER,
    last_query INTEGER, top_query INTEGER, top_count INTEGER, top_at INTEGER, last BLOB);
";

/// The number of a query, by the hash of its text and the text.
pub const FIND_QUERY: &str = "SELECT number FROM query_ids JOIN queries USING (number) WHERE hash = ?1 AND text = ?2";

/// One edge: the target's number and the event's place.
type Edge = (i64, usize, i64);

/// An event whose session and query are numbers.
#[derive(Clone, Copy)]
pub struct Seen {
    pub id: u128,
    /// 0: a drill.
    pub query: i64,
    /// 0: not known.
    pub source: i64,
}

pub fn drain(store: &Path) -> Outcome<()> {
    let mut db = claims::open(store, SCHEMA)?;
    claims::drain(store, &mut db, |txn, events| {
        let (seen, edges, first_new) = write(txn, events)?;
        for of_target in edges.chunk_by(|a, b| a.0 == b.0) {
            let new: Vec<Seen> = of_target.iter().map(|(_, event, _)| seen[*event]).collect();
            count(txn, of_target[0].0, &new, first_new)?;
        }
        Ok(())
    })
}

/// Writes the rows of the new events; gives them with their edges by target and id, and the first
/// number of a query that was never seen before.
pub fn write(txn: &Transaction<'_>, mut events: Vec<Event>) -> Outcome<(Vec<Seen>, Vec<Edge>, i64)> {
    events.sort_by_key(Event::id);
    events.dedup_by_key(|event| event.id());
    let mut known = txn.prepare_cached("SELECT 1 FROM events WHERE id = ?1")?;
    let mut failed = None;
    events.retain(|event| match known.exists([bytes(event.id().0)]) {
        Ok(known) => !known,
        Err(error) => {
            failed = Some(error);
            false
        }
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    let first_new = txn.query_row("SELECT ifnull(max(number), 0) + 1 FROM queries", [], |row| row.get(0))?;
    let (targets, queries) = (targets(txn, &events)?, queries(txn, &events)?);
    let (mut seen, mut edges) = (Vec::with_capacity(events.len()), Vec::new());
    for (at, event) in events.iter().enumerate() {
        seen.push(Seen {
            id: event.id().0,
            query: event.query().map_or(0, |text| queries[text]),
            source: event.source().map_or(0, |id| targets[id]),
        });
        let rank = |place: usize| event.query().map_or(0, |_| place as i64 + 1);
        edges.extend(
            event
                .targets()
                .iter()
                .enumerate()
                .map(|(place, id)| (targets[id], at, rank(place))),
        );
    }
    edges.sort_unstable();
    rows(txn, &seen, &edges)?;
    Ok((seen, edges, first_new))
}

fn rows(txn: &Transaction<'_>, seen: &[Seen], edges: &[Edge]) -> Outcome<()> {
    let mut insert = txn.prepare_cached("INSERT INTO events VALUES (?1, ?2, ?3)")?;
    for event in seen {
        insert.execute(params![bytes(event.id), event.query, event.source])?;
    }
    let mut by_query: Vec<(i64, u128)> = seen.iter().map(|event| (event.query, event.id)).collect();
    by_query.retain(|(query, _)| *query != 0);
    by_query.sort_unstable();
    let mut insert = txn.prepare_cached("INSERT INTO query_events VALUES (?1, ?2)")?;
    for (query, id) in by_query {
        insert.execute(params![query, bytes(id)])?;
    }
    let mut insert = txn.prepare_cached("INSERT INTO recall_edges VALUES (?1, ?2, ?3)")?;
    for (target, event, rank) in edges {
        insert.execute(params![target, bytes(seen[*event].id), rank])?;
    }
    Ok(())
}

fn targets<'e>(txn: &Transaction<'_>, events: &'e [Event]) -> Outcome<HashMap<&'e SessionId, i64>> {
    let named = events
        .iter()
        .flat_map(|event| event.targets().iter().chain(event.source()));
    let packed: BTreeMap<Vec<u8>, &SessionId> = {
        let distinct: std::collections::HashSet<&SessionId> = named.collect();
        distinct.into_iter().map(|id| (pack(id), id)).collect()
    };
    let mut find = txn.prepare_cached("SELECT number FROM target_ids WHERE id = ?1")?;
    let mut add = txn.prepare_cached("INSERT INTO targets (id) VALUES (?1)")?;
    let mut name = txn.prepare_cached("INSERT INTO target_ids VALUES (?1, ?2)")?;
    let mut numbers = HashMap::new();
    for (packed, id) in packed {
        let number = match find.query_row([&packed], |row| row.get(0)).optional()? {
            Some(number) => number,
            None => {
                let number = add.insert([&packed])?;
                name.execute(params![packed, number])?;
                number
            }
        };
        numbers.insert(id, number);
    }
    Ok(numbers)
}

fn queries<'e>(txn: &Transaction<'_>, events: &'e [Event]) -> Outcome<HashMap<&'e str, i64>> {
    let hashed: std::collections::BTreeSet<(i64, &str)> = events
        .iter()
        .filter_map(Event::query)
        .map(|text| (hash(text), text))
        .collect();
    let mut find = txn.prepare_cached(FIND_QUERY)?;
    let mut add = txn.prepare_cached("INSERT INTO queries (text) VALUES (?1)")?;
    let mut name = txn.prepare_cached("INSERT INTO query_ids VALUES (?1, ?2)")?;
    let mut numbers = HashMap::new();
    for (hash, text) in hashed {
        let number = match find.query_row(params![hash, text], |row| row.get(0)).optional()? {
            Some(number) => number,
            None => {
                let number = add.insert([text])?;
                name.execute(params![hash, number])?;
                number
            }
        };
        numbers.insert(text, number);
    }
    Ok(numbers)
}

/// What the store says of each target, for comparison: count, drills, text of the top query.
pub fn reach(store: &Path) -> Outcome<BTreeMap<String, Totals>> {
    let db = claims::open(store, SCHEMA)?;
    let mut all = db.prepare(
        "SELECT id, count, drills, text FROM session_totals JOIN targets ON targets.number = target
         LEFT JOIN queries ON queries.number = top_query",
    )?;
    let rows = all.query_map([], |row| {
        let id: Vec<u8> = row.get(0)?;
        Ok((unpack(&id), (row.get(1)?, row.get(2)?, row.get(3)?)))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// 16 bytes for a UUID, else its text.
pub fn pack(id: &SessionId) -> Vec<u8> {
    let hex = id.as_str().replace('-', "");
    match u128::from_str_radix(&hex, 16) {
        Ok(bits) if id.as_str().len() == 36 => bits.to_be_bytes().to_vec(),
        _ => id.as_str().as_bytes().to_vec(),
    }
}

fn unpack(packed: &[u8]) -> String {
    let Ok(bits) = packed.try_into().map(u128::from_be_bytes) else {
        return String::from_utf8_lossy(packed).into_owned();
    };
    let hex = format!("{bits:032x}");
    let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    parts.join("-")
}

pub fn hash(text: &str) -> i64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step) as i64
}

pub fn bytes(id: u128) -> [u8; 16] {
    id.to_be_bytes()
}
