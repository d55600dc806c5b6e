//! The program on a store, and what its tests look at.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rekal::edge::{Act, Event, SessionId, Ulid};
use rekal::graph::Graph;
use rekal::reach::Reach;
use rekal::spool::writer::{Batch, Writer};
use rekal::time::Millis;
use serde_json::Value;

use super::party;

/// 2023-11-14T22:13:20.123Z, before any clock that the program reads.
pub const THEN: Millis = 1_700_000_000_123;

/// What came of a call: exit code (none: killed), stdout, stderr.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

pub fn command(store: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rekal"));
    command.args(words).env_clear().env("REKAL_STORE", store);
    command
}

pub fn rekal(store: &Path, words: &[&str], input: &str) -> Said {
    let mut child = command(store, words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    // One that could not run does not read what it is given.
    _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    Said {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Drains and gives what the program printed.
pub fn drain(store: &Path) -> Value {
    let said = rekal(store, &["graph", "drain"], "");
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
    serde_json::from_str(&said.out).expect("JSON")
}

/// Every row agrees with the edges, and what is published with the rows.
#[track_caller]
pub fn is_verified(store: &Path) {
    let said = rekal(store, &["graph", "verify"], "");
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
}

/// How many edges the ledger holds.
pub fn edges(store: &Path) -> u64 {
    party::end(party::start("counts edges", 0, store))
}

/// How many recalls the ledger holds.
pub fn recalls(store: &Path) -> u64 {
    party::end(party::start("counts recalls", 0, store))
}

pub fn reach(store: &Path, session: &str) -> Option<Reach> {
    Graph::open(store).expect("a graph").reach(&[id(session)]).remove(0)
}

pub fn id(text: &str) -> SessionId {
    text.parse().expect("a session id")
}

pub fn targets(count: usize) -> Vec<SessionId> {
    (0..count).map(|n| id(&format!("session-{n}"))).collect()
}

/// A recall of the n-th millisecond after [`THEN`].
pub fn recall(n: u64, bits: u128, query: &str, targets: Vec<SessionId>) -> Event {
    Event::new(
        Ulid::from_parts(THEN + n, bits),
        Act::Recall(query.into()),
        targets,
        None,
    )
    .expect("an event")
}

/// Appends them in one batch.
pub fn append(store: &Path, events: &[Event]) {
    let mut batch = Batch::new();
    events.iter().for_each(|event| batch.push(event));
    Writer::new(store).append(&batch).expect("appended");
}

pub fn claims(store: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(store).expect("a store").flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    found.retain(|path| path.extension().is_some_and(|end| end == "claim"));
    found.sort();
    found
}

pub fn is_long() -> bool {
    std::env::var_os("REKAL_LONG_TESTS").is_some()
}

/// Writes a figure for whoever runs the tests with `--nocapture`.
pub fn tell(what: &str) {
    _ = writeln!(std::io::stderr(), "{what}");
}
