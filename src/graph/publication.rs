//! What is to be published after a commit, read before it; so the snapshot can follow a transaction
//! that somebody else commits.

use std::path::Path;

use crate::Result;
use crate::edge::SessionId;
use crate::ledger::{Changed, ChangedLed, View};
use crate::reach::{Reach, Reached};
use crate::snapshot::{Basis, Change, Snapshot, Stamp, publish_changes, publish_whole};

/// The snapshot's next state.
pub(super) enum Publication {
    /// What is published is right.
    Nothing,
    /// These sessions changed between the published state and this one.
    Changes(Basis, Stamp, Vec<Change>),
    /// Everything.
    Whole(Stamp, Vec<(SessionId, Reach)>),
}

impl Publication {
    /// From the published state to `now`, which the tables hold. `changed` are the targets that
    /// changed since the state `since`; unless that one is published, and no damage found, everything is.
    pub(super) fn prepare(
        store: &Path,
        tables: &impl View,
        since: Stamp,
        now: Stamp,
        changed: &Changed,
    ) -> Result<Self> {
        let snapshot = Snapshot::open(store);
        match snapshot.basis(now.generation, changed.targets.len()) {
            Some(published) if published.stamp == now => return Ok(Self::Nothing),
            Some(published) if published.stamp == since => {
                let next = |(target, led): (&u32, &ChangedLed)| next(&snapshot, tables, *target, led);
                let changed = changed.targets.iter().map(next).collect::<Result<_>>()?;
                return Ok(Self::Changes(published, now, changed));
            }
            _ => {}
        }
        Ok(Self::Whole(now, tables.published_all()?))
    }

    /// Publishes it. `tables` are asked only where a change turns out to need everything after all.
    pub(super) fn publish(self, store: &Path) -> Result<()> {
        match self {
            Self::Nothing => Ok(()),
            Self::Changes(published, now, changed) => publish_changes(store, published, now, &changed),
            Self::Whole(now, records) => publish_whole(store, now, &records),
        }
    }
}

/// A changed target. The texts of the queries that led to its openings may be hundreds, on as many pages of the
/// ledger; those that are the same are taken from what is published.
fn next(snapshot: &Snapshot, tables: &impl View, target: u32, led: &ChangedLed) -> Result<Change> {
    let session = tables.session(target)?;
    let reach = match led {
        ChangedLed::Of(none) if none.is_empty() => tables.counted(target)?,
        ChangedLed::Of(queries) => match snapshot.reach(&session) {
            Some(published) => tables.published_after(target, published.led, queries)?,
            None => tables.published(target)?.1,
        },
        ChangedLed::Any => tables.published(target)?.1,
    };
    let led_stays = matches!(led, ChangedLed::Of(none) if none.is_empty()) && reach.drills > 0;
    Ok(Change {
        session,
        reach,
        led_stays,
    })
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
