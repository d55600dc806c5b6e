//! Forgetting what was captured, together with the graph. What is published is withdrawn before the
//! commit and published again last; in between, and after an interruption, nothing is published.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::publish::{index_of, rebuild};
use crate::graph;
use crate::ledger::{self, Forget, Forgotten, ForgottenContent, Ledger};
use crate::time::Millis;
use crate::{Error, Result};

/// Forgets a session or a text in the graph, in what was captured and in the index, in one
/// transaction; anything else in the graph alone.
///
/// # Errors
/// As [`graph::forget`](crate::graph::forget()): when a part of the spool cannot be had, nothing was removed.
pub fn forget(ledger: &mut Ledger, what: &Forget, now: Millis) -> Result<(Forgotten, ForgottenContent)> {
    if !matches!(what, Forget::Session(_) | Forget::Text(_)) {
        return Ok((graph::forget(ledger, what, now)?, ForgottenContent::default()));
    }
    let index = index_of(ledger.store());
    let mut was_published = false;
    let report = graph::forget_with(ledger, what, now, |txn| {
        let content = ledger::forget_content(txn, what)?;
        was_published = withdraw(&index)?;
        Ok(content)
    })?;
    if was_published {
        rebuild(ledger, &mut |_| {})?;
    }
    Ok(report)
}

/// What forgetting would remove; nothing is changed.
pub fn forget_dry(ledger: &Ledger, what: &Forget, now: Millis) -> Result<(Forgotten, ForgottenContent)> {
    graph::forget_dry_with(ledger, what, now, |txn| ledger::forget_content(txn, what))
}

/// Takes back the index, if one was published.
fn withdraw(index: &Path) -> Result<bool> {
    match fs::remove_dir_all(index) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::io("remove", index, error)),
    }
}
