//! What a chat of Gemini CLI says.

use super::super::tests::{Home, done, found, read, told};
use crate::session::Role::{Assistant, Human};
use crate::session::{Actor, Harness};
use crate::transcript::Reading;

pub(in crate::transcript) const GEMINI: &str = r##"{"sessionId":"g1","projectHash":"ab","startTime":"2026-01-02T00:00:00Z","kind":"main"}
{"id":"m1","timestamp":"2026-01-02T00:00:02Z","type":"user","content":[{"text":"fix the parser in @a.rs"},{"text":"\n--- Content from referenced files ---"},{"text":"fn a() {}"}]}
{"id":"m2","timestamp":"2026-01-02T00:00:03Z","type":"gemini","content":"I look.","thoughts":[{"subject":"plan"}]}
{"$set":{"lastUpdated":"2026-01-02T00:00:04Z"}}
{"id":"m2","timestamp":"2026-01-02T00:00:03Z","type":"gemini","content":"I look.","toolCalls":[{"name":"run_shell_command","args":{"command":"cargo test"}},{"name":"read_file","args":{"absolute_path":"/p/a.rs"}},{"name":"mcp_rekal_recall","args":{"path":"/p"}},{"name":"google_web_search","args":"?"}]}
{"id":"m3","type":"info","content":"Update available"}
{"id":"m4","type":"user","content":"throw it away"}
{"id":"m5","type":"gemini","content":"Gone."}
{"$rewindTo":"m4"}
{"id":"m6","type":"user","content":"the expanded text","displayContent":"go on"}
{"$set":{"messages":[{"id":"m6","type":"user","content":"go on"},{"id":"m7","type":"gemini","content":[{"text":"hm","thought":true},{"text":"Done."}]}]}}
"##;

fn gemini(name: &str, text: &str) -> Reading {
    let home = Home::new();
    home.write("tmp/p/.project_root", "/p\n");
    let path = home.write(&format!("tmp/p/chats/{name}"), text);
    read(&found(&path, Harness::Gemini), None).expect("a reading")
}

#[test]
fn a_chat_is_told_as_it_stands_at_its_end() {
    let reading = gemini("session-1.jsonl", GEMINI);
    assert_eq!(
        told(&reading),
        [
            (Human, "fix the parser in @a.rs"),
            (Assistant, "I look."),
            (Human, "go on"),
            (Assistant, "Done."),
        ]
    );
    assert_eq!(
        done(&reading.tool_calls),
        [
            (2, "run_shell_command", None, Some("cargo test")),
            (2, "read_file", Some("/p/a.rs"), None),
            (2, "mcp_rekal_recall", None, Some("rekal")),
            (2, "google_web_search", None, None),
        ]
    );
    assert_eq!(reading.skipped, 0);
    let session = reading.session.expect("a session");
    assert_eq!((session.id.as_str(), session.harness), ("g1", Harness::Gemini));
    assert_eq!((session.actor, session.cwd.as_deref()), (Actor::Human, Some("/p")));
    assert_eq!(session.started_at, Some(1_767_312_002_000));
}

#[test]
fn an_old_chat_is_one_object() {
    let old = r#"{
  "sessionId": "g0",
  "messages": [
    {"id": "1", "type": "user", "content": "hello"},
    {"id": "2", "type": "gemini", "content": "hi", "toolCalls": [{"name": "write_file", "args": {"file_path": "b.rs"}}]},
    {"id": "3", "type": "hologram", "content": "?"}
  ]
}"#;
    let reading = gemini("session-0.json", old);
    assert_eq!(told(&reading), [(Human, "hello"), (Assistant, "hi")]);
    assert_eq!(done(&reading.tool_calls), [(2, "write_file", Some("b.rs"), None)]);
    assert_eq!(reading.skipped, 1);
    assert_eq!(reading.session.expect("a session").id.as_str(), "g0");
    let broken = gemini("session-0.json", &old[..old.len() - 3]);
    assert_eq!((broken.turns.len(), broken.skipped), (0, 1));
}

#[test]
fn what_is_of_no_known_shape_is_skipped_and_counted() {
    let text = "{\"sessionId\":\"g2\"}\nnonsense\n{\"other\":1}\n{\"id\":\"1\",\"type\":\"user\",\"content\":\"a\"}\n{\"id\":\"2\",\"ty";
    let reading = gemini("session-2.jsonl", text);
    assert_eq!(told(&reading), [(Human, "a")]);
    assert_eq!(reading.skipped, 2);
}

#[test]
fn a_subagent_is_known_by_its_folder() {
    let text =
        "{\"sessionId\":\"s1\",\"kind\":\"subagent\"}\n{\"id\":\"1\",\"type\":\"user\",\"content\":\"review it\"}\n";
    let session = gemini("g1/s1.jsonl", text).session.expect("a session");
    assert_eq!(session.actor, Actor::Agent);
    assert_eq!(session.parent.expect("a parent").as_str(), "g1");
}
