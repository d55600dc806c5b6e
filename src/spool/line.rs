//! The grammar of a spool line, the one home of every byte of it.
//!
//! A line is one JSON object, UTF-8, ended by `\n`. It is one event:
//!
//! ```text
//! {"id":"<ULID>","ts":"2026-11-30T12:00:00.123Z","kind":"recall","query":"jwt expiry","targets":["…"],"source":"…"}
//! {"id":"<ULID>","ts":"2026-11-30T12:00:09.004Z","kind":"drill","targets":["…"]}
//! ```
//!
//! | key | |
//! |---|---|
//! | `id` | the event's ULID, 26 characters of Crockford base 32; its first 48 bits are the event's time |
//! | `ts` | that time for people, RFC 3339; read only when there is no `id` |
//! | `kind` | `recall` or `drill` |
//! | `query` | what was asked: of a recall, never blank; of a drill, ignored |
//! | `targets` | the sessions reached, in the order they were surfaced, at most 50 |
//! | `source` | the session that did the reaching; left out when not known |
//!
//! Other writers make one line an edge: `{"ts","kind","query","target"}`, without `id`, with up to 9
//! digits of a second's fraction and `"query":""` on a drill. That form does not say at which rank a recall
//! surfaced its target; it is written for a recall of which that is not known.
//! An SQL-based store exports its rows with `target_session_id` for `target`, which is read as well.
//! `target` and `targets` may stand side by side. Unknown keys are ignored.
//!
//! # The id of a line without one
//!
//! Its time is that of `ts`. Its other 80 bits are the low 80 bits of the 128-bit FNV-1a hash of: the
//! claim's file name (`recall-log.<ULID>.claim`), one byte `\n`, and the line's number in the claim in
//! decimal digits, counted from 1 with blank lines included. Should several whole records be glued
//! together in that line, the k-th from its end (k ≥ 1, the last one is 0) adds `.` and k. So a claim
//! that is read again makes the same ids.
//!
//! # Torn lines
//!
//! A writer that dies in its `write` leaves a fragment without `\n`, and a writer that does not begin with
//! `\n` glues its good line behind it. So a line that is no event is read again from each `{"`
//! in it, from the last to the first: inside of a JSON string those two characters cannot stand side by side.
//! What is a whole record up to the line's end (or up to the record found behind it) is taken; what remains
//! is one bad line. [`MAX_TRIES`] failures end the search, so a hostile line costs so many readings at most.
//!
//! # Limits
//!
//! The longest line that this module writes has 16 KiB; written with every character escaped it would
//! have 46 KiB. A line above [`MAX_LINE`] is bad and is not held in memory, except for its last [`TAIL`]
//! bytes, in which whole records are found as in a torn line. Invalid UTF-8 is replaced by U+FFFD, so that a query with one bad byte is kept; an id that
//! had to be repaired is nobody's, and is skipped. A target that is no session id is skipped.

use std::borrow::Cow;

use serde::Deserialize;

use super::ids::{Ids, parse_ulid};
use super::quote::quote;
use super::report::Reason;
use crate::edge::{Act, Event, SessionId, Ulid};
use crate::hash::Fnv128;
use crate::time::{Millis, format_rfc3339, parse_rfc3339};

/// The most bytes a line may have, without its `\n`.
pub const MAX_LINE: usize = 1 << 20;

/// What is kept of a line above [`MAX_LINE`]: more than any line that is written here.
pub const TAIL: usize = 64 << 10;

/// How many places in a torn line may turn out not to begin a record.
pub const MAX_TRIES: usize = 16;

/// Adds the line of an event, with its `\n`.
pub fn encode(event: &Event, out: &mut String) {
    out.push_str("{\"id\":");
    quote(&event.id().to_string(), out);
    out.push_str(",\"ts\":");
    quote(&format_rfc3339(event.at()), out);
    match event.query() {
        Some(query) => {
            out.push_str(",\"kind\":\"recall\",\"query\":");
            quote(query, out);
        }
        None => out.push_str(",\"kind\":\"drill\""),
    }
    let (open, close) = match event.is_ranked() {
        true => (",\"targets\":[", "]"),
        false => (",\"target\":", ""),
    };
    for (at, target) in event.targets().iter().enumerate() {
        out.push_str(if at == 0 { open } else { "," });
        quote(target.as_str(), out);
    }
    out.push_str(close);
    if let Some(source) = event.source() {
        out.push_str(",\"source\":");
        quote(source.as_str(), out);
    }
    out.push_str("}\n");
}

