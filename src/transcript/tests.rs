//! What the formats promise, seen from outside.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::claude::tests::CLAUDE;
use super::cline::tests::CLINE;
use super::codex::tests::CODEX;
use super::copilot::tests::COPILOT;
use super::cursor::tests::CURSOR;
use super::gemini::tests::GEMINI;
use super::read::read_from;
use super::*;
use crate::session::Role::Human;
use crate::session::{Harness, Role, ToolCall};

pub(super) const ID: &str = "11111111-2222-4333-8444-555555555555";

pub(super) struct Home(tempfile::TempDir);

impl Home {
    pub(super) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    pub(super) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(&path, bytes).expect("a file");
        path
    }
}

pub(super) fn found(path: &Path, harness: Harness) -> Found {
    Found {
        path: path.into(),
        harness,
        size: fs::metadata(path).expect("a file").len(),
        modified: 0,
        zone: None,
    }
}

/// The last session of a transcript.
pub(super) fn read(found: &Found, earlier: Option<&Position>) -> crate::Result<Reading> {
    super::read(found, earlier).map(|mut all| all.pop().expect("a reading"))
}

pub(super) fn claude(lines: impl AsRef<[u8]>) -> Reading {
    let home = Home::new();
    let path = home.write(&format!("projects/-p/{ID}.jsonl"), lines);
    read(&found(&path, Harness::Claude), None).expect("a reading")
}

pub(super) fn codex(lines: impl AsRef<[u8]>) -> Reading {
    let home = Home::new();
    let path = home.write("sessions/rollout-2026-01-02T03-04-05-c1.jsonl", lines);
    read(&found(&path, Harness::Codex), None).expect("a reading")
}

pub(super) fn told(reading: &Reading) -> Vec<(Role, &str)> {
    reading.turns.iter().map(|t| (t.role, t.text.as_str())).collect()
}

pub(super) fn done(calls: &[ToolCall]) -> Vec<(u32, &str, Option<&str>, Option<&str>)> {
    calls
        .iter()
        .map(|c| (c.turn, c.tool.as_str(), c.path.as_deref(), c.command.as_deref()))
        .collect()
}

/// Reads the file at these lengths, one after another, as it grows.
fn read_growing(bytes: &[u8], lengths: &[usize], name: &str, harness: Harness) -> Reading {
    let path = Path::new("p").join(name);
    let file = Found {
        path,
        harness,
        size: 0,
        modified: 0,
        zone: None,
    };
    let mut all: Option<Reading> = None;
    for &length in lengths.iter().chain([&bytes.len()]) {
        let position = all.as_ref().map(|all| all.position.clone());
        let all_of_it = read_from(&mut Cursor::new(&bytes[..length]), &file, position.as_ref());
        let mut next = all_of_it.expect("a reading").pop().expect("one session");
        if let Some(before) = all.filter(|_| !next.fresh) {
            next.turns.splice(0..0, before.turns);
            next.tool_calls.splice(0..0, before.tool_calls);
            next.skipped += before.skipped;
        }
        all = Some(next);
    }
    all.expect("at least one length")
}

fn assert_same(growing: &Reading, whole: &Reading, lengths: &[usize]) {
    assert_eq!(growing.turns, whole.turns, "{lengths:?}");
    assert_eq!(growing.tool_calls, whole.tool_calls, "{lengths:?}");
    assert_eq!(growing.session, whole.session, "{lengths:?}");
    assert_eq!(growing.position, whole.position, "{lengths:?}");
}

const NAMES: [(&str, &str, Harness); 6] = [
    (CLAUDE, "11111111-2222-4333-8444-555555555555.jsonl", Harness::Claude),
    (CODEX, "rollout-2026-01-02T03-04-05-c1.jsonl", Harness::Codex),
    (GEMINI, "session-1.jsonl", Harness::Gemini),
    (COPILOT, "p1/events.jsonl", Harness::Copilot),
    (CURSOR, "r1.jsonl", Harness::Cursor),
    (CLINE, "1767312000000/api_conversation_history.json", Harness::Cline),
];

