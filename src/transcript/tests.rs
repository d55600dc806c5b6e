//! What the formats promise, seen from outside.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;
use crate::session::{Actor, Harness, Role, ToolCall};

const ID: &str = "11111111-2222-4333-8444-555555555555";

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(&path, bytes).expect("a file");
        path
    }
}

fn found(path: &Path, harness: Harness) -> Found {
    Found {
        path: path.into(),
        harness,
        size: fs::metadata(path).expect("a file").len(),
        modified: 0,
    }
}

fn claude(lines: impl AsRef<[u8]>) -> Reading {
    let home = Home::new();
    let path = home.write(&format!("projects/-p/{ID}.jsonl"), lines);
    read(&found(&path, Harness::Claude), None).expect("a reading")
}

fn codex(lines: impl AsRef<[u8]>) -> Reading {
    let home = Home::new();
    let path = home.write("sessions/rollout-2026-01-02T03-04-05-c1.jsonl", lines);
    read(&found(&path, Harness::Codex), None).expect("a reading")
}

fn told(reading: &Reading) -> Vec<(Role, &str)> {
    reading.turns.iter().map(|t| (t.role, t.text.as_str())).collect()
}

fn done(calls: &[ToolCall]) -> Vec<(u32, &str, Option<&str>, Option<&str>)> {
    calls
        .iter()
        .map(|c| (c.turn, c.tool.as_str(), c.path.as_deref(), c.command.as_deref()))
        .collect()
}

use Role::{Assistant, Human, Steering, Summary};

/// Queued messages that were answered later, handed over, told twice and taken back; a summary;
/// tool calls; plumbing; two objects in a line; a broken line.
const CLAUDE: &str = r#"{"type":"summary","summary":"A title","leafUuid":"x"}
{"type":"user","sessionId":"old","cwd":"/p","gitBranch":"main","timestamp":"2026-01-02T00:00:01Z","message":{"role":"user","content":"fix the parser"}}
{"type":"assistant","sessionId":"old","cwd":"/p/sub","gitBranch":"fix","timestamp":"2026-01-02T00:00:02Z","message":{"model":"m","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"I look"},{"type":"text","text":"first."},{"type":"tool_use","name":"Bash","input":{"command":"cargo test é","description":"d"}}]}}
{"type":"queue-operation","operation":"enqueue","timestamp":"2026-01-02T00:00:03Z","content":"also the lexer"}
{"type":"user","message":{"content":[{"type":"tool_result","content":"ok"}]},"toolUseResult":{"stdout":"ok"}}
{"type":"queue-operation","operation":"remove","timestamp":"2026-01-02T00:00:04Z"}
{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Edit","input":{"file_path":"/p/a.rs","old_string":"x"}}]}}
{"type":"attachment","timestamp":"2026-01-02T00:00:04Z","attachment":{"type":"queued_command","prompt":"also the lexer","commandMode":"prompt"}}
{"type":"queue-operation","operation":"enqueue","timestamp":"2026-01-02T00:00:05Z","content":"and then?"}
{"type":"queue-operation","operation":"enqueue","timestamp":"2026-01-02T00:00:06Z","content":"never mind"}
{"type":"queue-operation","operation":"popAll","content":"never mind"}
{"type":"assistant","message":{"content":[{"type":"text","text":"Done."}]}}{"type":"queue-operation","operation":"dequeue","timestamp":"2026-01-02T00:00:08Z"}
{"type":"user","timestamp":"2026-01-02T00:00:09Z","message":{"content":"and then?"}}
{"type":"user","isMeta":true,"message":{"content":"Base directory for this skill"}}
{"broken
{"type":"user","isCompactSummary":true,"message":{"content":"This session is being continued: the parser was fixed."}}
{"type":"user","message":{"content":[{"type":"tool_result","content":[{"type":"text","text":"out"}]},{"type":"text","text":"good\n<system-reminder>be brief</system-reminder>"},{"type":"image","source":{"data":"AAAA"}}]}}
{"type":"queue-operation","operation":"enqueue","timestamp":"2026-01-02T00:01:00.000Z","content":"commit"}
{"type":"queue-operation","operation":"dequeue","timestamp":"2026-01-02T00:01:00.020Z"}
{"type":"user","timestamp":"2026-01-02T00:01:00.040Z","message":{"content":"commit"}}
{"type":"assistant","message":{"model":"<synthetic>","content":[{"type":"text","text":"API Error: 500"}]}}
{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"text","text":"aside"}]}}
{"type":"user","message":{"content":"[Request interrupted by user]"}}
"#;

const CODEX: &str = r##"{"timestamp":"2026-01-02T00:00:00Z","type":"session_meta","payload":{"id":"c1","cwd":"/p","git":{"branch":"main"},"source":"cli"}}
{"timestamp":"2026-01-02T00:00:01Z","type":"event_msg","payload":{"type":"task_started","turn_id":"t"}}
{"type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"rules"}]}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions for /p"},{"type":"input_text","text":"<environment_context>x</environment_context>"}]}}
{"timestamp":"2026-01-02T00:00:02Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"fix the parser"}]}}
{"timestamp":"2026-01-02T00:00:02Z","type":"event_msg","payload":{"type":"user_message","message":"fix the parser\n"}}
{"type":"event_msg","payload":{"type":"agent_message","message":"I look."}}
{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look."}]}}
{"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"cargo test\",\"workdir\":\"/p\"}"}}
{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"ls -l\"]}"}}
{"type":"response_item","payload":{"type":"function_call_output","output":"ok"}}
{"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n*** Add File: a.rs\n+x\n*** Update File: b.rs\n*** End Patch"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"also the lexer"}]}}
{"type":"event_msg","payload":{"type":"user_message","message":"also the lexer"}}
{"type":"compacted","payload":{"message":"The parser was fixed.","replacement_history":[]}}
{"type":"event_msg","payload":{"type":"task_complete"}}
{"type":"event_msg","payload":{"type":"token_count"}}{"type":"event_msg","payload":{"type":"task_started","turn_id":"t2"}}
{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage","content":[{"type":"text","text":"go on"}]}}}
{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"AgentMessage","content":[{"type":"Text","text":"Done."}]}}}
"##;

