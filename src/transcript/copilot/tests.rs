//! What a session of Copilot CLI says.

use super::super::tests::{Home, done, found, read, told};
use crate::session::Harness;
use crate::session::Role::{Assistant, Human};
use crate::transcript::Reading;

pub(in crate::transcript) const COPILOT: &str = r##"{"type":"session.start","data":{"sessionId":"p1","context":{"cwd":"/p","branch":"main"}},"timestamp":"2026-01-02T00:00:00Z"}
{"type":"system.message","data":{"content":"rules","role":"system"},"timestamp":"2026-01-02T00:00:01Z"}
{"type":"user.message","data":{"content":"fix the parser","transformedContent":"<now>fix the parser"},"timestamp":"2026-01-02T00:00:02Z"}
{"type":"assistant.message","data":{"content":"I look.","toolRequests":[{"name":"bash","arguments":{"command":"cargo test"}}]}}
{"type":"tool.execution_start","data":{"toolName":"bash","arguments":{"command":"cargo test"}}}
{"type":"tool.execution_complete","data":{"success":true,"result":{"content":"ok"}}}
{"type":"tool.execution_start","data":{"toolName":"edit","arguments":{"path":"/p/a.rs"}}}
{"type":"tool.execution_start","data":{"toolName":"bash","arguments":{"command":"rekal jwt"}}}
{"type":"tool.execution_start","data":{"toolName":"rekal-recall","arguments":{"path":"/p"}}}
{"type":"assistant.message","data":{"content":"A subagent speaks.","parentToolCallId":"t9"}}
{"type":"session.resume","data":{"sessionId":"p9","context":{"cwd":"/q","branch":"next"}}}
{"type":"assistant.message","data":{"content":"Done."}}
"##;

fn copilot(text: &str) -> Reading {
    let home = Home::new();
    let path = home.write("session-state/p0/events.jsonl", text);
    read(&found(&path, Harness::Copilot), None).expect("a reading")
}

#[test]
fn a_conversation_of_copilot_has_its_roles_and_no_plumbing() {
    let reading = copilot(COPILOT);
    assert_eq!(
        told(&reading),
        [(Human, "fix the parser"), (Assistant, "I look."), (Assistant, "Done.")]
    );
    assert_eq!(
        done(&reading.tool_calls),
        [
            (2, "bash", None, Some("cargo test")),
            (2, "edit", Some("/p/a.rs"), None),
            (2, "bash", None, Some("rekal")),
            (2, "rekal-recall", None, Some("rekal")),
        ]
    );
    assert_eq!((reading.skipped, reading.sidechain), (0, 1));
    let session = reading.session.expect("a session");
    assert_eq!((session.id.as_str(), session.harness), ("p1", Harness::Copilot));
    assert_eq!(
        (session.cwd.as_deref(), session.branch.as_deref()),
        (Some("/p"), Some("next"))
    );
    assert_eq!(session.started_at, Some(1_767_312_002_000));
}

#[test]
fn what_is_no_event_is_skipped_and_counted() {
    let text = "{\"other\":1}\nnonsense\n{\"type\":\"user.message\",\"data\":{\"content\":\"a\"}}\n{\"type\":\"user.message\",\"data\":7}\n";
    let reading = copilot(text);
    assert_eq!((told(&reading), reading.skipped), (vec![(Human, "a")], 2));
    assert_eq!(reading.session.expect("a session").id.as_str(), "p0");
}
