//! Forgetting what was captured, together with the graph. What is published is withdrawn first and
//! published again last; in between, and after an interruption, nothing is published.

use std::fs;
use std::io::ErrorKind;

use super::publish::{index_of, rebuild};
use crate::graph;
use crate::ledger::{self, Forget, Forgotten, ForgottenContent, Ledger};
use crate::time::Millis;
use crate::{Error, Result};

/// Forgets a session or a text in the graph, in what was captured and in the index; anything else in
/// the graph alone.
///
/// # Errors
/// As [`graph::forget`](crate::graph::forget()): when a part of the spool cannot be had, nothing was removed.
pub fn forget(ledger: &mut Ledger, what: &Forget, now: Millis) -> Result<(Forgotten, ForgottenContent)> {
    let forgotten = graph::forget(ledger, what, now)?;
    if !matches!(what, Forget::Session(_) | Forget::Text(_)) {
        return Ok((forgotten, ForgottenContent::default()));
    }
    let was_published = withdraw(ledger)?;
    let txn = ledger.write()?;
    let content = ledger::forget_content(&txn, what)?;
    ledger::mark_for_scrubbing(&txn)?;
    txn.commit().map_err(|e| Error::store("commit what is forgotten", e))?;
    ledger.scrub()?;
    if was_published {
        rebuild(ledger, &mut |_, _| {})?;
    }
    Ok((forgotten, content))
}

/// What forgetting would remove; nothing is changed.
pub fn forget_dry(ledger: &Ledger, what: &Forget, now: Millis) -> Result<(Forgotten, ForgottenContent)> {
    let forgotten = graph::forget_dry(ledger, what, now)?;
    let txn = ledger.write()?;
    let content = ledger::forget_content(&txn, what)?;
    txn.abort().map_err(|e| Error::store("leave everything as it is", e))?;
    Ok((forgotten, content))
}

/// Takes back the index, if one was published.
fn withdraw(ledger: &Ledger) -> Result<bool> {
    let index = index_of(ledger.store());
    match fs::remove_dir_all(&index) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::io("remove", &index, error)),
    }
}
