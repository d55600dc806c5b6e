//! Progress on a terminal, and Ctrl-C: the next run completes what was interrupted.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::exactly_once::program::{append, is_long, recall, targets};
use super::stage::{Stage, claude_line};

const SESSIONS: usize = 200;

const SIGINT: i32 = 2;

/// Enough for several transactions of capture.
const PADDING: usize = 28_000;

/// A home with a few hundred sessions, and a store in which some events wait.
fn stage(sessions: usize) -> Stage {
    let stage = Stage::new();
    let topics = ["jwt expiry", "csv export", "retry twice", "page cache", "clock skew"];
    for n in 0..sessions {
        let id = format!("session-{n}");
        let padding = "- ".repeat(PADDING / 2);
        let said = [
            ("user", format!("Look at the {} of module {n}", topics[n % 5])),
            (
                "assistant",
                format!("Module {n} is done.\n{padding}\nThe {} is right.", topics[(n + 1) % 5]),
            ),
            ("user", format!("Thanks for {}", n * 7)),
        ];
        let line = |(at, (who, text)): (usize, &(&str, String))| claude_line(&id, at, who, text);
        let lines: String = said.iter().enumerate().map(line).collect();
        fs::write(stage.transcript(&id), lines).expect("written");
    }
    fs::DirBuilder::new()
        .mode(0o700)
        .create(stage.store())
        .expect("a folder");
    let event = |n| recall(n, 1, &format!("query {n}"), targets(10));
    append(&stage.store(), &(0..50).map(event).collect::<Vec<_>>());
    stage
}

/// What the store answers, without the times of its making.
fn answers(stage: &Stage) -> Vec<Value> {
    let asked: [&[&str]; 8] = [
        &["recall", "jwt expiry of module 10", "-e", "-j"],
        &["recall", "page cache", "-j"],
        &["recall", "--harness", "claude", "-n", "400", "-j"],
        &["query", "s1", "-F", "-j"],
        &["query", "session-199", "-F", "-j"],
        &["find", "module 77", "-j"],
        &["graph", "reach", "session-3", "session-9", "session-10", "-j"],
        &["graph", "top", "-j"],
    ];
    let answers = asked.iter().map(|words| {
        let run = stage.run_with(&[("REKAL_SKIP_CHECKPOINT", "1")], words);
        assert!(matches!(run.code, Some(0 | 1)), "{words:?}: {}", run.stderr);
        let mut answer = run.json();
        forget_times(&mut answer);
        answer
    });
    answers.collect()
}

fn forget_times(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.remove("captured_at");
            map.values_mut().for_each(forget_times);
        }
        Value::Array(all) => all.iter_mut().for_each(forget_times),
        _ => {}
    }
}

/// Starts the program and interrupts it after this time, as Ctrl-C does. Whether that came before its end.
fn interrupted(stage: &Stage, words: &[&str], after: Duration) -> bool {
    let mut child = stage
        .command(words)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    sleep(after);
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    sent.expect("kill runs");
    child.wait().expect("it ends").signal() == Some(SIGINT)
}

/// Whether this process, and so what it starts, takes no notice of Ctrl-C: one in the background of a script.
pub(crate) fn ignores_ctrl_c() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & 1 << (SIGINT - 1) != 0)
}

/// A part of the way, from 0 to 1: spread evenly however many there are.
fn place(n: u32) -> f64 {
    (f64::from(n) * 0.618_033_988_75).fract()
}

#[test]
fn ctrl_c_leaves_a_store_that_the_next_run_completes() {
    if ignores_ctrl_c() {
        return;
    }
    let rounds = if is_long() { 60 } else { 3 };
    let clean = stage(SESSIONS);
    let begun = Instant::now();
    assert_eq!(clean.run(&["checkpoint"]).code, Some(0));
    let whole = begun.elapsed();
    let right = answers(&clean);
    assert_eq!(right[2]["total"], SESSIONS);
    assert_eq!(right[5]["total"], 2);

    let mut stopped = 0;
    for round in 0..rounds {
        let stage = stage(SESSIONS);
        stopped += u32::from(interrupted(&stage, &["checkpoint"], whole.mul_f64(place(round))));
        if round % 3 == 2 {
            // What two interruptions leave.
            stopped += u32::from(interrupted(
                &stage,
                &["checkpoint"],
                whole.mul_f64(place(round + 7) / 2.0),
            ));
        }
        assert_eq!(stage.run(&["checkpoint"]).code, Some(0));
        assert_eq!(answers(&stage), right, "round {round}");
        let doctor = stage.run(&["doctor"]);
        assert_eq!(doctor.code, Some(0), "round {round}: {}", doctor.stdout);
    }
    assert!(stopped * 2 > rounds, "{stopped} of {rounds} were interrupted");

    let begun = Instant::now();
    assert_eq!(clean.run(&["index"]).code, Some(0));
    let whole = begun.elapsed();
    for round in 0..rounds {
        interrupted(&clean, &["index"], whole.mul_f64(place(round)));
        // What is published meanwhile, the old or the new, holds every session.
        let listed = clean.run(&["recall", "--harness", "claude", "-n", "1", "-j"]).json();
        assert_eq!(listed["total"], SESSIONS, "index, round {round}");
        let next = ["checkpoint", "index"][round as usize % 2];
        assert_eq!(clean.run(&[next]).code, Some(0));
        assert_eq!(answers(&clean), right, "index, round {round}");
    }
    assert_eq!(clean.run(&["doctor"]).code, Some(0));
}

#[test]
fn progress_is_shown_on_a_terminal_and_nowhere_else() {
    let stage = stage(40);
    let run = stage.run(&["checkpoint"]);
    assert_eq!(run.stderr, "");
    fs::remove_dir_all(stage.store()).expect("gone");
    let on_terminal = |words: &str| stage.on_terminal(words);
    let Some(checkpoint) = on_terminal("checkpoint") else {
        // There is no such program here.
        return;
    };
    for part in ["capturing ", "/40 files", "MiB/s", "publishing ", "/40 sessions"] {
        assert!(checkpoint.contains(part), "{part}: {checkpoint}");
    }
    let index = on_terminal("index").expect("it was there");
    assert!(index.contains("publishing ") && index.contains("iB/s"), "{index}");
    assert!(
        !on_terminal("checkpoint --quiet")
            .expect("it was there")
            .contains("capturing")
    );
}
