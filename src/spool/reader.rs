//! A claim as a stream of events. However long the file or a line of it is, only one line's events
//! and one line are held.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};

use super::claim::Claim;
use super::line::{self, Found, MAX_LINE, Record, Stamp, TAIL};
use super::report::{Reason, Report};
use crate::edge::{Event, Ulid};
use crate::time::{DAY, Millis};
use crate::{Error, Result};

/// What is kept of the beginning of a line above [`MAX_LINE`], for the report.
const HEAD: usize = 1024;

/// A claim that this drain owns: its file is locked until this is dropped.
#[derive(Debug)]
pub struct ClaimReader {
    claim: Claim,
    input: BufReader<File>,
    line: Vec<u8>,
    head: Option<Vec<u8>>,
    number: u64,
    ready: VecDeque<Event>,
    report: Report,
}

impl ClaimReader {
    pub(super) fn new(claim: Claim, locked: File) -> Self {
        Self {
            claim,
            input: BufReader::with_capacity(64 << 10, locked),
            line: Vec::new(),
            head: None,
            number: 0,
            ready: VecDeque::new(),
            report: Report::default(),
        }
    }

    /// The next event; none at the end of the claim.
    pub fn next_event(&mut self) -> Result<Option<Event>> {
        loop {
            match self.ready.pop_front() {
                None if self.read_line()? => {}
                next => return Ok(next),
            }
        }
    }

