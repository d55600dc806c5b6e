//! A run of the program in a home of its own: how long it takes and how much memory it has.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Where the program is run.
pub(crate) struct Stage {
    pub(crate) home: PathBuf,
    pub(crate) store: PathBuf,
}

impl Stage {
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rekal"));
        command
            .args(words)
            .env_clear()
            .env("HOME", &self.home)
            .env("REKAL_STORE", &self.store)
            .current_dir(&self.home);
        quiet(command)
    }

    /// How long it takes.
    pub(crate) fn time(&self, words: &[&str]) -> Duration {
        time(self.command(words))
    }

    /// How long it takes, and the most memory it has meanwhile in KiB, looked at every millisecond.
    pub(crate) fn watch(&self, words: &[&str]) -> (Duration, u64) {
        let started = Instant::now();
        let mut child = self.command(words).spawn().expect("it runs");
        let mut most = 0;
        while child.try_wait().expect("a child").is_none() {
            most = most.max(memory_of(&child));
            std::thread::sleep(Duration::from_millis(1));
        }
        (started.elapsed(), most)
    }
}

/// A command that reads and prints nothing.
pub(crate) fn quiet(mut command: Command) -> Command {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// How long a command takes.
pub(crate) fn time(mut command: Command) -> Duration {
    let started = Instant::now();
    command.status().expect("it runs");
    started.elapsed()
}

/// Resident memory so far in KiB, with the pages of files that are mapped; 0 where there is no `/proc`.
fn memory_of(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
        .unwrap_or(0)
}

/// The time that `share` of all times do not exceed, in milliseconds.
pub(crate) fn quantile(times: &mut [Duration], share: f64) -> f64 {
    times.sort_unstable();
    let at = (times.len().saturating_sub(1) as f64 * share).round() as usize;
    times.get(at).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
}

/// The different questions of a file of labels, [{"query": …}].
pub(crate) fn queries(labels: &Path) -> Vec<String> {
    let bytes = fs::read(labels).expect("labels");
    let labels: Vec<serde_json::Value> = serde_json::from_slice(&bytes).expect("an array");
    let mut queries: Vec<String> = Vec::new();
    for query in labels.iter().filter_map(|label| label["query"].as_str()) {
        if !queries.iter().any(|known| known == query) {
            queries.push(query.to_owned());
        }
    }
    queries
}
