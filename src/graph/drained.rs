//! What a drain reports.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::ledger::Absorbed;
use crate::spool::report::{Report, Sample};

/// What a drain did.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Drained {
    /// Claims that were taken in.
    pub claims: u64,
    /// Events that were new.
    pub events: u64,
    /// Edges that were new.
    pub edges_new: u64,
    /// Edges of events that were known.
    pub edges_known: u64,
    /// Lines that are no event, by reason.
    pub bad_lines: BTreeMap<&'static str, u64>,
    /// Events whose time lay more than a day ahead and was brought back.
    pub clamped: u64,
    /// Claims that a writer still holds, or that were too many for one transaction of a host; the next drain
    /// takes them.
    #[serde(skip)]
    pub left: u64,
    /// The first few bad lines.
    #[serde(skip)]
    pub samples: Vec<Sample>,
}

impl Drained {
    pub(super) fn append(&mut self, more: Self) {
        self.claims += more.claims;
        self.events += more.events;
        self.edges_new += more.edges_new;
        self.edges_known += more.edges_known;
        for (reason, count) in more.bad_lines {
            *self.bad_lines.entry(reason).or_default() += count;
        }
        self.clamped += more.clamped;
        self.left += more.left;
        self.samples.extend(more.samples);
    }

    pub(super) fn note(&mut self, report: &Report) {
        self.claims += 1;
        self.clamped += report.clamped;
        for (reason, count) in &report.bad {
            *self.bad_lines.entry(reason.as_str()).or_default() += count;
        }
        self.samples.extend(report.samples.iter().cloned());
    }

    pub(super) fn count(&mut self, absorbed: &Absorbed) {
        self.events += absorbed.events;
        self.edges_new += absorbed.edges_new;
        self.edges_known += absorbed.edges_known;
    }
}
