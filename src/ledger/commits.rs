//! The commits of the repository and the sessions that they were made in.
//!
//! | table | key | value |
//! |---|---|---|
//! | `rekal.commits` | id of the commit in hexadecimal digits | [`CommitRow`] |
//!
//! A commit is linked to the sessions that were at work when it was made: something was said in them
//! at most 30 minutes before. A session that another one started is not linked; what it did is
//! committed by the other. A commit without a session is kept as well: its session may be captured later.

use std::collections::{BTreeSet, HashMap};

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable, TableDefinition, TableError};
use serde::{Deserialize, Serialize};

use super::rows;
use super::sessions::{SessionRow, Sessions, part_key};
use super::tables::{Bytes, During};
use crate::Result;
use crate::redact::redact;
use crate::session::{Commit, Turn};
use crate::time::Millis;

pub(super) const COMMITS: TableDefinition<&str, &[u8]> = TableDefinition::new("rekal.commits");

/// How long a session counts as being at work after something was said in it.
const AT_WORK: Millis = 30 * 60 * 1000;

/// The most characters of a subject.
const SUBJECT: usize = 200;

/// A commit as the repository has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Logged {
    /// Its id in hexadecimal digits.
    pub sha: String,
    /// The first line of its message.
    pub subject: String,
    /// When it was made.
    pub at: Millis,
}

/// A commit as the ledger keeps it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct CommitRow {
    /// The first line of its message, without secrets.
    pub(crate) subject: String,
    /// When it was made.
    pub(crate) at: Millis,
    /// The numbers of the sessions it is linked to, ascending.
    pub(crate) sessions: Vec<u32>,
}

/// What became of commits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Linked {
    /// Commits that were not known.
    pub(crate) commits: u64,
    /// Links that were not there.
    pub(crate) links: u64,
}

/// When a session was at work.
struct AtWork {
    session: u32,
    /// When something was said, ascending.
    said: Vec<Millis>,
}

impl Sessions<'_> {
    /// Takes in commits that are not known yet and compares them with every session, and the known ones
    /// with the sessions that `changed`. Sessions that gain a commit count as changed.
    pub(crate) fn link(&mut self, logged: &[Logged], changed: &[u32]) -> Result<Linked> {
        let new = self.unknown(logged)?;
        let mut known = Vec::new();
        for entry in self.commits.iter().during("read commits")? {
            let (sha, row) = entry.during("read commits")?;
            known.push((sha.value().to_owned(), rows::decode(row.value(), "rekal.commits")?));
        }
        let changed = self.at_work(changed.iter().copied(), &known)?;
        let all = match new.is_empty() {
            true => Vec::new(),
            false => self.at_work(self.numbers_of_all()?, &new)?,
        };
        let (mut linked, mut touched) = (Linked::default(), BTreeSet::new());
        linked.commits = new.len() as u64;
        for (sha, mut row, sessions, is_new) in with(known, &changed, false).chain(with(new, &all, true)) {
            let mut gained: Vec<u32> = sessions
                .iter()
                .filter(|s| s.was_at_work(row.at))
                .map(|s| s.session)
                .collect();
            gained.retain(|session| !row.sessions.contains(session));
            linked.links += gained.len() as u64;
            touched.extend(gained.iter().copied());
            if is_new || !gained.is_empty() {
                row.sessions.append(&mut gained);
                row.sessions.sort_unstable();
                self.put_commit(&sha, &row)?;
            }
        }
        self.touch(&touched)?;
        Ok(linked)
    }

    fn unknown(&self, logged: &[Logged]) -> Result<Vec<(String, CommitRow)>> {
        let mut unknown = Vec::new();
        for Logged { sha, subject, at } in logged {
            let subject = self
                .forgotten()
                .cut(&redact(subject))
                .chars()
                .take(SUBJECT)
                .collect::<String>();
            let is_known = self.commits.get(sha.as_str()).during("look a commit up")?.is_some();
            if !is_known && !subject.trim().is_empty() {
                let (at, sessions) = (*at, Vec::new());
                unknown.push((sha.clone(), CommitRow { subject, at, sessions }));
            }
        }
        Ok(unknown)
    }

    fn numbers_of_all(&self) -> Result<Vec<u32>> {
        let entries = self.sessions.iter().during("read sessions")?;
        entries
            .map(|entry| Ok(entry.during("read sessions")?.0.value()))
            .collect()
    }

    /// When these sessions were at work, as far as it may have been while one of the commits was made.
    fn at_work(&self, sessions: impl IntoIterator<Item = u32>, commits: &[(String, CommitRow)]) -> Result<Vec<AtWork>> {
        let times = || commits.iter().map(|(_, row)| row.at);
        let (Some(first), Some(last)) = (times().min(), times().max()) else {
            return Ok(Vec::new());
        };
        let mut at_work = Vec::new();
        for session in sessions {
            let Some(row) = self.row(session)? else { continue };
            let begun = row.record.session.started_at.is_none_or(|start| start <= last);
            if begun && row.record.session.parent.is_none() && self.goes_on_until(session, first)? {
                let said = self.said(session)?;
                at_work.push(AtWork { session, said });
            }
        }
        Ok(at_work)
    }

    /// Whether the last turn that has a time was said late enough.
    fn goes_on_until(&self, session: u32, at: Millis) -> Result<bool> {
        let (first, last) = (part_key(session, 0), part_key(session, u32::MAX));
        let turns = self.turns.range::<&[u8; 8]>(&first..=&last).during("read turns")?;
        for entry in turns.rev() {
            let turn: Turn = rows::decode(entry.during("read turns")?.1.value(), "rekal.turns")?;
            if let Some(said) = turn.at {
                return Ok(said.saturating_add(AT_WORK) >= at);
            }
        }
        Ok(false)
    }

    fn said(&self, session: u32) -> Result<Vec<Millis>> {
        let (first, last) = (part_key(session, 0), part_key(session, u32::MAX));
        let mut said = Vec::new();
        for entry in self.turns.range::<&[u8; 8]>(&first..=&last).during("read turns")? {
            let turn: Turn = rows::decode(entry.during("read turns")?.1.value(), "rekal.turns")?;
            said.extend(turn.at);
        }
        said.sort_unstable();
        Ok(said)
    }

    fn row(&self, session: u32) -> Result<Option<SessionRow>> {
        let row = self.sessions.get(session).during("read a session")?;
        row.map(|row| SessionRow::decode(row.value())).transpose()
    }

    fn touch(&mut self, sessions: &BTreeSet<u32>) -> Result<()> {
        for session in sessions {
            if let Some(mut row) = self.row(*session)? {
                row.change = self.numbers.change + 1;
                self.changed = true;
                self.sessions
                    .insert(*session, rows::encode(&row)?.as_slice())
                    .during("write a session")?;
            }
        }
        Ok(())
    }

    pub(super) fn put_commit(&mut self, sha: &str, row: &CommitRow) -> Result<()> {
        self.commits
            .insert(sha, rows::encode(row)?.as_slice())
            .during("write a commit")?;
        Ok(())
    }
}

