//! Many processes at once.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::party::{end, racer, start, stop_file};
use super::program::{command, drain, edges, is_long, is_verified, reach, recalls, tell};

#[test]
fn eight_processes_at_once_lose_nothing() {
    let store = tempfile::tempdir().expect("a folder");
    let writers: Vec<_> = (0..8).map(|n| start("appends", n, store.path())).collect();
    let sent: u64 = writers.into_iter().map(end).sum();
    assert_eq!(sent, 1600);
    let drained = drain(store.path());
    assert_eq!(drained["events"], 1600);
    assert_eq!(drained["edges_new"], 80_000);
    assert_eq!(drained["edges_known"], 0);
    assert_eq!(drained["bad_lines"], serde_json::json!({}));
    assert_eq!((edges(store.path()), recalls(store.path())), (80_000, 1600));
    assert_eq!(reach(store.path(), "session-49").map(|reach| reach.count), Some(1600));
    is_verified(store.path());
}

/// What came of four writers beside a loop of drains.
struct Race {
    sent: u64,
    out: u64,
    drains: u64,
}

impl Race {
    /// Writers wait for `pause` between the comparison and the write.
    fn run(role: &str, pause: Duration, time: Duration) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = folder.path().join("store");
        fs::create_dir(&store).expect("a store");
        let writers: Vec<_> = (0..4).map(|n| start(role, racer(n, pause), &store)).collect();
        let (mut out, mut drains) = (0, 0);
        let begun = Instant::now();
        while begun.elapsed() < time {
            out += drain(&store)["events"].as_u64().expect("a number");
            drains += 1;
        }
        fs::write(stop_file(&store), "").expect("told to stop");
        let sent = writers.into_iter().map(end).sum();
        out += drain(&store)["events"].as_u64().expect("a number");
        assert_eq!(recalls(&store), out);
        is_verified(&store);
        let share = (sent - out) as f64 / sent as f64 * 100.0;
        tell(&format!(
            "{role}, {pause:?}: {sent} in, {out} out, {drains} drains, {share:.2} % lost"
        ));
        Self { sent, out, drains }
    }
}

#[test]
fn four_processes_beside_a_loop_of_drains_lose_nothing() {
    let time = Duration::from_secs(if is_long() { 20 } else { 2 });
    for pause in [Duration::from_micros(200), Duration::from_millis(20)] {
        let Race { sent, out, drains } = Race::run("races", pause, time);
        assert!(sent > 50 && drains > 1, "{sent} events and {drains} drains are no race");
        assert_eq!(sent, out);
    }
}

#[test]
fn without_the_lock_the_same_race_loses_events() {
    // As long as a drain takes to read the claim; on a busy machine a short race may lose nothing.
    let pause = Duration::from_millis(20);
    assert!((0..20).any(|_| {
        let Race { sent, out, .. } = Race::run("races without the lock", pause, Duration::from_secs(1));
        out < sent
    }));
    if is_long() {
        Race::run("races without the lock", pause / 100, Duration::from_secs(20));
    }
}

#[test]
fn of_drains_at_once_one_drains_and_the_others_leave_it_to_that() {
    let store = tempfile::tempdir().expect("a folder");
    let writers: Vec<_> = (0..2).map(|n| start("appends", n, store.path())).collect();
    assert_eq!(writers.into_iter().map(end).sum::<u64>(), 400);
    let drains = [0; 4].map(|_| {
        let mut drain = command(store.path(), &["graph", "drain"]);
        let piped = drain.stdout(Stdio::piped()).stderr(Stdio::piped());
        piped.spawn().expect("it starts")
    });
    let ends = drains.map(|drain| drain.wait_with_output().expect("it ends"));
    let code = |code| ends.iter().filter(|end| end.status.code() == Some(code)).count();
    assert!(code(0) >= 1 && code(0) + code(2) == 4, "{ends:?}");
    assert_eq!(drain(store.path())["events"], 0);
    assert_eq!(edges(store.path()), 20_000);
}
