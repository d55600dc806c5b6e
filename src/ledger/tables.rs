//! The tables of the citation graph. Every name begins with `rekal.`, so that they can live in the
//! database of a host. Numbers in keys are big-endian, so that keys sort as their numbers do.
//!
//! | table | key | value |
//! |---|---|---|
//! | `rekal.meta` | name | a row: `format` (u32), `ledger` (u128), `numbers` ([`Numbers`]) |
//! | `rekal.targets` | number | packed session id |
//! | `rekal.target_ids` | packed session id | number |
//! | `rekal.queries` | number | text |
//! | `rekal.query_ids` | FNV-1a 64 of the text, number | – (texts of one hash lie side by side) |
//! | `rekal.events` | id | [`EventRow`] |
//! | `rekal.query_events` | query number, event id | – |
//! | `rekal.recall_edges` | target number, event id | the rank at which it was surfaced, from 1; 0: a drill; 255: a recall that did not note it |
//! | `rekal.session_reach` | target number, query number | query 0: [`Totals`]; else the [`Tally`] of that query, if it [is kept](Tally::is_kept) |

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable, Table, TableDefinition, WriteTransaction};

use super::rows::{self, EventRow, Numbers};
use crate::edge::Ulid;
use crate::reach::{Query, Seen, Tally, Totals};
use crate::{Error, Result};

pub(crate) const META: TableDefinition<&str, &[u8]> = TableDefinition::new("rekal.meta");
pub(super) const TARGETS: TableDefinition<u32, &[u8]> = TableDefinition::new("rekal.targets");
pub(super) const TARGET_IDS: TableDefinition<&[u8], u32> = TableDefinition::new("rekal.target_ids");
pub(super) const QUERIES: TableDefinition<u32, &str> = TableDefinition::new("rekal.queries");
pub(super) const QUERY_IDS: TableDefinition<&[u8; 12], ()> = TableDefinition::new("rekal.query_ids");
const EVENTS: TableDefinition<&[u8; 16], &[u8]> = TableDefinition::new("rekal.events");
const QUERY_EVENTS: TableDefinition<&[u8; 20], ()> = TableDefinition::new("rekal.query_events");
const RECALL_EDGES: TableDefinition<&[u8; 20], u8> = TableDefinition::new("rekal.recall_edges");
const SESSION_REACH: TableDefinition<&[u8; 8], &[u8]> = TableDefinition::new("rekal.session_reach");

pub(crate) const NUMBERS: &str = "numbers";

/// The names of the bytes in keys and values, as redb wants them.
pub(crate) type Bytes = &'static [u8];
pub(crate) type Pair = &'static [u8; 20];

/// A redb call with what was attempted.
pub(crate) trait During<T> {
    fn during(self, attempt: &str) -> Result<T>;
}

impl<T, E: Into<redb::Error>> During<T> for std::result::Result<T, E> {
    fn during(self, attempt: &str) -> Result<T> {
        self.map_err(|e| Error::store(attempt, e))
    }
}

/// The tables of the graph, open for writing in one transaction.
pub(crate) struct Tables<'t> {
    pub(crate) meta: Table<'t, &'static str, Bytes>,
    pub(crate) targets: Table<'t, u32, Bytes>,
    pub(crate) target_ids: Table<'t, Bytes, u32>,
    pub(crate) queries: Table<'t, u32, &'static str>,
    pub(crate) query_ids: Table<'t, &'static [u8; 12], ()>,
    pub(crate) events: Table<'t, &'static [u8; 16], Bytes>,
    pub(crate) query_events: Table<'t, Pair, ()>,
    pub(crate) edges: Table<'t, Pair, u8>,
    pub(crate) reach: Table<'t, &'static [u8; 8], Bytes>,
    pub(crate) numbers: Numbers,
}

impl<'t> Tables<'t> {
    /// Opens them; what does not exist yet is created empty.
    pub(crate) fn open(txn: &'t WriteTransaction) -> Result<Self> {
        let meta = txn.open_table(META).during("open meta")?;
        let numbers = read_numbers(&meta)?;
        Ok(Self {
            meta,
            targets: txn.open_table(TARGETS).during("open targets")?,
            target_ids: txn.open_table(TARGET_IDS).during("open target_ids")?,
            queries: txn.open_table(QUERIES).during("open queries")?,
            query_ids: txn.open_table(QUERY_IDS).during("open query_ids")?,
            events: txn.open_table(EVENTS).during("open events")?,
            query_events: txn.open_table(QUERY_EVENTS).during("open query_events")?,
            edges: txn.open_table(RECALL_EDGES).during("open recall_edges")?,
            reach: txn.open_table(SESSION_REACH).during("open session_reach")?,
            numbers,
        })
    }

    /// Goes on from a generation that was published. A ledger that was put back from a copy is behind it,
    /// and would come to the number of a state that it is not in.
    pub(crate) fn go_on_from(&mut self, published: u64) {
        self.numbers.generation = self.numbers.generation.max(published);
    }

    /// Writes the numbers back. `changed`: what is published is no longer what this ledger says.
    pub(crate) fn write_numbers(&mut self, changed: bool) -> Result<()> {
        if changed {
            self.numbers.generation += 1;
        }
        let row = rows::encode(&self.numbers)?;
        self.meta.insert(NUMBERS, row.as_slice()).during("write the numbers")?;
        Ok(())
    }
}

