//! A whole claim: every line that is not blank is accounted for, the same bytes are the same events, and no
//! line changes what another one means.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use rekal::edge::Event;
use rekal::spool::claim::leftovers;
use rekal::spool::report::Report;

use crate::line::{comes_back, in_its_one_form};

/// A claim of 2026-11-30T12:00:00.123Z.
const NAME: &str = "recall-log.01M8P570KV0000000000000000.claim";
const AT: u64 = 1_796_040_000_123;
const DAY: u64 = 86_400_000;

/// Lines that are also read alone.
const ALONE: usize = 6;

thread_local! {
    static STORE: tempfile::TempDir = in_memory();
}

pub fn check(data: &[u8]) {
    STORE.with(|store| {
        let (events, report) = read(store.path(), data);
        accounted_for(data, &events, &report);
        for event in &events {
            in_its_one_form(event);
            comes_back(event);
            assert!(event.at() <= AT + DAY, "later than its claim");
        }
        assert_eq!(read(store.path(), data), (events.clone(), report.clone()), "read again");
        if lines(data).count() <= ALONE {
            add_up(store.path(), data, &events, &report);
        }
    });
}

pub(crate) fn in_memory() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let dir = match memory.is_dir() {
        true => tempfile::tempdir_in(memory),
        false => tempfile::tempdir(),
    };
    dir.expect("a folder")
}

fn read(store: &Path, data: &[u8]) -> (Vec<Event>, Report) {
    fs::write(store.join(NAME), data).expect("a claim");
    let claim = leftovers(store, AT).expect("the claims").remove(0);
    let mut reader = claim.open().expect("the claim").expect("nobody holds it");
    let mut all = Vec::new();
    while let Some(event) = reader.next_event().expect("read") {
        all.push(event);
    }
    (all, reader.unlink().expect("deleted"))
}

/// The lines that are not blank.
fn lines(data: &[u8]) -> impl Iterator<Item = &[u8]> {
    let all = data.split(|byte| *byte == b'\n');
    all.filter(|line| !String::from_utf8_lossy(line).trim().is_empty())
}

fn accounted_for(data: &[u8], events: &[Event], report: &Report) {
    let bad: u64 = report.bad.values().sum();
    assert_eq!(report.lines, lines(data).count() as u64, "lines that are not blank");
    assert!(
        events.len() as u64 + bad >= report.lines,
        "a line is neither good nor bad"
    );
    assert!(report.samples.len() as u64 <= bad);
    assert!(report.clamped <= events.len() as u64 + bad);
    // Without ids of their own (in letters or escaped), records get ids that differ.
    let text = String::from_utf8_lossy(data);
    if !text.contains("id\"") && !text.contains("\\u") {
        let ids: HashSet<_> = events.iter().map(Event::id).collect();
        assert_eq!(ids.len(), events.len(), "two events of one id");
    }
}

/// Each line means alone what it means among others, but for ids that come from its number.
fn add_up(store: &Path, data: &[u8], events: &[Event], report: &Report) {
    let mut alone = (Vec::new(), Report::default());
    for line in lines(data) {
        let (events, mut report) = read(store, line);
        let bad: u64 = report.bad.values().sum();
        if serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(line).is_ok() {
            assert_eq!(events.len() as u64 + bad, 1, "one object is one event or one bad line");
        }
        report.samples.clear();
        alone.0.extend(events);
        alone.1.add(report);
    }
    let meaning = |events: &[Event]| -> Vec<_> {
        let parts = |event: &Event| {
            (
                event.at(),
                event.query().map(str::to_owned),
                event.targets().to_vec(),
                event.source().cloned(),
            )
        };
        events.iter().map(parts).collect()
    };
    assert_eq!(meaning(&alone.0), meaning(events));
    assert_eq!(
        (alone.1.lines, &alone.1.bad, alone.1.clamped),
        (report.lines, &report.bad, report.clamped)
    );
}
