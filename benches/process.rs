//! Whole processes, side by side: recall, drill and a checkpoint with nothing new against
//! `rekal version`, alternating in one run, on a store of invented sessions.
//!
//! `cargo bench --bench process [-- SESSIONS]`

#![allow(clippy::print_stdout, reason = "a bench prints its figures")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const TURNS: usize = 50;
const ROUNDS: usize = 60;

/// Words of an invented project; sentences are drawn from them with a fixed seed.
const WORDS: &str = "token expiry refresh login cache queue retry timeout parser index schema migration worker \
    batch export import render layout button scroll budget invoice ledger account webhook signature upload \
    download thumbnail search filter sort page cursor limit deploy rollback release branch merge conflict";

fn sentence(chance: &mut u64) -> String {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut next = || {
        *chance = chance
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*chance >> 33) as usize
    };
    let many = 8 + next() % 20;
    (0..many)
        .map(|_| words[next() % words.len()])
        .collect::<Vec<_>>()
        .join(" ")
}

fn lay_out(home: &Path, sessions: usize) {
    let project = home.join(".claude/projects/-home-dev-app");
    fs::create_dir_all(&project).expect("folders");
    let mut chance = 42;
    for session in 0..sessions {
        let mut lines = String::new();
        for turn in 0..TURNS {
            let who = ["user", "assistant"][turn % 2];
            let text = sentence(&mut chance);
            lines.push_str(&format!(
                r#"{{"type":"{who}","uuid":"{session}-{turn}","sessionId":"s{session}","cwd":"/home/dev/app","timestamp":"2026-11-02T10:{turn:02}:00.000Z","message":{{"role":"{who}","content":"{text}"}}}}"#
            ));
            lines.push('\n');
        }
        fs::write(project.join(format!("s{session}.jsonl")), lines).expect("written");
    }
}

fn rekal(home: &Path, words: &[&str]) -> Duration {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rekal"));
    command
        .args(words)
        .env_clear()
        .env("HOME", home)
        .env("REKAL_STORE", home.join("store"));
    command
        .current_dir(home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let started = Instant::now();
    command.status().expect("it runs");
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1000.0
}

fn against_version(home: &Path, words: &[&str]) {
    let (mut version, mut this) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        version.push(rekal(home, &["version"]));
        this.push(rekal(home, words));
    }
    let (version, this) = (median(version), median(this));
    println!(
        "{:<28} {:5.1} × `rekal version` ({this:.2} ms, {version:.2} ms)",
        words.join(" "),
        this / version
    );
}

fn main() {
    let sessions = std::env::args()
        .filter_map(|arg| arg.parse().ok())
        .next()
        .unwrap_or(100);
    let home = tempfile::tempdir().expect("a folder");
    lay_out(home.path(), sessions);
    let first = rekal(home.path(), &["checkpoint"]);
    println!(
        "first checkpoint of {sessions} sessions, {} turns: {:.2} s",
        sessions * TURNS,
        first.as_secs_f64()
    );
    against_version(home.path(), &["recall", "token expiry refresh"]);
    against_version(home.path(), &["query", "-s", "s1"]);
    against_version(home.path(), &["checkpoint", "--quiet"]);
    rekal(home.path(), &["graph", "drain"]);
}
