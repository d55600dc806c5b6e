//! Codex: `sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl[.zst]`.
//!
//! What was said is written as `response_item` in every version, for the model, and most versions
//! write it again as an event, for the screen. Both are read and each message is taken once.

mod asked;
#[cfg(test)]
pub(super) mod tests;
mod tool;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::asked::asked;
use self::tool::{Arguments, call};
use super::discover::Found;
use super::gather::{Gathered, SoFar};
use super::line::entries;
use super::loose::{Blocks, FromText, Object, Stamp, Text};
use crate::edge::SessionId;
use crate::hash::fnv64;
use crate::session::{Actor, Harness, Role, Session};
use crate::time::Millis;

/// How many messages are remembered until they are told a second time.
const REMEMBERED: usize = 16;

/// What carries over from line to line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct State {
    /// The id in the file's name, until the file names its own.
    id: Option<String>,
    own: bool,
    parent: Option<String>,
    subagent: bool,
    /// Within what a subagent was given of its parent's history.
    copied: bool,
    running: bool,
    /// Whether the message that the agent is at work on was seen.
    prompted: bool,
    /// Prints of messages, and whether an event told them.
    heard: VecDeque<(u64, bool)>,
}

/// A line, or the payload of one: old versions wrote payloads bare.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Entry {
    timestamp: Stamp,
    r#type: Text,
    payload: Option<Box<Object<Entry>>>,
    id: Text,
    session_id: Text,
    parent_thread_id: Text,
    forked_from_id: Text,
    turn_id: Text,
    cwd: Text,
    git: Object<Git>,
    source: Value,
    role: Text,
    content: Blocks<Block>,
    message: Text,
    name: Text,
    namespace: Text,
    arguments: Text,
    input: Text,
    action: Object<Arguments>,
    item: Option<Box<Object<Entry>>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Git {
    branch: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Block {
    r#type: Text,
    text: Text,
}

impl FromText for Block {
    fn from_text(text: String) -> Self {
        Self {
            r#type: Text(Some("text".to_owned())),
            text: Text(Some(text)),
        }
    }
}

impl State {
    pub(super) fn new(found: &Found) -> Self {
        let name = found
            .path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        // rollout-2026-01-02T03-04-05-<id>.jsonl
        let id = name
            .split('.')
            .next()
            .and_then(|stem| stem.get(28..))
            .filter(|id| !id.is_empty());
        Self {
            id: id.map(str::to_owned),
            own: false,
            parent: None,
            subagent: false,
            copied: false,
            running: false,
            prompted: false,
            heard: VecDeque::new(),
        }
    }

    pub(super) fn take(&mut self, line: &[u8], tail: bool, out: &mut Gathered) -> bool {
        let (entries, whole) = entries::<Entry>(line, tail);
        entries.into_iter().for_each(|entry| self.enter(entry, out));
        whole
    }

    pub(super) fn session(&self, so_far: &SoFar) -> Option<Session> {
        let parent = self.parent.as_deref().and_then(|id| SessionId::try_from(id).ok());
        Some(Session {
            id: SessionId::try_from(self.id.clone()?).ok()?,
            harness: Harness::Codex,
            actor: if self.subagent { Actor::Agent } else { Actor::Human },
            parent,
            cwd: so_far.cwd.clone(),
            branch: so_far.branch.clone(),
            started_at: so_far.started_at,
        })
    }

    fn enter(&mut self, line: Entry, out: &mut Gathered) {
        let at = line.timestamp.0;
        let (kind, entry) = match line.payload {
            Some(payload) => match payload.0 {
                Some(entry) => (line.r#type, entry),
                None => return,
            },
            None => (Text(None), line),
        };
        match kind.as_str() {
            "session_meta" => self.meta(entry, out),
            "turn_context" => self.turn_context(entry, out),
            "response_item" => self.response_item(&entry, at, out),
            "event_msg" => self.event(entry, at, out),
            "compacted" if !self.copied => out.say(Role::Summary, entry.message.as_str(), at),
            "" if entry.r#type.0.is_some() => self.response_item(&entry, at, out),
            "" if entry.id.0.is_some() => self.meta(entry, out),
            _ => {}
        }
    }

    /// The first names the file's own session; those of other sessions came with copied history.
    fn meta(&mut self, entry: Entry, out: &mut Gathered) {
        let id = entry.id.0.or(entry.session_id.0).filter(|id| !id.is_empty());
        let branch = entry.git.0.and_then(|git| git.branch.0);
        if self.own {
            if id.is_some() && id == self.id {
                out.held_in(None, branch);
            }
            return;
        }
        self.own = true;
        self.id = id.or(self.id.take());
        let spawned = entry
            .source
            .pointer("/subagent/thread_spawn/parent_thread_id")
            .and_then(Value::as_str);
        self.subagent = entry.source.get("subagent").is_some() || entry.parent_thread_id.0.is_some();
        if self.subagent {
            self.parent = entry
                .parent_thread_id
                .0
                .or(spawned.map(str::to_owned))
                .or(entry.forked_from_id.0);
        }
        out.held_in(entry.cwd.0, branch);
    }

    fn turn_context(&mut self, entry: Entry, out: &mut Gathered) {
        self.note_turn(entry.turn_id.as_str());
        if !self.copied {
            out.held_in(entry.cwd.0, None);
        }
    }

    /// The ids of turns and sessions are UUIDs that grow with time: a turn older than a subagent is
    /// its parent's.
    fn note_turn(&mut self, turn: &str) {
        let is_timed = |id: &str| id.len() == 36 && id.as_bytes()[14] == b'7';
        if let Some(own) = self
            .id
            .as_deref()
            .filter(|own| self.subagent && is_timed(own) && is_timed(turn))
        {
            self.copied = turn < own;
        }
    }

    fn event(&mut self, entry: Entry, at: Option<Millis>, out: &mut Gathered) {
        match entry.r#type.as_str() {
            "task_started" | "turn_started" => {
                self.note_turn(entry.turn_id.as_str());
                (self.running, self.prompted) = (true, false);
            }
            "task_complete" | "turn_complete" | "turn_aborted" => {
                (self.running, self.prompted) = (false, false);
                self.heard.clear();
            }
            "user_message" => self.message(Role::Human, &asked(entry.message.as_str()), true, at, out),
            "agent_message" => self.message(Role::Assistant, entry.message.as_str().trim(), true, at, out),
            "item_completed" => {
                let Some(item) = entry.item.and_then(|item| item.0) else {
                    return;
                };
                match item.r#type.as_str() {
                    "UserMessage" => self.message(Role::Human, &said(&item.content, asked), true, at, out),
                    "AgentMessage" => self.message(Role::Assistant, &said(&item.content, as_is), true, at, out),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn response_item(&mut self, entry: &Entry, at: Option<Millis>, out: &mut Gathered) {
        match (entry.r#type.as_str(), entry.role.as_str()) {
            ("message" | "", "user") => self.message(Role::Human, &said(&entry.content, asked), false, at, out),
            ("message" | "", "assistant") => {
                self.message(Role::Assistant, &said(&entry.content, as_is), false, at, out)
            }
            ("function_call" | "custom_tool_call" | "local_shell_call", _) if !self.copied => call(entry, out),
            _ => {}
        }
    }

    fn message(&mut self, role: Role, text: &str, event: bool, at: Option<Millis>, out: &mut Gathered) {
        if text.is_empty() || self.copied {
            return;
        }
        let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let print = fnv64(folded.as_bytes()) ^ u64::from(role == Role::Human);
        let told = self
            .heard
            .iter()
            .position(|&(heard, by_event)| heard == print && by_event != event);
        match told {
            Some(told) => drop(self.heard.remove(told)),
            None => {
                let steering = role == Role::Human && self.running && self.prompted;
                out.say(if steering { Role::Steering } else { role }, text, at);
                self.heard.push_back((print, event));
                if self.heard.len() > REMEMBERED {
                    self.heard.pop_front();
                }
            }
        }
        self.prompted |= role == Role::Human;
    }
}

fn said(content: &Blocks<Block>, each: impl Fn(&str) -> String) -> String {
    let is_text = |block: &&Block| block.r#type.as_str().to_ascii_lowercase().ends_with("text");
    let texts = content.0.iter().filter(is_text).map(|block| each(block.text.as_str()));
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

fn as_is(text: &str) -> String {
    text.trim().to_owned()
}
