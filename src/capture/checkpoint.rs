//! The whole checkpoint, in its order: capture, drain, publish.

use super::Scope;
use super::commits;
use super::publish::publish;
use super::sessions::{Captured, Circumstances, capture};
use crate::Error;
use crate::Result;
use crate::graph::{self, Drained};
use crate::ledger::{CheckpointRow, Ledger, Logged, SessionReader, Sessions};
use crate::transcript::{self, Roots};

/// What a checkpoint works from.
pub struct Checkpoint<'a> {
    /// Where the agents keep their transcripts.
    pub roots: Roots,
    /// Which of the sessions are captured.
    pub scope: Scope,
    /// When and on which commit.
    pub circumstances: Circumstances<'a>,
    /// Whether to note the checkpoint itself: in a git repository.
    pub noted: bool,
    /// What the repository says when it is asked.
    pub history: Box<History<'a>>,
}

/// The commits of the repository that the named one does not have; without a name its latest ones.
pub type History<'a> = dyn Fn(Option<&str>) -> Vec<Logged> + 'a;

/// What a checkpoint did.
#[derive(Clone, Default, Debug)]
pub struct Report {
    /// Sessions captured.
    pub captured: Captured,
    /// Commits linked to sessions, each as often as it was.
    pub linked: u64,
    /// Events taken from the spool.
    pub drained: Drained,
    /// Sessions put into the index.
    pub indexed: u64,
}

/// How far a checkpoint is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// Transcripts were found: how many, and their bytes.
    Found {
        /// Transcripts.
        files: u64,
        /// Their size.
        bytes: u64,
    },
    /// A transcript of so many bytes is done.
    Read(u64),
    /// A session is in the index.
    Indexed {
        /// So many are.
        done: u64,
        /// Of so many.
        all: u64,
        /// The text that was said in it, in bytes.
        bytes: u64,
    },
}

/// Captures new turns, drains the spool and publishes the index. The ledger is held by the caller,
/// so that nobody else writes meanwhile.
pub fn checkpoint(ledger: &Ledger, work: &Checkpoint<'_>, progress: &mut dyn FnMut(Progress)) -> Result<Report> {
    let discovered = transcript::discover(&work.roots);
    let bytes = discovered.found.iter().map(|found| found.size).sum();
    let files = discovered.found.len() as u64;
    progress(Progress::Found { files, bytes });
    let mut read = |bytes| progress(Progress::Read(bytes));
    let mut captured = capture(ledger, &discovered.found, &work.scope, &work.circumstances, &mut read)?;
    captured.unseen = discovered.unreadable;
    let mut linked = 0;
    if work.noted {
        linked = commits::link(ledger, work, &captured.numbers)?.links;
        note(ledger, &work.circumstances, &captured.numbers)?;
    }
    let drained = graph::drain(ledger, work.circumstances.at)?;
    let indexed = publish(ledger, progress)?;
    Ok(Report {
        captured,
        linked,
        drained,
        indexed,
    })
}

/// The `limit` latest checkpoints, latest first.
pub fn checkpoints(ledger: &Ledger, limit: usize) -> Result<Vec<CheckpointRow>> {
    SessionReader::open(&ledger.read()?)?.checkpoints(limit)
}

/// Notes the checkpoint, unless it says nothing that the last one did not.
fn note(ledger: &Ledger, circumstances: &Circumstances<'_>, sessions: &[u32]) -> Result<()> {
    let last = checkpoints(ledger, 1)?;
    if sessions.is_empty() && last.first().is_some_and(|last| last.head == circumstances.head) {
        return Ok(());
    }
    let row = CheckpointRow {
        at: circumstances.at,
        head: circumstances.head.clone(),
        branch: circumstances.asked.branch.clone(),
        author: circumstances.asked.author.clone(),
        sessions: sessions.to_vec(),
    };
    let txn = ledger.write()?;
    let mut tables = Sessions::open(&txn)?;
    tables.put_checkpoint(&row)?;
    tables.close()?;
    txn.commit().map_err(|e| Error::store("commit a checkpoint", e))
}
