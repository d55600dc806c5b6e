//! Commits of a repository, linked to the sessions that they were made in.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use rekal::redb::{ReadOnlyDatabase, ReadableDatabase, ReadableTable, TableDefinition};
use serde_json::{Value, json};

use super::stage::{Run, Stage, claude_line, finished};

/// A home with a repository in it, in which sessions are held.
struct Bench {
    stage: Stage,
    repository: PathBuf,
}

impl Bench {
    fn new() -> Self {
        let stage = Stage::new();
        let home = stage.home().canonicalize().expect("a path");
        let bench = Self {
            stage,
            repository: home.join("shop"),
        };
        fs::create_dir_all(&bench.repository).expect("a folder");
        bench.git("10:00:00", &["init", "-q", "--object-format=sha1"]);
        bench
    }

    /// At this time of 2 November 2026, UTC.
    fn git(&self, clock: &str, words: &[&str]) {
        let at = format!("2026-11-02T{clock}Z");
        let output = self
            .in_repository(Command::new("git").args(words))
            .envs([("GIT_AUTHOR_NAME", "n"), ("GIT_AUTHOR_EMAIL", "n@example.com")])
            .envs([("GIT_COMMITTER_NAME", "n"), ("GIT_COMMITTER_EMAIL", "n@example.com")])
            .envs([("GIT_AUTHOR_DATE", &at), ("GIT_COMMITTER_DATE", &at)])
            .output()
            .expect("git runs");
        assert!(output.status.success(), "{words:?}");
    }

    fn commit(&self, clock: &str, subject: &str) {
        self.git(clock, &["commit", "-q", "--allow-empty", "-m", subject]);
    }

    /// A session with these turns, a minute apart from 10:00 on.
    fn session(&self, id: &str, turns: &[&str]) {
        self.session_of(id, id, turns);
    }

    fn session_of(&self, id: &str, file: &str, turns: &[&str]) {
        let cwd = self.repository.to_str().expect("UTF-8");
        let lines: String = turns
            .iter()
            .enumerate()
            .map(|(at, text)| claude_line(id, at, "user", text).replace("/home/dev/app", cwd))
            .collect();
        fs::write(self.stage.transcript(file), lines).expect("written");
    }

    fn in_repository<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command
            .current_dir(&self.repository)
            .env_clear()
            .env("HOME", self.stage.home())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
    }

    fn run(&self, words: &[&str]) -> Run {
        self.run_on(words, "")
    }

    fn run_on(&self, words: &[&str], input: &str) -> Run {
        let file = self.stage.home().join("input");
        fs::write(&file, input).expect("written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_rekal"));
        let command = self.in_repository(command.args(words));
        let input = fs::File::open(file).expect("opened");
        finished(command.stdin(input).output().expect("the program runs"))
    }

    /// How many links the checkpoint made.
    fn checkpoint(&self) -> Value {
        self.run(&["checkpoint", "-j"]).json()["commits_linked"].clone()
    }

    /// The subjects of the commits that a session shows.
    fn subjects(&self, sid: &str) -> Vec<String> {
        let page = self.run(&["query", "-s", sid, "-j"]).json();
        let commits = page["commits"].as_array().cloned().unwrap_or_default();
        let subject = |commit: &Value| commit["subject"].as_str().expect("a subject").to_owned();
        commits.iter().map(subject).collect()
    }

    /// Every row of the table: the commit and its bytes.
    fn rows(&self) -> BTreeMap<String, Vec<u8>> {
        let database = ReadOnlyDatabase::open(self.repository.join(".rekal/store.redb")).expect("a ledger");
        let txn = database.begin_read().expect("a transaction");
        let table = TableDefinition::<&str, &[u8]>::new("rekal.commits");
        let table = txn.open_table(table).expect("the table");
        let row = |entry: Result<_, _>| {
            let (sha, row): (rekal::redb::AccessGuard<&str>, rekal::redb::AccessGuard<&[u8]>) = entry.expect("a row");
            (sha.value().to_owned(), row.value().to_vec())
        };
        table.iter().expect("rows").map(row).collect()
    }
}

#[test]
fn a_commit_belongs_to_the_sessions_in_which_something_was_said_shortly_before() {
    let bench = Bench::new();
    bench.session("aaaa", &["rotate the keys please", "and test the rotation"]);
    bench.session("bbbb", &["draw a chart of the latency", "", "", "with a legend"]);
    bench.commit("09:59:59", "Before anything was said");
    bench.commit("10:02:00", "Rotate the signing keys");
    bench.commit("10:32:00", "Draw the chart");
    bench.commit("10:33:01", "Long after");
    assert_eq!(bench.checkpoint(), json!(3));
    assert_eq!(bench.subjects("s1"), ["Rotate the signing keys"]);
    assert_eq!(bench.subjects("s2"), ["Rotate the signing keys", "Draw the chart"]);
    let found = bench.run(&["signing keys"]).stdout;
    assert!(found.contains("  s1 ") && found.contains("  s2 "), "{found}");
    let text = bench.run(&["query", "-s", "s1"]).stdout;
    assert_eq!(
        text.lines().last(),
        Some("commit 46eed64c9f1391b19666332bcdafbec21d6f368f Rotate the signing keys"),
        "{text}"
    );
}