/// One event from text that another program hands over: a line of this grammar, `id` and `ts`
/// optional. Without `id` it gets the next one of `ids`, of the time `ts`, else `now`; so that lines of
/// one time keep their order.
pub fn accept(text: &str, now: Millis, ids: &mut Ids) -> Result<Event, Reason> {
    let record = Record::parse(text)?;
    let id = match record.stamp {
        Stamp::Id(id) => id,
        Stamp::Time(at) => ids.next(at),
        Stamp::Missing => ids.next(now),
    };
    record.event(id)
}

/// The 80 bits of a record without an id, `from_end` records before the end of this line.
pub(super) fn id_bits(claim_name: &str, line: u64, from_end: usize) -> u128 {
    let hashed = match from_end {
        0 => format!("{claim_name}\n{line}"),
        k => format!("{claim_name}\n{line}.{k}"),
    };
    Fnv128::of(hashed.as_bytes()) & ((1 << Ulid::RAND_BITS) - 1)
}

/// What a line says, before it has become an event.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Record {
    pub(super) stamp: Stamp,
    act: Act,
    targets: Vec<SessionId>,
    source: Option<SessionId>,
    is_ranked: bool,
}

/// What a line says of its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stamp {
    Id(Ulid),
    Time(Millis),
    Missing,
}

/// Texts without escapes stay where they are in the line.
#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow)]
    id: Option<Text<'a>>,
    ts: Option<Text<'a>>,
    kind: Option<Text<'a>>,
    query: Option<Text<'a>>,
    #[serde(alias = "target_session_id")]
    target: Option<Text<'a>>,
    targets: Option<Vec<Text<'a>>>,
    source: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl Text<'_> {
    fn session(&self) -> Option<SessionId> {
        self.0.as_ref().try_into().ok()
    }
}

impl Record {
    fn parse(text: &str) -> Result<Self, Reason> {
        // Without this an array of the right length would be taken for an object.
        if !text.trim_start().starts_with('{') {
            return Err(Reason::NotJson);
        }
        let wire: Wire = serde_json::from_str(text).map_err(|error| match error.is_data() {
            true => Reason::BadShape,
            false => Reason::NotJson,
        })?;
        let act = match wire.kind.as_ref().map(|kind| &*kind.0) {
            Some("recall") => Act::Recall(wire.query.map(|query| query.0.into_owned()).unwrap_or_default()),
            Some("drill") => Act::Drill,
            _ => return Err(Reason::UnknownKind),
        };
        let stamp = match (wire.id, wire.ts) {
            (Some(id), _) => Stamp::Id(parse_ulid(&id.0).ok_or(Reason::BadId)?),
            (None, Some(ts)) => Stamp::Time(parse_rfc3339(&ts.0).ok_or(Reason::BadTime)?),
            (None, None) => Stamp::Missing,
        };
        let is_ranked = wire.targets.as_ref().is_some_and(|targets| !targets.is_empty());
        Ok(Self {
            stamp,
            act,
            is_ranked,
            targets: session_ids(wire.targets, wire.target)?,
            source: wire.source.and_then(|source| source.session()),
        })
    }

    pub(super) fn event(self, id: Ulid) -> Result<Event, Reason> {
        let blank = |c: char| c.is_whitespace() || c.is_control();
        let why = match &self.act {
            Act::Recall(query) if query.chars().all(blank) => Reason::NoQuery,
            _ => Reason::NoTarget,
        };
        let event = Event::new(id, self.act, self.targets, self.source).ok_or(why)?;
        Ok(if self.is_ranked { event } else { event.of_unknown_rank() })
    }

