//! What was forgotten is in no byte of the store, and nothing brings it back.

mod killed;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use tempfile::TempDir;

use crate::program::{on, out};

/// What slipped in, and the only session that it reached.
const SECRET: &str = "open sesame";
const SESSION: &str = "cave-of-wonders";

/// Recalls around noon: every fourth holds the secret, and reached the cave alone.
fn lines() -> String {
    let line = |n: u64| {
        let (query, targets) = match n % 4 {
            0 => (format!("{n} what is {SECRET} for"), format!("\"{SESSION}\"")),
            _ => (format!("{n} what are jars for"), "\"a\",\"b\"".to_owned()),
        };
        let at = format!("2026-11-30T12:{:02}:{:02}Z", n / 60, n % 60);
        format!("{{\"ts\":\"{at}\",\"kind\":\"recall\",\"query\":\"{query}\",\"targets\":[{targets}]}}\n")
    };
    (0..200).map(line).collect()
}

/// A store that the lines were drained into, with the claim and an export from before.
fn store() -> (TempDir, PathBuf) {
    let store = tempfile::tempdir().expect("a folder");
    let claim = store.path().join("recall-log.01M8P570KV0000000000000000.claim");
    fs::write(&claim, lines()).expect("written");
    let drained = on(store.path(), &["graph", "drain"], "");
    assert_eq!(drained.status.code(), Some(0));
    assert!(!claim.exists());
    assert!(holding(store.path(), SECRET).contains(&"store.redb".to_owned()));
    (store, claim)
}

/// The files of the store that hold these bytes.
fn holding(store: &Path, text: &str) -> Vec<String> {
    let files = walkdir(store);
    let holds = |path: &PathBuf| String::from_utf8_lossy(&fs::read(path).expect("readable")).contains(text);
    let name = |path: PathBuf| path.strip_prefix(store).expect("below").to_string_lossy().into_owned();
    files.into_iter().filter(holds).map(name).collect()
}

fn walkdir(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => files.extend(walkdir(&path)),
            false => files.push(path),
        }
    }
    files
}

fn count(store: &Path, session: &str) -> String {
    let output = on(store, &["graph", "reach", session], "");
    let (_, text, _) = out(&output);
    let words: Vec<&str> = text.split_whitespace().take(3).collect();
    words.join(" ")
}

#[track_caller]
fn is_gone(store: &Path, outputs: &[Output]) {
    assert_eq!(holding(store, SECRET), [""; 0]);
    for output in outputs {
        let (_, stdout, stderr) = out(output);
        assert!(!stdout.contains(SECRET) && !stderr.contains(SECRET), "{stdout}{stderr}");
    }
    assert_eq!(count(store, "a"), "a [reached 150×·");
    assert_eq!(on(store, &["graph", "verify"], "").status.code(), Some(0));
}

#[test]
fn a_text_is_in_no_byte_of_the_store_afterwards() {
    let (store, _) = store();
    let dry = on(
        store.path(),
        &["forget", "--text", "-", "--dry-run"],
        &format!("{SECRET}\n"),
    );
    let text = "would forget 50 events, 50 edges, 50 queries, 1 session id\n";
    assert_eq!(out(&dry), (Some(0), text, ""));
    assert_eq!(count(store.path(), SESSION), "cave-of-wonders [reached 50×·");

    let done = on(store.path(), &["forget", "--text", "-"], &format!("{SECRET}\n"));
    let text = "forgot 50 events, 50 edges, 50 queries, 1 session id\n";
    assert_eq!(out(&done), (Some(0), text, ""));
    is_gone(store.path(), &[dry, done]);
    assert_eq!(holding(store.path(), SESSION), [""; 0]);

    let again = on(store.path(), &["forget", "--text", "-"], SECRET);
    assert_eq!(out(&again), (Some(1), "", "rekal: nothing matched\n"));
    let json = "{\"schema_version\":1,\"dry_run\":false,\"events\":0,\"edges\":0,\"queries\":0,\"sessions\":0,\"captured_sessions\":0,\"turns\":0,\"tool_calls\":0,\"commits\":0}\n";
    let again = on(store.path(), &["forget", "--text", "-", "-j"], SECRET);
    assert_eq!(out(&again), (Some(1), json, ""));
}

