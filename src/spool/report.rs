//! What a drain could not take from its claims, and why.

use std::collections::BTreeMap;
use std::fmt;

use crate::redact::redact;

/// How many bad lines are shown.
const MAX_SAMPLES: usize = 5;

/// How many characters of a bad line are shown.
const SAMPLE_CHARS: usize = 200;

/// Why a line, or a part of one, is no event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reason {
    /// No JSON object: torn, overwritten, or never one.
    NotJson,
    /// An object, but something else where a text or a list of texts belongs.
    BadShape,
    /// Neither a recall nor a drill.
    UnknownKind,
    /// An id that is no ULID.
    BadId,
    /// No id, and a time that is missing, does not parse or lies before 1970.
    BadTime,
    /// No target, or only the source itself.
    NoTarget,
    /// Targets, but none that is a session id.
    BadTarget,
    /// A recall whose query is blank.
    NoQuery,
    /// Longer than [`MAX_LINE`](super::line::MAX_LINE).
    TooLong,
}

impl Reason {
    /// The name in reports: it never changes.
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::NotJson => "not_json",
            Reason::BadShape => "bad_shape",
            Reason::UnknownKind => "unknown_kind",
            Reason::BadId => "bad_id",
            Reason::BadTime => "bad_time",
            Reason::NoTarget => "no_target",
            Reason::BadTarget => "bad_target",
            Reason::NoQuery => "no_query",
            Reason::TooLong => "too_long",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One bad line, to look at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    /// Its number in the claim, from 1.
    pub line: u64,
    /// Why it is bad.
    pub reason: Reason,
    /// Its first 200 characters without secrets. It is as hostile as the file was: escape it.
    pub text: String,
}

/// What was met while claims were read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Lines that are not blank.
    pub lines: u64,
    /// Bad lines by reason.
    pub bad: BTreeMap<Reason, u64>,
    /// The first few of them.
    pub samples: Vec<Sample>,
    /// Events whose time was brought back to that of the claim.
    pub clamped: u64,
}

impl Report {
    /// Takes in what was met in a further claim.
    pub fn add(&mut self, other: Report) {
        self.lines += other.lines;
        self.clamped += other.clamped;
        for (reason, count) in other.bad {
            *self.bad.entry(reason).or_default() += count;
        }
        let room = MAX_SAMPLES.saturating_sub(self.samples.len());
        self.samples.extend(other.samples.into_iter().take(room));
    }

    pub(super) fn count_bad(&mut self, line: u64, reason: Reason, text: &str) {
        *self.bad.entry(reason).or_default() += 1;
        if self.samples.len() < MAX_SAMPLES {
            let text = shown(text);
            self.samples.push(Sample { line, reason, text });
        }
    }
}

/// Redacted before it is cut: half a secret is not recognised.
fn shown(text: &str) -> String {
    let head = &text[..text.floor_char_boundary(16 * SAMPLE_CHARS)];
    redact(head).trim().chars().take(SAMPLE_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_add_up_and_keep_the_first_five_samples() {
        let mut all = Report::default();
        for claim in 0..3 {
            let mut one = Report {
                lines: 10,
                clamped: 1,
                ..Report::default()
            };
            for line in 1..=3 {
                one.count_bad(line, Reason::NotJson, &format!("claim {claim}"));
            }
            all.add(one);
        }
        assert_eq!((all.lines, all.clamped, all.bad[&Reason::NotJson]), (30, 3, 9));
        let texts: Vec<&str> = all.samples.iter().map(|s| s.text.as_str()).collect();
        assert_eq!(texts, ["claim 0", "claim 0", "claim 0", "claim 1", "claim 1"]);
    }

    #[test]
    fn a_sample_is_cut_on_a_character() {
        let mut report = Report::default();
        report.count_bad(1, Reason::TooLong, &"é".repeat(100_000));
        assert_eq!(report.samples[0].text, "é".repeat(200));
    }
}
