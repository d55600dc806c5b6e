//! What the hook of `rekal init` costs a commit: `git commit` in three repositories, alternating in one
//! run: without a hook, with one that does nothing, and set up. The second is what any hook costs: git
//! starting a shell.
//!
//! `cargo bench --bench commit [-- ROUNDS]`

#![allow(clippy::print_stdout, reason = "a bench prints its figures")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// So long the checkpoint in the background has the machine to itself: people do not commit in a loop.
const PAUSE: Duration = Duration::from_millis(100);

fn run(home: &Path, folder: &Path, program: &str, words: &[&str]) -> Duration {
    let mut command = Command::new(program);
    command
        .args(words)
        .env_clear()
        .env("HOME", home)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let started = Instant::now();
    let status = command.status().expect("it runs");
    let took = started.elapsed();
    assert!(status.success(), "{program} {words:?}");
    took
}

fn commit(home: &Path, folder: &Path, round: usize) -> Duration {
    fs::write(folder.join("file"), round.to_string()).expect("written");
    let took = run(home, folder, "git", &["commit", "-q", "-a", "-m", "a change"]);
    sleep(PAUSE);
    took
}

fn middle(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1000.0
}

/// A repository with so many more files than the one that changes.
fn lay_out(home: &Path, repository: &Path, files: usize) {
    for at in 0..files {
        let folder = repository.join(format!("folder-{}", at / 50));
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join(format!("{at}")), at.to_string()).expect("written");
    }
    fs::create_dir_all(repository).expect("a folder");
    fs::write(repository.join("file"), "").expect("written");
    for words in [&["init", "-q"][..], &["add", "-A"], &["commit", "-q", "-m", "first"]] {
        run(home, repository, "git", words);
    }
}

fn compare(home: &Path, files: usize, rounds: usize) {
    let repositories = ["without", "empty", "with"].map(|name| home.join(format!("{name}-{files}")));
    for repository in &repositories {
        lay_out(home, repository, files);
    }
    let hook = repositories[1].join(".git/hooks/post-commit");
    fs::write(&hook, "#!/bin/sh\n").expect("written");
    run(home, &repositories[1], "chmod", &["+x", ".git/hooks/post-commit"]);
    run(home, &repositories[2], env!("CARGO_BIN_EXE_rekal"), &["init"]);
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    for round in 0..rounds {
        for (repository, times) in repositories.iter().zip(&mut times) {
            times.push(commit(home, repository, round));
        }
    }
    let [without, empty, with] = times.map(middle);
    println!(
        "git commit among {} files: with the hook {:.3} ×, with an empty one {:.3} × without ({with:.2}, {empty:.2}, \
         {without:.2} ms)",
        files + 1,
        with / without,
        empty / without
    );
}

fn main() {
    let rounds = std::env::args().filter_map(|arg| arg.parse().ok()).next();
    let folder = tempfile::tempdir().expect("a folder");
    let settings = "[user]\nname = n\nemail = n@example.com\n[gc]\nauto = 0\n";
    fs::write(folder.path().join(".gitconfig"), settings).expect("written");
    for files in [2_999, 0] {
        compare(folder.path(), files, rounds.unwrap_or(100));
    }
}
