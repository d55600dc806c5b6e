//! Removing from the tables of the sessions.

use redb::ReadableTable;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::forgotten::ForgottenContent;
use super::packed::pack;
use super::rows;
use super::sessions::{Outcome, SessionRow, Sessions, TranscriptRow, part_key};
use super::tables::{Bytes, During};
use crate::Result;
use crate::edge::SessionId;
use crate::session::{ToolCall, Turn};

type Parts<'t> = redb::Table<'t, &'static [u8; 8], Bytes>;

impl Sessions<'_> {
    /// Removes a session with all that was said and done in it, and how far its transcripts were
    /// read, whose paths may name it.
    pub(super) fn remove(&mut self, id: &SessionId) -> Result<ForgottenContent> {
        let Some(row) = self.find(id)? else {
            return Ok(ForgottenContent::default());
        };
        let number = row.record.number;
        self.clear(number)?;
        self.sessions.remove(number).during("remove a session")?;
        self.ids.remove(pack(id).as_slice()).during("remove a session's id")?;
        self.remove_transcripts(number, id)?;
        let commits = self.unlink(number)?;
        self.changed = true;
        Ok(ForgottenContent {
            captured_sessions: 1,
            turns: row.record.turn_count.into(),
            tool_calls: row.record.tool_call_count.into(),
            commits,
        })
    }

    /// The notes of the transcript that it is read from, and of copies that name it.
    fn remove_transcripts(&mut self, number: u32, id: &SessionId) -> Result<()> {
        let mut gone = Vec::new();
        for entry in self.transcripts.iter().during("read transcripts")? {
            let (path, bytes) = entry.during("read transcripts")?;
            let row: TranscriptRow = rows::decode(bytes.value(), "rekal.transcripts")?;
            let names_it = || path.value().contains(id.as_str()) || contains(bytes.value(), id.as_str());
            if row.outcome == Outcome::Session(number) || row.outcome == Outcome::Copy && names_it() {
                gone.push(path.value().to_owned());
            }
        }
        for path in &gone {
            self.transcripts.remove(path.as_str()).during("remove a transcript")?;
        }
        Ok(())
    }

    /// Cuts a text out of everything captured. A transcript whose note holds it, where pending
    /// messages are kept, is read anew the next time.
    pub(super) fn cut(&mut self, text: &str) -> Result<ForgottenContent> {
        let cut_turn = |turn: &mut Turn| replace(&mut turn.text, text);
        let cut_call = |call: &mut ToolCall| {
            let command = call.command.as_mut().is_some_and(|command| replace(command, text));
            call.path.as_mut().is_some_and(|path| replace(path, text)) || command
        };
        let turns = rewrite(&mut self.turns, "rekal.turns", text, cut_turn)?;
        let calls = rewrite(&mut self.tool_calls, "rekal.tool_calls", text, cut_call)?;
        let mut touched: std::collections::BTreeSet<u32> = turns.iter().chain(&calls).copied().collect();
        let (commits, mut linked) = self.cut_commits(text)?;
        touched.append(&mut linked);
        self.cut_sessions(text, &touched)?;
        let holds = |bytes: &[u8]| contains(bytes, text);
        self.transcripts
            .retain(|path, row| !path.contains(text) && !holds(row))
            .during("remove transcripts")?;
        self.checkpoints
            .retain(|_, row| !holds(row))
            .during("remove checkpoints")?;
        Ok(ForgottenContent {
            captured_sessions: 0,
            turns: turns.len() as u64,
            tool_calls: calls.len() as u64,
            commits,
        })
    }

    fn cut_sessions(&mut self, text: &str, touched: &std::collections::BTreeSet<u32>) -> Result<()> {
        let mut changed = Vec::new();
        for entry in self.sessions.iter().during("read sessions")? {
            let (number, row) = entry.during("read sessions")?;
            let holds = contains(row.value(), text);
            if holds || touched.contains(&number.value()) {
                let mut row = SessionRow::decode(row.value())?;
                let session = &mut row.record.session;
                for name in session
                    .cwd
                    .iter_mut()
                    .chain(&mut session.branch)
                    .chain(&mut row.record.files)
                {
                    replace(name, text);
                }
                replace(&mut row.transcript, text);
                row.change = self.numbers.change + 1;
                changed.push((number.value(), row));
            }
        }
        self.changed |= !changed.is_empty();
        for (number, row) in changed {
            self.sessions
                .insert(number, rows::encode(&row)?.as_slice())
                .during("write a session")?;
        }
        Ok(())
    }

    /// Removes what was said and done in a session.
    pub(super) fn clear(&mut self, number: u32) -> Result<()> {
        let (first, last) = (part_key(number, 0), part_key(number, u32::MAX));
        self.turns
            .retain_in::<&[u8; 8], _>(&first..=&last, |_, _| false)
            .during("clear turns")?;
        self.tool_calls
            .retain_in::<&[u8; 8], _>(&first..=&last, |_, _| false)
            .during("clear tool calls")
    }
}

/// Rewrites the rows that `cut` changes, and gives the session of each.
fn rewrite<T: Serialize + DeserializeOwned>(
    table: &mut Parts<'_>,
    name: &str,
    text: &str,
    cut: impl Fn(&mut T) -> bool,
) -> Result<Vec<u32>> {
    let mut changed = Vec::new();
    for entry in table.iter().during("read a session's parts")? {
        let (key, row) = entry.during("read a session's parts")?;
        if contains(row.value(), text) {
            let mut part: T = rows::decode(row.value(), name)?;
            if cut(&mut part) {
                changed.push((*key.value(), rows::encode(&part)?));
            }
        }
    }
    for (key, row) in &changed {
        table.insert(key, row.as_slice()).during("write a session's part")?;
    }
    Ok(changed
        .iter()
        .map(|(key, _)| (u64::from_be_bytes(*key) >> 32) as u32)
        .collect())
}

pub(super) fn replace(kept: &mut String, text: &str) -> bool {
    let holds = kept.contains(text);
    if holds {
        *kept = kept.replace(text, super::forgotten::MARK);
    }
    holds
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}
