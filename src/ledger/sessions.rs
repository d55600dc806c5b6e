//! The tables of the sessions themselves, written by a checkpoint.
//!
//! | table | key | value |
//! |---|---|---|
//! | `rekal.sessions` | session number | [`SessionRow`] |
//! | `rekal.session_ids` | packed session id | session number |
//! | `rekal.turns` | session number, turn number from 1 | [`Turn`] |
//! | `rekal.tool_calls` | session number, place from 1 | [`ToolCall`] |
//! | `rekal.transcripts` | path | [`TranscriptRow`] |
//! | `rekal.checkpoints` | checkpoint number | [`CheckpointRow`] |
//!
//! The commits that they are linked to have a table of their own, see `commits.rs`; it is created by the
//! first version that knows it.
//!
//! `rekal.meta` has two more names for them, `sessions` ([`SessionNumbers`]) and `session_changes`
//! ([`Changes`]). A session's number is
//! its permanent handle; it has nothing to do with its number as a target.

use redb::{ReadableTable, Table, TableDefinition, WriteTransaction};
use serde::{Deserialize, Serialize};

use super::changes::Changes;
use super::commits::COMMITS;
use super::forgotten::Forgotten;
use super::packed::pack;
use super::rows;
use super::tables::{Bytes, During, META};
use crate::edge::SessionId;
use crate::session::{Harness, Record, ToolCall, Turn};
use crate::time::Millis;
use crate::{Error, Result};

pub(super) const SESSIONS: TableDefinition<u32, &[u8]> = TableDefinition::new("rekal.sessions");
pub(super) const SESSION_IDS: TableDefinition<&[u8], u32> = TableDefinition::new("rekal.session_ids");
pub(super) const TURNS: TableDefinition<&[u8; 8], &[u8]> = TableDefinition::new("rekal.turns");
pub(super) const TOOL_CALLS: TableDefinition<&[u8; 8], &[u8]> = TableDefinition::new("rekal.tool_calls");
pub(super) const TRANSCRIPTS: TableDefinition<&str, &[u8]> = TableDefinition::new("rekal.transcripts");
pub(super) const CHECKPOINTS: TableDefinition<u32, &[u8]> = TableDefinition::new("rekal.checkpoints");
pub(super) const NUMBERS: &str = "sessions";

/// A captured session.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct SessionRow {
    pub(crate) record: Record,
    /// The change that this state of it belongs to.
    pub(crate) change: u64,
    /// The transcript it is read from; another one of the same id is left aside.
    pub(crate) transcript: String,
}

/// A transcript that was read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct TranscriptRow {
    /// Its size in bytes when it was read.
    pub(crate) size: u64,
    /// Its modification time in nanoseconds when it was read.
    pub(crate) modified: u64,
    /// What became of it.
    pub(crate) outcome: Outcome,
    /// Lines of it that could not be read.
    pub(crate) skipped: u64,
    /// How far it was read; the reader's own bytes.
    pub(crate) position: Vec<u8>,
}

/// What became of a transcript.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Outcome {
    /// It is the session of this number.
    Session(u32),
    /// It holds no session yet.
    Nothing,
    /// Its session was held in this folder, which is not this store's concern.
    Elsewhere(String),
    /// Another transcript of the same session is the one that is read.
    Copy,
}

/// One checkpoint in a repository.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CheckpointRow {
    /// When.
    pub at: Millis,
    /// The commit that was checked out.
    pub head: Option<String>,
    /// The branch that was checked out.
    pub branch: Option<String>,
    /// The author's mail address.
    pub author: Option<String>,
    /// The numbers of the sessions that were new or had grown.
    pub sessions: Vec<u32>,
}

/// The numbers that capture hands out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct SessionNumbers {
    pub(crate) next_session: u32,
    pub(crate) next_checkpoint: u32,
    /// Rises with every transaction that changes a session; the index says up to which it reaches.
    pub(crate) change: u64,
}

impl SessionRow {
    /// The row that `bytes` hold. An agent beyond those that are known is one that a newer version reads.
    pub(super) fn decode(bytes: &[u8]) -> Result<Self> {
        rows::decode(bytes, "rekal.sessions").map_err(|damaged| {
            let beginning = postcard::take_from_bytes::<(u8, u32, &str, u32)>(bytes);
            match beginning {
                Ok(((_, _, _, agent), _)) if agent as usize >= Harness::ALL.len() => {
                    Error::newer_row("rekal.sessions", "a session of an agent")
                }
                _ => damaged,
            }
        })
    }
}

impl Default for SessionNumbers {
    fn default() -> Self {
        Self {
            next_session: 1,
            next_checkpoint: 1,
            change: 0,
        }
    }
}

/// The tables of the sessions, open for writing in one transaction.
pub(crate) struct Sessions<'t> {
    pub(super) meta: Table<'t, &'static str, Bytes>,
    pub(super) sessions: Table<'t, u32, Bytes>,
    pub(super) ids: Table<'t, Bytes, u32>,
    pub(super) turns: Table<'t, &'static [u8; 8], Bytes>,
    pub(super) tool_calls: Table<'t, &'static [u8; 8], Bytes>,
    pub(super) transcripts: Table<'t, &'static str, Bytes>,
    pub(super) checkpoints: Table<'t, u32, Bytes>,
    pub(super) commits: Table<'t, &'static str, Bytes>,
    pub(super) numbers: SessionNumbers,
    pub(super) changed: bool,
    forgotten: Forgotten,
}

