//! Aider: `.aider.chat.history.md`, one file for every chat that was held in a folder.
//!
//! What the person typed stands behind `#### `, what the program says behind `> `, and all else is the
//! agent's. A chat has no id and but one time, in its heading: it is known by the file and that time.
//!
//! The file only grows, so it is read on from the heading of the last chat that was read, which is read
//! anew; the others stay. A history that was moved is another one.

#[cfg(test)]
pub(super) mod tests;

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::discover::Found;
use super::gather::{Gathered, SoFar};
use super::line::{Lines, is_blank};
use super::position::Position;
use super::read::{Parser, Reading};
use crate::edge::SessionId;
use crate::hash::fnv64;
use crate::session::{Actor, Harness, Role, Session};
use crate::time::Millis;

/// The name of a history, in the folder that Aider works in.
pub const AIDER_HISTORY: &str = ".aider.chat.history.md";

/// What a chat begins with; its local time follows.
const HEADING: &str = "# aider chat started at ";

/// What the program says when the person breaks an answer off.
const BROKEN_OFF: &str = "> ^C";

/// What carries over to the next reading.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct State {
    /// The heading of the chat that is read on from, and how many before it say the same.
    heading: String,
    same: u32,
    /// Lines before the first chat.
    skipped: u64,
}

/// Who speaks in a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Speaker {
    #[default]
    Nobody,
    Person,
    Agent,
    Program,
}

/// A chat as it is read.
#[derive(Default)]
struct Chat {
    /// Where its heading begins.
    begins: u64,
    heading: String,
    same: u32,
    at: Option<Millis>,
    speaker: Speaker,
    said: String,
    /// The backticks that opened the code the lines stand in.
    fence: Option<usize>,
    /// What was asked by a command; the program repeats it as if it were typed again.
    asked: String,
    gathered: Gathered,
}

/// Reads the chats from the one on that was read last.
pub(super) fn read<F: Read + Seek>(
    file: &mut F,
    found: &Found,
    earlier: Option<&Position>,
) -> io::Result<Vec<Reading>> {
    let mut state = State::default();
    let mut start = 0;
    if let Some(position) = earlier
        && let Parser::Aider(known) = &position.parser
    {
        (start, state) = (position.offset(), known.clone());
    }
    file.seek(SeekFrom::Start(start))?;
    let mut chats = split(&mut *file, start, found, &mut state)?;
    chats.retain(|chat| chat.gathered.so_far.turns > 0);
    if let Some(last) = chats.last() {
        start = last.begins;
        (state.heading, state.same) = (last.heading.clone(), last.same);
    }
    let position = Position::new(file, start, SoFar::default(), Parser::Aider(state.clone()))?;
    let last = chats.pop().unwrap_or_default();
    let readings = chats.into_iter().map(|chat| chat.reading(found, 0, &position));
    let mut readings: Vec<Reading> = readings.collect();
    readings.push(last.reading(found, state.skipped, &position));
    Ok(readings)
}

/// The chats behind `start`, where a heading stands or the file begins.
fn split(file: impl Read, start: u64, found: &Found, state: &mut State) -> io::Result<Vec<Chat>> {
    let mut lines = Lines::new(BufReader::new(file), start);
    let mut chats: Vec<Chat> = Vec::new();
    let mut begins = start;
    let mut skipped = 0;
    while let Some(line) = lines.next()? {
        let text = String::from_utf8_lossy(line.bytes);
        let text = text.trim_end();
        let heading = text
            .strip_prefix(HEADING)
            .filter(|heading| heading.parse::<DateTime>().is_ok());
        match (heading, chats.last_mut()) {
            (Some(heading), last) if last.as_ref().is_none_or(|last| last.ends_before(heading)) => {
                let same = match last {
                    Some(last) => {
                        last.speaks(Speaker::Nobody);
                        (last.heading == heading).then_some(last.same + 1)
                    }
                    None => (state.heading == heading).then_some(state.same),
                };
                chats.push(Chat::new(begins, heading, same.unwrap_or(0), found.zone.as_ref()));
            }
            (_, Some(chat)) => chat.take(text),
            (_, None) => skipped += u64::from(!is_blank(line.bytes)),
        }
        begins = line.next;
    }
    if let Some(last) = chats.last_mut() {
        last.speaks(Speaker::Nobody);
    }
    if start == 0 {
        state.skipped = skipped;
    }
    Ok(chats)
}

/// The time that a heading says, in a time zone.
fn time(heading: &str, zone: Option<&TimeZone>) -> Option<Millis> {
    let local: DateTime = heading.parse().ok()?;
    let zoned = local.to_zoned_datetime(zone.cloned().unwrap_or(TimeZone::UTC)).ok()?;
    u64::try_from(zoned.timestamp().as_millisecond()).ok()
}

impl Chat {
    fn new(begins: u64, heading: &str, same: u32, zone: Option<&TimeZone>) -> Self {
        Self {
            begins,
            heading: heading.to_owned(),
            same,
            at: time(heading, zone),
            ..Self::default()
        }
    }

    /// Whether a heading in this chat is another one's. Code that is quoted may hold headings too; but an answer
    /// that was broken off leaves its code open, and later chats are no part of it.
    fn ends_before(&self, heading: &str) -> bool {
        self.fence.is_none() || heading >= self.heading.as_str()
    }

