//! One chat of a history, line by line.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::super::gather::Gathered;
use crate::session::Role;
use crate::time::Millis;

/// What the program says when the person breaks an answer off.
const BROKEN_OFF: &str = "> ^C";

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
pub(super) struct Chat {
    /// Where its heading begins.
    pub(super) begins: u64,
    pub(super) heading: String,
    pub(super) same: u32,
    at: Option<Millis>,
    speaker: Speaker,
    said: String,
    /// The backticks that opened the code the lines stand in.
    fence: Option<usize>,
    /// What was asked by a command; the program repeats it as if it were typed again.
    asked: String,
    pub(super) gathered: Gathered,
}

impl Chat {
    pub(super) fn new(begins: u64, heading: &str, same: u32, zone: Option<&TimeZone>) -> Self {
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
    pub(super) fn ends_before(&self, heading: &str) -> bool {
        self.fence.is_none() || heading >= self.heading.as_str()
    }

    pub(super) fn take(&mut self, line: &str) {
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

    /// Nothing follows.
    pub(super) fn end(&mut self) {
        self.speaks(Speaker::Nobody);
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
}

/// The time that a heading says, in a time zone.
fn time(heading: &str, zone: Option<&TimeZone>) -> Option<Millis> {
    let local: DateTime = heading.parse().ok()?;
    let zoned = local.to_zoned_datetime(zone.cloned().unwrap_or(TimeZone::UTC)).ok()?;
    u64::try_from(zoned.timestamp().as_millisecond()).ok()
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
