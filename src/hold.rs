//! Waiting for the ledger, which one process at a time holds.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use rekal::ledger::Ledger;

use crate::out;

/// How long another process is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Between two attempts.
const POLL: Duration = Duration::from_millis(50);

/// The ledger of the store, waited for up to 5 seconds, with a word about it on a terminal.
pub fn ledger(store: &Path, quiet: bool) -> rekal::Result<Ledger> {
    let mut left = PATIENCE;
    loop {
        match Ledger::open(store) {
            Err(error) if error.is_locked() && !left.is_zero() => {
                if left == PATIENCE && !quiet && io::stderr().is_terminal() {
                    out::say("another process is writing to the store; waiting for it");
                }
                sleep(POLL);
                left = left.saturating_sub(POLL);
            }
            other => return other,
        }
    }
}
