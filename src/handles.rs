//! Handles: `s5` for the fifth session that was captured, in place of the agent's own id.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use rekal::capture::index_of;
use rekal::edge::SessionId;
use rekal::index::Index;

/// The handles of a store. The index, which knows them, is opened when the first one is asked for; one
/// that cannot be read has no handles, and says so elsewhere.
pub struct Handles {
    store: PathBuf,
    index: OnceCell<Option<Index>>,
}

impl Handles {
    /// Those of the store in this folder.
    pub fn of(store: &Path) -> Self {
        Self {
            store: store.to_path_buf(),
            index: OnceCell::new(),
        }
    }

    /// The session's handle. `None`: it was not captured here.
    pub fn handle(&self, session: &SessionId) -> Option<String> {
        let number = self.index()?.number_of(session).ok().flatten()?;
        Some(format!("s{number}"))
    }

    /// What stands for the session in a row: its handle, else its id.
    pub fn name(&self, session: &SessionId) -> String {
        self.handle(session).unwrap_or_else(|| session.as_str().to_owned())
    }

    /// The session that a name means: the one with this handle, else the one with this id.
    pub fn session(&self, name: &SessionId) -> SessionId {
        let number = name.as_str().strip_prefix('s').and_then(|digits| digits.parse().ok());
        let record = number.and_then(|number| self.index()?.session(number).ok().flatten());
        record.map_or_else(|| name.clone(), |record| record.session.id)
    }

    fn index(&self) -> Option<&Index> {
        let open = || Index::open(&index_of(&self.store)).ok().flatten();
        self.index.get_or_init(open).as_ref()
    }
}
