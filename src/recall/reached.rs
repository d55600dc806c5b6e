//! The reach of the sessions that a recall looks at.

use std::collections::HashMap;

use crate::edge::SessionId;
use crate::reach::{Reach, Reached};

/// Every reach that was asked for, each looked up once.
pub(super) struct LookedUp<'a> {
    published: &'a dyn Reached,
    known: HashMap<SessionId, Option<Reach>>,
}

impl<'a> LookedUp<'a> {
    pub(super) fn new(published: &'a dyn Reached) -> Self {
        Self {
            published,
            known: HashMap::new(),
        }
    }

    pub(super) fn of(&mut self, id: &SessionId) -> Option<&Reach> {
        let published = self.published;
        self.known
            .entry(id.clone())
            .or_insert_with(|| published.reach(id))
            .as_ref()
    }
}
