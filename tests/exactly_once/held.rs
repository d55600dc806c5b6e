//! A ledger that somebody holds is in nobody's way.

use std::io::{BufRead, BufReader};
use std::time::{Duration, Instant};

use super::party::{end, start};
use super::program::{append, drain, edges, is_long, is_verified, reach, recall, rekal, targets, tell};

#[test]
fn while_the_ledger_is_held_everybody_records_and_looks_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path();
    append(store, &[recall(0, 1, "jwt expiry", targets(5))]);
    drain(store);

    let mut holder = start("holds the ledger", 0, store);
    let begun = Instant::now();
    let mut lines = BufReader::new(holder.stdout.take().expect("a pipe")).lines();
    assert!(lines.any(|line| line.is_ok_and(|line| line == "said 1")));

    let said = rekal(store, &["graph", "drain"], "");
    assert_eq!((said.code, said.out.as_str()), (Some(2), ""));
    assert!(said.err.contains("another process holds it"), "{}", said.err);

    // The holder holds on until it is let go below: whoever waited for it would wait for ever.
    let mut slowest = Duration::ZERO;
    for n in 0..20 {
        for role in ["records a recall", "records a drill"] {
            let begun = Instant::now();
            assert_eq!(end(start(role, n, store)), 0, "{role}");
            slowest = slowest.max(begun.elapsed());
        }
    }
    let line = "session-1 [reached 1×· \"jwt expiry\"]\n";
    assert_eq!(rekal(store, &["graph", "reach", "session-1"], "").out, line);
    if is_long() {
        std::thread::sleep(Duration::from_secs(10).saturating_sub(begun.elapsed()));
    }
    let held = begun.elapsed();
    drop(holder.stdin.take());
    assert!(holder.wait().expect("it ends").success());
    tell(&format!(
        "held for {held:?}; the slowest of 40 processes took {slowest:?}"
    ));

    let drained = drain(store);
    assert_eq!((&drained["events"], &drained["edges_new"]), (&40.into(), &120.into()));
    assert_eq!(edges(store), 125);
    let reach = reach(store, "session-1").expect("reached");
    assert_eq!((reach.count, reach.drills), (41, 20));
    is_verified(store);
}
