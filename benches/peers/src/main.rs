//! The citation graph beside SQLite, in one run. Each measurement is a process of its own, the peers take
//! turns, and what is compared are medians.
//!
//! `cargo run --release [-- EDGES ROUNDS]` in this folder.

mod claims;
mod count;
#[path = "../../load/events.rs"]
mod events;
mod interned;
mod publication;
mod recompute;
mod rounds;
mod upserts;

use std::path::Path;
use std::time::Instant;

use events::{NOW, peak_memory_mb};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("drain") => drain(&args[1], Path::new(&args[2])),
        _ => {
            let number = |at: usize, or| args.get(at).map_or(Ok(or), |arg| arg.parse::<usize>());
            rounds::run(number(0, 1_000_000)?, number(1, 3)?)
        }
    }
}

/// Takes the spool of a store in and says in how many seconds and in how much memory.
fn drain(peer: &str, store: &Path) -> Outcome<()> {
    let started = Instant::now();
    match peer {
        "rekal" => {
            rekal::Graph::open(store)?.drain(NOW)?;
        }
        "sqlite" => interned::drain(store)?,
        "upserts" => upserts::drain_numbers(store)?,
        "texts" => upserts::drain_texts(store)?,
        "recompute" => recompute::drain(store)?,
        other => return Err(format!("no peer is called {other}").into()),
    }
    println!("{} {}", started.elapsed().as_secs_f64(), peak_memory_mb());
    Ok(())
}