#[test]
fn a_conversation_of_claude_code_has_its_roles_and_no_plumbing() {
    let reading = claude(CLAUDE);
    assert_eq!(
        told(&reading),
        [
            (Human, "fix the parser"),
            (Assistant, "I look\nfirst."),
            (Steering, "also the lexer"),
            (Assistant, "Done."),
            (Steering, "and then?"),
            (Summary, "This session is being continued: the parser was fixed."),
            (Human, "good"),
            (Human, "commit"),
        ]
    );
    assert_eq!(
        done(&reading.tool_calls),
        [
            (2, "Bash", None, Some("cargo test é")),
            (3, "Edit", Some("/p/a.rs"), None)
        ]
    );
    assert_eq!((reading.skipped, reading.fresh), (1, true));
    let session = reading.session.expect("a session");
    assert_eq!(session.id.as_str(), ID);
    assert_eq!((session.actor, session.parent), (Actor::Human, None));
    assert_eq!(
        (session.cwd.as_deref(), session.branch.as_deref()),
        (Some("/p"), Some("fix"))
    );
    assert_eq!(session.started_at, Some(1_767_312_001_000));
    assert_eq!(reading.turns[2].at, Some(1_767_312_003_000));
}

#[test]
fn a_conversation_of_codex_has_its_roles_and_no_plumbing() {
    let reading = codex(CODEX);
    assert_eq!(
        told(&reading),
        [
            (Human, "fix the parser"),
            (Assistant, "I look."),
            (Steering, "also the lexer"),
            (Summary, "The parser was fixed."),
            (Human, "go on"),
            (Assistant, "Done."),
        ]
    );
    assert_eq!(
        done(&reading.tool_calls),
        [
            (2, "exec_command", None, Some("cargo test")),
            (2, "shell", None, Some("ls -l")),
            (2, "apply_patch", Some("a.rs"), None),
            (2, "apply_patch", Some("b.rs"), None),
        ]
    );
    let session = reading.session.expect("a session");
    assert_eq!((session.id.as_str(), session.harness), ("c1", Harness::Codex));
    assert_eq!(
        (session.cwd.as_deref(), session.branch.as_deref()),
        (Some("/p"), Some("main"))
    );
    assert_eq!(session.started_at, Some(1_767_312_002_000));
}

