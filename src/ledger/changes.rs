//! Which changes of the sessions this ledger went through.
//!
//! A ledger that was put back from a copy counts on from where the copy stood, and comes to the number of a
//! change that is published and that it never went through. So every change has a random draw beside
//! its number, and what is published names both.

use std::collections::VecDeque;

use redb::ReadableTable;
use serde::{Deserialize, Serialize};

use super::rows;
use super::tables::{Bytes, During};
use crate::Result;
use crate::hash::random128;

/// The name of the row in `meta`.
const CHANGES: &str = "session_changes";

/// So many changes are remembered. What is published of an older one is built anew.
const REMEMBERED: usize = 64;

/// The latest changes with what was drawn for each, the latest last.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Changes(VecDeque<(u64, u64)>);

impl Changes {
    pub(super) fn read(meta: &impl ReadableTable<&'static str, Bytes>) -> Result<Self> {
        match meta.get(CHANGES).during("read the latest changes")? {
            Some(row) => rows::decode(row.value(), "rekal.meta"),
            None => Ok(Self::default()),
        }
    }

    /// What was drawn for a change. `None`: this ledger did not go through it, or too long ago. Before
    /// there was any change, and where draws came later than changes, it is 0.
    pub(crate) fn draw(&self, change: u64) -> Option<u64> {
        let Self(changes) = self;
        let drawn = changes.iter().find(|(number, _)| *number == change);
        match drawn {
            Some((_, draw)) => Some(*draw),
            None => (change == 0 || changes.is_empty()).then_some(0),
        }
    }

    /// With a change that is being made.
    pub(super) fn push(&mut self, change: u64) {
        // 0 is drawn for none.
        self.0.push_back((change, random128() as u64 | 1));
        while self.0.len() > REMEMBERED {
            self.0.pop_front();
        }
    }

    pub(super) fn write(&self, meta: &mut redb::Table<'_, &'static str, Bytes>) -> Result<()> {
        let row = rows::encode(self)?;
        meta.insert(CHANGES, row.as_slice()).during("note the latest changes")?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_changes_are_known_by_their_draws() {
        let mut changes = Changes::default();
        assert_eq!((changes.draw(0), changes.draw(7)), (Some(0), Some(0)));
        for change in 1..=70 {
            changes.push(change);
        }
        assert_eq!(
            (changes.draw(0), changes.draw(6), changes.draw(71)),
            (Some(0), None, None)
        );
        assert!(changes.draw(7).is_some_and(|draw| draw != 0));
        assert_ne!(changes.draw(7), changes.draw(70));
    }
}
