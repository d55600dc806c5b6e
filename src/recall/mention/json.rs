//! Mentions as one compact JSON object. What is absent is left out, and nothing in it is unsafe on a
//! terminal.

use serde::Serialize;

use super::scan::{Mention, Mentions};
use crate::hint::safe_json;
use crate::session::Role;
use crate::time::format_rfc3339;

/// The object, without a line end.
pub fn json(mentions: &Mentions) -> String {
    let object = Object {
        schema_version: 1,
        text: &mentions.text,
        total: mentions.total,
        mentions: mentions.shown.iter().map(Row::of).collect(),
    };
    // Only a map with keys that are no text, or a failing writer, could refuse.
    serde_json::to_string(&object).map_or_else(|_| String::new(), |json| safe_json(&json))
}

#[derive(Serialize)]
struct Object<'a> {
    schema_version: u32,
    text: &'a str,
    total: usize,
    mentions: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    session_id: &'a str,
    sid: String,
    turn: u32,
    role: Role,
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<String>,
    count: usize,
    snippet: &'a str,
}

impl<'a> Row<'a> {
    fn of(mention: &'a Mention) -> Self {
        Self {
            session_id: mention.session.as_str(),
            sid: format!("s{}", mention.number),
            turn: mention.turn,
            role: mention.role,
            ts: mention.at.map(format_rfc3339),
            count: mention.count,
            snippet: &mention.snippet,
        }
    }
}
