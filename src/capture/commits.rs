//! The commits since the last checkpoint, linked to the sessions that they were made in.

use super::checkpoint::Checkpoint;
use crate::ledger::{Ledger, Linked, SessionReader, Sessions};
use crate::{Error, Result};

/// Takes in the commits that no checkpoint has seen and links them and the known ones; `changed` are the
/// numbers of the sessions that this checkpoint captured. The repository is asked only when another
/// commit is checked out than at the last checkpoint.
pub(super) fn link(ledger: &Ledger, work: &Checkpoint<'_>, changed: &[u32]) -> Result<Linked> {
    let reader = SessionReader::open(&ledger.read()?)?;
    let head = work.circumstances.head.as_deref();
    let last = match reader.knows_commits()? {
        true => reader.last_head()?,
        false => None,
    };
    let logged = match head {
        Some(_) if head != last.as_deref() => (work.history)(last.as_deref()),
        _ => Vec::new(),
    };
    if logged.is_empty() && changed.is_empty() {
        return Ok(Linked::default());
    }
    let txn = ledger.write()?;
    let mut sessions = Sessions::open(&txn)?;
    let linked = sessions.link(&logged, changed)?;
    if linked == Linked::default() {
        drop(sessions);
        txn.abort()
            .map_err(|e| Error::store("leave the commits as they are", e))?;
        return Ok(linked);
    }
    sessions.close()?;
    txn.commit().map_err(|e| Error::store("commit linked commits", e))?;
    Ok(linked)
}
