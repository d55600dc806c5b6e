//! Claims that come back, and ledgers that are put back.

use std::fs;

use rekal::graph::{Drained, Graph};
use rekal::time::DAY;

use super::party::runs_alone;
use super::program::{THEN, append, claims, drain, edges, id, is_verified, reach, recall, rekal, targets};

/// Lines with and without ids, one of which lies ten years ahead of the claim.
const LINES: &str = concat!(
    r#"{"id":"01HF7YAT1V0000000000000001","kind":"recall","query":"jwt","targets":["a","b"]}"#,
    "\n",
    r#"{"ts":"2023-11-14T22:13:20.123456789Z","kind":"recall","query":"jwt","target":"a"}"#,
    "\n",
    r#"{"ts":"2033-11-14T22:13:20Z","kind":"drill","query":"","target":"b"}"#,
    "\n",
);

const CLAIM: &str = "recall-log.01HF7YAT1V0000000000000000.claim";

fn counts(drained: &Drained) -> (u64, u64, u64, u64) {
    (drained.claims, drained.events, drained.edges_new, drained.edges_known)
}

#[test]
fn a_claim_restored_a_year_later_changes_nothing() {
    if runs_alone("exactly_once::replay::a_claim_restored_a_year_later_changes_nothing") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path();
    let graph = Graph::open(store).expect("a graph");
    let put_back = || fs::write(store.join(CLAIM), LINES).expect("a claim");
    put_back();
    assert_eq!(counts(&graph.drain(THEN).expect("drained")), (1, 3, 4, 0));
    let before = graph.reach(&[id("a"), id("b")]);
    for later in [0, 1, 365 * DAY] {
        put_back();
        assert_eq!(counts(&graph.drain(THEN + later).expect("drained")), (1, 0, 0, 4));
        assert_eq!(claims(store).len(), 0);
    }
    assert_eq!(graph.reach(&[id("a"), id("b")]), before);
    assert_eq!(
        before
            .iter()
            .flatten()
            .map(|reach| (reach.count, reach.drills))
            .collect::<Vec<_>>(),
        [(2, 0), (2, 1)]
    );
    is_verified(store);
}

#[test]
fn the_same_claim_under_two_names_counts_events_with_an_id_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path();
    append(store, &[recall(0, 1, "jwt", targets(3))]);
    let spool = fs::read(store.join("recall-log.ndjson")).expect("a spool");
    fs::write(store.join(CLAIM), &spool).expect("a claim");
    fs::write(store.join("recall-log.by-hand.claim"), &spool).expect("a claim");
    let drained = drain(store);
    assert_eq!((&drained["claims"], &drained["events"]), (&3.into(), &1.into()));
    assert_eq!(
        (edges(store), reach(store, "session-0").map(|reach| reach.count)),
        (3, Some(1))
    );
}

#[test]
fn a_ledger_put_back_from_a_copy_is_published_anew_however_far_it_gets() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path();
    append(store, &[recall(0, 1, "first", targets(2))]);
    drain(store);
    let copy = fs::read(store.join("store.redb")).expect("a ledger");
    append(store, &[recall(1, 1, "lost with the disk", targets(2))]);
    drain(store);

    // One drain each: as many changes as the ledger that was lost had seen.
    fs::write(store.join("store.redb"), copy).expect("put back");
    append(store, &[recall(2, 1, "second", targets(1))]);
    drain(store);
    is_verified(store);
    let published = "session-0 [reached 2×· \"second\"]\nsession-1 [reached 1×· \"first\"]\n";
    let said = rekal(store, &["graph", "reach", "session-0", "session-1"], "");
    assert_eq!(said.out, published);
}
