//! Claude Code: `projects/<slug>/<sessionId>.jsonl`, and a file for each subagent.
//!
//! A trunk's name is its session's id, whatever the lines say: a resumed or forked session begins
//! with lines copied from another.

#[cfg(test)]
pub(super) mod tests;
mod typed;

use std::path::Path;

use serde::{Deserialize, Serialize};

use self::typed::typed;
use super::discover::{Found, is_subagent};
use super::gather::{Gathered, SoFar, clean};
use super::line::entries;
use super::loose::{Blocks, Flag, FromText, Object, Stamp, Text, Words};
use super::queue::{Queue, Typed};
use crate::edge::SessionId;
use crate::session::{Actor, Harness, Role, Session};

/// How a summary begins in versions that do not mark it.
const CONTINUED: &str = "This session is being continued from a previous conversation";

/// What old versions ask of a subagent before there is anything to do.
const WARMUP: &str = "Warmup";

/// What carries over from line to line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct State {
    /// The session of this file, as far as its name tells.
    id: Option<String>,
    file_stem: String,
    parent: Option<String>,
    subagent: bool,
    recorded_id: Option<String>,
    agent_id: Option<String>,
    queue: Queue,
    /// The number of the last turn that was not steering.
    spoken: u32,
    warmup: bool,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Entry {
    r#type: Text,
    operation: Text,
    content: Blocks<Block>,
    is_meta: Flag,
    is_sidechain: Flag,
    is_compact_summary: Flag,
    is_api_error_message: Flag,
    agent_id: Text,
    session_id: Text,
    timestamp: Stamp,
    cwd: Text,
    git_branch: Text,
    message: Object<Message>,
    attachment: Object<Attachment>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Message {
    model: Text,
    content: Blocks<Block>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Attachment {
    r#type: Text,
    prompt: Blocks<Block>,
    command_mode: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Block {
    r#type: Text,
    text: Text,
    name: Text,
    input: Object<Input>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Input {
    file_path: Text,
    path: Text,
    notebook_path: Text,
    command: Words,
}

impl FromText for Block {
    fn from_text(text: String) -> Self {
        Self {
            r#type: Text(Some("text".to_owned())),
            text: Text(Some(text)),
            ..Self::default()
        }
    }
}

impl Block {
    fn said(&self) -> Option<&str> {
        self.text.0.as_deref().filter(|_| self.r#type.as_str() == "text")
    }
}

impl State {
    pub(super) fn new(found: &Found) -> Self {
        let stem = found
            .path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or_default();
        let subagent = is_subagent(found);
        let is_name = if subagent {
            stem.starts_with("agent-")
        } else {
            is_uuid(stem)
        };
        Self {
            id: is_name.then(|| stem.to_owned()),
            file_stem: stem.to_owned(),
            parent: parent_folder(&found.path),
            subagent,
            recorded_id: None,
            agent_id: None,
            queue: Queue::default(),
            spoken: 0,
            warmup: false,
        }
    }

    pub(super) fn take(&mut self, line: &[u8], tail: bool, out: &mut Gathered) -> bool {
        let (entries, whole) = entries::<Entry>(line, tail);
        entries.into_iter().for_each(|entry| self.enter(entry, out));
        whole
    }

    pub(super) fn session(&self, so_far: &SoFar) -> Option<Session> {
        let recorded = match self.subagent {
            true => self.agent_id.as_ref().map(|id| format!("agent-{id}")),
            false => self.recorded_id.clone(),
        };
        let parent = self
            .parent
            .as_ref()
            .or(self.recorded_id.as_ref())
            .filter(|_| self.subagent);
        let usable = |id: &String| SessionId::try_from(id.as_str()).ok();
        let id = self.id.as_ref().or(recorded.as_ref()).and_then(usable);
        Some(Session {
            id: id.or_else(|| usable(&self.file_stem))?,
            harness: Harness::Claude,
            actor: if self.subagent { Actor::Agent } else { Actor::Human },
            parent: parent.and_then(|id| SessionId::try_from(id.as_str()).ok()),
            cwd: so_far.cwd.clone(),
            branch: so_far.branch.clone(),
            started_at: so_far.started_at,
        })
    }

    fn enter(&mut self, mut entry: Entry, out: &mut Gathered) {
        self.recorded_id = self.recorded_id.take().or(entry.session_id.0.take());
        self.agent_id = self.agent_id.take().or(entry.agent_id.0.take());
        if entry.is_sidechain.0 && !self.subagent {
            out.sidechain += 1;
            return;
        }
        out.held_in(entry.cwd.0.take(), entry.git_branch.0.take());
        match entry.r#type.as_str() {
            "user" => self.user(&entry, out),
            "assistant" => self.assistant(&entry, out),
            "queue-operation" => self.queue(&entry, out),
            "attachment" => self.attachment(&entry, out),
            _ => {}
        }
    }

    fn user(&mut self, entry: &Entry, out: &mut Gathered) {
        let Some(message) = entry.message.0.as_ref().filter(|_| !entry.is_meta.0) else {
            return;
        };
        let recorded = recorded(&message.content);
        if entry.is_compact_summary.0 || recorded.trim_start().starts_with(CONTINUED) {
            return self.say(Role::Summary, &recorded, entry, out);
        }
        let text = self.typed_text(&message.content);
        if self.subagent && out.so_far.turns == 0 && text == WARMUP {
            self.warmup = true;
        }
        match self.queue.typed(&recorded, self.spoken) {
            Typed::Before => {}
            Typed::Waiting => out.say(Role::Steering, &text, entry.timestamp.0),
            Typed::Directly => self.say(Role::Human, &text, entry, out),
        }
    }

    fn assistant(&mut self, entry: &Entry, out: &mut Gathered) {
        let Some(message) = entry.message.0.as_ref() else {
            return;
        };
        if entry.is_api_error_message.0 || message.model.as_str() == "<synthetic>" || self.warmup {
            return;
        }
        let text = recorded(&message.content);
        if text.trim() != "(no content)" {
            self.say(Role::Assistant, &text, entry, out);
        }
        for block in message
            .content
            .0
            .iter()
            .filter(|block| block.r#type.as_str() == "tool_use")
        {
            let none = Input::default();
            let input = block.input.0.as_ref().unwrap_or(&none);
            let path = [&input.file_path, &input.path, &input.notebook_path]
                .iter()
                .find_map(|p| p.0.as_deref());
            let command = (!input.command.0.is_empty()).then(|| input.command.0.join(" "));
            out.call(block.name.as_str(), path, command.as_deref());
        }
    }

    fn queue(&mut self, entry: &Entry, out: &mut Gathered) {
        let recorded = recorded(&entry.content);
        let named = Some(recorded.as_str()).filter(|text| !text.is_empty());
        match (entry.operation.as_str(), named) {
            ("enqueue", _) => {
                let text = clean(&self.typed_text(&entry.content));
                self.queue.enqueue(&recorded, text, entry.timestamp.0);
            }
            ("dequeue", _) => self.queue.dequeue(entry.timestamp.0),
            ("remove", None) => {
                if let Some(message) = self.queue.take_next(out.so_far.turns) {
                    out.say(Role::Steering, &message.text, message.at);
                }
            }
            _ => self.queue.take_back(named),
        }
    }

    fn attachment(&mut self, entry: &Entry, out: &mut Gathered) {
        let Some(attachment) = entry.attachment.0.as_ref() else {
            return;
        };
        let typed = matches!(attachment.command_mode.as_str(), "" | "prompt");
        if attachment.r#type.as_str() != "queued_command" || entry.is_meta.0 {
            return;
        }
        let is_news = self.queue.is_news(&recorded(&attachment.prompt), out.so_far.turns);
        if is_news && typed {
            out.say(Role::Steering, &self.typed_text(&attachment.prompt), entry.timestamp.0);
        }
    }

    fn say(&mut self, role: Role, text: &str, entry: &Entry, out: &mut Gathered) {
        if self.warmup {
            return;
        }
        let before = out.so_far.turns;
        out.say(role, text, entry.timestamp.0);
        if out.so_far.turns > before {
            self.spoken = out.so_far.turns;
        }
    }

    /// What the person typed, of what stands in the person's name.
    fn typed_text(&self, content: &Blocks<Block>) -> String {
        let texts = content.0.iter().filter_map(Block::said);
        let typed = texts.map(|text| typed(text, self.subagent));
        typed.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
    }
}

/// All text blocks as recorded.
fn recorded(content: &Blocks<Block>) -> String {
    content.0.iter().filter_map(Block::said).collect::<Vec<_>>().join("\n")
}

/// The session in whose folder a subagent's file lies.
fn parent_folder(path: &Path) -> Option<String> {
    let subagents = path.ancestors().find(|folder| folder.ends_with("subagents"))?;
    Some(subagents.parent()?.file_name()?.to_str()?.to_owned())
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, b)| match at {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}