/// The tables of the graph, open for reading.
pub(crate) struct ReadTables {
    meta: ReadOnlyTable<&'static str, Bytes>,
    pub(crate) targets: ReadOnlyTable<u32, Bytes>,
    pub(crate) target_ids: ReadOnlyTable<Bytes, u32>,
    pub(crate) queries: ReadOnlyTable<u32, &'static str>,
    pub(crate) events: ReadOnlyTable<&'static [u8; 16], Bytes>,
    pub(crate) edges: ReadOnlyTable<Pair, u8>,
    pub(crate) reach: ReadOnlyTable<&'static [u8; 8], Bytes>,
}

impl ReadTables {
    pub(crate) fn open(txn: &ReadTransaction) -> Result<Self> {
        Ok(Self {
            meta: txn.open_table(META).during("open meta")?,
            targets: txn.open_table(TARGETS).during("open targets")?,
            target_ids: txn.open_table(TARGET_IDS).during("open target_ids")?,
            queries: txn.open_table(QUERIES).during("open queries")?,
            events: txn.open_table(EVENTS).during("open events")?,
            edges: txn.open_table(RECALL_EDGES).during("open recall_edges")?,
            reach: txn.open_table(SESSION_REACH).during("open session_reach")?,
        })
    }
}

impl ReadTables {
    pub(super) fn meta(&self) -> &impl ReadableTable<&'static str, Bytes> {
        &self.meta
    }

    /// How often what is published has changed.
    pub(crate) fn generation(&self) -> Result<u64> {
        read_numbers(&self.meta).map(|numbers| numbers.generation)
    }
}

fn read_numbers(meta: &impl ReadableTable<&'static str, Bytes>) -> Result<Numbers> {
    match meta.get(NUMBERS).during("read the numbers")? {
        Some(row) => rows::decode(row.value(), "rekal.meta"),
        None => Ok(Numbers::default()),
    }
}

/// The key of an edge (target number) or of a query's event (query number).
pub(crate) fn pair(number: u32, id: u128) -> [u8; 20] {
    let mut key = [0; 20];
    key[..4].copy_from_slice(&number.to_be_bytes());
    key[4..].copy_from_slice(&id.to_be_bytes());
    key
}

/// The number and the event id of such a key.
pub(crate) fn unpair(key: &[u8; 20]) -> (u32, Ulid) {
    let (number, id) = key.split_at(4);
    let number = number.iter().fold(0, |n, byte| n << 8 | u32::from(*byte));
    let id = id.iter().fold(0, |n, byte| n << 8 | u128::from(*byte));
    (number, Ulid(id))
}

/// The key of a target's totals (query 0) or of the tally of one query.
pub(crate) fn reach_key(target: u32, query: Query) -> [u8; 8] {
    (u64::from(target) << 32 | u64::from(query)).to_be_bytes()
}

/// The query number of such a key.
pub(crate) fn query_of(key: &[u8; 8]) -> Query {
    u64::from_be_bytes(*key) as u32
}

/// The target number of such a key.
pub(crate) fn target_of(key: &[u8; 8]) -> u32 {
    (u64::from_be_bytes(*key) >> 32) as u32
}

/// The key under which a query's number is found by its hash.
pub(crate) fn hash_key(hash: u64, number: Query) -> [u8; 12] {
    let mut key = [0; 12];
    key[..8].copy_from_slice(&hash.to_be_bytes());
    key[8..].copy_from_slice(&number.to_be_bytes());
    key
}

/// A target's totals; zero when it was never reached.
pub(crate) fn totals(reach: &impl ReadableTable<&'static [u8; 8], Bytes>, target: u32) -> Result<Totals> {
    match reach.get(&reach_key(target, 0)).during("read a target's totals")? {
        Some(row) => rows::decode(row.value(), "rekal.session_reach"),
        None => Ok(Totals::default()),
    }
}

/// The tally of a query on a target, if it has a row.
pub(crate) fn tally(
    reach: &impl ReadableTable<&'static [u8; 8], Bytes>,
    target: u32,
    query: Query,
) -> Result<Option<Tally>> {
    match reach.get(&reach_key(target, query)).during("read a tally")? {
        Some(row) => rows::decode(row.value(), "rekal.session_reach").map(Some),
        None => Ok(None),
    }
}

/// The event behind an edge.
pub(crate) fn seen(events: &impl ReadableTable<&'static [u8; 16], Bytes>, id: Ulid) -> Result<Seen> {
    let row = events.get(&id.0.to_be_bytes()).during("read an event")?;
    let row = row.ok_or_else(|| Error::corrupt("rekal.events", format!("an edge of event {id}, which is missing")))?;
    match rows::decode(row.value(), "rekal.events")? {
        EventRow::Recall { query, source } => Ok(Seen { id, query, source }),
        EventRow::Drill { source } => Ok(Seen { id, query: 0, source }),
        EventRow::Forgotten => Err(Error::corrupt(
            "rekal.events",
            format!("an edge of event {id}, which was forgotten"),
        )),
    }
}

/// The text of a query.
pub(crate) fn text(queries: &impl ReadableTable<u32, &'static str>, query: Query) -> Result<String> {
    match queries.get(query).during("read a query")? {
        Some(text) => Ok(text.value().to_owned()),
        None => Err(Error::corrupt("rekal.queries", format!("query {query} is missing"))),
    }
}
