//! How fast recall and the index are in a store of one's own, side by side in one run.
//!
//! `cargo bench --bench speed -- --store DIR [--home DIR] [--labels FILE]`
//!
//! Recall as a whole process is held against `rekal version` and, where there is a home folder with
//! transcripts and ripgrep is installed, against `rg -c` for the longest word of the question. `rekal index` is
//! held against reading the texts of the ledger and analysing each once. FILE holds questions,
//! [{"query": …}]; without it they are the subjects of the commits that the store knows. All of it runs on a
//! copy of the store.

#![allow(clippy::print_stdout, reason = "a bench prints its figures")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rekal::index::{Index, count_terms};
use rekal::redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};
use rekal::session::{ToolCall, Turn};

#[path = "load/process.rs"]
mod process;

use process::{Stage, quantile, quiet, time};

/// How many questions are asked, and how often the index is built.
const ASKED: usize = 200;
const BUILT: usize = 5;

type Parts = TableDefinition<'static, &'static [u8; 8], &'static [u8]>;
const TURNS: Parts = TableDefinition::new("rekal.turns");
const TOOL_CALLS: Parts = TableDefinition::new("rekal.tool_calls");

fn option(name: &str) -> Option<PathBuf> {
    let mut words = std::env::args().skip_while(|word| word != name);
    words.nth(1).map(PathBuf::from)
}

fn main() {
    let Some(store) = option("--store") else {
        println!("speed: say which store: cargo bench --bench speed -- --store DIR");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let stage = Stage {
        home: folder.path().to_path_buf(),
        store: folder.path().join("store"),
    };
    copy(&store, &stage.store);
    let queries = match option("--labels") {
        Some(labels) => process::queries(&labels),
        None => subjects(&stage.store),
    };
    recall(&stage, &queries, option("--home").as_deref());
    index(&stage);
}

fn recall(stage: &Stage, queries: &[String], home: Option<&Path>) {
    let transcripts = home.map(transcripts).unwrap_or_default();
    let is_installed = quiet(Command::new("rg")).arg("--version").status().is_ok();
    match (transcripts.is_empty(), is_installed) {
        (true, _) => println!("no transcripts: not held against rg (give --home DIR)"),
        (false, false) => println!("rg is not installed: not held against it"),
        (false, true) => {}
    }
    let step = (queries.len() / ASKED).max(1);
    let (mut version, mut recall, mut rg) = (Vec::new(), Vec::new(), Vec::new());
    for query in queries.iter().step_by(step).take(ASKED) {
        version.push(stage.time(&["version"]));
        recall.push(stage.time(&["recall", "--", query]));
        if is_installed && !transcripts.is_empty() {
            let word = query.split_whitespace().max_by_key(|word| word.len()).unwrap_or("x");
            let mut command = quiet(Command::new("rg"));
            command
                .args(["-c", "--hidden", "--no-ignore", "-F", "-e", word])
                .args(&transcripts);
            rg.push(time(command));
        }
    }
    let ours = quantile(&mut recall, 0.5);
    println!("recall, {} questions: p50 {ours:.2} ms", recall.len());
    ratio("`rekal version`", ours, &mut version);
    if !rg.is_empty() {
        ratio("`rg -c` of one word", ours, &mut rg);
    }
}

fn index(stage: &Stage) {
    let (mut ours, mut reading, mut memory) = (Vec::new(), Vec::new(), 0);
    for _ in 0..BUILT {
        reading.push(read_and_analyse(&stage.store));
        let (took, most) = stage.watch(&["index"]);
        ours.push(took);
        memory = memory.max(most);
    }
    let ours = quantile(&mut ours, 0.5);
    println!("rekal index: p50 {ours:.0} ms, peak memory {} MB", memory >> 10);
    ratio("reading the ledger and analysing it once", ours, &mut reading);
}

fn ratio(what: &str, ours: f64, theirs: &mut [Duration]) {
    let theirs = quantile(theirs, 0.5);
    println!("  {:.2} × {what} ({theirs:.2} ms)", ours / theirs);
}

/// On one thread: every turn and what was done, from the ledger to terms.
fn read_and_analyse(store: &Path) -> Duration {
    let started = Instant::now();
    let ledger = Database::open(store.join("store.redb")).expect("a ledger");
    let txn = ledger.begin_read().expect("a transaction");
    let mut terms = 0;
    for row in txn.open_table(TURNS).expect("turns").iter().expect("turns") {
        let turn: Turn = value(row.expect("a turn").1.value());
        terms += count_terms(&turn.text);
    }
    for row in txn.open_table(TOOL_CALLS).expect("calls").iter().expect("calls") {
        let call: ToolCall = value(row.expect("a call").1.value());
        terms += [call.command, call.path]
            .iter()
            .flatten()
            .map(|text| count_terms(text))
            .sum::<usize>();
    }
    assert!(terms > 0, "the store holds no word");
    started.elapsed()
}

/// A row without the byte of its version.
fn value<T: serde::de::DeserializeOwned>(row: &[u8]) -> T {
    postcard::from_bytes(&row[1..]).expect("a row")
}

fn subjects(store: &Path) -> Vec<String> {
    let index = Index::open(&store.join("index")).expect("an index");
    let subjects = index.map(|index| index.subjects().expect("subjects"));
    subjects.into_iter().flatten().map(|(subject, _)| subject).collect()
}

/// The agents' folders in a home.
fn transcripts(home: &Path) -> Vec<PathBuf> {
    let folders = [".claude/projects", ".codex/sessions"].map(|folder| home.join(folder));
    folders.into_iter().filter(|folder| folder.is_dir()).collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a store").flatten() {
        let target = to.join(entry.file_name());
        match entry.file_type().expect("a type").is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).expect("copied")),
        }
    }
}
