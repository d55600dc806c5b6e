//! What a transcript of Cursor's agent says.

use std::path::PathBuf;

use super::super::tests::{Home, done, found, read, told};
use super::{named, time};
use crate::session::Role::{Assistant, Human};
use crate::session::{Actor, Harness};
use crate::transcript::{Found, Reading};

const NAME: &str = "projects/home-ada-a-b/agent-transcripts/r1/r1.jsonl";

pub(in crate::transcript) const CURSOR: &str = r##"{"role":"user","message":{"content":[{"type":"text","text":"<user_info>\nOS: linux\n</user_info>"}]}}
{"role":"user","message":{"content":[{"type":"text","text":"<timestamp>Friday, Jan 2, 2026, 2:05 AM (UTC+2)</timestamp>\n<attached_files>\na.rs\n</attached_files>\n<user_query>\nfix the parser\n</user_query>"}]}}
{"role":"assistant","message":{"content":[{"type":"text","text":"I look.\n\n[REDACTED]"},{"type":"tool_use","name":"Shell","input":{"command":"cargo test","working_directory":"/home/ada/a_b/crates"}}]}}
{"role":"assistant","message":{"content":[{"type":"tool_use","name":"Read","input":{"path":"/home/ada/a-b/a.rs"}},{"type":"tool_use","name":"Shell","input":{"command":"rekal jwt"}},{"type":"tool_use","name":"CallMcpTool","input":{"server":"user-rekal","toolName":"recall","arguments":{"query":"jwt"}}}]}}
{"type":"turn_ended","status":"success"}
{"role":"user","message":{"content":"<timestamp>Friday, Jan 2, 2026, 2:06 AM (UTC+2)</timestamp>\n<system_notification>\nA task has finished.\n</system_notification>\n<user_query>The result is visible already.</user_query>"}}
{"role":"user","message":{"content":"go on"}}
{"role":"assistant","message":{"content":"Done."}}
"##;

fn file(path: PathBuf, modified: u64) -> Found {
    let modified = modified * 1_000_000;
    Found {
        modified,
        ..found(&path, Harness::Cursor)
    }
}

fn cursor(home: &Home, name: &str, text: &str) -> Reading {
    read(&file(home.write(name, text), 1_800_000_000_000), None).expect("a reading")
}

#[test]
fn a_conversation_of_cursor_has_its_roles_and_no_plumbing() {
    let reading = cursor(&Home::new(), NAME, CURSOR);
    assert_eq!(
        told(&reading),
        [
            (Human, "fix the parser"),
            (Assistant, "I look."),
            (Human, "go on"),
            (Assistant, "Done."),
        ]
    );
    assert_eq!(
        done(&reading.tool_calls),
        [
            (2, "Shell", None, Some("cargo test")),
            (2, "Read", Some("/home/ada/a-b/a.rs"), None),
            (2, "Shell", None, Some("rekal")),
            (2, "mcp__rekal__recall", None, Some("rekal")),
        ]
    );
    assert_eq!(reading.skipped, 0);
    let session = reading.session.expect("a session");
    assert_eq!((session.id.as_str(), session.harness), ("r1", Harness::Cursor));
    assert_eq!((session.actor, session.parent), (Actor::Human, None));
    assert_eq!(session.started_at, Some(1_767_312_300_000));
}

#[test]
fn a_time_holds_for_the_answer_and_the_file_says_it_where_nothing_else_does() {
    let reading = cursor(&Home::new(), NAME, CURSOR);
    let times: Vec<_> = reading.turns.iter().map(|turn| turn.at).collect();
    let (said, written) = (Some(1_767_312_300_000), Some(1_800_000_000_000));
    assert_eq!(times, [said, said, written, written]);
}

#[test]
fn a_line_keeps_the_time_at_which_it_was_read_first() {
    let home = Home::new();
    let line = |text: &str| format!("{{\"role\":\"user\",\"message\":{{\"content\":\"{text}\"}}}}\n");
    let first = read(&file(home.write(NAME, line("one")), 1000), None).expect("a reading");
    let path = home.write(NAME, line("one") + &line("two"));
    let second = read(&file(path.clone(), 2000), Some(&first.position)).expect("a reading");
    assert_eq!((first.turns[0].at, second.turns[0].at), (Some(1000), Some(2000)));
    assert_eq!((second.fresh, told(&second)), (false, vec![(Human, "two")]));
    assert_eq!(second.session.expect("a session").started_at, Some(1000));
    let touched = read(&file(path, 3000), Some(&second.position)).expect("a reading");
    assert_eq!((touched.fresh, touched.turns.len()), (false, 0));
}

#[test]
fn the_folder_is_believed_where_it_is_spelled_out() {
    let home = Home::new();
    let folder = |name: &str, text: &str| cursor(&home, name, text).session.expect("a session").cwd;
    assert_eq!(folder(NAME, CURSOR).as_deref(), Some("/home/ada/a_b"));
    let said = "{\"role\":\"user\",\"message\":{\"content\":\"a\"}}\n";
    assert_eq!(folder(NAME, said), None);
    home.write(
        "projects/home-ada-a-b/.workspace-trusted",
        r#"{"workspacePath":"/home/ada/a.b"}"#,
    );
    assert_eq!(folder(NAME, CURSOR).as_deref(), Some("/home/ada/a.b"));
    assert_eq!(named("/home/ada/.config/a__b/"), "home-ada-config-a-b");
}

#[test]
fn a_subagent_is_known_by_its_folder() {
    let name = "projects/home-ada-a-b/agent-transcripts/r1/subagents/r2.jsonl";
    let session = cursor(&Home::new(), name, CURSOR).session.expect("a session");
    assert_eq!((session.id.as_str(), session.actor), ("r2", Actor::Agent));
    assert_eq!(session.parent.expect("a parent").as_str(), "r1");
}

#[test]
fn what_is_of_no_known_kind_is_skipped_and_counted() {
    let text = "{\"other\":1}\nnonsense\n{\"role\":\"user\",\"message\":{\"content\":\"a\"}}\n{\"role\":\"user\",\"message\":7}\n";
    let reading = cursor(&Home::new(), "projects/p/agent-transcripts/r0.jsonl", text);
    assert_eq!((told(&reading), reading.skipped), (vec![(Human, "a")], 2));
    assert_eq!(reading.session.expect("a session").id.as_str(), "r0");
}

#[test]
fn times_are_read_with_their_offset_or_not_at_all() {
    let at = |stamp: &str| time(&format!("<timestamp>{stamp}</timestamp> x"));
    assert_eq!(at("Friday, Jan 2, 2026, 12:05 AM (UTC)"), Some(1_767_312_300_000));
    assert_eq!(at("Friday, Jan 2, 2026, 5:35 AM (UTC+5:30)"), Some(1_767_312_300_000));
    assert_eq!(at("Thursday, Jan 1, 2026, 8:35 PM (UTC-3:30)"), Some(1_767_312_300_000));
    assert_eq!(at("Friday, Jan 2, 2026, 12:05 AM"), None);
    assert_eq!(at("2026-01-02 00:05"), None);
    assert_eq!(time("no time"), None);
}