    fn take(&mut self, line: &str) {
        // An answer that the person broke off leaves its code open.
        self.fence = self.fence.filter(|_| !line.starts_with(BROKEN_OFF));
        if let Some(opened) = self.fence {
            self.add(line);
            let closes = ticks(line) >= opened && line.trim().bytes().all(|byte| byte == b'`');
            self.fence = Some(opened).filter(|_| !closes);
            return;
        }
        let marked = |mark| {
            line.strip_prefix(mark)
                .filter(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        if let Some(typed) = marked("####") {
            self.speaks(Speaker::Person);
            return self.add(typed.strip_prefix(' ').unwrap_or(typed));
        }
        if let Some(told) = marked(">") {
            self.speaks(Speaker::Program);
            return self.told(told.trim_start());
        }
        match self.speaker {
            Speaker::Agent => {}
            _ if line.is_empty() => return self.speaks(Speaker::Nobody),
            // Of several lines that the program says only the first is marked.
            Speaker::Program => return,
            // Before anything was asked nobody answers.
            _ if self.gathered.so_far.turns == 0 && self.speaker == Speaker::Nobody => return,
            _ => self.speaks(Speaker::Agent),
        }
        self.fence = Some(ticks(line)).filter(|ticks| *ticks >= 3);
        self.add(line);
    }

    fn add(&mut self, line: &str) {
        if !self.said.is_empty() {
            self.said.push('\n');
        }
        self.said.push_str(line);
    }

    /// Another one speaks, or the same one anew.
    fn speaks(&mut self, speaker: Speaker) {
        if speaker == self.speaker {
            return;
        }
        let said = std::mem::take(&mut self.said);
        match std::mem::replace(&mut self.speaker, speaker) {
            Speaker::Person => self.typed(said.trim()),
            Speaker::Agent => self.say(Role::Assistant, &said),
            Speaker::Program | Speaker::Nobody => {}
        }
    }

    /// A chat says when it began, and no other time.
    fn say(&mut self, role: Role, text: &str) {
        let at = self.at.filter(|_| self.gathered.so_far.turns == 0);
        self.gathered.say(role, text, at);
    }

    /// What was typed may be a command of the program.
    fn typed(&mut self, text: &str) {
        let asked = std::mem::take(&mut self.asked);
        if text.is_empty() || text == "<blank>" || text == asked {
            return;
        }
        if let Some(command) = text.strip_prefix('!') {
            return self.gathered.call("run", None, Some(command.trim()));
        }
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match word.strip_prefix('/') {
            Some("run" | "test") => self.gathered.call("run", None, Some(rest.trim())),
            Some("git") => self.gathered.call("run", None, Some(&format!("git {}", rest.trim()))),
            Some("ask" | "code" | "architect" | "context") => {
                self.say(Role::Human, rest);
                rest.trim().clone_into(&mut self.asked);
            }
            Some(name) if name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-') => {}
            _ => self.say(Role::Human, text),
        }
    }

    /// What the program tells of its work.
    fn told(&mut self, told: &str) {
        let path = |behind: &str| Some(told.strip_prefix("Added ")?.split_once(behind)?.0);
        if let Some(path) = told.strip_prefix("Applied edit to ") {
            self.gathered.call("edit", Some(path), None);
        } else if let Some(path) = path(" to the chat").or_else(|| path(" to read-only files")) {
            if !path.ends_with(" of output") {
                self.gathered.call("add", Some(path), None);
            }
        } else if let Some(command) = told.strip_prefix("Running ") {
            self.gathered.call("run", None, Some(command));
        } else if let Some(subject) = told.strip_prefix("Commit ").and_then(committed) {
            let subject = subject.replace('\\', "\\\\").replace('"', "\\\"");
            let command = format!("git commit -m \"{subject}\"");
            self.gathered.call("commit", None, Some(&command));
        }
    }

    fn reading(self, found: &Found, skipped: u64, position: &Position) -> Reading {
        Reading {
            fresh: true,
            session: self.session(&found.path),
            turns: self.gathered.turns,
            tool_calls: self.gathered.tool_calls,
            skipped,
            sidechain: 0,
            position: position.clone(),
        }
    }

    fn session(&self, file: &Path) -> Option<Session> {
        let known_by = format!("{}\n{}\n{}", file.display(), self.heading, self.same);
        let id = format!("aider-{:016x}", fnv64(known_by.as_bytes()));
        // A history that was put elsewhere says nothing of the folder.
        let folder = file.parent().filter(|_| file.ends_with(AIDER_HISTORY));
        Some(Session {
            id: SessionId::try_from(id)
                .ok()
                .filter(|_| self.gathered.so_far.turns > 0)?,
            harness: Harness::Aider,
            actor: Actor::Human,
            parent: None,
            cwd: folder.and_then(Path::to_str).map(str::to_owned),
            branch: None,
            started_at: self.gathered.so_far.started_at,
        })
    }
}

/// The subject behind the id of a commit.
fn committed(told: &str) -> Option<&str> {
    let (id, subject) = told.split_once(' ')?;
    let is_id = id.len() >= 7 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    Some(subject).filter(|_| is_id)
}

/// The backticks that a line begins with.
fn ticks(line: &str) -> usize {
    let line = line.trim_start();
    line.len() - line.trim_start_matches('`').len()
}