impl<'t> Sessions<'t> {
    /// Opens them; what does not exist yet is created empty.
    pub(crate) fn open(txn: &'t WriteTransaction) -> Result<Self> {
        let meta = txn.open_table(META).during("open meta")?;
        let numbers = match meta.get(NUMBERS).during("read the numbers")? {
            Some(row) => rows::decode(row.value(), "rekal.meta")?,
            None => SessionNumbers::default(),
        };
        Ok(Self {
            meta,
            sessions: txn.open_table(SESSIONS).during("open sessions")?,
            ids: txn.open_table(SESSION_IDS).during("open session_ids")?,
            turns: txn.open_table(TURNS).during("open turns")?,
            tool_calls: txn.open_table(TOOL_CALLS).during("open tool_calls")?,
            transcripts: txn.open_table(TRANSCRIPTS).during("open transcripts")?,
            checkpoints: txn.open_table(CHECKPOINTS).during("open checkpoints")?,
            commits: txn.open_table(COMMITS).during("open commits")?,
            numbers,
            changed: false,
            forgotten: Forgotten::read(txn)?,
        })
    }

    /// The session of an id.
    pub(crate) fn find(&self, id: &SessionId) -> Result<Option<SessionRow>> {
        let number = self.ids.get(pack(id).as_slice()).during("look a session up")?;
        match number {
            Some(number) => self.session(number.value()).map(Some),
            None => Ok(None),
        }
    }

    fn session(&self, number: u32) -> Result<SessionRow> {
        match self.sessions.get(number).during("read a session")? {
            Some(row) => SessionRow::decode(row.value()),
            None => Err(Error::corrupt("rekal.sessions", format!("session {number} is missing"))),
        }
    }

    /// The number a new session will have.
    pub(crate) fn next_session(&self) -> u32 {
        self.numbers.next_session
    }

    /// Writes the session's row and `turns` and `tool_calls` behind what it has; its counts are
    /// those after them. `fresh`: instead of what it has.
    pub(crate) fn write(&mut self, record: &mut Record, transcript: &str, add: &Added<'_>) -> Result<()> {
        let number = record.number;
        if add.fresh {
            self.clear(number)?;
            (record.turn_count, record.tool_call_count) = (0, 0);
        }
        for turn in add.turns {
            record.turn_count += 1;
            let row = rows::encode(turn)?;
            self.turns
                .insert(&part_key(number, record.turn_count), row.as_slice())
                .during("write a turn")?;
        }
        for call in add.tool_calls {
            record.tool_call_count += 1;
            let row = rows::encode(call)?;
            let key = part_key(number, record.tool_call_count);
            self.tool_calls
                .insert(&key, row.as_slice())
                .during("write a tool call")?;
        }
        self.changed = true;
        let row = SessionRow {
            record: record.clone(),
            change: self.numbers.change + 1,
            transcript: transcript.to_owned(),
        };
        self.sessions
            .insert(number, rows::encode(&row)?.as_slice())
            .during("write a session")?;
        self.ids
            .insert(pack(&record.session.id).as_slice(), number)
            .during("number a session")?;
        self.numbers.next_session = self.numbers.next_session.max(number + 1);
        Ok(())
    }

    /// What must not be captured again.
    pub(crate) fn forgotten(&self) -> &Forgotten {
        &self.forgotten
    }

    /// Notes how far a transcript was read.
    pub(crate) fn put_transcript(&mut self, path: &str, row: &TranscriptRow) -> Result<()> {
        self.transcripts
            .insert(path, rows::encode(row)?.as_slice())
            .during("note a transcript")?;
        Ok(())
    }

    /// Notes a checkpoint.
    pub(crate) fn put_checkpoint(&mut self, row: &CheckpointRow) -> Result<()> {
        let number = self.numbers.next_checkpoint;
        self.numbers.next_checkpoint += 1;
        self.checkpoints
            .insert(number, rows::encode(row)?.as_slice())
            .during("note a checkpoint")?;
        Ok(())
    }

    /// Writes the numbers back.
    pub(crate) fn close(mut self) -> Result<()> {
        if self.changed {
            self.numbers.change += 1;
            let mut changes = Changes::read(&self.meta)?;
            changes.push(self.numbers.change);
            changes.write(&mut self.meta)?;
        }
        let row = rows::encode(&self.numbers)?;
        self.meta.insert(NUMBERS, row.as_slice()).during("write the numbers")?;
        Ok(())
    }
}

/// What is added to a session.
pub(crate) struct Added<'a> {
    pub(crate) fresh: bool,
    pub(crate) turns: &'a [Turn],
    pub(crate) tool_calls: &'a [ToolCall],
}

/// The key of a turn or tool call.
pub(super) fn part_key(session: u32, part: u32) -> [u8; 8] {
    (u64::from(session) << 32 | u64::from(part)).to_be_bytes()
}
