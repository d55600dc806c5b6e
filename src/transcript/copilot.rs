//! Copilot CLI: `session-state/<id>/events.jsonl`.

#[cfg(test)]
pub(super) mod tests;

use serde::{Deserialize, Serialize};

use super::arguments::Arguments;
use super::discover::Found;
use super::gather::{Gathered, SoFar};
use super::line::entries;
use super::loose::{Object, Stamp, Text};
use crate::edge::SessionId;
use crate::session::{Actor, Harness, Role, Session};

/// What carries over from line to line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct State {
    /// The folder's name, until the file says another.
    id: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Entry {
    timestamp: Stamp,
    r#type: Text,
    data: Object<Data>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Data {
    session_id: Text,
    context: Object<Context>,
    content: Text,
    tool_name: Text,
    arguments: Object<Arguments>,
    parent_tool_call_id: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Context {
    cwd: Text,
    branch: Text,
}

impl State {
    pub(super) fn new(found: &Found) -> Self {
        let folder = found.path.parent().and_then(|folder| folder.file_name());
        Self {
            id: folder.and_then(|name| name.to_str()).map(str::to_owned),
        }
    }

    /// Takes in a line. `false`: it could not be read, or is no event.
    pub(super) fn take(&mut self, line: &[u8], tail: bool, out: &mut Gathered) -> bool {
        let (entries, whole) = entries::<Entry>(line, tail);
        let are_events = entries.iter().all(|entry| entry.r#type.0.is_some());
        // What may be completed later is taken in once.
        if are_events || !tail {
            entries.into_iter().for_each(|entry| self.enter(entry, out));
        }
        whole && are_events
    }

    pub(super) fn session(&self, so_far: &SoFar) -> Option<Session> {
        Some(Session {
            id: SessionId::try_from(self.id.clone()?).ok()?,
            harness: Harness::Copilot,
            actor: Actor::Human,
            parent: None,
            cwd: so_far.cwd.clone(),
            branch: so_far.branch.clone(),
            started_at: so_far.started_at,
        })
    }

    fn enter(&mut self, entry: Entry, out: &mut Gathered) {
        let (at, kind) = (entry.timestamp.0, entry.r#type);
        let Some(data) = entry.data.0 else {
            return;
        };
        // A subagent writes into the file of the session that called it.
        if data.parent_tool_call_id.0.is_some() {
            out.sidechain += 1;
            return;
        }
        match kind.as_str() {
            "session.start" | "session.resume" => {
                if kind.as_str() == "session.start" {
                    self.id = data.session_id.0.filter(|id| !id.is_empty()).or(self.id.take());
                }
                if let Some(context) = data.context.0 {
                    out.held_in(context.cwd.0, context.branch.0);
                }
            }
            "user.message" => out.say(Role::Human, data.content.as_str(), at),
            "assistant.message" => out.say(Role::Assistant, data.content.as_str(), at),
            "tool.execution_start" if data.tool_name.0.is_some() => {
                let arguments = data.arguments.0.unwrap_or_default();
                let command = arguments.command();
                out.call(data.tool_name.as_str(), arguments.path(), command.as_deref());
            }
            _ => {}
        }
    }
}