#[test]
fn a_file_that_grows_from_any_length_reads_as_if_read_once() {
    for (text, name, harness) in NAMES {
        let whole = read_growing(text.as_bytes(), &[], name, harness);
        for length in 0..=text.len() {
            assert_same(
                &read_growing(text.as_bytes(), &[length], name, harness),
                &whole,
                &[length],
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn a_file_that_grows_in_many_steps_reads_as_if_read_once(mut cuts in proptest::collection::vec(0.0..1.0f64, 1..9)) {
        cuts.sort_by(f64::total_cmp);
        for (text, name, harness) in NAMES {
            let lengths: Vec<usize> = cuts.iter().map(|cut| (cut * text.len() as f64) as usize).collect();
            let whole = read_growing(text.as_bytes(), &[], name, harness);
            assert_same(&read_growing(text.as_bytes(), &lengths, name, harness), &whole, &lengths);
        }
    }
}

#[test]
fn a_last_line_that_is_complete_but_for_its_end_is_read_once() {
    let text = CLAUDE.lines().take(3).collect::<Vec<_>>().join("\n");
    let home = Home::new();
    let path = home.write("p/a.jsonl", &text);
    let first = read(&found(&path, Harness::Claude), None).expect("a reading");
    assert_eq!(first.turns.len(), 2);
    assert_eq!(first.position.offset(), text.len() as u64);
    home.write("p/a.jsonl", format!("{text}\n"));
    let second = read(&found(&path, Harness::Claude), Some(&first.position)).expect("a reading");
    assert_eq!((second.turns.len(), second.fresh, second.skipped), (0, false, 0));
}

#[test]
fn a_rewritten_file_is_read_anew() {
    let home = Home::new();
    let name = "p/a.jsonl";
    let path = home.write(name, CLAUDE);
    let first = read(&found(&path, Harness::Claude), None).expect("a reading");
    for other in [
        CLAUDE.lines().take(4).collect::<Vec<_>>().join("\n"),
        CLAUDE.replacen("A title", "B title", 1),
        format!("{}\n{CLAUDE}", CLAUDE.lines().nth(1).expect("a line")),
    ] {
        home.write(name, &other);
        let again = read(&found(&path, Harness::Claude), Some(&first.position)).expect("a reading");
        assert!(again.fresh);
        assert_eq!(again.turns[0].text, "fix the parser");
    }
}

#[test]
fn a_position_survives_being_stored() {
    let reading = claude(CLAUDE);
    let bytes = postcard::to_allocvec(&reading.position).expect("bytes");
    let position: Position = postcard::from_bytes(&bytes).expect("a position");
    assert_eq!(position, reading.position);
}

#[test]
fn one_invalid_byte_costs_one_character() {
    let mut bytes = CLAUDE.as_bytes().to_vec();
    let at = CLAUDE.find("parser").expect("the first message");
    bytes[at] = 0xff;
    let reading = claude(bytes);
    assert_eq!(reading.turns.len(), 8);
    assert_eq!(reading.turns[0].text, "fix the \u{fffd}arser");
    assert_eq!(reading.skipped, 1);
}

#[test]
fn nul_separators_carriage_returns_and_a_mark_at_the_start_are_no_trouble() {
    let line = "{\"type\":\"user\",\"message\":{\"content\":\"a\u{2028}b\u{2029}c\\u0000\"}}";
    let reading = claude(format!("\u{feff}{line}\r\n\0\0\0\n\r\n{line}\r\n"));
    assert_eq!(
        told(&reading),
        [(Human, "a\u{2028}b\u{2029}c"), (Human, "a\u{2028}b\u{2029}c")]
    );
    assert_eq!(reading.skipped, 0);
}

#[test]
fn a_file_without_a_conversation_is_no_session_yet() {
    let home = Home::new();
    let call =
        r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Read","input":{"file_path":"/a"}}]}}"#;
    let path = home.write("p/a.jsonl", format!("{call}\n"));
    let first = read(&found(&path, Harness::Claude), None).expect("a reading");
    assert_eq!((first.session, first.tool_calls.len()), (None, 0));
    let turn = r#"{"type":"user","sessionId":"s","message":{"content":"go"}}"#;
    home.write("p/a.jsonl", format!("{call}\n{turn}\n"));
    let second = read(&found(&path, Harness::Claude), Some(&first.position)).expect("a reading");
    assert_eq!(done(&second.tool_calls), [(0, "Read", Some("/a"), None)]);
    assert!(second.fresh);
}

#[test]
fn a_long_line_is_read() {
    let image = "A".repeat(3 << 20);
    let line = format!(
        "{{\"type\":\"user\",\"message\":{{\"content\":[{{\"type\":\"image\",\"source\":{{\"data\":\"{image}\"}}}},{{\"type\":\"text\",\"text\":\"what is it?\"}}]}}}}\n"
    );
    let reading = claude(line);
    assert_eq!(told(&reading), [(Human, "what is it?")]);
}

#[test]
fn a_missing_file_is_an_error_that_names_it() {
    let missing = Found {
        path: "/nowhere/a.jsonl".into(),
        harness: Harness::Claude,
        size: 0,
        modified: 0,
        zone: None,
    };
    let error = read(&missing, None).expect_err("no file");
    assert!(error.to_string().starts_with("open /nowhere/a.jsonl: "), "{error}");
}
