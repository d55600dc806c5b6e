//! Drains that die.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::program::{
    append, claims, command, drain, edges, is_long, is_verified, reach, recall, rekal, targets, tell,
};

/// Events that each round appends, in three batches; each reaches ten sessions.
const EVENTS: u64 = 40;

fn append_some(store: &Path, round: u64) {
    for part in 0..3 {
        let numbers = (part * EVENTS / 3)..((part + 1) * EVENTS / 3);
        let event = |n| recall(round * EVENTS + n, 1, &format!("query {}", n % 7), targets(10));
        append(store, &numbers.map(event).collect::<Vec<_>>());
    }
}

/// The part of the way, from 0 to 1, at which the n-th is killed: spread evenly however many there are.
fn place(n: u64) -> f64 {
    (n as f64 * 0.618_033_988_75).fract()
}

/// Starts the program, kills it after this time, and says whether that came before its end.
fn killed(store: &Path, words: &[&str], after: Duration) -> bool {
    let mut child = command(store, words)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    sleep(after);
    child.kill().expect("killed or ended");
    child.wait().expect("it ends").code().is_none()
}

fn time_of(work: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}

#[test]
fn a_drain_killed_anywhere_is_taken_up_by_the_next() {
    let rounds = if is_long() { 300 } else { 30 };
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path();
    let mut whole = (0..3).map(|round| {
        append_some(store, round);
        time_of(|| _ = drain(store))
    });
    let mut whole = whole.by_ref().min().expect("three");
    let (mut midway, mut leftovers, mut committed, mut slowest) = (0, 0, 0, Duration::ZERO);
    for round in 3..3 + rounds {
        append_some(store, round);
        midway += u64::from(killed(store, &["graph", "drain"], whole.mul_f64(1.3 * place(round))));
        leftovers += u64::from(!claims(store).is_empty());
        // What is left of one kill and what is left of two meets a whole drain.
        if round % 3 != 1 {
            let mut drained = serde_json::Value::Null;
            let last = time_of(|| drained = drain(store));
            slowest = slowest.max(last);
            // The machine has other things to do as well.
            whole = (3 * whole + last) / 4;
            committed += u64::from(drained["edges_known"] != 0);
            assert_eq!(drained["bad_lines"], serde_json::json!({}));
            assert_eq!(edges(store), (round + 1) * EVENTS * 10);
        }
    }
    tell(&format!(
        "{rounds} drains of {whole:?}: {midway} killed midway, {leftovers} left a claim, after {committed} it was \
         committed already; the slowest drain that followed took {slowest:?}"
    ));
    drain(store);
    assert_eq!(claims(store), [""; 0].map(Into::<std::path::PathBuf>::into));
    assert_eq!(edges(store), (3 + rounds) * EVENTS * 10);
    is_verified(store);
    assert!(midway >= rounds / 3, "{midway} of {rounds} were killed midway");
    assert!(leftovers >= rounds / 10, "{leftovers} of {rounds} left a claim");
    assert!(slowest < Duration::from_secs(5) + 10 * whole, "{slowest:?}");
}

#[test]
fn a_ledger_whose_making_was_killed_anywhere_opens() {
    let rounds = if is_long() { 200 } else { 12 };
    let mut cut_short = 0;
    let mut whole = Duration::from_millis(50);
    for round in 0..rounds {
        let folder = tempfile::tempdir().expect("a folder");
        let store = folder.path();
        append_some(store, 0);
        if round == 0 {
            whole = time_of(|| _ = drain(store));
            continue;
        }
        let midway = killed(store, &["graph", "drain"], whole.mul_f64(place(round)));
        cut_short += u64::from(midway && store.join("store.redb").exists());
        drain(store);
        assert_eq!(edges(store), EVENTS * 10);
        is_verified(store);
    }
    tell(&format!(
        "{cut_short} of {rounds} ledgers were there when their maker was killed"
    ));
    assert!(cut_short > 0);
}

#[test]
fn a_drain_that_dies_before_it_publishes_is_made_up_for_without_new_events() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path();
    append_some(store, 0);
    drain(store);
    append_some(store, 1);
    // Where the file would be written first there is a folder.
    let in_the_way = ["reach.delta.tmp", "reach.snap.tmp"].map(|name| store.join(name));
    in_the_way
        .iter()
        .for_each(|path| fs::create_dir(path).expect("a folder"));
    let said = rekal(store, &["graph", "drain"], "");
    assert_eq!(said.code, Some(2), "{said:?}");
    assert_eq!((claims(store).len(), edges(store)), (0, 2 * EVENTS * 10));
    assert_eq!(reach(store, "session-0").map(|reach| reach.count), Some(EVENTS as u32));
    assert_eq!(rekal(store, &["graph", "verify"], "").code, Some(1));

    in_the_way
        .iter()
        .for_each(|path| fs::remove_dir(path).expect("removed"));
    assert_eq!(drain(store)["events"], 0);
    assert_eq!(
        reach(store, "session-0").map(|reach| reach.count),
        Some(2 * EVENTS as u32)
    );
    is_verified(store);
}
