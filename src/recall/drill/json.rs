//! A page as one compact JSON object. What is absent is left out, and nothing in it is unsafe on a
//! terminal.

use serde::Serialize;

use super::page::Page;
use crate::hint::safe_json;
use crate::session::{Role, ToolCall};
use crate::time::format_rfc3339;

/// The object, without a line end.
pub fn json(page: &Page) -> String {
    // Only a map with keys that are no text, or a failing writer, could refuse.
    serde_json::to_string(&Object::new(page)).map_or_else(|_| String::new(), |json| safe_json(&json))
}

#[derive(Serialize)]
struct Object<'a> {
    schema_version: u32,
    session_id: &'a str,
    sid: String,
    harness: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<String>,
    captured_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_session_id: Option<&'a str>,
    child_session_ids: Vec<&'a str>,
    total_turns: u32,
    turns: Vec<Said<'a>>,
    has_more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<Vec<Call<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commits: Vec<Made<'a>>,
}

#[derive(Serialize)]
struct Said<'a> {
    turn: u32,
    role: Role,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<String>,
}

#[derive(Serialize)]
struct Call<'a> {
    order: u32,
    turn: u32,
    tool: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<&'a str>,
}

#[derive(Serialize)]
struct Made<'a> {
    sha: &'a str,
    subject: &'a str,
}

impl<'a> Object<'a> {
    fn new(page: &'a Page) -> Self {
        let record = &page.record;
        let session = &record.session;
        let said = page.turns.iter().map(|(number, turn)| Said {
            turn: *number,
            role: turn.role,
            text: &turn.text,
            ts: turn.at.map(format_rfc3339),
        });
        let made = page.commits.iter().map(|commit| Made {
            sha: &commit.sha,
            subject: &commit.subject,
        });
        let done = page.done.as_ref();
        Self {
            schema_version: 1,
            session_id: session.id.as_str(),
            sid: format!("s{}", record.number),
            harness: session.harness.as_str(),
            author: record.author.as_deref(),
            branch: session.branch.as_deref(),
            cwd: session.cwd.as_deref(),
            started_at: session.started_at.map(format_rfc3339),
            captured_at: format_rfc3339(record.captured_at),
            parent_session_id: session.parent.as_ref().map(|id| id.as_str()),
            child_session_ids: page.children.iter().map(|id| id.as_str()).collect(),
            total_turns: record.turn_count,
            turns: said.collect(),
            has_more: page.has_more,
            tool_calls: done.map(|done| done.tool_calls.iter().map(Call::new).collect()),
            files: done.map(|_| &record.files[..]),
            commits: made.collect(),
        }
    }
}

impl<'a> Call<'a> {
    fn new((order, call): &'a (u32, ToolCall)) -> Self {
        Self {
            order: *order,
            turn: call.turn,
            tool: &call.tool,
            path: call.path.as_deref(),
            command: call.command.as_deref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::fixture::session;
    use crate::recall::drill::Done;
    use crate::session::Commit;

    #[test]
    fn a_page_has_these_keys_in_this_order() {
        let conversation = session(5, "aa", &["fix\n\u{202e}it"]);
        let mut page = Page {
            turns: (1..).zip(conversation.turns).collect(),
            record: conversation.record,
            children: vec!["agent-1".parse().expect("an id")],
            has_more: false,
            role: None,
            done: Some(Done {
                tool_calls: (1..).zip(conversation.tool_calls).collect(),
            }),
            commits: vec![Commit {
                sha: "abc".into(),
                subject: "Fix it".into(),
            }],
        };
        page.record.session.parent = Some("trunk".parse().expect("an id"));
        let expected = concat!(
            r#"{"schema_version":1,"session_id":"aa","sid":"s5","harness":"claude","author":"ada@example.org","#,
            r#""branch":"main","cwd":"/srv/shop","started_at":"2026-11-02T10:00:00.000Z","#,
            r#""captured_at":"2026-11-02T11:00:00.000Z","parent_session_id":"trunk","child_session_ids":["agent-1"],"#,
            r#""total_turns":1,"turns":[{"turn":1,"role":"human","text":"fix\n\u202eit","ts":"2026-11-02T10:00:00.000Z"}],"#,
            r#""has_more":false,"tool_calls":[{"order":1,"turn":1,"tool":"Edit","path":"src/auth.rs"}],"#,
            r#""files":["src/auth.rs"],"commits":[{"sha":"abc","subject":"Fix it"}]}"#,
        );
        assert_eq!(json(&page), expected);
        page.done = None;
        page.commits.clear();
        page.record.session.parent = None;
        page.turns[0].1.at = None;
        let text = json(&page);
        assert!(text.ends_with(concat!(
            r#""captured_at":"2026-11-02T11:00:00.000Z","child_session_ids":["agent-1"],"total_turns":1,"#,
            r#""turns":[{"turn":1,"role":"human","text":"fix\n\u202eit"}],"has_more":false}"#
        )));
    }
}