/// Reads the file at these lengths, one after another, as it grows.
fn read_growing(bytes: &[u8], lengths: &[usize], name: &str, harness: Harness) -> Reading {
    let home = Home::new();
    let mut all: Option<Reading> = None;
    for &length in lengths.iter().chain([&bytes.len()]) {
        let path = home.write(name, &bytes[..length]);
        let position = all.as_ref().map(|all| all.position.clone());
        let mut next = read(&found(&path, harness), position.as_ref()).expect("a reading");
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

const NAMES: [(&str, &str, Harness); 2] = [
    (CLAUDE, "p/11111111-2222-4333-8444-555555555555.jsonl", Harness::Claude),
    (CODEX, "rollout-2026-01-02T03-04-05-c1.jsonl", Harness::Codex),
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
    #![proptest_config(ProptestConfig::with_cases(200))]
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
fn fields_of_other_shapes_cost_no_line() {
    let reading = claude(
        r#"{"type":"assistant","cwd":7,"timestamp":{},"message":{"content":[{"type":"text","text":"x"},{"type":"tool_use","name":"mcp__a__b","input":{"path":["a"],"command":["ls","-l"]}},7]}}
{"type":"assistant","message":"none"}
{"type":"user","message":{"content":null}}
[1]
7
"#,
    );
    assert_eq!(told(&reading), [(Assistant, "x")]);
    assert_eq!(done(&reading.tool_calls), [(1, "mcp__a__b", None, Some("ls -l"))]);
    assert_eq!(reading.skipped, 2);
}

#[test]
fn what_was_steered_and_is_typed_again_is_meant_again() {
    let reading = claude(
        r#"{"type":"user","message":{"content":"go"}}
{"type":"queue-operation","operation":"enqueue","content":"continue"}
{"type":"queue-operation","operation":"remove"}
{"type":"user","message":{"content":"continue"}}
{"type":"assistant","message":{"content":[{"type":"text","text":"ok"}]}}
{"type":"user","message":{"content":"continue"}}
{"type":"queue-operation","operation":"enqueue","content":"never told the agent"}
"#,
    );
    assert_eq!(
        told(&reading),
        [
            (Human, "go"),
            (Steering, "continue"),
            (Assistant, "ok"),
            (Human, "continue")
        ]
    );
}

#[test]
fn a_notice_in_the_queue_is_no_message() {
    let reading = claude(
        r#"{"type":"user","message":{"content":"go"}}
{"type":"queue-operation","operation":"enqueue","content":"<task-notification>\n<task-id>1</task-id>\n</task-notification>"}
{"type":"queue-operation","operation":"enqueue","content":[{"type":"text","text":"<ide_selection>x</ide_selection>"},{"type":"text","text":"rename it"}]}
{"type":"queue-operation","operation":"remove"}
{"type":"queue-operation","operation":"remove"}
{"type":"attachment","attachment":{"type":"queued_command","commandMode":"task-notification","prompt":"<task-notification>\n<task-id>1</task-id>\n</task-notification>"}}
{"type":"attachment","attachment":{"type":"queued_command","commandMode":"prompt","prompt":"and a message of a version without the queue"}}
"#,
    );
    assert_eq!(
        told(&reading),
        [
            (Human, "go"),
            (Steering, "rename it"),
            (Steering, "and a message of a version without the queue"),
        ]
    );
}

#[test]
fn subagents_of_claude_code_name_their_parent() {
    let line = r#"{"type":"user","isSidechain":true,"agentId":"a1","sessionId":"trunk-in-lines","message":{"content":"map it"}}"#;
    let home = Home::new();
    for (name, id, parent) in [
        ("projects/-p/trunk/subagents/agent-a1.jsonl", "agent-a1", "trunk"),
        (
            "projects/-p/trunk/subagents/workflows/w/agent-a2.jsonl",
            "agent-a2",
            "trunk",
        ),
        ("projects/-p/agent-a3.jsonl", "agent-a3", "trunk-in-lines"),
        ("projects/-p/trunk/subagents/other.jsonl", "agent-a1", "trunk"),
    ] {
        let path = home.write(name, format!("{line}\n"));
        let reading = read(&found(&path, Harness::Claude), None).expect("a reading");
        let session = reading.session.expect("a session");
        assert_eq!(session.id.as_str(), id);
        assert_eq!(session.parent.expect("a parent").as_str(), parent);
        assert_eq!((session.actor, reading.turns.len()), (Actor::Agent, 1));
    }
    let warmup = line.replace("map it", "Warmup");
    let answer = r#"{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"text","text":"Ready!"}]}}"#;
    let path = home.write("projects/-p/agent-w.jsonl", format!("{warmup}\n{answer}\n"));
    assert_eq!(
        read(&found(&path, Harness::Claude), None).expect("a reading").session,
        None
    );
}

#[test]
fn a_copy_under_a_new_name_is_a_session_of_its_own() {
    let home = Home::new();
    let copy = "99999999-2222-4333-8444-555555555555";
    let path = home.write(&format!("p/{copy}.jsonl"), CLAUDE);
    let session = read(&found(&path, Harness::Claude), None).expect("a reading").session;
    assert_eq!(session.expect("a session").id.as_str(), copy);
    let path = home.write("p/notes.jsonl", CLAUDE);
    let session = read(&found(&path, Harness::Claude), None).expect("a reading").session;
    assert_eq!(session.expect("a session").id.as_str(), "old");
}

#[test]
fn a_subagent_of_codex_keeps_what_is_its_own() {
    let reading = codex(
        r#"{"type":"session_meta","payload":{"id":"019d7e2f-0041-7310-951c-94020254dfc9","forked_from_id":"019d7d08-46c9-7f73-affe-4e6ca9852d56","cwd":"/p","source":{"subagent":{"thread_spawn":{"parent_thread_id":"019d7d08-46c9-7f73-affe-4e6ca9852d56"}}}}}
{"type":"session_meta","payload":{"id":"019d7d08-46c9-7f73-affe-4e6ca9852d56","cwd":"/other","git":{"branch":"b"}}}
{"type":"event_msg","payload":{"type":"task_started","turn_id":"019d7d08-f1d2-78a1-ae52-df8e21f9b394"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"the parent's question"}]}}
{"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"ls\"}"}}
{"type":"event_msg","payload":{"type":"task_started","turn_id":"019d7e2f-006a-78e0-8d88-fc868c230ea4"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"review it"}]}}
"#,
    );
    assert_eq!(told(&reading), [(Human, "review it")]);
    assert_eq!(reading.tool_calls, []);
    let session = reading.session.expect("a session");
    assert_eq!(session.id.as_str(), "019d7e2f-0041-7310-951c-94020254dfc9");
    assert_eq!(
        session.parent.expect("a parent").as_str(),
        "019d7d08-46c9-7f73-affe-4e6ca9852d56"
    );
    assert_eq!((session.actor, session.cwd.as_deref()), (Actor::Agent, Some("/p")));
    assert_eq!(session.branch, None);
}

