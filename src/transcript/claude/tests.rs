//! What a transcript of Claude Code says.

use super::super::tests::{Home, ID, claude, done, found, read, told};
use crate::session::Role::{Assistant, Human, Steering, Summary};
use crate::session::{Actor, Harness};

/// Queued messages that were answered later, handed over, told twice and taken back; a summary;
/// tool calls; plumbing; two objects in a line; a broken line.
pub(in crate::transcript) const CLAUDE: &str = r#"{"type":"summary","summary":"A title","leafUuid":"x"}
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
    let told_twice = r#"{"type":"user","message":{"content":"go"}}
{"type":"queue-operation","operation":"enqueue","content":"continue"}
{"type":"queue-operation","operation":"remove"}
{"type":"user","message":{"content":"continue"}}
"#;
    assert_eq!(told(&claude(told_twice)), [(Human, "go"), (Steering, "continue")]);
    let said_twice = told_twice.replace(
        r#"{"type":"user","message":{"content":"continue"}}"#,
        r#"{"type":"assistant","message":{"content":[{"type":"text","text":"ok"}]}}
{"type":"user","message":{"content":"continue"}}
{"type":"queue-operation","operation":"enqueue","content":"never told the agent"}"#,
    );
    assert_eq!(
        told(&claude(said_twice)),
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
