//! Cline and Roo Code: `tasks/<id>/api_conversation_history.json` of an editor, `sessions/<id>/<id>.messages.json`
//! of a terminal.
//!
//! A file is what the model is shown, written anew as a whole after each message: most of what it is shown
//! in the person's name the program put there. Of what the program knows of a session, some lies in files beside it.

mod tool;
mod typed;

#[cfg(test)]
pub(super) mod tests;

use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::tool::{Input, spoken};
use self::typed::{Details, typed};
use super::discover::Found;
use super::gather::{Gathered, SoFar};
use super::line::value;
use super::loose::{Blocks, Flag, FromText, Object, Stamp, Text};
use crate::edge::SessionId;
use crate::session::{Actor, Harness, Role, Session};
use crate::time::Millis;

/// How a file of a session in a terminal ends.
const MESSAGES: &str = ".messages.json";

/// How many digits a time in milliseconds has, from 2001 to 2286.
const DIGITS: usize = 13;

/// What is known beside the messages.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct State {
    id: Option<String>,
    harness: Harness,
    parent: Option<String>,
    subagent: bool,
    folder: Option<String>,
    /// The file itself, beside which others lie.
    #[serde(skip)]
    file: PathBuf,
}

/// A message, or a file that holds them.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Entry {
    messages: Blocks<Entry>,
    session_id: Text,
    agent: Text,
    role: Text,
    content: Blocks<Block>,
    ts: Stamp,
    is_summary: Flag,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Block {
    r#type: Text,
    text: Text,
    content: Blocks<Block>,
    name: Text,
    input: Object<Input>,
}

/// What lies beside a task or session: where it is held, and which one started it.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Beside {
    id: Text,
    cwd: Text,
    workspace_root: Text,
    workspace: Text,
    #[serde(rename = "cwdOnTaskInitialization")]
    begun_in: Text,
    #[serde(rename = "parentTaskId")]
    parent: Text,
}

/// What the person was shown: `conversationHistoryIndex` tells which message was the last one by then.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Shown {
    ts: Stamp,
    conversation_history_index: Value,
}

impl FromText for Entry {
    fn from_text(_: String) -> Self {
        Self::default()
    }
}

impl FromText for Block {
    fn from_text(text: String) -> Self {
        Self {
            text: Text(Some(text)),
            ..Self::default()
        }
    }
}

/// Whether a file of this name holds what was said.
pub(super) fn is_conversation(name: &str) -> bool {
    name == "api_conversation_history.json" || name.ends_with(MESSAGES)
}

impl State {
    pub(super) fn new(found: &Found) -> Self {
        let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
        let folder = found.path.parent().unwrap_or(Path::new(""));
        let own = name(&found.path).and_then(|name| name.strip_suffix(MESSAGES).map(str::to_owned));
        let beside = match &own {
            Some(id) => format!("{id}.json"),
            None => "history_item.json".to_owned(),
        };
        let beside: Beside = read(&folder.join(beside)).unwrap_or_default();
        Self {
            id: own.or_else(|| name(folder)),
            harness: found.harness,
            subagent: beside.parent.0.is_some(),
            folder: beside.folder(),
            parent: beside.parent.0,
            file: found.path.clone(),
        }
    }

    /// Takes in a file, and tells how many of its messages could not be read.
    pub(super) fn take_all(&mut self, file: &[u8], out: &mut Gathered) -> u64 {
        let Some(Blocks(entries)) = value::<Blocks<Entry>>(file) else {
            return 1;
        };
        let mut messages = Vec::new();
        for entry in entries {
            match entry.is_file() {
                true => messages.extend(self.about(entry)),
                false => messages.push(entry),
            }
        }
        out.held_in(self.folder.clone(), None);
        let stamps = self.stamps(&messages);
        let mut skipped = 0;
        for (message, at) in messages.iter().zip(stamps) {
            skipped += u64::from(!tell(message, at, out));
        }
        if out.so_far.cwd.is_none() {
            out.held_in(self.listed_folder(), None);
        }
        skipped
    }