#[test]
fn a_checkpoint_takes_in_what_is_new_and_a_session_may_come_later_than_its_commit() {
    let bench = Bench::new();
    bench.session("aaaa", &["rotate the keys please"]);
    bench.commit("10:05:00", "Rotate the signing keys");
    assert_eq!(bench.checkpoint(), json!(1));
    assert_eq!(bench.checkpoint(), json!(0));
    bench.commit("10:06:00", "Test the rotation");
    assert_eq!(bench.checkpoint(), json!(1));
    bench.session("bbbb", &["draw a chart of the latency"]);
    assert_eq!(bench.checkpoint(), json!(2));
    let both = ["Rotate the signing keys", "Test the rotation"];
    assert_eq!(
        (bench.subjects("s1"), bench.subjects("s2")),
        (both.map(String::from).into(), both.map(String::from).into())
    );
    // A commit that is no longer there to go on from.
    bench.git(
        "10:07:00",
        &[
            "commit",
            "-q",
            "--amend",
            "--allow-empty",
            "-m",
            "Test the rotation twice",
        ],
    );
    bench.git("10:07:00", &["reflog", "expire", "--expire=now", "--all"]);
    bench.git("10:07:00", &["gc", "-q", "--prune=now"]);
    assert_eq!(bench.checkpoint(), json!(2));
    assert_eq!(bench.subjects("s1")[2], "Test the rotation twice");
}

#[test]
fn a_merge_and_what_a_subagent_did_are_left_to_others() {
    let bench = Bench::new();
    bench.session("aaaa", &["rotate the keys please"]);
    let folder = bench.stage.transcript("aaaa").with_extension("").join("subagents");
    fs::create_dir_all(&folder).expect("folders");
    let line = claude_line("aaaa", 0, "user", "look where the keys are")
        .replace("/home/dev/app", bench.repository.to_str().expect("UTF-8"))
        .replace("\"isSidechain\":false", "\"isSidechain\":true,\"agentId\":\"a1\"");
    fs::write(folder.join("agent-a1.jsonl"), line).expect("written");
    bench.commit("10:01:00", "Rotate the signing keys");
    bench.git("10:02:00", &["checkout", "-q", "-b", "side"]);
    bench.commit("10:02:00", "Draw the chart");
    bench.git("10:03:00", &["checkout", "-q", "-"]);
    bench.git("10:03:00", &["merge", "-q", "--no-ff", "-m", "Merge the side", "side"]);
    assert_eq!(bench.checkpoint(), json!(2));
    let page = bench.run(&["query", "-s", "aaaa", "-j"]).json();
    assert_eq!(page["child_session_ids"].as_array().map(Vec::len), Some(1), "{page}");
    assert_eq!(bench.subjects("aaaa"), ["Rotate the signing keys", "Draw the chart"]);
}

#[test]
fn secrets_and_what_was_forgotten_are_in_no_subject() {
    let bench = Bench::new();
    bench.session("aaaa", &["rotate the keys please"]);
    bench.session("bbbb", &["draw a chart of the latency"]);
    bench.commit("10:05:00", "Use ghp_abcdefghijklmnopqrstuvwxyz0123456789");
    bench.commit("10:06:00", "Open sesame with zanzibar");
    bench.checkpoint();
    assert_eq!(bench.subjects("s1"), ["Use [redacted]", "Open sesame with zanzibar"]);

    let forgot = bench.run_on(&["forget", "--text", "-", "-j"], "zanzibar").json();
    assert_eq!((&forgot["commits"], &forgot["turns"]), (&json!(1), &json!(0)));
    assert_eq!(bench.subjects("s1")[1], "Open sesame with [forgotten]");
    bench.commit("10:07:00", "Close zanzibar again");
    bench.checkpoint();
    assert_eq!(bench.subjects("s2")[2], "Close [forgotten] again");
    for entry in walkdir::WalkDir::new(bench.repository.join(".rekal")) {
        let path = entry.expect("an entry").into_path();
        let bytes = fs::read(&path).unwrap_or_default();
        assert!(
            !bytes.windows(8).any(|bytes| bytes == b"zanzibar"),
            "{}",
            path.display()
        );
    }

    assert_eq!(bench.run(&["forget", "--session", "s1"]).code, Some(0));
    assert_eq!(bench.rows().len(), 3, "the other session was at work too");
    assert_eq!(bench.run(&["forget", "--session", "s2"]).code, Some(0));
    assert_eq!(bench.rows().len(), 0);
}
