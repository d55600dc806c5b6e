//! The graph of one store, for a host.

use std::fs::DirBuilder;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use redb::WriteTransaction;

use super::{Drained, Pending, Verified};
use crate::edge::SessionId;
use crate::ledger::{Forget, Forgotten, Ledger};
use crate::reach::{Reach, Reached};
use crate::snapshot::Snapshot;
use crate::spool::Recorder;
use crate::time::Millis;
use crate::{Error, Result};

/// The citation graph of one store, which is a folder.
///
/// Recording and looking up never open the ledger, never wait and never fail because of it; the
/// other calls hold the ledger while they work and fail with [`Error::is_locked`] when another
/// process does.
pub struct Graph {
    store: PathBuf,
}

impl Graph {
    /// The graph of the store at `store`; the folder is made, private to the user, if it is missing.
    pub fn open(store: impl Into<PathBuf>) -> Result<Self> {
        let store = store.into();
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&store)
            .map_err(|e| Error::io("create", &store, e))?;
        Ok(Self { store })
    }

    /// The store's folder.
    pub fn store(&self) -> &Path {
        &self.store
    }

    /// What records events of this process.
    pub fn recorder(&self) -> Recorder {
        Recorder::new(&self.store)
    }

    /// The published reach of each of these sessions, in their order.
    pub fn reach(&self, sessions: &[SessionId]) -> Vec<Option<Reach>> {
        let snapshot = Snapshot::open(&self.store);
        sessions.iter().map(|session| snapshot.reach(session)).collect()
    }

    /// Takes the spool into the ledger and publishes the result. See [`drain`](super::drain).
    pub fn drain(&self, now: Millis) -> Result<Drained> {
        super::drain(&Ledger::open(&self.store)?, now)
    }

    /// Compares what is derived with the edges. See [`verify`](super::verify).
    pub fn verify(&self) -> Result<Verified> {
        super::verify(&Ledger::open(&self.store)?)
    }

    /// Derives everything from the edges again. See [`rebuild`](super::rebuild).
    pub fn rebuild(&self) -> Result<u64> {
        super::rebuild(&Ledger::open(&self.store)?)
    }

    /// Writes every event as a line. See [`export`](super::export()).
    pub fn export(&self, out: &mut dyn Write) -> Result<u64> {
        super::export(&Ledger::open(&self.store)?, out)
    }

    /// Takes in a file of events. See [`import`](super::import()).
    pub fn import(&self, file: &Path, now: Millis) -> Result<Drained> {
        super::import(&Ledger::open(&self.store)?, file, now)
    }

    /// Forgets events or a session without a trace. See [`forget`](super::forget()).
    pub fn forget(&self, what: &Forget, now: Millis) -> Result<Forgotten> {
        super::forget(&mut Ledger::open(&self.store)?, what, now)
    }

    /// Takes the spool into a transaction of the host's own database, instead of a ledger of the
    /// graph's own. See [`Pending`].
    pub fn absorb(&self, txn: &WriteTransaction, now: Millis) -> Result<Pending> {
        super::absorb(&self.store, txn, now)
    }
}