#[test]
fn old_rollouts_without_payloads_are_read() {
    let reading = codex(
        r#"{"id":"c0","timestamp":"2025-05-01T00:00:00Z","instructions":null,"git":{"branch":"main"}}
{"record_type":"state"}
{"type":"message","role":"user","content":[{"type":"input_text","text":"hello"}]}
{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hi"}]}
{"type":"local_shell_call","action":{"type":"exec","command":["git","status"]}}
"#,
    );
    assert_eq!(told(&reading), [(Human, "hello"), (Assistant, "hi")]);
    assert_eq!(
        done(&reading.tool_calls),
        [(2, "local_shell", None, Some("git status"))]
    );
    assert_eq!(reading.session.expect("a session").id.as_str(), "c0");
}

fn packed(text: &str) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest)
}

#[test]
fn a_compressed_rollout_reads_like_the_plain_one() {
    let home = Home::new();
    let path = home.write("rollout-2026-01-02T03-04-05-c1.jsonl.zst", packed(CODEX));
    let reading = read(&found(&path, Harness::Codex), None).expect("a reading");
    let plain = codex(CODEX);
    assert_eq!(reading.turns, plain.turns);
    assert_eq!(reading.tool_calls, plain.tool_calls);
    assert_eq!(reading.session, plain.session);
    let (first, second) = CODEX.split_at(CODEX.len() / 2);
    home.write(
        "rollout-2026-01-02T03-04-05-c1.jsonl.zst",
        [packed(first), packed(second)].concat(),
    );
    let again = read(&found(&path, Harness::Codex), Some(&reading.position)).expect("a reading");
    assert!(again.fresh);
    assert_eq!(again.turns, plain.turns);
}

