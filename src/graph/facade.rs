//! The graph of one store, for a host.

use std::fs::DirBuilder;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use redb::WriteTransaction;

use super::{Drained, Pending, Verified};
use crate::edge::SessionId;
use crate::ledger::{Forget, Forgotten, Ledger, guarded};
use crate::reach::{Reach, Reached};
use crate::snapshot::Snapshot;
use crate::spool::Recorder;
use crate::time::Millis;
use crate::{Error, Result};

/// The citation graph of one store, which is a folder.
///
/// Recording and looking up never open the ledger, never wait and never fail because of it; the
/// other calls hold the ledger while they work and fail with [`Error::is_locked`] when another
/// process does. Times are milliseconds since 1970, UTC.
///
/// ```
/// # fn main() -> rekal::Result<()> {
/// # let folder = tempfile::tempdir().expect("a folder");
/// let graph = rekal::Graph::open(folder.path().join("graph"))?;
/// graph.recorder().drilled(1_796_040_000_000, None, &"session-a".parse().expect("an id"));
/// assert_eq!(graph.drain(1_796_040_000_000)?.events, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Graph {
    store: PathBuf,
}

impl Graph {
    /// The graph of the store at `store`; the folder is made, private to the user, if it is missing.
    /// Nothing is held open.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// let store = folder.path().join("graph");
    /// assert_eq!(rekal::Graph::open(&store)?.store(), store);
    /// # Ok::<(), rekal::Error>(())
    /// ```
    ///
    /// # Errors
    /// The folder cannot be made.
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

    /// What records events of this process. Make one and keep it: it has a thread.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let graph = rekal::Graph::open(folder.path())?;
    /// let found = ["a", "b"].map(|id| id.parse().expect("an id"));
    /// let recorder = graph.recorder();
    /// recorder.recalled(1_796_040_000_000, None, "jwt expiry", &found);
    /// drop(recorder);
    /// assert!(graph.store().join("recall-log.ndjson").exists());
    /// # Ok::<(), rekal::Error>(())
    /// ```
    pub fn recorder(&self) -> Recorder {
        Recorder::new(&self.store)
    }

    /// The published reach of each of these sessions, in their order. `None`: it was never reached, or
    /// nothing is published that could be read; never an error.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let graph = rekal::Graph::open(folder.path())?;
    /// let sessions = ["a", "b"].map(|id| id.parse().expect("an id"));
    /// graph.recorder().drilled(1_796_040_000_000, None, &sessions[0]);
    /// assert_eq!(graph.reach(&sessions), [None, None]);
    /// graph.drain(1_796_040_000_000)?;
    /// let [a, b] = &graph.reach(&sessions)[..] else { unreachable!("two were asked for") };
    /// assert_eq!(a.as_ref().map(|reach| reach.drills), Some(1));
    /// assert_eq!(b, &None);
    /// # Ok::<(), rekal::Error>(())
    /// ```
    pub fn reach(&self, sessions: &[SessionId]) -> Vec<Option<Reach>> {
        let snapshot = Snapshot::open(&self.store);
        sessions.iter().map(|session| snapshot.reach(session)).collect()
    }

    /// Takes the spool into the ledger and publishes the result, also when there was nothing new but
    /// what is published is not this ledger's.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let graph = rekal::Graph::open(folder.path())?;
    /// graph.recorder().drilled(1_796_040_000_000, None, &"a".parse().expect("an id"));
    /// let drained = graph.drain(1_796_040_060_000)?;
    /// assert_eq!((drained.claims, drained.events, drained.edges_new), (1, 1, 1));
    /// assert!(drained.bad_lines.is_empty());
    /// # Ok::<(), rekal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::is_locked`], [`Error::is_newer_format`], [`Error::is_corrupt`], or what the system said.
    /// Whatever was recorded is still there for the next drain.
    pub fn drain(&self, now: Millis) -> Result<Drained> {
        self.held(|ledger| super::drain(ledger, now))
    }

    /// Compares every page of the ledger with its checksum, the reach of every session with a fold over
    /// its edges, and what is published with both.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let graph = rekal::Graph::open(folder.path())?;
    /// # graph.drain(0)?;
    /// assert!(graph.verify()?.is_right());
    /// # Ok::<(), rekal::Error>(())
    /// ```
    pub fn verify(&self) -> Result<Verified> {
        guarded(&self.store, || super::verify(&Ledger::open_checked(&self.store)?))
    }

