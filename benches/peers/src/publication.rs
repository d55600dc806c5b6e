//! Publishing what 100 new edges changed, beside publishing everything. The ledger is opened as a host's
//! database, because there the commit is a call of its own, and not counted. What is counted of both alike is that
//! the edges are taken in, for what is to be published is read in the same call.

use std::fs;
use std::path::Path;
use std::time::Instant;

use rekal::Graph;
use rekal::redb::Database;

use crate::Outcome;
use crate::events::{Events, NOW, fill};

/// Publications of changes after each one of everything: so many that a new base is among them.
pub const CHANGES: usize = 40;

/// Seconds of taking in 100 new edges and publishing, first everything, then changes.
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
    let started = Instant::now();
    let pending = graph.absorb(&txn, NOW)?;
    let taken_in = started.elapsed();
    txn.commit()?;
    let started = Instant::now();
    pending.finish()?;
    Ok((taken_in + started.elapsed()).as_secs_f64())
}