#[test]
fn a_damaged_compressed_rollout_gives_what_it_has() {
    let home = Home::new();
    let mut bytes = packed(CODEX);
    bytes.extend_from_slice(b"no frame at all");
    let path = home.write("rollout-2026-01-02T03-04-05-c1.jsonl.zst", bytes);
    let reading = read(&found(&path, Harness::Codex), None).expect("a reading");
    assert_eq!((reading.turns.len(), reading.skipped), (6, 1));
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
fn stamps_that_are_no_time_leave_the_order_alone() {
    let line = |stamp: &str, text: &str| {
        format!("{{\"type\":\"user\",\"timestamp\":{stamp},\"message\":{{\"content\":\"{text}\"}}}}\n")
    };
    let reading = claude(
        [
            line("\"2026-01-02 10:00\"", "a"),
            line("0", "b"),
            line("1767312001000000", "c"),
            line("1767312001", "d"),
            line("1767312001000", "e"),
        ]
        .concat(),
    );
    let stamps: Vec<_> = reading.turns.iter().map(|t| (t.text.as_str(), t.at)).collect();
    let at = Some(1_767_312_001_000);
    assert_eq!(stamps, [("a", None), ("b", None), ("c", None), ("d", at), ("e", at)]);
    assert_eq!(reading.session.expect("a session").started_at, at);
}

#[test]
fn secrets_and_calls_of_rekal_do_not_leave() {
    let reading = claude(
        r#"{"type":"user","message":{"content":"use password=hunter2"}}
{"type":"queue-operation","operation":"enqueue","content":"no, api_key=abc123def456"}
{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"cd /p && rekal \"jwt expiry\""}},{"type":"tool_use","name":"mcp__rekal__recall","input":{"query":"jwt expiry"}},{"type":"tool_use","name":"Bash","input":{"command":"curl -H 'Authorization: Bearer abc123def456'"}}]}}
{"type":"queue-operation","operation":"remove"}
"#,
    );
    assert_eq!(
        told(&reading),
        [(Human, "use password=[redacted]"), (Steering, "no, api_key=[redacted]")]
    );
    assert_eq!(
        done(&reading.tool_calls),
        [
            (1, "Bash", None, Some("rekal")),
            (1, "mcp__rekal__recall", None, Some("rekal")),
            (1, "Bash", None, Some("curl -H 'Authorization: Bearer [redacted]'")),
        ]
    );
    let stored = postcard::to_allocvec(&reading.position).expect("bytes");
    assert!(!String::from_utf8_lossy(&stored).contains("abc123def456"));
}

#[test]
fn a_position_keeps_no_secret_of_a_message_that_waits() {
    let reading = claude(
        r#"{"type":"user","message":{"content":"go"}}
{"type":"queue-operation","operation":"enqueue","content":"no, api_key=abc123def456"}
"#,
    );
    let stored = postcard::to_allocvec(&reading.position).expect("bytes");
    assert!(String::from_utf8_lossy(&stored).contains("no, api_key=[redacted]"));
    assert!(!String::from_utf8_lossy(&stored).contains("abc123def456"));
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
    };
    let error = read(&missing, None).expect_err("no file");
    assert!(error.to_string().starts_with("open /nowhere/a.jsonl: "), "{error}");
}
