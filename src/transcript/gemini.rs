//! Gemini CLI: `tmp/<project>/chats/session-<time>-<id>.json` of old, `.jsonl` by now.
//!
//! A message is written again, whole, whenever something of it changes, and a person can go back and
//! take messages away: what was said is known at the end of the file alone.

#[cfg(test)]
pub(super) mod tests;

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::arguments::Arguments;
use super::discover::Found;
use super::gather::{Gathered, SoFar};
use super::line::{entries, is_blank};
use super::loose::{Blocks, Flag, FromText, Object, Stamp, Text};
use crate::edge::SessionId;
use crate::session::{Actor, Harness, Role, Session};

/// Behind this stands what files hold that the person named.
const REFERENCED: &str = "--- Content from referenced files ---";

/// What is known beside the messages.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct State {
    id: Option<String>,
    parent: Option<String>,
    subagent: bool,
    folder: Option<String>,
    /// Whether the file is one object rather than lines.
    is_object: bool,
}

/// A line, a message or all of an old file.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Entry {
    session_id: Text,
    kind: Text,
    messages: Blocks<Entry>,
    #[serde(rename = "$set")]
    set: Option<Box<Object<Entry>>>,
    #[serde(rename = "$rewindTo")]
    rewind_to: Text,
    id: Text,
    timestamp: Stamp,
    r#type: Text,
    content: Blocks<Part>,
    display_content: Blocks<Part>,
    tool_calls: Blocks<Call>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Part {
    text: Text,
    thought: Flag,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Call {
    name: Text,
    args: Object<Arguments>,
}

impl FromText for Entry {
    fn from_text(_: String) -> Self {
        Self::default()
    }
}

impl FromText for Part {
    fn from_text(text: String) -> Self {
        Self {
            text: Text(Some(text)),
            thought: Flag(false),
        }
    }
}

impl FromText for Call {
    fn from_text(_: String) -> Self {
        Self::default()
    }
}

/// Whether a file below `tmp` holds a conversation; those of subagents lie in a folder named after the
/// session that started them.
pub(super) fn is_chat(path: &Path) -> bool {
    let above = |levels: usize| path.ancestors().nth(levels).and_then(Path::file_name);
    let is_session = path
        .file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with("session-"));
    let is_json = path.extension().is_some_and(|kind| kind == "json" || kind == "jsonl");
    is_json
        && (is_session && above(1).is_some_and(|name| name == "chats") || above(2).is_some_and(|name| name == "chats"))
}

impl State {
    pub(super) fn new(found: &Found) -> Self {
        let chats = found
            .path
            .ancestors()
            .find(|folder| folder.file_name().is_some_and(|name| name == "chats"));
        // Of the folder that the session was held in, older versions kept nothing but a hash.
        let folder = chats.and_then(|chats| fs::read_to_string(chats.with_file_name(".project_root")).ok());
        let parent = found
            .path
            .parent()
            .filter(|folder| chats.is_some_and(|chats| *folder != chats));
        let parent = parent.and_then(Path::file_name).and_then(|name| name.to_str());
        Self {
            id: None,
            parent: parent.map(str::to_owned),
            subagent: parent.is_some(),
            folder: folder.map(|folder| folder.trim().to_owned()),
            is_object: found.path.extension().is_some_and(|kind| kind == "json"),
        }
    }

    /// Takes in a file, and tells how many of its lines and messages could not be read.
    pub(super) fn take_all(&mut self, file: &[u8], out: &mut Gathered) -> u64 {
        let mut skipped = 0;
        let mut messages = Vec::new();
        let (lines, open_end) = match self.is_object {
            true => (vec![file], false),
            false => (file.split(|byte| *byte == b'\n').collect(), true),
        };
        let last = lines.len().saturating_sub(1);
        for (at, line) in lines.into_iter().enumerate().filter(|(_, line)| !is_blank(line)) {
            let tail = open_end && at == last;
            let (entries, whole) = entries::<Entry>(line, tail);
            skipped += u64::from(!whole && !tail);
            for entry in entries {
                skipped += self.enter(entry, &mut messages);
            }
        }
        out.held_in(self.folder.clone(), None);
        messages.iter().for_each(|message| tell(message, out));
        skipped
    }

    pub(super) fn session(&self, so_far: &SoFar) -> Option<Session> {
        let parent = self.parent.as_deref().and_then(|id| SessionId::try_from(id).ok());
        Some(Session {
            id: SessionId::try_from(self.id.clone()?).ok()?,
            harness: Harness::Gemini,
            actor: if self.subagent { Actor::Agent } else { Actor::Human },
            parent,
            cwd: so_far.cwd.clone(),
            branch: so_far.branch.clone(),
            started_at: so_far.started_at,
        })
    }

    /// Takes in an entry, and tells how many messages of it are of no known kind.
    fn enter(&mut self, entry: Entry, messages: &mut Vec<Entry>) -> u64 {
        if let Some(set) = entry.set {
            return set.0.map_or(1, |set| self.about(set, messages));
        }
        if let Some(id) = &entry.rewind_to.0 {
            if let Some(at) = messages.iter().position(|message| message.id.0.as_ref() == Some(id)) {
                messages.truncate(at);
            }
            return 0;
        }
        match entry.r#type.0.is_some() {
            true => keep(entry, messages),
            false if entry.session_id.0.is_some() => self.about(entry, messages),
            false => 1,
        }
    }

    /// What is said of the session. Its messages are those that the model is shown from now on: what
    /// they leave out was said all the same.
    fn about(&mut self, entry: Entry, messages: &mut Vec<Entry>) -> u64 {
        self.id = self.id.take().or(entry.session_id.0.filter(|id| !id.is_empty()));
        self.subagent |= entry.kind.as_str() == "subagent";
        entry
            .messages
            .0
            .into_iter()
            .map(|message| keep(message, messages))
            .sum()
    }
}

/// Puts a message in the place of the one that it repeats, or behind all others.
fn keep(message: Entry, messages: &mut Vec<Entry>) -> u64 {
    if !matches!(message.r#type.as_str(), "user" | "gemini") {
        return u64::from(!matches!(message.r#type.as_str(), "info" | "warning" | "error"));
    }
    let same = |known: &&mut Entry| message.id.0.is_some() && known.id.0 == message.id.0;
    match messages.iter_mut().rev().find(same) {
        Some(known) => *known = message,
        None => messages.push(message),
    }
    0
}

fn tell(message: &Entry, out: &mut Gathered) {
    let at = message.timestamp.0;
    if message.r#type.as_str() == "user" {
        let shown = said(&message.display_content);
        let text = if shown.is_empty() {
            said(&message.content)
        } else {
            shown
        };
        return out.say(Role::Human, &text, at);
    }
    out.say(Role::Assistant, &said(&message.content), at);
    for call in &message.tool_calls.0 {
        let Some(name) = call.name.0.as_deref() else {
            continue;
        };
        let arguments = call.args.0.as_ref();
        let command = arguments.and_then(Arguments::command);
        out.call(name, arguments.and_then(Arguments::path), command.as_deref());
    }
}

fn said(parts: &Blocks<Part>) -> String {
    let texts = parts
        .0
        .iter()
        .filter(|part| !part.thought.0)
        .map(|part| part.text.as_str().trim());
    let own = texts.take_while(|text| !text.starts_with(REFERENCED));
    own.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}
