//! What is to be published after a commit, read before it; so the snapshot can follow a transaction
//! that somebody else commits.

use std::path::Path;

use crate::Result;
use crate::edge::SessionId;
use crate::ledger::{Changed, View};
use crate::reach::{Reach, Reached};
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
        changed: &Changed,
    ) -> Result<Self> {
        let snapshot = Snapshot::open(store);
        let published = snapshot.stamp().filter(|_| snapshot.is_whole());
        if published == Some(now) {
            return Ok(Self::Nothing);
        }
        if published == Some(since) && snapshot.has_room_for(changed.targets.len()) {
            let next = |target: &u32| next(&snapshot, tables, *target, changed.led.contains(target));
            let changed = changed.targets.iter().map(next).collect::<Result<_>>()?;
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

/// A changed target. The texts of the queries that led to its openings may be hundreds, on as many pages
/// of the ledger; where they are the same, they are taken from what is published.
fn next(snapshot: &Snapshot, tables: &impl View, target: u32, other_led: bool) -> Result<(SessionId, Reach)> {
    let session = tables.session(target)?;
    let known = if other_led { None } else { snapshot.reach(&session) };
    let reach = tables.published_after(target, known.map(|reach| reach.led))?;
    Ok((session, reach))
}

#[cfg(test)]
mod tests {
    use crate::Graph;
    use crate::time::Millis;

    const NOON: Millis = 1_796_040_000_000;

    #[test]
    fn what_led_to_openings_is_published_anew_when_it_changed_and_kept_when_not() {
        let store = tempfile::tempdir().expect("a folder");
        let graph = Graph::open(store.path()).expect("a graph");
        let ids = ["a", "b"].map(|id| id.parse().expect("an id"));
        let led = |minute: Millis, act: &dyn Fn(Millis)| {
            act(NOON + minute * 60_000);
            graph.drain(NOON + 3_600_000).expect("drained");
            assert!(graph.verify().expect("verified").is_right(), "minute {minute}");
            graph.reach(&ids)[0].clone().expect("reached").led
        };
        let recall = |query| {
            let (graph, ids) = (&graph, &ids);
            move |at| graph.recorder().recalled(at, None, query, ids)
        };
        let drill = |at| graph.recorder().drilled(at, None, &ids[0]);
        let times = |led: &[(&str, u32)]| {
            led.iter()
                .map(|(query, n)| ((*query).to_owned(), *n))
                .collect::<Vec<_>>()
        };

        assert_eq!(led(0, &recall("jwt")), []);
        assert_eq!(led(1, &drill), times(&[("jwt", 1)]));
        assert_eq!(led(5, &recall("token")), times(&[("jwt", 1)]));
        assert_eq!(led(6, &drill), times(&[("jwt", 1), ("token", 1)]));
        // Late: the second drill was led to by this one.
        assert_eq!(
            led(5, &|at| recall("clock")(at + 30_000)),
            times(&[("clock", 1), ("jwt", 1)])
        );
        assert!(store.path().join("reach.delta").exists());
    }
}
