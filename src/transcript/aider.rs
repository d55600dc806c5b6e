//! Aider: `.aider.chat.history.md`, one file for every chat that was held in a folder.
//!
//! What the person typed stands behind `#### `, what the program says behind `> `, and all else is the
//! agent's. A chat has no id and but one time, in its heading: it is known by the file and that time.
//!
//! The file only grows, so it is read on from the heading of the last chat that was read, which is read
//! anew; the others stay. A history that was moved is another one.

mod chat;

#[cfg(test)]
mod tests;

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use jiff::civil::DateTime;
use serde::{Deserialize, Serialize};

use self::chat::Chat;
use super::discover::Found;
use super::gather::SoFar;
use super::line::{Lines, is_blank};
use super::position::Position;
use super::read::{Parser, Reading};
use crate::edge::SessionId;
use crate::hash::fnv64;
use crate::session::{Actor, Harness, Session};

/// The name of a history, in the folder that Aider works in.
pub const AIDER_HISTORY: &str = ".aider.chat.history.md";

/// What a chat begins with; its local time follows.
const HEADING: &str = "# aider chat started at ";

/// What carries over to the next reading.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct State {
    /// The heading of the chat that is read on from, and how many before it say the same.
    heading: String,
    same: u32,
    /// Lines before the first chat.
    skipped: u64,
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
                        last.end();
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
        last.end();
    }
    if start == 0 {
        state.skipped = skipped;
    }
    Ok(chats)
}

impl Chat {
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
