//! Forgetting that dies: either nothing was forgotten, or the next writer finishes all of it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rekal::Ulid;
use serde_json::{Value, json};

use super::{holding, walkdir};
use crate::exactly_once::program::{is_long, tell};
use crate::stage::{Stage, claude_line};

/// What slipped in; no session's id.
const SECRET: &str = "open sesame";
/// The session whose every turn slipped in, and what nobody else said.
const CAVE: &str = "cave-of-wonders";
const TREASURE: &str = "forty jars of oil";

const SESSIONS: usize = 15;
const TURNS: usize = 10;

/// Recalls: every fifth asks for the secret, and every seventh reached the cave alone.
const RECALLS: usize = 400;

/// What is to be forgotten: on stdin, or on the command line.
#[derive(Clone, Copy)]
enum What {
    Text,
    Session,
}

impl What {
    fn words(self) -> &'static [&'static str] {
        match self {
            What::Text => &["forget", "--json", "--text", "-"],
            What::Session => &["forget", "--json", "--session", CAVE],
        }
    }

    fn secret(self) -> &'static str {
        match self {
            What::Text => SECRET,
            What::Session => CAVE,
        }
    }

    /// All that there is of it.
    fn report(self) -> Value {
        match self {
            What::Text => json!({
                "schema_version": 1, "dry_run": false, "events": 80, "edges": 148, "queries": 80, "sessions": 0,
                "captured_sessions": 0, "turns": 5, "tool_calls": 5, "commits": 0,
            }),
            What::Session => json!({
                "schema_version": 1, "dry_run": false, "events": 58, "edges": 58, "queries": 58, "sessions": 1,
                "captured_sessions": 1, "turns": 10, "tool_calls": 1, "commits": 0,
            }),
        }
    }
}

fn command_line(id: &str, command: &str) -> String {
    let block = json!({"type": "tool_use", "name": "Bash", "input": {"command": command}});
    claude_line(id, TURNS, "assistant", "").replace("\"content\":\"\"", &format!("\"content\":[{block}]"))
}

/// Fifteen sessions and the cave. `again`: with a line in front, so that nothing read before counts.
fn write_transcripts(stage: &Stage, again: bool) {
    let turn = |n: usize, at: usize| match (n % 3, at) {
        (0, 4) => format!("say {SECRET} and the door of {n} opens"),
        _ => format!("turn {at} of {n} is about jars, lamps, carpets and doors in the wall"),
    };
    let write = |id: &str, turns: &mut dyn FnMut(usize) -> String, command: &str| {
        let mut lines = if again {
            "{\"type\":\"other\"}\n".to_owned()
        } else {
            String::new()
        };
        for at in 0..TURNS {
            lines += &claude_line(id, at, ["user", "assistant"][at % 2], &turns(at));
        }
        lines += &command_line(id, command);
        fs::write(stage.transcript(id), lines).expect("written");
    };
    for n in 0..SESSIONS {
        let command = if n % 3 == 1 {
            format!("echo {SECRET}")
        } else {
            "ls".to_owned()
        };
        write(&format!("jar-{n}"), &mut |at| turn(n, at), &command);
    }
    write(CAVE, &mut |at| format!("{TREASURE}, {at}"), "ls");
}

/// The lines of these recalls.
fn lines(numbers: impl Iterator<Item = usize>) -> String {
    let line = |n: usize| {
        let query = if n.is_multiple_of(5) {
            format!("{n} what is {SECRET} for")
        } else {
            format!("{n} what are jars for")
        };
        let targets = match n % 7 {
            0 => format!("\"{CAVE}\""),
            _ => format!("\"jar-{}\",\"jar-{}\"", n % SESSIONS, (n + 1) % SESSIONS),
        };
        let id = Ulid::from_parts(1_796_040_000_000 + 1000 * n as u64, n as u128);
        format!("{{\"id\":\"{id}\",\"kind\":\"recall\",\"query\":\"{query}\",\"targets\":[{targets}]}}\n")
    };
    numbers.map(line).collect()
}

/// Everything that there can be of it: captured, recalled, published, in a claim and in the spool.
fn fill(stage: &Stage) {
    write_transcripts(stage, false);
    fs::create_dir_all(stage.store()).expect("a folder");
    fs::write(claim(stage), lines(0..RECALLS / 2)).expect("written");
    assert_eq!(stage.run(&["checkpoint"]).code, Some(0));
    fs::write(claim(stage), lines(RECALLS / 2..RECALLS * 3 / 4)).expect("written");
    let rest = lines(RECALLS * 3 / 4..RECALLS);
    fs::write(stage.store().join("recall-log.ndjson"), rest).expect("written");
}

fn claim(stage: &Stage) -> PathBuf {
    stage.store().join("recall-log.01M8P570KV0000000000000000.claim")
}

