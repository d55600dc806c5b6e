//! What the person says in a message that the program wrote in the person's name.

use serde::Deserialize;

use super::super::loose::Text;
use super::super::tags::{behind, inside, opening, without};
use super::Block;
use crate::time::{Millis, parse_rfc3339};

/// What is put around the words of a person.
const WRAPS: [&str; 6] = [
    "task",
    "feedback",
    "answer",
    "user_message",
    "user_input",
    "user_command",
];

/// What the program puts before them.
const PLUMBING: [&str; 4] = ["explicit_instructions", "mode_notice", "hook_context", "file_content"];

/// How texts begin that the program says itself.
const OWN: [&str; 8] = [
    "[TASK RESUMPTION]",
    "[ERROR]",
    "[NOTE]",
    "# task_progress",
    "# TODO LIST",
    "Skipping tool [",
    "Tool [",
    "If you have completed the user's task",
];

/// Behind which the result of a tool stands, in the same text or in the next one.
const RESULT: &str = "] Result:";

/// No sentence of the program before an answer is longer.
const SENTENCES: usize = 1500;

/// The answer of a person to a tool, in newer versions.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Reply {
    status: Text,
    feedback: Text,
}

/// What a message says of the surroundings.
pub(super) struct Details<'a> {
    /// The folder that is worked in.
    pub(super) folder: Option<&'a str>,
    /// The time.
    pub(super) at: Option<Millis>,
}

impl<'a> Details<'a> {
    pub(super) fn find(text: &'a str) -> Option<Self> {
        let details = inside(text, "environment_details")?;
        let behind = |mark: &str| details.split_once(mark)?.1.lines().next();
        let folder = behind("# Current Workspace Directory (").or_else(|| behind("# Current Working Directory ("));
        Some(Self {
            folder: folder.and_then(|line| Some(line.rsplit_once(')')?.0)),
            at: behind("Current time in ISO 8601 UTC format: ").and_then(|time| parse_rfc3339(time.trim())),
        })
    }
}

/// The words of the person in a message.
pub(super) fn typed(blocks: &[Block]) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut is_result = false;
    for block in blocks {
        match block.r#type.as_str() {
            "text" | "" => {
                let text = without(block.text.as_str(), "environment_details");
                let begins = begins_result(&text);
                words.extend(match is_result || begins {
                    true => answer(&text),
                    false => said(&text),
                });
                is_result = begins && text.trim_end().ends_with(RESULT);
            }
            "tool_result" => words.extend(block.content.0.iter().filter_map(|part| answer(part.text.as_str()))),
            _ => {}
        }
    }
    words.join("\n")
}

/// `[read_file for 'a.rs'] Result:` and what follows.
fn begins_result(text: &str) -> bool {
    let Some(named) = text.trim_start().strip_prefix('[') else {
        return false;
    };
    let behind = named.trim_start_matches(|c: char| c.is_ascii_lowercase() || c == '_');
    behind.len() < named.len() && behind.starts_with([']', ' ']) && behind.contains(RESULT)
}

/// The words in a text that is no result.
fn said(text: &str) -> Option<String> {
    let text = behind(text, |name| PLUMBING.contains(&name)).trim();
    if OWN.iter().any(|own| text.starts_with(own)) {
        return answer(text);
    }
    let Some((name, after)) = opening(text).filter(|(name, _)| WRAPS.contains(name)) else {
        return Some(text.to_owned()).filter(|text| !text.is_empty());
    };
    let end = after.find(&format!("</{name}>")).unwrap_or(after.len());
    Some(behind(&after[..end], |name| PLUMBING.contains(&name)).trim().to_owned())
}

/// The words in the result of a tool, which the program introduces by a sentence or not at all. What a tool
/// found may hold such marks too.
fn answer(text: &str) -> Option<String> {
    if let Ok(Reply { status, feedback }) = serde_json::from_str(text)
        && matches!(status.as_str(), "denied" | "approved" | "guidance")
    {
        return feedback.0;
    }
    let result = text.split_once(RESULT).map_or(text, |(_, result)| result);
    ["feedback", "answer", "user_message"].into_iter().find_map(|name| {
        let (before, _) = result.split_once(&format!("<{name}>"))?;
        let before = before.trim();
        let is_introduced = before.is_empty() || before.ends_with(':') || before.contains("provided feedback");
        let is_meant = is_introduced && before.len() < SENTENCES;
        inside(result, name).filter(|_| is_meant).map(str::to_owned)
    })
}
