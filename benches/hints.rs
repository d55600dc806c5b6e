//! What looking up costs a process that has just started: the instructions of one that gets the hints of 20
//! sessions among 50,000, beside those of one that ends at once, counted by callgrind; with a base alone, and
//! with a delta over it. Needs valgrind. `cargo bench --no-default-features --bench hints`

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rekal::edge::{Act, Event, Ulid};
use rekal::spool::writer::{Batch, Writer};
use rekal::{Graph, Hint, Reach, SessionId};

const NOON: u64 = 1_796_040_000_123;
const TARGETS: u64 = 50_000;
const RANKS: u64 = 20;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    match args.get(1).map(String::as_str) {
        Some("empty") => {}
        Some("ids") => drop(black_box(ids(&args[3..]))),
        Some("reach") => drop(black_box(reach(Path::new(&args[2]), &ids(&args[3..])))),
        Some("hints") => hints(Path::new(&args[2]), &ids(&args[3..])),
        _ => compare(),
    }
}

fn ids(args: &[String]) -> Vec<SessionId> {
    args.iter().map(|id| id.parse().unwrap()).collect()
}

fn reach(store: &Path, ids: &[SessionId]) -> Vec<Option<Reach>> {
    Graph::open(store).unwrap().reach(ids)
}

fn hints(store: &Path, ids: &[SessionId]) {
    let mut shown = String::with_capacity(4096);
    for reach in reach(store, ids) {
        writeln!(shown, "{}", Hint(reach.as_ref().unwrap())).unwrap();
    }
    assert!(black_box(shown).len() > 30 * ids.len());
}

fn compare() {
    let dir = tempfile::tempdir().unwrap();
    let graph = Graph::open(dir.path()).unwrap();
    let mut batch = Batch::new();
    for first in (0..TARGETS).step_by(RANKS as usize) {
        batch.push(&recall(first, first..first + RANKS));
    }
    drain(&graph, &batch);
    let asked: Vec<String> = (0..RANKS).map(|n| session(n * 2477).to_string()).collect();
    report("a base", dir.path(), &asked);

    let mut batch = Batch::new();
    for n in 0..5 {
        batch.push(&recall(TARGETS + n, (0..RANKS).map(|rank| rank * 2477 + n)));
    }
    drain(&graph, &batch);
    assert!(dir.path().join("reach.delta").exists());
    report("a base and a delta", dir.path(), &asked);
}

fn drain(graph: &Graph, batch: &Batch) {
    Writer::new(graph.store()).append(batch).unwrap();
    assert_eq!(graph.drain(NOON).unwrap().events, batch.events());
}

fn recall(n: u64, targets: impl IntoIterator<Item = u64>) -> Event {
    let query = format!("how does the jwt expiry get refreshed in module {n}");
    let targets = targets.into_iter().map(session).collect();
    Event::new(
        Ulid::from_parts(NOON - 60_000 + n, n.into()),
        Act::Recall(query),
        targets,
        None,
    )
    .unwrap()
}

/// A UUID; neighbours have nothing in common.
fn session(n: u64) -> SessionId {
    let mixed = u128::from(n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    let hex = format!("{mixed:032x}");
    let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    parts.join("-").parse().unwrap()
}

fn report(what: &str, store: &Path, asked: &[String]) {
    let counts = ["empty", "ids", "reach", "hints"].map(|mode| instructions(mode, store, asked));
    if let [Some(empty), Some(ids), Some(reach), Some(hints)] = counts {
        println!(
            "{what}: beside the {empty} instructions of an empty process {} to take 20 ids, {} to look them up, {} to show their hints",
            ids - empty,
            reach - ids,
            hints - reach
        );
    } else {
        println!("{what}: no count without valgrind");
    }
    let ids = self::ids(asked);
    let mut times: Vec<Duration> = (0..2001)
        .map(|_| {
            let start = Instant::now();
            hints(store, &ids);
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    println!(
        "{what}: p50 {:.1} us in a warm process",
        times[1000].as_nanos() as f64 / 1000.0
    );
}

fn instructions(mode: &str, store: &Path, asked: &[String]) -> Option<i32> {
    let said = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe().unwrap())
        .arg(mode)
        .arg(store)
        .args(asked)
        .output()
        .ok()?;
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    let line = said.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(' ').next()?.parse().ok()
}