    /// Invalid UTF-8 was replaced in the line: an id with a replacement in it is nobody's.
    fn without_repaired_ids(mut self) -> Result<Self, Reason> {
        let repaired = |id: &SessionId| id.as_str().contains(char::REPLACEMENT_CHARACTER);
        self.source = self.source.filter(|source| !repaired(source));
        self.targets.retain(|target| !repaired(target));
        if self.targets.is_empty() {
            return Err(Reason::BadTarget);
        }
        Ok(self)
    }
}

fn session_ids(targets: Option<Vec<Text<'_>>>, target: Option<Text<'_>>) -> Result<Vec<SessionId>, Reason> {
    let texts: Vec<Text<'_>> = targets.into_iter().flatten().chain(target).collect();
    if texts.is_empty() {
        return Err(Reason::NoTarget);
    }
    let ids: Vec<SessionId> = texts.iter().filter_map(Text::session).collect();
    (!ids.is_empty()).then_some(ids).ok_or(Reason::BadTarget)
}

/// What one physical line holds.
#[derive(PartialEq, Eq, Debug, Default)]
pub(super) struct Found {
    /// Its whole records, from the last to the first.
    pub(super) records: Vec<Record>,
    /// The part in front of them that is none.
    pub(super) bad: Option<(Reason, String)>,
}

/// Reads a physical line.
pub(super) fn read(bytes: &[u8]) -> Found {
    // The strict reading is several times as fast.
    let text = std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed);
    let repaired = matches!(text, Cow::Owned(_));
    if text.trim().is_empty() {
        return Found::default();
    }
    let (records, bad) = match parse(&text, repaired) {
        Ok(record) => (vec![record], None),
        Err(why @ (Reason::NotJson | Reason::BadShape)) => return read_torn(&text, repaired, why),
        Err(why) => (Vec::new(), Some((why, text.into_owned()))),
    };
    Found { records, bad }
}

/// Reads the last bytes of a line whose beginning was not held.
pub(super) fn read_tail(bytes: &[u8]) -> Found {
    let text = String::from_utf8_lossy(bytes);
    read_torn(&text, matches!(text, Cow::Owned(_)), Reason::TooLong)
}

fn read_torn(text: &str, repaired: bool, why: Reason) -> Found {
    let mut records = Vec::new();
    let (mut end, mut before, mut failed) = (text.len(), text.len(), 0);
    while failed < MAX_TRIES
        && let Some(start) = text[..before].rfind("{\"")
    {
        match parse(&text[start..end], repaired) {
            Ok(record) => {
                records.push(record);
                end = start;
            }
            Err(_) => failed += 1,
        }
        before = start;
    }
    // What is left in front of a whole record is torn, whatever the two looked like together.
    let why = match why {
        Reason::BadShape if !records.is_empty() => Reason::NotJson,
        why => why,
    };
    let rest = text[..end].trim();
    let bad = (!rest.is_empty() || why == Reason::TooLong).then(|| (why, rest.to_owned()));
    Found { records, bad }
}

