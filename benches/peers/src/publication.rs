//! Publishing what 100 new edges changed, beside publishing everything. The ledger is opened as a host's
//! database, because there taking in and publishing are two calls.

use std::fs;
use std::path::Path;
use std::time::Instant;

use rekal::Graph;
use rekal::redb::Database;

use crate::Outcome;
use crate::events::{Events, NOW, fill};

/// Publications of changes after each one of everything: a delta grows until a new base costs little more.
pub const CHANGES: usize = 20;

/// Seconds of the publications after 100 new edges each, first of everything, then of changes.
pub fn measure(store: &Path, events: &mut Events) -> Outcome<(f64, Vec<f64>)> {
    let database = Database::open(store.join("store.redb"))?;
    let graph = Graph::open(store)?;
    fs::remove_file(store.join("reach.snap"))?;
    let whole = publish(&graph, &database, events)?;
    let changes = (0..CHANGES).map(|_| publish(&graph, &database, events));
    Ok((whole, changes.collect::<Outcome<_>>()?))
}

fn publish(graph: &Graph, database: &Database, events: &mut Events) -> Outcome<f64> {
    fill(graph.store(), events, 100);
    let mut txn = database.begin_write()?;
    txn.set_quick_repair(true);
    let pending = graph.absorb(&txn, NOW)?;
    txn.commit()?;
    let started = Instant::now();
    pending.finish()?;
    Ok(started.elapsed().as_secs_f64())
}
