//! Cursor's agent: `projects/<folder>/agent-transcripts/<id>/<id>.jsonl`, those of subagents in `subagents/` below.
//!
//! A line says no time. What the person typed is preceded by one in newer versions, which holds for what follows;
//! else the time at which the file was written is all that is known when a line is read first. The folder
//! is named in the path with everything but letters and digits made `-`, so it is believed only where
//! it is spelled out as well: in a file beside, or in the path of a file that was worked on.

#[cfg(test)]
pub(super) mod tests;

use std::fs;
use std::path::Path;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::discover::Found;
use super::gather::{Gathered, SoFar};
use super::line::{entries, value};
use super::loose::{Blocks, FromText, Object, Text, Words};
use super::tags::{behind, inside};
use crate::edge::SessionId;
use crate::session::{Actor, Harness, Role, Session};
use crate::time::Millis;

/// What the program tells its model of in the person's name.
const PLUMBING: [&str; 12] = [
    "timestamp",
    "system_reminder",
    "system_notification",
    "user_info",
    "git_status",
    "project_layout",
    "open_and_recently_viewed_files",
    "attached_files",
    "additional_data",
    "external_links",
    "image_files",
    "manually_attached_skills",
];

/// Stands where the agent's thoughts were taken out.
const TAKEN_OUT: &str = "[REDACTED]";

/// What carries over from line to line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct State {
    id: Option<String>,
    parent: Option<String>,
    /// The folder as the path names it, and as it is.
    named: String,
    folder: Option<String>,
    /// When the person typed what is answered.
    at: Option<Millis>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Entry {
    role: Text,
    r#type: Text,
    message: Object<Message>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Message {
    content: Blocks<Block>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Block {
    r#type: Text,
    text: Text,
    name: Text,
    input: Object<Input>,
}

/// What a tool is called with.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Input {
    path: Text,
    #[serde(rename = "file_path")]
    file_path: Text,
    #[serde(rename = "target_file")]
    target_file: Text,
    #[serde(rename = "working_directory")]
    working_directory: Text,
    command: Words,
    server: Text,
    tool_name: Text,
}

/// `.workspace-trusted` of a project.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Trusted {
    workspace_path: Text,
}

impl FromText for Block {
    fn from_text(text: String) -> Self {
        Self {
            text: Text(Some(text)),
            ..Self::default()
        }
    }
}