fn parse(text: &str, repaired: bool) -> Result<Record, Reason> {
    match Record::parse(text)? {
        record if repaired => record.without_repaired_ids(),
        record => Ok(record),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::spool::fixture::{CLAIM, NOON, drill, id, recall};

    fn encoded(event: &Event) -> String {
        let mut out = String::new();
        encode(event, &mut out);
        out
    }

    fn refused(text: &str) -> &'static str {
        accept(text, NOON, &mut Ids::default()).expect_err("no event").as_str()
    }

    #[test]
    fn a_recall_of_unknown_rank_keeps_its_form() {
        let text = r#"{"id":"01M8P570KV0000000000000001","kind":"recall","query":"jwt","target_session_id":"s1"}"#;
        let event = accept(text, NOON, &mut Ids::default()).expect("an event");
        assert!(!event.is_ranked());
        let line = encoded(&event);
        assert!(
            line.ends_with(concat!(r#""query":"jwt","target":"s1"}"#, "\n")),
            "{line}"
        );
        assert_eq!(accept(&line, NOON, &mut Ids::default()), Ok(event));
    }

    #[test]
    fn the_golden_lines() {
        let asked = Act::Recall("jwt \"expiry\" a\\b é".into());
        let ulid = Ulid::from_parts(NOON, 0x0123_4567_89ab_cdef_0123);
        let recall = Event::new(ulid, asked, vec![id("a\"b"), id("s2")], Some(id("me")));
        assert_eq!(
            encoded(&recall.expect("an event")),
            concat!(
                r#"{"id":"01M8P570KV04HMASW9NF6YY093","ts":"2026-11-30T12:00:00.123Z","kind":"recall","#,
                r#""query":"jwt \"expiry\" a\\b é","targets":["a\"b","s2"],"source":"me"}"#,
                "\n"
            )
        );
        assert_eq!(
            encoded(&drill(1, "s1")),
            concat!(
                r#"{"id":"01M8P570KV0000000000000001","ts":"2026-11-30T12:00:00.123Z","kind":"drill","#,
                r#""targets":["s1"]}"#,
                "\n"
            )
        );
    }

    #[test]
    fn the_golden_bits_of_a_line_without_id() {
        assert_eq!(id_bits(CLAIM, 1, 0), 0x6ef6_1459_5e59_9a89_f677);
        assert_eq!(id_bits(CLAIM, 12, 1), 0xb169_7e57_fe0b_1337_fb96);
    }

    #[test]
    fn lines_of_one_claim_never_share_their_bits() {
        let all: std::collections::HashSet<u128> = (1..200_000).map(|line| id_bits(CLAIM, line, 0)).collect();
        assert_eq!(all.len(), 199_999);
    }

    #[test]
    fn control_characters_are_escaped() {
        let mut out = String::new();
        quote("a\n\u{1f}\u{2028}", &mut out);
        assert_eq!(out, "\"a\\u000a\\u001f\u{2028}\"");
    }

    #[test]
    fn the_id_has_the_last_word_on_time() {
        let text = r#"{"id":"01M8P570KV0000000000000001","ts":"never","kind":"drill","target":"s1","targets":["s0"]}"#;
        let event = accept(text, 0, &mut Ids::default()).expect("an event");
        assert_eq!((event.at(), event.targets()), (NOON, &[id("s0"), id("s1")][..]));
    }

    #[test]
    fn an_event_of_another_program_needs_neither_id_nor_time() {
        let timed = r#"{"ts":"1970-01-01T00:00:00.005999999Z","kind":"drill","query":"","target":"s1","x":{"y":[1]}}"#;
        assert_eq!(accept(timed, NOON, &mut Ids::default()).expect("an event").at(), 5);
        let bare = r#"{"kind":"recall","query":"jwt","targets":["s1"],"source":null}"#;
        let (one, two) = (
            accept(bare, NOON, &mut Ids::default()).expect("an event"),
            accept(bare, NOON, &mut Ids::default()).expect("an event"),
        );
        assert_eq!(one.at(), NOON);
        assert_ne!(one.id(), two.id());
    }

    #[test]
    fn every_refusal_has_its_reason() {
        for (text, reason) in [
            ("[1", "not_json"),
            ("{\"kind\":\"drill\",\"targets\":[\"s1\"]", "not_json"),
            ("{} x", "not_json"),
            (r#"[null,null,"drill",null,"s1",null,null]"#, "not_json"),
            ("7", "not_json"),
            (r#"{"kind":"drill","targets":"s1"}"#, "bad_shape"),
            (r#"{"kind":"drill","ts":5,"targets":["s1"]}"#, "bad_shape"),
            (r#"{"targets":["s1"]}"#, "unknown_kind"),
            (r#"{"kind":"Recall","query":"q","targets":["s1"]}"#, "unknown_kind"),
            (r#"{"id":"","kind":"drill","targets":["s1"]}"#, "bad_id"),
            (
                r#"{"id":"8ZZZZZZZZZZZZZZZZZZZZZZZZZ","kind":"drill","targets":["s1"]}"#,
                "bad_id",
            ),
            (
                r#"{"ts":"0001-01-01T00:00:00Z","kind":"drill","targets":["s1"]}"#,
                "bad_time",
            ),
            (
                r#"{"ts":"58136-01-01T00:00:00Z","kind":"drill","targets":["s1"]}"#,
                "bad_time",
            ),
            (r#"{"kind":"drill"}"#, "no_target"),
            (r#"{"kind":"drill","targets":[]}"#, "no_target"),
            (r#"{"kind":"drill","targets":["me"],"source":"me"}"#, "no_target"),
            (r#"{"kind":"drill","targets":["","a\nb"]}"#, "bad_target"),
            (r#"{"kind":"recall","targets":["s1"]}"#, "no_query"),
            (
                r#"{"kind":"recall","query":" \n\u2028\u0000","targets":["s1"]}"#,
                "no_query",
            ),
        ] {
            assert_eq!(refused(text), reason, "{text}");
        }
    }

    #[test]
    fn a_target_that_is_none_is_skipped() {
        let text = format!(
            r#"{{"kind":"drill","targets":["","{}","s1","\u0007"],"source":""}}"#,
            "x".repeat(10_240)
        );
        let event = accept(&text, NOON, &mut Ids::default()).expect("an event");
        assert_eq!((event.targets(), event.source()), (&[id("s1")][..], None));
    }

    #[test]
    fn a_deep_value_is_refused_not_followed() {
        let deep = format!("{{\"x\":{}", "[".repeat(500_000));
        assert_eq!(refused(&deep), "not_json");
    }

    #[test]
    fn the_search_in_a_hostile_line_ends() {
        let nested = "{\"a\":".repeat(200_000);
        let found = read(nested.as_bytes());
        assert_eq!(
            (found.records.len(), found.bad.map(|(why, _)| why)),
            (0, Some(Reason::NotJson))
        );
        let good = encoded(&drill(1, "s1"));
        let hidden = |junk: usize| read(format!("{good}{}", "{\"".repeat(junk)).as_bytes()).records.len();
        assert_eq!((hidden(0), hidden(15), hidden(17)), (1, 0, 0));
    }

    #[test]
    fn records_glued_together_are_all_found() {
        let (one, two) = (encoded(&recall(1, "one", &["s1"])), encoded(&drill(2, "s2")));
        let glued = format!("{}{}{{\"id\":\"torn{}", one.trim(), two.trim(), one.trim());
        let found = read(glued.as_bytes());
        assert_eq!(found.records.len(), 1);
        assert!(found.bad.expect("the rest").1.ends_with("{\"id\":\"torn"));
        let found = read(format!("{}{}", one.trim(), two.trim()).as_bytes());
        assert_eq!((found.records.len(), found.bad), (2, None));
    }

    #[test]
    fn the_longest_line_written_here_fits_into_the_tail() {
        let targets = (0..50).map(|n| id(&format!("{n:02}{}", "\"".repeat(126)))).collect();
        let asked = Act::Recall("\\".repeat(5000));
        let event = Event::new(Ulid(u128::MAX), asked, targets, Some(id(&"\"".repeat(128)))).expect("an event");
        assert!(
            (15_000..16 << 10).contains(&encoded(&event).len()),
            "{}",
            encoded(&event).len()
        );
    }

    fn any_event() -> impl Strategy<Value = Event> {
        let id = "\\PC{1,30}".prop_filter_map("an id", |text| SessionId::try_from(text).ok());
        let query = proptest::option::of("[\\PC \\t\\n]{0,400}");
        let targets = proptest::collection::vec(id.clone(), 1..60);
        (any::<u128>(), query, targets, proptest::option::of(id)).prop_filter_map(
            "an event",
            |(bits, query, targets, source)| {
                let at = (bits >> 80) as u64 % 253_402_300_800_000;
                let act = query.map_or(Act::Drill, Act::Recall);
                Event::new(Ulid::from_parts(at, bits), act, targets, source)
            },
        )
    }

    proptest! {
        #[test]
        fn every_event_survives_its_line(event in any_event()) {
            let line = encoded(&event);
            prop_assert_eq!(line.matches('\n').count(), 1);
            prop_assert_eq!(accept(&line, 0, &mut Ids::default()), Ok(event.clone()));
            let found = read(line.as_bytes());
            prop_assert_eq!((found.records.len(), found.bad), (1, None));
        }

        #[test]
        fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            read(&bytes);
            read_tail(&bytes);
        }
    }
}