fn copy(from: &Path, to: &Path) {
    fs::remove_dir_all(to).ok();
    for file in walkdir(from) {
        let there = to.join(file.strip_prefix(from).expect("below"));
        fs::create_dir_all(there.parent().expect("a folder")).expect("a folder");
        fs::copy(file, there).expect("copied");
    }
}

/// Starts it, and kills it after this time.
fn forget(stage: &Stage, what: What, after: Option<Duration>) -> Output {
    let mut child = stage
        .command(what.words())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    child.stdin.take().expect("a pipe").write_all(SECRET.as_bytes()).ok();
    if let Some(after) = after {
        sleep(after);
        child.kill().expect("killed or ended");
    }
    child.wait_with_output().expect("it ends")
}

/// What must not be in any file when it is forgotten.
fn is_left(stage: &Stage, what: What) -> Vec<String> {
    let mut files = holding(&stage.store(), what.secret());
    if matches!(what, What::Session) {
        files.extend(holding(&stage.store(), TREASURE));
    }
    files
}

#[derive(Default)]
struct Seen {
    midway: u64,
    committed: u64,
}

/// One kill, what the next writer makes of it, and what must be so from then on.
fn round(stage: &Stage, what: What, after: Duration, seen: &mut Seen) {
    let was_killed = forget(stage, what, Some(after)).status.code().is_none();
    let next = stage.run(&["checkpoint"]);
    assert_eq!(next.code, Some(0), "{}", next.stderr);
    let left = is_left(stage, what);
    seen.midway += u64::from(was_killed);
    seen.committed += u64::from(was_killed && left.is_empty());
    assert!(was_killed || left.is_empty(), "{left:?}");

    let again = forget(stage, what, None);
    let report: Value = serde_json::from_slice(&again.stdout).expect("JSON");
    match left.is_empty() {
        true => assert_eq!(
            (again.status.code(), &report["events"]),
            (Some(1), &json!(0)),
            "{report}"
        ),
        // Not a part of it was forgotten.
        false => assert_eq!((again.status.code(), report), (Some(0), what.report())),
    }
    assert_eq!(is_left(stage, what), [""; 0]);
}

fn stays_forgotten(stage: &Stage, what: What, export: &Path) {
    fs::write(claim(stage), lines(0..RECALLS)).expect("an old claim");
    let import = stage.run(&["graph", "import", "--json", &export.to_string_lossy()]);
    assert_eq!(import.json()["edges_new"], 0, "{}", import.stderr);
    write_transcripts(stage, true);
    let next = stage.run(&["checkpoint", "--json"]);
    assert_eq!((next.code, &next.json()["drained"]["edges_new"]), (Some(0), &json!(0)));
    assert_eq!(is_left(stage, what), [""; 0]);
    assert_eq!(stage.run(&["graph", "verify"]).code, Some(0));
    let (cut, cave) = (stage.run(&["query", "-s", "jar-0"]), stage.run(&["query", "-s", CAVE]));
    let expected = match what {
        What::Text => ("say [forgotten] and the door of 0 opens", Some(0)),
        What::Session => ("say open sesame and the door of 0 opens", Some(1)),
    };
    assert!(cut.stdout.contains(expected.0), "{}", cut.stdout);
    assert_eq!(cave.code, expected.1, "{}", cave.stdout);
}

#[test]
fn killed_anywhere_nothing_was_forgotten_or_all_of_it_is() {
    let rounds: u32 = if is_long() { 300 } else { 20 };
    let (stage, aside) = (Stage::new(), tempfile::tempdir().expect("a folder"));
    fill(&stage);
    let (full, export) = (aside.path().join("store"), aside.path().join("export"));
    copy(&stage.store(), &full);
    assert_eq!(stage.run(&["graph", "drain"]).code, Some(0));
    fs::write(&export, stage.run(&["graph", "export"]).stdout).expect("written");

    let mut seen = Seen::default();
    let mut whole = Duration::ZERO;
    for (n, what) in (0..rounds).zip([What::Text, What::Text, What::Session].into_iter().cycle()) {
        copy(&full, &stage.store());
        write_transcripts(&stage, false);
        if n == 0 {
            let begun = Instant::now();
            assert_eq!(forget(&stage, what, None).status.code(), Some(0));
            whole = begun.elapsed();
            continue;
        }
        let place = (f64::from(n) * 0.618_033_988_75).fract();
        round(&stage, what, whole.mul_f64(1.1 * place), &mut seen);
        if is_long() || n % 4 < 2 {
            stays_forgotten(&stage, what, &export);
        }
    }
    let Seen { midway, committed } = seen;
    tell(&format!(
        "{rounds} times forgotten in {whole:?}: {midway} killed midway, {committed} of them after the commit"
    ));
    assert!(
        midway >= u64::from(rounds) / 3,
        "{midway} of {rounds} were killed midway"
    );
    assert!(
        committed > 0 && committed < midway,
        "{committed} of {midway} came after the commit"
    );
}