impl State {
    pub(super) fn new(found: &Found) -> Self {
        let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
        let mut above = found.path.ancestors().skip(1);
        let parent = above.clone().next().filter(|folder| folder.ends_with("subagents"));
        let project = above
            .find(|folder| folder.ends_with("agent-transcripts"))
            .and_then(Path::parent);
        let trusted = project.and_then(|project| fs::read(project.join(".workspace-trusted")).ok());
        let trusted = trusted.and_then(|file| value::<Trusted>(&file));
        Self {
            id: found.path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned),
            parent: parent.and_then(Path::parent).and_then(name),
            named: project.and_then(name).unwrap_or_default(),
            folder: trusted.and_then(|trusted| trusted.workspace_path.0),
            at: None,
        }
    }

    /// Takes in a line. `false`: it could not be read, or is of no known kind.
    pub(super) fn take(&mut self, line: &[u8], tail: bool, out: &mut Gathered) -> bool {
        let (entries, whole) = entries::<Entry>(line, tail);
        let are_known = entries.iter().all(Entry::is_known);
        // What may be completed later is taken in once.
        if are_known || !tail {
            entries.into_iter().for_each(|entry| self.enter(entry, out));
        }
        whole && are_known
    }

    pub(super) fn session(&self, so_far: &SoFar) -> Option<Session> {
        let parent = self.parent.as_deref().and_then(|id| SessionId::try_from(id).ok());
        Some(Session {
            id: SessionId::try_from(self.id.clone()?).ok()?,
            harness: Harness::Cursor,
            actor: if self.parent.is_some() {
                Actor::Agent
            } else {
                Actor::Human
            },
            parent,
            cwd: so_far.cwd.clone(),
            branch: so_far.branch.clone(),
            started_at: so_far.started_at,
        })
    }

    fn enter(&mut self, entry: Entry, out: &mut Gathered) {
        let Blocks(blocks) = entry.message.0.unwrap_or_default().content;
        out.held_in(self.folder.clone(), None);
        let texts = blocks
            .iter()
            .filter(|block| matches!(block.r#type.as_str(), "text" | ""));
        let text = texts.map(|block| block.text.as_str()).collect::<Vec<_>>().join("\n");
        if entry.role.as_str() == "user" {
            self.at = time(&text);
            return out.say(Role::Human, typed(&text), self.at.or(out.written));
        }
        if entry.role.as_str() == "assistant" {
            let spoken = text.split('\n').filter(|line| line.trim() != TAKEN_OUT);
            let spoken = spoken.collect::<Vec<_>>().join("\n");
            out.say(Role::Assistant, &spoken, self.at.or(out.written));
            for block in &blocks {
                self.call(block, out);
            }
        }
    }

    fn call(&self, block: &Block, out: &mut Gathered) {
        let (Some(name), "tool_use") = (&block.name.0, block.r#type.as_str()) else {
            return;
        };
        let none = Input::default();
        let input = block.input.0.as_ref().unwrap_or(&none);
        let name = match (&input.server.0, &input.tool_name.0) {
            // A server of the person's own has `user-` before its name.
            (Some(server), Some(tool)) => format!("mcp__{}__{tool}", server.trim_start_matches("user-")),
            _ => name.clone(),
        };
        let paths = [&input.path, &input.file_path, &input.target_file];
        let path = paths.into_iter().find_map(|path| path.0.as_deref());
        let places = path.into_iter().chain(input.working_directory.0.as_deref());
        out.held_in(places.filter_map(|place| self.folder_around(place)).next(), None);
        let command = Some(input.command.0.join(" ")).filter(|command| !command.is_empty());
        out.call(&name, path, command.as_deref());
    }

    /// The folder around a place that the path of the transcript names.
    fn folder_around(&self, place: &str) -> Option<String> {
        let mut folders = Path::new(place).ancestors().filter(|folder| folder.is_absolute());
        let folder = folders.find(|folder| folder.to_str().map(named).as_ref() == Some(&self.named))?;
        folder.to_str().filter(|folder| folder.len() > 1).map(str::to_owned)
    }
}

impl Entry {
    /// A line of another kind than a message says what it is.
    fn is_known(&self) -> bool {
        matches!(self.role.as_str(), "user" | "assistant" | "system" | "tool") || self.r#type.0.is_some()
    }
}

/// How a folder is named in the path of its transcripts.
fn named(folder: &str) -> String {
    let words = folder.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}

/// The words of the person. What a task in the background came to is told with words of the program's.
fn typed(text: &str) -> &str {
    let rest = behind(text, |name| name == "timestamp");
    if rest.starts_with("<system_notification>") {
        return "";
    }
    inside(rest, "user_query").unwrap_or_else(|| behind(rest, |name| PLUMBING.contains(&name)))
}

/// `<timestamp>Sunday, Jul 26, 2026, 1:06 PM (UTC+3)</timestamp>`.
fn time(text: &str) -> Option<Millis> {
    let (date, offset) = inside(text, "timestamp")?.strip_suffix(')')?.split_once(" (UTC")?;
    let (_weekday, date) = date.split_once(", ")?;
    let utc = DateTime::strptime("%b %d, %Y, %I:%M %p", date).ok()?;
    let at = utc.to_zoned_datetime(TimeZone::UTC).ok()?.timestamp().as_millisecond();
    let (hours, minutes) = offset.split_once(':').unwrap_or((offset, "0"));
    let hours: i8 = if hours.is_empty() { 0 } else { hours.parse().ok()? };
    let minutes: i8 = minutes.parse().ok()?;
    let minutes = i64::from(minutes);
    let east = i64::from(hours) * 60 + if offset.starts_with('-') { -minutes } else { minutes };
    u64::try_from(at - east * 60_000).ok()
}
