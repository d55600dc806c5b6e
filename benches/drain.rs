//! The bulk drain: edges a second, bytes an edge on disk, peak memory; and a small drain onto a large
//! ledger, with what publishing the snapshot costs of it.
//!
//! `cargo bench --bench drain --no-default-features [-- EDGES]`

#![allow(clippy::print_stdout, reason = "a bench prints its figures")]

use std::fs;
use std::time::Instant;

use rekal::graph;
use rekal::ledger::Ledger;

#[path = "load/events.rs"]
mod events;

use events::{Events, NOW, fill, peak_memory_mb};

fn main() {
    let edges = std::env::args()
        .filter_map(|arg| arg.parse().ok())
        .next()
        .unwrap_or(1_000_000);
    let store = tempfile::tempdir().expect("a folder");
    let mut events = Events::new();
    let written = fill(store.path(), &mut events, edges);

    let started = Instant::now();
    let ledger = Ledger::open(store.path()).expect("a ledger");
    let report = graph::drain(&ledger, NOW).expect("drained");
    drop(ledger);
    let seconds = started.elapsed().as_secs_f64();
    assert_eq!(report.edges_new as usize, written);
    let bytes = fs::metadata(store.path().join("store.redb")).expect("a ledger").len();
    println!(
        "bulk drain: {written} edges, {:.0} edges/s, {:.1} bytes/edge, peak {} MB, snapshot {} MB",
        written as f64 / seconds,
        bytes as f64 / written as f64,
        peak_memory_mb(),
        fs::metadata(store.path().join("reach.snap")).expect("a snapshot").len() >> 20,
    );

    for _ in 0..5 {
        let written = fill(store.path(), &mut events, 100);
        let started = Instant::now();
        let ledger = Ledger::open(store.path()).expect("a ledger");
        let report = graph::drain(&ledger, NOW).expect("drained");
        drop(ledger);
        assert_eq!(report.edges_new as usize, written);
        println!(
            "{written} more edges: {:.1} ms",
            started.elapsed().as_secs_f64() * 1000.0
        );
    }
}
