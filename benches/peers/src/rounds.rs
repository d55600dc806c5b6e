//! The rounds, and the table that comes of them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use rekal::{Graph, SessionId};

use crate::events::{Events, fill};
use crate::{Outcome, interned, publication};

/// Who drains everything in each round.
const BULK: [&str; 4] = ["rekal", "sqlite", "upserts", "texts"];

/// Small drains of each peer, for each round of everything.
const SMALL: usize = 5;

/// The figures of each name, in the order in which they were taken.
#[derive(Default)]
struct Figures(BTreeMap<&'static str, Vec<f64>>);

impl Figures {
    fn note(&mut self, name: &'static str, figure: f64) {
        self.0.entry(name).or_default().push(figure);
    }

    fn median(&self, name: &str) -> f64 {
        let mut sorted = self.0.get(name).cloned().unwrap_or_default();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
    }
}

pub fn run(edges: usize, rounds: usize) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let spool = folder.path().join("spool");
    fs::create_dir(&spool)?;
    let mut events = Events::new();
    let edges = fill(&spool, &mut events, edges);
    let spool = spool.join("recall-log.ndjson");

    let (mut bulk, mut memory) = (Figures::default(), Figures::default());
    for _ in 0..rounds {
        for peer in BULK {
            let store = empty(folder.path(), peer)?;
            fs::copy(&spool, store.join("recall-log.ndjson"))?;
            let (seconds, _, peak) = drain(peer, &store)?;
            bulk.note(peer, seconds);
            memory.note(peer, peak);
        }
    }
    compare(&folder.path().join("rekal"), &folder.path().join("sqlite"))?;
    print_bulk(edges, &bulk, &memory, folder.path())?;

    let small = small(folder.path(), rounds, &mut events)?;
    print_small(&small);
    let mut published = Figures::default();
    for _ in 0..rounds {
        let (whole, changes) = publication::measure(&folder.path().join("rekal"), &mut events)?;
        published.note("whole", whole);
        changes
            .into_iter()
            .for_each(|seconds| published.note("changes", seconds));
    }
    let (whole, changes) = (published.median("whole"), published.median("changes"));
    println!("\n| taking in 100 more edges and publishing | ms | ratio |\n|---|---|---|");
    println!("| everything | {:.1} | |", whole * 1e3);
    println!(
        "| what changed | {:.1} | {:.3} of everything |",
        changes * 1e3,
        changes / whole
    );
    Ok(())
}

/// Whole processes that add 100 edges each, in turns.
fn small(folder: &Path, rounds: usize, events: &mut Events) -> Outcome<Figures> {
    let stores = [
        ("rekal", "rekal"),
        ("sqlite", "sqlite"),
        ("upserts", "upserts"),
        ("recompute", "anew"),
    ];
    let anew = empty(folder, "anew")?;
    fs::copy(folder.join("sqlite/store.sqlite"), anew.join("store.sqlite"))?;
    let mut figures = Figures::default();
    for _ in 0..rounds * SMALL {
        let spool = empty(folder, "spool")?;
        fill(&spool, events, 100);
        for (peer, store) in stores {
            let store = folder.join(store);
            fs::copy(spool.join("recall-log.ndjson"), store.join("recall-log.ndjson"))?;
            figures.note(peer, drain(peer, &store)?.1);
        }
    }
    Ok(figures)
}

/// A process of its own. Gives the seconds of the drain, those of the process, and its peak in MB.
fn drain(peer: &str, store: &Path) -> Outcome<(f64, f64, f64)> {
    let started = Instant::now();
    let said = Command::new(std::env::current_exe()?)
        .args(["drain", peer])
        .arg(store)
        .output()?;
    let whole = started.elapsed().as_secs_f64();
    if !said.status.success() {
        return Err(format!("{peer}: {}", String::from_utf8_lossy(&said.stderr)).into());
    }
    let text = String::from_utf8(said.stdout)?;
    let mut figures = text.split_whitespace().map(str::parse::<f64>);
    let mut next = || figures.next().ok_or("a process said nothing");
    Ok((next()??, whole, next()??))
}

fn empty(folder: &Path, name: &str) -> Outcome<PathBuf> {
    let store = folder.join(name);
    if store.exists() {
        fs::remove_dir_all(&store)?;
    }
    fs::create_dir(&store)?;
    Ok(store)
}

/// Both must have come to the same reach of every session, or they did not do the same work.
fn compare(rekal: &Path, sqlite: &Path) -> Outcome<()> {
    let theirs = interned::reach(sqlite)?;
    let ids = theirs
        .keys()
        .map(|id| SessionId::try_from(id.as_str()).map_err(|e| e.to_string()));
    let ids: Vec<SessionId> = ids.collect::<Result<_, _>>()?;
    let ours = Graph::open(rekal)?.reach(&ids);
    for ((id, theirs), ours) in theirs.iter().zip(ours) {
        let ours = ours.map(|reach| (i64::from(reach.count), i64::from(reach.drills), reach.query));
        if ours.as_ref() != Some(theirs) {
            return Err(format!("{id}: rekal says {ours:?}, SQLite {theirs:?}").into());
        }
    }
    println!("rekal and SQLite say the same of {} sessions", ids.len());
    Ok(())
}

fn print_bulk(edges: usize, bulk: &Figures, memory: &Figures, folder: &Path) -> Outcome<()> {
    println!("\n| draining {edges} edges | edges a second | rekal's are | bytes an edge: file | blocks | peak MB |");
    println!("|---|---|---|---|---|---|");
    for peer in BULK {
        let file = if peer == "rekal" { "store.redb" } else { "store.sqlite" };
        let file = fs::metadata(folder.join(peer).join(file))?;
        println!(
            "| {peer} | {:.0} | {:.2} × | {:.1} | {:.1} | {:.0} |",
            edges as f64 / bulk.median(peer),
            bulk.median(peer) / bulk.median("rekal"),
            file.len() as f64 / edges as f64,
            (file.blocks() * 512) as f64 / edges as f64,
            memory.median(peer),
        );
    }
    Ok(())
}

fn print_small(small: &Figures) {
    println!("\n| 100 more edges, whole process | ms | rekal's share |\n|---|---|---|");
    for peer in ["rekal", "sqlite", "upserts", "recompute"] {
        let median = small.median(peer);
        println!(
            "| {peer} | {:.1} | {:.3} |",
            median * 1e3,
            small.median("rekal") / median
        );
    }
}