/// Each commit with the sessions that it is compared with, and whether it is new.
fn with(
    commits: Vec<(String, CommitRow)>,
    sessions: &[AtWork],
    is_new: bool,
) -> impl Iterator<Item = (String, CommitRow, &[AtWork], bool)> {
    commits.into_iter().map(move |(sha, row)| (sha, row, sessions, is_new))
}

impl AtWork {
    fn was_at_work(&self, at: Millis) -> bool {
        let before = self.said.partition_point(|said| *said <= at);
        before > 0 && at - self.said[before - 1] <= AT_WORK
    }
}

/// The table, open for reading. `None`: a ledger that no version wrote yet which knows it.
pub(super) type ReadCommits = Option<ReadOnlyTable<&'static str, Bytes>>;

pub(super) fn open(txn: &ReadTransaction) -> Result<ReadCommits> {
    match txn.open_table(COMMITS) {
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        other => other.during("open commits").map(Some),
    }
}

/// The commits of every session that has any, in the order in which they were made.
pub(super) fn by_session(table: &ReadCommits) -> Result<HashMap<u32, Vec<Commit>>> {
    let mut rows: Vec<(Millis, Commit, Vec<u32>)> = Vec::new();
    let Some(table) = table else {
        return Ok(HashMap::new());
    };
    for entry in table.iter().during("read commits")? {
        let (sha, row) = entry.during("read commits")?;
        let CommitRow { subject, at, sessions } = rows::decode(row.value(), "rekal.commits")?;
        let sha = sha.value().to_owned();
        rows.push((at, Commit { sha, subject }, sessions));
    }
    rows.sort_by(|(at, one, _), (then, other, _)| (at, &one.sha).cmp(&(then, &other.sha)));
    let mut commits: HashMap<u32, Vec<Commit>> = HashMap::new();
    for (_, commit, sessions) in rows {
        for session in sessions {
            commits.entry(session).or_default().push(commit.clone());
        }
    }
    Ok(commits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_at_work_for_half_an_hour_after_something_was_said_to_the_millisecond() {
        let half = 1_800_000;
        let at_work = AtWork {
            session: 1,
            said: vec![1_000, 2_000, 9_000_000],
        };
        let found = [999, 1_000, 2_000 + half, 2_001 + half, 9_000_000, 9_000_001 + half];
        let expected = [false, true, true, false, true, false];
        assert_eq!(found.map(|at| at_work.was_at_work(at)), expected);
    }
}
