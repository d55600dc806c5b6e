//! What the tests of the spool share.

use std::fs;
use std::path::{Path, PathBuf};

use super::claim::{Claim, claims};
use super::report::Report;
use crate::edge::{Act, Event, SessionId, Ulid};
use crate::time::Millis;

/// 2026-11-30T12:00:00.123Z.
pub(super) const NOON: Millis = 1_796_040_000_123;

/// A claim of noon.
pub(super) const CLAIM: &str = "recall-log.01M8P570KV0000000000000000.claim";

pub(super) fn id(text: &str) -> SessionId {
    text.parse().expect("a session id")
}

pub(super) fn recall(bits: u128, query: &str, targets: &[&str]) -> Event {
    let targets = targets.iter().map(|target| id(target)).collect();
    Event::new(Ulid::from_parts(NOON, bits), Act::Recall(query.into()), targets, None).expect("an event")
}

pub(super) fn drill(bits: u128, target: &str) -> Event {
    Event::new(Ulid::from_parts(NOON, bits), Act::Drill, vec![id(target)], None).expect("an event")
}

pub(super) fn queries(events: &[Event]) -> Vec<&str> {
    events.iter().map(|event| event.query().unwrap_or("(drill)")).collect()
}

/// Puts a claim of noon with these bytes into the store.
pub(super) fn put_claim(dir: &Path, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = dir.join(CLAIM);
    fs::write(&path, bytes).expect("a claim");
    path
}

/// All events of all claims, in chunks of 7; the claims are deleted.
pub(super) fn drain(dir: &Path) -> (Vec<Event>, Report) {
    let (mut events, mut report) = (Vec::new(), Report::default());
    for claim in claims(dir, NOON).expect("the claims") {
        let (more, met) = drain_claim(claim);
        events.extend(more);
        report.add(met);
    }
    (events, report)
}

pub(super) fn drain_claim(claim: Claim) -> (Vec<Event>, Report) {
    let mut events = Vec::new();
    let Some(mut reader) = claim.open().expect("a claim") else {
        return Default::default();
    };
    while let Some(event) = reader.next_event().expect("read") {
        events.push(event);
    }
    (events, reader.unlink().expect("no claim"))
}

/// What a claim with these bytes holds.
pub(super) fn read_claim(bytes: impl AsRef<[u8]>) -> (Vec<Event>, Report) {
    let dir = tempfile::tempdir().expect("a folder");
    put_claim(dir.path(), bytes);
    drain(dir.path())
}
