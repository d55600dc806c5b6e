//! Reading the sessions back: for the index, for the next checkpoint, for people.

use std::cell::OnceCell;
use std::collections::HashMap;

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable};
use serde::de::DeserializeOwned;

use super::changes::Changes;
use super::commits::{self, ReadCommits};
use super::rows;
use super::sessions::{
    CHECKPOINTS, CheckpointRow, NUMBERS, SESSIONS, SessionNumbers, SessionRow, TOOL_CALLS, TRANSCRIPTS, TURNS,
    TranscriptRow, part_key,
};
use super::tables::{Bytes, During, META};
use crate::session::{Commit, Conversation};
use crate::{Error, Result};

/// The tables of the sessions, open for reading.
pub(crate) struct SessionReader {
    sessions: ReadOnlyTable<u32, Bytes>,
    turns: ReadOnlyTable<&'static [u8; 8], Bytes>,
    tool_calls: ReadOnlyTable<&'static [u8; 8], Bytes>,
    transcripts: ReadOnlyTable<&'static str, Bytes>,
    checkpoints: ReadOnlyTable<u32, Bytes>,
    commits: ReadCommits,
    linked: OnceCell<HashMap<u32, Vec<Commit>>>,
    numbers: SessionNumbers,
    changes: Changes,
}

impl SessionReader {
    pub(crate) fn open(txn: &ReadTransaction) -> Result<Self> {
        let meta = txn.open_table(META).during("open meta")?;
        let numbers = match meta.get(NUMBERS).during("read the numbers")? {
            Some(row) => rows::decode(row.value(), "rekal.meta")?,
            None => SessionNumbers::default(),
        };
        Ok(Self {
            changes: Changes::read(&meta)?,
            sessions: txn.open_table(SESSIONS).during("open sessions")?,
            turns: txn.open_table(TURNS).during("open turns")?,
            tool_calls: txn.open_table(TOOL_CALLS).during("open tool_calls")?,
            transcripts: txn.open_table(TRANSCRIPTS).during("open transcripts")?,
            checkpoints: txn.open_table(CHECKPOINTS).during("open checkpoints")?,
            commits: commits::open(txn)?,
            linked: OnceCell::new(),
            numbers,
        })
    }

    /// The number of the last change to any session.
    pub(crate) fn change(&self) -> u64 {
        self.numbers.change
    }

    /// What was drawn for a change. `None`: it is none of this ledger's latest ones.
    pub(crate) fn draw(&self, change: u64) -> Option<u64> {
        self.changes.draw(change)
    }

    /// The numbers of the sessions that changed after `change`, ascending.
    pub(crate) fn changed_since(&self, change: u64) -> Result<Vec<u32>> {
        let mut changed = Vec::new();
        for entry in self.sessions.iter().during("read sessions")? {
            let (number, row) = entry.during("read sessions")?;
            let row = SessionRow::decode(row.value())?;
            if row.change > change {
                changed.push(number.value());
            }
        }
        Ok(changed)
    }

    /// A session with all that was said and done in it.
    pub(crate) fn conversation(&self, number: u32) -> Result<Conversation> {
        let missing = || Error::corrupt("rekal.sessions", format!("session {number} is missing"));
        let row = self
            .sessions
            .get(number)
            .during("read a session")?
            .ok_or_else(missing)?;
        let row = SessionRow::decode(row.value())?;
        Ok(Conversation {
            record: row.record,
            turns: parts(&self.turns, number, "rekal.turns")?,
            tool_calls: parts(&self.tool_calls, number, "rekal.tool_calls")?,
            commits: self.commits_of(number)?,
        })
    }

    /// Whether any commit was taken in.
    pub(crate) fn knows_commits(&self) -> Result<bool> {
        let first = self.commits.as_ref().map(|table| table.first()).transpose();
        Ok(first.during("read commits")?.flatten().is_some())
    }

    /// The commit that was checked out at the latest checkpoint that notes one.
    pub(crate) fn last_head(&self) -> Result<Option<String>> {
        for entry in self.checkpoints.iter().during("read checkpoints")?.rev() {
            let (_, row) = entry.during("read checkpoints")?;
            let row: CheckpointRow = rows::decode(row.value(), "rekal.checkpoints")?;
            if row.head.is_some() {
                return Ok(row.head);
            }
        }
        Ok(None)
    }

    fn commits_of(&self, session: u32) -> Result<Vec<Commit>> {
        let linked = match self.linked.get() {
            Some(linked) => linked,
            None => {
                let linked = commits::by_session(&self.commits)?;
                self.linked.get_or_init(|| linked)
            }
        };
        Ok(linked.get(&session).cloned().unwrap_or_default())
    }

    /// Every transcript that was read, by path.
    pub(crate) fn transcripts(&self) -> Result<HashMap<String, TranscriptRow>> {
        let mut transcripts = HashMap::new();
        for entry in self.transcripts.iter().during("read transcripts")? {
            let (path, row) = entry.during("read transcripts")?;
            transcripts.insert(path.value().to_owned(), rows::decode(row.value(), "rekal.transcripts")?);
        }
        Ok(transcripts)
    }

    /// The `limit` latest checkpoints, latest first.
    pub(crate) fn checkpoints(&self, limit: usize) -> Result<Vec<CheckpointRow>> {
        let rows = self.checkpoints.iter().during("read checkpoints")?.rev().take(limit);
        let rows = rows.map(|entry| {
            let (_, row) = entry.during("read checkpoints")?;
            rows::decode(row.value(), "rekal.checkpoints")
        });
        rows.collect()
    }
}

fn parts<T: DeserializeOwned>(
    table: &ReadOnlyTable<&'static [u8; 8], Bytes>,
    session: u32,
    name: &str,
) -> Result<Vec<T>> {
    let (first, last) = (part_key(session, 0), part_key(session, u32::MAX));
    let rows = table
        .range::<&[u8; 8]>(&first..=&last)
        .during("read a session's parts")?;
    rows.map(|entry| rows::decode(entry.during("read a session's parts")?.1.value(), name))
        .collect()
}