    /// Folds every session anew from its edges and publishes the result. Gives the number of sessions.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let graph = rekal::Graph::open(folder.path())?;
    /// std::fs::write(graph.store().join("reach.snap"), "damaged").expect("written");
    /// graph.rebuild()?;
    /// assert!(graph.verify()?.is_right());
    /// # Ok::<(), rekal::Error>(())
    /// ```
    pub fn rebuild(&self) -> Result<u64> {
        self.held(|ledger| super::rebuild(ledger))
    }

    /// Writes every event as a line of the spool's grammar, in the order of their ids, and gives their
    /// number. The ledger is held until the last one is written.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let graph = rekal::Graph::open(folder.path())?;
    /// # graph.recorder().drilled(1_796_040_000_000, None, &"a".parse().expect("an id"));
    /// # graph.drain(1_796_040_000_000)?;
    /// let mut lines = Vec::new();
    /// assert_eq!(graph.export(&mut lines)?, 1);
    /// assert!(lines.ends_with(br#""ts":"2026-11-30T12:00:00.000Z","kind":"drill","targets":["a"]}
    /// "#));
    /// # Ok::<(), rekal::Error>(())
    /// ```
    pub fn export(&self, out: &mut dyn Write) -> Result<u64> {
        self.held(|ledger| super::export(ledger, out))
    }

    /// Takes in a file of such lines, or of the rows of another store. What is known, and what was
    /// forgotten, adds nothing; so the same file may be taken in again. It is read twice: no pipe.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let graph = rekal::Graph::open(folder.path())?;
    /// let row = r#"{"ts":"2026-11-30T12:00:00Z","kind":"recall","query":"jwt","target":"a"}"#;
    /// let file = folder.path().join("rows.ndjson");
    /// std::fs::write(&file, row).expect("written");
    /// assert_eq!(graph.import(&file, 1_796_040_000_000)?.edges_new, 1);
    /// assert_eq!(graph.import(&file, 1_796_040_000_000)?.edges_new, 0);
    /// # Ok::<(), rekal::Error>(())
    /// ```
    pub fn import(&self, file: &Path, now: Millis) -> Result<Drained> {
        self.held(|ledger| super::import(ledger, file, now))
    }

    /// Forgets events or a session without a trace: afterwards no file of the store holds their bytes,
    /// and the same events stay forgotten when they come again. The spool is drained first.
    ///
    /// ```
    /// use rekal::Forget;
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let graph = rekal::Graph::open(folder.path())?;
    /// # let found = ["a".parse().expect("an id")];
    /// graph.recorder().recalled(1_796_040_000_000, None, "open sesame", &found);
    /// let forgotten = graph.forget(&Forget::Text("sesame".into()), 1_796_040_000_000)?;
    /// assert_eq!((forgotten.events, forgotten.edges), (1, 1));
    /// # Ok::<(), rekal::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`drain`](Self::drain), and a part of the spool that a writer holds: then nothing was
    /// removed.
    pub fn forget(&self, what: &Forget, now: Millis) -> Result<Forgotten> {
        self.held(|ledger| super::forget(ledger, what, now))
    }

    /// Takes the spool into a transaction of the host's own database, instead of a ledger of the
    /// graph's own. The graph's tables all have names that begin with `rekal.`; the two databases are
    /// not to be mixed on one store. The crate's [`redb`] is the one to use.
    ///
    /// ```
    /// use rekal::redb::Database;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let graph = rekal::Graph::open(folder.path())?;
    /// # graph.recorder().drilled(1_796_040_000_000, None, &"a".parse()?);
    /// let database = Database::create(folder.path().join("host.redb"))?;
    /// let txn = database.begin_write()?;
    /// // … what the host has to write itself …
    /// let pending = graph.absorb(&txn, 1_796_040_000_000)?;
    /// txn.commit()?;
    /// assert_eq!(pending.finish()?.edges_new, 1);
    /// assert!(graph.reach(&["a".parse()?])[0].is_some());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Then the host must abort the transaction. The spool is as it was. [`Error::is_corrupt`] also where
    /// redb panics in here because of a damaged file; the host's own calls to it are the host's.
    pub fn absorb(&self, txn: &WriteTransaction, now: Millis) -> Result<Pending> {
        super::absorb(&self.store, txn, now)
    }

    fn held<T>(&self, work: impl FnOnce(&mut Ledger) -> Result<T>) -> Result<T> {
        guarded(&self.store, || work(&mut Ledger::open(&self.store)?))
    }
}
