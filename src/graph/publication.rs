//! What is to be published after a commit, read before it; so the snapshot can follow a transaction
//! that somebody else commits.

use std::collections::BTreeSet;
use std::path::Path;

use crate::Result;
use crate::edge::SessionId;
use crate::ledger::View;
use crate::reach::Reach;
use crate::snapshot::{Snapshot, Stamp, publish_changes, publish_whole};

/// The snapshot's next state.
pub(super) enum Publication {
    /// What is published is right.
    Nothing,
    /// These sessions changed between the published state and this one.
    Changes(Stamp, Stamp, Vec<(SessionId, Reach)>),
    /// Everything.
    Whole(Stamp, Vec<(SessionId, Reach)>),
}

impl Publication {
    /// From the published state to `now`, which the tables hold. `changed` are the targets that
    /// changed since the state `since`; unless that one is published undamaged, everything is.
    pub(super) fn prepare(
        store: &Path,
        tables: &impl View,
        since: Stamp,
        now: Stamp,
        changed: &BTreeSet<u32>,
    ) -> Result<Self> {
        let snapshot = Snapshot::open(store);
        let published = snapshot.stamp().filter(|_| snapshot.is_whole());
        if published == Some(now) {
            return Ok(Self::Nothing);
        }
        if published == Some(since) && snapshot.has_room_for(changed.len()) {
            let changed = changed
                .iter()
                .map(|target| tables.published(*target))
                .collect::<Result<_>>()?;
            return Ok(Self::Changes(since, now, changed));
        }
        Ok(Self::Whole(now, tables.published_all()?))
    }

    /// Publishes it. `tables` are asked only where a change turns out to need everything after all.
    pub(super) fn publish(self, store: &Path) -> Result<()> {
        match self {
            Self::Nothing => Ok(()),
            Self::Changes(since, now, changed) => publish_changes(store, since, now, &changed),
            Self::Whole(now, records) => publish_whole(store, now, &records),
        }
    }
}