#[test]
fn what_waits_in_the_spool_is_forgotten_too() {
    let store = tempfile::tempdir().expect("a folder");
    on(store.path(), &["graph", "append"], &lines());
    let done = on(store.path(), &["forget", "--text", "-"], SECRET);
    assert_eq!(done.status.code(), Some(0));
    is_gone(store.path(), &[done]);
}

#[test]
fn a_claim_that_a_writer_holds_keeps_everything_as_it_is() {
    let (store, claim) = store();
    fs::write(&claim, "\n").expect("written");
    let held = fs::File::open(&claim).expect("opened");
    held.lock_shared().expect("locked");
    let output = on(store.path(), &["forget", "--text", "-"], SECRET);
    let told = format!(
        "rekal: forget: a writer holds a part of the spool: {}\nrekal: run it again in a moment\n",
        store.path().display()
    );
    assert_eq!(out(&output), (Some(2), "", told.as_str()));
    assert_eq!(count(store.path(), SESSION), "cave-of-wonders [reached 50×·");
    drop(held);
    assert_eq!(
        on(store.path(), &["forget", "--text", "-"], SECRET).status.code(),
        Some(0)
    );
}

#[test]
fn neither_an_old_claim_nor_an_old_export_brings_it_back() {
    let (store, claim) = store();
    let export = on(store.path(), &["graph", "export"], "");
    let (_, export, _) = out(&export);
    assert_eq!(export.matches(SECRET).count(), 50);
    on(store.path(), &["forget", "--text", "-"], SECRET);

    fs::write(&claim, lines()).expect("restored");
    let drained = on(store.path(), &["graph", "drain"], "");
    let report = "\"claims\":1,\"events\":0,\"edges_new\":0,\"edges_known\":350";
    assert!(out(&drained).1.contains(report), "{}", out(&drained).1);
    let imported = on(store.path(), &["graph", "import", "-"], export);
    let report = "0 events are new, with 0 edges; 350 edges were known\n";
    assert_eq!(out(&imported), (Some(0), report, ""));
    is_gone(store.path(), &[drained, imported]);
}

#[test]
fn a_query_a_session_an_event_and_a_time_are_forgotten() {
    let (store, _) = store();
    let forget = |words: &[&str]| {
        let output = on(store.path(), &[&["forget"], words].concat(), "");
        let (code, text, _) = out(&output);
        (code, text.trim_end().to_owned())
    };
    let said = |text: &str| (Some(0), text.to_owned());
    assert_eq!(
        forget(&["--query", " 1  what are jars for "]),
        said("forgot 1 event, 2 edges, 1 query, 0 session ids")
    );
    assert_eq!(
        forget(&["--session", SESSION]),
        said("forgot 50 events, 50 edges, 50 queries, 1 session id")
    );
    let log = on(store.path(), &["graph", "log", "-n", "1", "-j"], "");
    let (_, log, _) = out(&log);
    let event = log
        .split("\"id\":\"")
        .nth(1)
        .and_then(|rest| rest.get(..26))
        .expect("an id");
    assert_eq!(
        forget(&["--event", event]),
        said("forgot 1 event, 2 edges, 1 query, 0 session ids")
    );
    assert_eq!(
        forget(&["--before", "2026-11-30T12:01:00Z"]),
        said("forgot 44 events, 88 edges, 44 queries, 0 session ids")
    );
    assert_eq!(forget(&["--before", "2026-11-30T12:01:00Z"]), (Some(1), String::new()));
    assert_eq!(holding(store.path(), SESSION), [""; 0]);
    assert_eq!(count(store.path(), "b"), "b [reached 104×·");
}

#[test]
fn exactly_one_thing_is_named() {
    let store = tempfile::tempdir().expect("a folder");
    for words in [
        &["forget"][..],
        &["forget", "--dry-run"],
        &["forget", "--query", "a", "--session", "b"],
        &["forget", "--event", "no-ulid"],
        &["forget", "--text", SECRET],
        &["forget", "--text", "-"],
    ] {
        let output = on(store.path(), words, "\n");
        let (code, stdout, stderr) = out(&output);
        assert_eq!((code, stdout), (Some(2), ""), "{words:?}");
        assert!(!stderr.contains(SECRET), "{stderr}");
    }
    assert!(!store.path().join("store.redb").exists());
}