    /// What was met so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The claim that is read.
    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    /// Deletes the claim, when its events are safe elsewhere.
    pub fn unlink(self) -> Result<Report> {
        let path = self.claim.path();
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io("delete", path, error)),
            _ => Ok(self.report),
        }
    }

    fn read_line(&mut self) -> Result<bool> {
        let more = self
            .fill()
            .map_err(|error| Error::io("read", self.claim.path(), error))?;
        if more {
            self.number += 1;
            let found = match self.head {
                Some(_) => line::read_tail(&self.line),
                None => line::read(&self.line),
            };
            self.take(found);
        }
        Ok(more)
    }

    /// Brings the next line into `line`; of one that is too long its beginning into `head` and its
    /// last bytes into `line`. False at the end of the file.
    fn fill(&mut self) -> io::Result<bool> {
        self.line.clear();
        self.head = None;
        loop {
            let room = MAX_LINE + 1 - self.line.len();
            let read = (&mut self.input).take(room as u64).read_until(b'\n', &mut self.line)?;
            if read == 0 || self.line.ends_with(b"\n") {
                return Ok(!self.line.is_empty());
            }
            if self.line.len() > MAX_LINE {
                self.head.get_or_insert_with(|| self.line[..HEAD].to_vec());
                self.line.drain(..self.line.len() - TAIL);
            }
        }
    }

    fn take(&mut self, found: Found) {
        let Found { records, bad } = found;
        if records.is_empty() && bad.is_none() {
            return;
        }
        self.report.lines += 1;
        if let Some((reason, text)) = bad {
            let head = self.head.as_deref().map(String::from_utf8_lossy);
            self.report
                .count_bad(self.number, reason, head.as_deref().unwrap_or(&text));
        }
        for (from_end, record) in records.into_iter().enumerate().rev() {
            let event = self.stamp(&record, from_end).and_then(|id| record.event(id));
            match event {
                Ok(event) => self.ready.push_back(event),
                Err(reason) => {
                    let text = String::from_utf8_lossy(&self.line);
                    self.report.count_bad(self.number, reason, &text);
                }
            }
        }
    }

    /// The id of an event. A time more than a day ahead of the claim's own becomes the claim's.
    fn stamp(&mut self, record: &Record, from_end: usize) -> std::result::Result<Ulid, Reason> {
        let (at, bits) = match record.stamp {
            Stamp::Id(id) => (id.timestamp_ms(), id.random()),
            Stamp::Time(at) => (at, line::id_bits(self.claim.name(), self.number, from_end)),
            Stamp::Missing => return Err(Reason::BadTime),
        };
        Ok(Ulid::from_parts(self.no_later_than_claim(at), bits))
    }

    fn no_later_than_claim(&mut self, at: Millis) -> Millis {
        if at <= self.claim.at().saturating_add(DAY) {
            return at;
        }
        self.report.clamped += 1;
        self.claim.at()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spool::claim::leftovers;
    use crate::spool::fixture::{NOON, drain, drill, id, put_claim, queries, read_claim, recall};
    use crate::spool::writer::Batch;

    fn lines(events: &[Event]) -> String {
        let mut out = String::new();
        events.iter().for_each(|event| line::encode(event, &mut out));
        out
    }

    fn bad(report: &Report) -> Vec<(&'static str, u64)> {
        report.bad.iter().map(|(why, count)| (why.as_str(), *count)).collect()
    }

    #[test]
    fn a_good_line_glued_behind_half_a_line_is_found() {
        let [one, two, three] = [1, 2, 3].map(|n| lines(&[recall(n, &format!("q{n}"), &["s1"])]));
        let (events, report) = read_claim(format!("{one}{}{two}{three}", &one[..40]));
        assert_eq!(queries(&events), ["q1", "q2", "q3"]);
        assert_eq!((bad(&report), report.lines), (vec![("not_json", 1)], 3));
        assert_eq!(report.samples[0].line, 2);
        assert_eq!(report.samples[0].text, one[..40]);
    }

    #[test]
    fn a_batch_cut_anywhere_costs_no_record_but_the_cut_one() {
        let mut batch = Batch::new();
        let cut = [
            recall(1, "q1 {\"", &["s1", "s2"]),
            drill(2, "s1"),
            recall(3, "q\"3\\", &["s3"]),
        ];
        cut.iter().for_each(|event| batch.push(event));
        let good = format!("\n{}", lines(&[recall(4, "q4", &["s1"])]));
        for end in 0..=batch.bytes().len() {
            for behind in [good.as_str(), &good[1..]] {
                let whole = cut.iter().enumerate().filter(|(n, _)| {
                    // Its `\n` may be missing: the record is whole without it.
                    end + 1 > lines(&cut[..=*n]).len()
                });
                let mut expected: Vec<Event> = whole.map(|(_, event)| event.clone()).collect();
                expected.push(recall(4, "q4", &["s1"]));
                let text = [&batch.bytes()[..end], behind.as_bytes()].concat();
                let (events, report) = read_claim(&text);
                assert_eq!(events, expected, "cut at {end}");
                assert!(report.bad.values().sum::<u64>() <= 1, "cut at {end}");
            }
        }
    }

    #[test]
    fn a_line_of_64_mib_is_survived() {
        let dir = tempfile::tempdir().expect("a folder");
        let (one, two, three) = (
            recall(1, "q1", &["s1"]),
            recall(2, "q2", &["s1"]),
            recall(3, "q3", &["s1"]),
        );
        let giant = "x".repeat(64 << 20);
        put_claim(dir.path(), [lines(&[one]), giant, lines(&[two, three])].concat());
        let claim = leftovers(dir.path(), NOON).expect("the claims").remove(0);
        let mut reader = claim.open().expect("the claim").expect("unlocked");
        let events = [(); 3].map(|()| reader.next_event().expect("read").expect("an event"));
        assert_eq!(queries(&events), ["q1", "q2", "q3"]);
        assert_eq!(bad(reader.report()), [("too_long", 1)]);
        assert_eq!(reader.report().samples[0].text, "x".repeat(200));
        assert!(reader.line.capacity() <= 2 * MAX_LINE + 2, "{}", reader.line.capacity());
    }

    #[test]
    fn the_longest_record_is_found_behind_what_was_not_held() {
        let targets: Vec<String> = (0..50).map(|n| format!("{n:02}{}", "\"".repeat(126))).collect();
        let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
        let record = lines(&[recall(1, &"\\".repeat(1024), &targets)]);
        for junk in [
            MAX_LINE - record.len(),
            MAX_LINE - record.len() + 2,
            MAX_LINE - 1,
            MAX_LINE,
        ] {
            let (events, report) = read_claim(["{".repeat(junk), record.clone()].concat());
            assert_eq!(events.len(), 1, "{junk} bytes in front");
            assert_eq!(report.bad.values().sum::<u64>(), 1);
        }
    }

    #[test]
    fn a_line_at_the_limit_is_read_and_one_above_is_not() {
        let line = |len: usize| {
            let start = r#"{"id":"01M8P570KV0000000000000001","kind":"drill","target":"s1","x":""#;
            format!("{start}{}\"}}\n", "x".repeat(len - start.len() - 2))
        };
        let (events, report) = read_claim(line(MAX_LINE));
        assert_eq!((events.len(), bad(&report)), (1, vec![]));
        let (events, report) = read_claim(line(MAX_LINE + 1));
        assert_eq!((events.len(), bad(&report)), (0, vec![("too_long", 1)]));
    }

    #[test]
    fn odd_bytes_are_survived() {
        let good = lines(&[drill(1, "s1")]);
        let crlf = good.replace('\n', "\r\n");
        assert_eq!(read_claim(format!("\r\n  \n{crlf}{crlf}")).0.len(), 2);
        assert_eq!(read_claim("").0.len(), 0);
        assert_eq!(read_claim(good.trim_end()).0.len(), 1);
        assert_eq!(bad(&read_claim("\0\0\0\0\n").1), [("not_json", 1)]);

        let (events, report) = read_claim([&[0u8; 4096][..], good.as_bytes()].concat());
        assert_eq!((events.len(), bad(&report)), (1, vec![("not_json", 1)]));
    }

    #[test]
    fn blank_lines_are_neither_lines_nor_bad() {
        let (_, report) = read_claim("\n\n \t\r\n\n");
        assert_eq!((report.lines, bad(&report)), (0, vec![]));
    }

    #[test]
    fn separators_and_invalid_bytes_in_a_query_leave_the_rest() {
        let line = r#"{"id":"01M8P570KV0000000000000001","kind":"recall","query":"a~b","targets":["s1"]}"#;
        let (events, report) = read_claim(line.replace('~', "\u{2028}"));
        assert_eq!((queries(&events), bad(&report)), (vec!["a b"], vec![]));
        let invalid = line
            .bytes()
            .map(|b| if b == b'~' { 0xff } else { b })
            .collect::<Vec<_>>();
        let (events, report) = read_claim(invalid);
        assert_eq!((queries(&events), bad(&report)), (vec!["a\u{fffd}b"], vec![]));
    }

    #[test]
    fn an_id_that_had_to_be_repaired_is_nobodys() {
        let line = r#"{"id":"01M8P570KV0000000000000001","kind":"drill","targets":[TARGETS],"source":"me~"}"#;
        let read = |targets: &str| {
            let line = line.replace("TARGETS", targets);
            read_claim(
                line.bytes()
                    .map(|b| if b == b'~' { 0xff } else { b })
                    .collect::<Vec<_>>(),
            )
        };
        let (events, _) = read(r#""s~","s1""#);
        assert_eq!((events[0].targets(), events[0].source()), (&[id("s1")][..], None));
        let (events, report) = read(r#""s~""#);
        assert_eq!((events.len(), bad(&report)), (0, vec![("bad_target", 1)]));
    }

    #[test]
    fn lines_of_other_writers_are_read_and_keep_their_ids_on_a_replay() {
        let text = concat!(
            r#"{"ts":"2026-11-30T11:59:59.123456789Z","kind":"recall","query":"jwt","target":"s1","n":{"m":[1]}}"#,
            "\n\n",
            r#"{"ts":"2026-11-30T11:59:59.5Z","kind":"drill","query":"","target":"s1"}"#,
            r#"{"ts":"2026-11-30T11:59:59.5Z","kind":"drill","query":"","target":"s2"}"#,
            "\n",
        );
        let (first, report) = read_claim(text);
        let ids: Vec<String> = first.iter().map(|event| event.id().to_string()).collect();
        assert_eq!(
            ids,
            [
                "01M8P56ZMKDVV18PAYB6D8KXKQ",
                "01M8P5700CA7AM62PR5FQR8EA0",
                "01M8P5700CDVV18PAYB6D8KY7D",
            ]
        );
        assert_eq!((report.lines, bad(&report), report.clamped), (2, vec![], 0));
        assert_eq!(read_claim(text).0, first);
    }

    #[test]
    fn a_time_of_the_next_day_is_kept_and_a_later_one_brought_back() {
        let line = |ts: &str| format!("{{\"ts\":\"{ts}\",\"kind\":\"drill\",\"target\":\"s1\"}}\n");
        let times = |text: &str| -> Vec<Millis> { read_claim(text).0.iter().map(Event::at).collect() };
        assert_eq!(times(&line("2026-12-01T12:00:00.123Z")), [NOON + DAY]);
        assert_eq!(times(&line("2026-12-01T12:00:00.124Z")), [NOON]);
        assert_eq!(times(&line("2031-01-01T00:00:00Z")), [NOON]);
        assert_eq!(times(&line("1970-01-01T00:00:00Z")), [0]);

        let far = Event::new(
            Ulid::from_parts(NOON + 2 * DAY, 77),
            crate::edge::Act::Drill,
            vec![id("s1")],
            None,
        );
        let (events, report) = read_claim(lines(&[far.expect("an event")]));
        assert_eq!((events[0].id(), report.clamped), (Ulid::from_parts(NOON, 77), 1));
    }

    #[test]
    fn a_line_without_id_and_time_is_bad() {
        let (events, report) = read_claim(r#"{"kind":"drill","target":"s1"}"#);
        assert_eq!((events.len(), bad(&report)), (0, vec![("bad_time", 1)]));
    }

    #[test]
    fn there_is_no_event_only_at_the_end() {
        let dir = tempfile::tempdir().expect("a folder");
        let junk = "junk\n".repeat(1000);
        put_claim(dir.path(), format!("{junk}{}{junk}", lines(&[drill(1, "s1")])));
        let claim = leftovers(dir.path(), NOON).expect("the claims").remove(0);
        let mut reader = claim.open().expect("the claim").expect("unlocked");
        assert_eq!(reader.next_event().expect("one"), Some(drill(1, "s1")));
        assert_eq!(reader.next_event().expect("none"), None);
        assert_eq!(reader.next_event().expect("none again"), None);
        assert_eq!(bad(reader.report()), [("not_json", 2000)]);
        assert_eq!(reader.report().samples.len(), 5);
    }

    #[test]
    fn a_claim_is_there_until_it_is_deleted() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = put_claim(dir.path(), lines(&[drill(1, "s1")]));
        let claim = leftovers(dir.path(), NOON).expect("the claims").remove(0);
        drop(claim.open().expect("the claim").expect("unlocked"));
        assert!(path.exists());
        assert_eq!(drain(dir.path()).0, [drill(1, "s1")]);
        assert!(!path.exists());
    }
}
