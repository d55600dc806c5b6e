//! An event on its way from the caller to the recorder's thread.

use super::ids::Ids;
use crate::edge::{Act, Event, Kind, SessionId};
use crate::time::Millis;

/// What happened, in one allocation: twenty small ones that another thread frees cost the caller more
/// than all the rest. No session id holds a `\n`.
#[derive(Debug)]
pub(super) struct Happened {
    at: Millis,
    kind: Kind,
    /// The targets, each with a `\n` behind it, the source, the query.
    text: String,
    targets_end: usize,
    source_end: usize,
}

impl Happened {
    pub(super) fn new(at: Millis, kind: Kind, source: Option<&SessionId>, query: &str, targets: &[SessionId]) -> Self {
        let source = source.map_or("", SessionId::as_str);
        let ids: usize = targets.iter().map(|target| target.as_str().len() + 1).sum();
        let mut text = String::with_capacity(ids + source.len() + query.len());
        for target in targets {
            text.push_str(target.as_str());
            text.push('\n');
        }
        let targets_end = text.len();
        text.push_str(source);
        let source_end = text.len();
        text.push_str(query);
        Self {
            at,
            kind,
            text,
            targets_end,
            source_end,
        }
    }

    pub(super) fn event(&self, ids: &mut Ids) -> Option<Event> {
        let (ends, text) = ((self.targets_end, self.source_end), &self.text);
        let act = match self.kind {
            Kind::Recall => Act::Recall(text[ends.1..].to_owned()),
            Kind::Drill => Act::Drill,
        };
        let targets = text[..ends.0].lines().filter_map(|id| id.parse().ok()).collect();
        let source = text[ends.0..ends.1].parse().ok();
        Event::new(ids.next(self.at), act, targets, source)
    }
}
