//! What a rollout of Codex says.

use super::super::tests::{Home, codex, done, found, read, told};
use crate::session::Role::{Assistant, Human, Steering, Summary};
use crate::session::{Actor, Harness};

pub(in crate::transcript) const CODEX: &str = r##"{"timestamp":"2026-01-02T00:00:00Z","type":"session_meta","payload":{"id":"c1","cwd":"/p","git":{"branch":"main"},"source":"cli"}}
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

fn packed(text: &str) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest)
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
