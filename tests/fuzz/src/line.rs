//! A spool line: it is refused with a reason, or it is an event in its one form, which comes back from its
//! own line.

use std::collections::HashSet;

use rekal::edge::{Event, MAX_QUERY, MAX_TARGETS};
use rekal::spool::Ids;
use rekal::spool::line::{accept, encode};

const NOW: u64 = 1_796_040_000_123;

pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(event) = accept(&text, NOW, &mut Ids::default()) {
        in_its_one_form(&event);
        comes_back(&event);
    }
}

/// What holds of every event.
pub(crate) fn in_its_one_form(event: &Event) {
    assert!((1..=MAX_TARGETS).contains(&event.targets().len()));
    let distinct: HashSet<&str> = event.targets().iter().map(|id| id.as_str()).collect();
    assert_eq!(distinct.len(), event.targets().len(), "a target is named twice");
    assert!(event.targets().iter().all(|target| event.source() != Some(target)));
    if let Some(query) = event.query() {
        assert!(!query.trim().is_empty() && query.len() <= MAX_QUERY, "{query:?}");
        assert!(!query.chars().any(char::is_control), "{query:?}");
    }
}

/// Its line is one line, and is the event again.
pub(crate) fn comes_back(event: &Event) {
    let mut line = String::new();
    encode(event, &mut line);
    assert_eq!(line.find('\n'), Some(line.len() - 1));
    let again = accept(&line, 0, &mut Ids::default());
    assert_eq!(again.as_ref(), Ok(event), "{line}");
}
