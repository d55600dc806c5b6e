//! Recall in a large store: whole processes, their time and memory, and those of the checkpoint that made it.
//!
//! `cargo bench --bench large [-- --turns N] [--home DIR] [--labels FILE] [--keep DIR]`
//!
//! The store is made from the sessions of the home folder DIR, repeated and varied, or from invented ones.
//! FILE holds questions; without it, turns are asked for by their first words. With `--keep` the store is
//! made there and used again the next time.

#![allow(clippy::print_stdout, reason = "a bench prints its figures")]

use std::path::{Path, PathBuf};

#[path = "load/home.rs"]
mod home;
#[path = "load/process.rs"]
mod process;

use process::{Stage, quantile};

const TURNS: usize = 500_000;

/// How many questions are asked for their time, and how many for their memory.
const ASKED: usize = 200;
const WATCHED: usize = 50;

fn option(name: &str) -> Option<PathBuf> {
    let mut words = std::env::args().skip_while(|word| word != name);
    words.nth(1).map(PathBuf::from)
}

fn main() {
    let turns = option("--turns").and_then(|turns| turns.to_str()?.parse().ok());
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = option("--keep").unwrap_or(temporary.path().to_path_buf());
    let stage = Stage {
        store: folder.join("store"),
        home: folder,
    };
    let told = match option("--home") {
        Some(home) => home::told_in(&home),
        None => home::invented(1000),
    };
    if !stage.store.exists() {
        make(&stage, &told, turns.unwrap_or(TURNS));
    }
    let queries = match option("--labels") {
        Some(labels) => process::queries(&labels),
        None => told.iter().filter_map(home::Told::question).collect(),
    };
    ask(&stage, &queries);
}

fn make(stage: &Stage, told: &[home::Told], turns: usize) {
    let written = home::lay_out(&stage.home, told, turns);
    let (took, most) = stage.watch(&["checkpoint", "--all", "--quiet"]);
    println!(
        "first checkpoint of {written} turns: {:.1} s, peak memory {} MB; store {} MB",
        took.as_secs_f64(),
        most >> 10,
        size(&stage.store) >> 20,
    );
}

fn ask(stage: &Stage, queries: &[String]) {
    let step = (queries.len() / ASKED).max(1);
    let asked: Vec<&String> = queries.iter().step_by(step).take(ASKED).collect();
    let (mut version, mut recall) = (Vec::new(), Vec::new());
    for query in &asked {
        version.push(stage.time(&["version"]));
        recall.push(stage.time(&["recall", "--", query]));
    }
    let watched = asked
        .iter()
        .take(WATCHED)
        .map(|query| stage.watch(&["recall", "--", query]).1);
    let memory = watched.max().unwrap_or(0);
    println!(
        "recall, {} questions: p50 {:.1} ms, p95 {:.1} ms, {:.1} × `rekal version` ({:.2} ms)",
        asked.len(),
        quantile(&mut recall, 0.5),
        quantile(&mut recall, 0.95),
        quantile(&mut recall, 0.5) / quantile(&mut version, 0.5),
        quantile(&mut version, 0.5),
    );
    println!("peak memory {} MB", memory >> 10);
    let drained = stage.time(&["graph", "drain"]);
    println!("draining what was recorded: {:.2} s", drained.as_secs_f64());
}

/// Bytes of all files of a folder.
fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => size(&entry.path()),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    };
    entries.map(size).sum()
}
