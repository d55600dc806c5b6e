//! The protocol of writers and drains, explored: every order of system calls of two writers and two
//! drains, with a death after each of them, and a deleted claim that comes back. What holds in every
//! end is that the drain which follows leaves each acknowledged event in the ledger exactly once, and
//! no event twice.

mod explore;
mod model;

use std::io::{self, Write};

use model::{Protocol, World};

#[test]
fn whatever_dies_whenever_every_acknowledged_event_is_taken_in_once() {
    let explored = explore::all(World::new(Protocol::default()));
    assert_eq!(explored.wrong, None);
    _ = writeln!(io::stderr(), "{} states, {} ends", explored.states, explored.ends);
    assert!(explored.states > 50_000 && explored.ends > 100);
}

#[test]
fn an_event_is_lost_without_the_lock() {
    let story = wrong(Protocol {
        locks: false,
        ..Protocol::default()
    });
    assert!(story.last().is_some_and(|end| end.ends_with(LOST)), "{story:#?}");
    let writes = place(&story, "writes").max(place(&story, "writes it once more"));
    assert!(place(&story, "deletes the claim") < writes, "{story:#?}");
}

#[test]
fn an_event_is_lost_without_the_comparison() {
    let story = wrong(Protocol {
        compares: false,
        ..Protocol::default()
    });
    assert!(story.last().is_some_and(|end| end.ends_with(LOST)), "{story:#?}");
    assert!(
        place(&story, "deletes the claim") < place(&story, "locks the spool"),
        "{story:#?}"
    );
}

#[test]
fn an_event_is_torn_when_it_is_written_in_two_parts() {
    let story = wrong(Protocol {
        one_write: false,
        ..Protocol::default()
    });
    assert!(story.last().is_some_and(|end| end.ends_with(LOST)), "{story:#?}");
    let parts = story.iter().filter(|step| step.ends_with("writes a part")).count();
    assert_eq!(parts, 2, "{story:#?}");
}

#[test]
fn an_event_is_counted_twice_without_its_id() {
    let story = wrong(Protocol {
        knows_ids: false,
        ..Protocol::default()
    });
    assert!(
        story
            .last()
            .is_some_and(|end| end.ends_with("is in the ledger 2 times")),
        "{story:#?}"
    );
}

const LOST: &str = "is acknowledged and in the ledger 0 times";

/// Where in the story a step was taken last.
fn place(story: &[String], step: &str) -> Option<usize> {
    story.iter().rposition(|taken| taken.ends_with(step))
}

/// The shortest way to what is wrong.
fn wrong(protocol: Protocol) -> Vec<String> {
    explore::all(World::new(protocol)).wrong.expect("a counterexample")
}