    pub(super) fn session(&self, so_far: &SoFar) -> Option<Session> {
        let parent = self.parent.as_deref().and_then(|id| SessionId::try_from(id).ok());
        Some(Session {
            id: SessionId::try_from(self.id.clone()?).ok()?,
            harness: self.harness,
            actor: if self.subagent { Actor::Agent } else { Actor::Human },
            parent,
            cwd: so_far.cwd.clone(),
            branch: so_far.branch.clone(),
            started_at: so_far.started_at,
        })
    }

    /// What a file says of its session. Agents that the leading one started write files of their own.
    fn about(&mut self, file: Entry) -> Vec<Entry> {
        if !matches!(file.agent.as_str(), "" | "lead") {
            self.subagent = true;
            self.parent = file.session_id.0.filter(|id| self.id.as_ref() != Some(id));
        }
        file.messages.0
    }

    /// When each message was written: as it says itself, or as what the person was shown says. The first
    /// is as old as the task, which is named after that time.
    fn stamps(&self, messages: &[Entry]) -> Vec<Option<Millis>> {
        let own = |message: &Entry| message.ts.0.or_else(|| details(message).and_then(|details| details.at));
        let mut stamps: Vec<Option<Millis>> = messages.iter().map(own).collect();
        if stamps.contains(&None) {
            let shown: Blocks<Shown> = read(&self.file.with_file_name("ui_messages.json")).unwrap_or_default();
            for (stamp, at) in stamps.iter_mut().zip(0..).filter(|(stamp, _)| stamp.is_none()) {
                let behind = |shown: &&Shown| shown.conversation_history_index.as_i64().is_some_and(|last| last >= at);
                *stamp = shown.0.iter().find(behind).and_then(|shown| shown.ts.0);
            }
        }
        if let Some(first @ None) = stamps.first_mut() {
            let id = self.id.as_ref().filter(|id| id.len() == DIGITS);
            *first = id.and_then(|id| id.parse().ok());
        }
        stamps
    }

    /// The folder that the list of all tasks names.
    fn listed_folder(&self) -> Option<String> {
        let root = self.file.ancestors().nth(3)?;
        let all: Blocks<Beside> = read(&root.join("state/taskHistory.json"))?;
        let own = all
            .0
            .into_iter()
            .find(|task| task.id.0.is_some() && task.id.0 == self.id);
        own?.folder()
    }
}

impl Entry {
    fn is_file(&self) -> bool {
        !self.messages.0.is_empty() || self.role.0.is_none() && self.session_id.0.is_some()
    }
}

impl Beside {
    fn folder(&self) -> Option<String> {
        let folders = [&self.cwd, &self.workspace_root, &self.workspace, &self.begun_in];
        folders.into_iter().find_map(|folder| folder.0.clone())
    }
}

impl FromText for Beside {
    fn from_text(_: String) -> Self {
        Self::default()
    }
}

impl FromText for Shown {
    fn from_text(_: String) -> Self {
        Self::default()
    }
}

/// What a file beside holds; nothing, where it is missing or something else.
fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    value(&fs::read(path).ok()?)
}

/// What the program says of its surroundings in a message.
fn details(message: &Entry) -> Option<Details<'_>> {
    let texts = message.content.0.iter().map(|block| block.text.as_str());
    texts
        .filter(|_| message.role.as_str() == "user")
        .find_map(Details::find)
}

/// `false`: it is of no known kind.
fn tell(message: &Entry, at: Option<Millis>, out: &mut Gathered) -> bool {
    let role = |own| if message.is_summary.0 { Role::Summary } else { own };
    match message.role.as_str() {
        "user" => {
            let folder = details(message).and_then(|details| details.folder);
            out.held_in(folder.map(str::to_owned), None);
            out.say(role(Role::Human), &typed(&message.content.0), at);
        }
        "assistant" => {
            let spoken = spoken(&message.content.0);
            out.say(role(Role::Assistant), &spoken.text, at);
            for call in &spoken.calls {
                out.call(&call.tool, call.path.as_deref(), call.command.as_deref());
            }
        }
        "system" | "tool" => {}
        _ => return false,
    }
    true
}
