//! The vocabulary of the citation graph: sessions, events and the edges they make. No I/O.
//!
//! An [`Event`] is one thing that happened: a recall (one query and the sessions it returned) or a
//! drill (one session opened). Each of its targets is an edge. Before an event is written, and once
//! more before it is taken into the ledger, it is brought into one form: see [`Event::new`].

use std::borrow::Borrow;
use std::fmt;

use serde::{Deserialize, Serialize};
pub use ulid::Ulid;

use crate::time::Millis;

/// The most targets an event keeps.
pub const MAX_TARGETS: usize = 50;

/// The most bytes a query keeps.
pub const MAX_QUERY: usize = 1024;

/// The most bytes a session id may have.
pub const MAX_ID: usize = 128;

/// How often a query is cut and redacted in turn; each time but the last what is cut is less.
const ROUNDS: usize = 8;

/// A session's own id: any text of 1 to 128 bytes without control characters.
///
/// ```
/// use rekal::SessionId;
///
/// let id: SessionId = "3f6d1c52-8a0e-4b7d-9c41-52e7a1d0b601".parse().expect("a session id");
/// assert_eq!(id.as_str(), "3f6d1c52-8a0e-4b7d-9c41-52e7a1d0b601");
/// assert!(SessionId::try_from("two\nlines").is_err());
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SessionId(Box<str>);

/// Why a text is no session id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoSessionId;

impl SessionId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Ids that were made one after the other differ at their end.
    fn is_among(&self, ids: &[Self]) -> bool {
        let last = |id: &Self| id.0.as_bytes().last().copied();
        ids.iter().any(|id| last(id) == last(self) && id == self)
    }
}

impl TryFrom<&str> for SessionId {
    type Error = NoSessionId;

    fn try_from(text: &str) -> Result<Self, NoSessionId> {
        let is_plain = |byte| matches!(byte, b' '..=b'~');
        // The first look is enough for nearly every id, and costs a tenth.
        let fits =
            (1..=MAX_ID).contains(&text.len()) && (text.bytes().all(is_plain) || !text.chars().any(char::is_control));
        fits.then(|| Self(text.into())).ok_or(NoSessionId)
    }
}

impl TryFrom<String> for SessionId {
    type Error = NoSessionId;

    fn try_from(text: String) -> Result<Self, NoSessionId> {
        Self::try_from(text.as_str())
    }
}

impl std::str::FromStr for SessionId {
    type Err = NoSessionId;

    fn from_str(text: &str) -> Result<Self, NoSessionId> {
        Self::try_from(text)
    }
}

impl From<SessionId> for String {
    fn from(id: SessionId) -> String {
        id.0.into()
    }
}

impl Borrow<str> for SessionId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for NoSessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a session id has 1 to 128 bytes and no control characters")
    }
}

impl std::error::Error for NoSessionId {}

/// How a session was reached.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A query surfaced it.
    Recall,
    /// It was opened.
    Drill,
}

/// One thing that happened, in the one form that is written and counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    id: Ulid,
    act: Act,
    targets: Vec<SessionId>,
    source: Option<SessionId>,
    is_ranked: bool,
}

/// What an event was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Act {
    /// A query, never blank.
    Recall(String),
    /// An opening.
    Drill,
}

impl Event {
    /// The event in its one form: the query cleaned (see [`clean_query`]), targets named once (the
    /// first rank wins) without the source itself, at most [`MAX_TARGETS`]. `None`: a recall whose
    /// query is blank, or nothing is left to point at.
    pub fn new(id: Ulid, act: Act, targets: Vec<SessionId>, source: Option<SessionId>) -> Option<Self> {
        let act = match act {
            Act::Recall(query) => Act::Recall(clean_query(&query)?),
            Act::Drill => Act::Drill,
        };
        let mut kept: Vec<SessionId> = Vec::with_capacity(targets.len().min(MAX_TARGETS));
        for target in targets {
            if kept.len() < MAX_TARGETS && source.as_ref() != Some(&target) && !target.is_among(&kept) {
                kept.push(target);
            }
        }
        (!kept.is_empty()).then_some(Self {
            id,
            act,
            targets: kept,
            source,
            is_ranked: true,
        })
    }

    /// The same event where it is not known at which rank its one target was surfaced. A drill has no rank,
    /// and several targets have an order.
    pub fn of_unknown_rank(mut self) -> Self {
        self.is_ranked = self.query().is_none() || self.targets.len() > 1;
        self
    }

    /// The same event of sessions under other names. `None`: nothing is left to point at.
    pub fn renamed(self, name: impl Fn(&SessionId) -> SessionId) -> Option<Self> {
        let targets = self.targets.iter().map(&name).collect();
        let renamed = Self::new(self.id, self.act, targets, self.source.as_ref().map(&name))?;
        Some(Self {
            is_ranked: self.is_ranked,
            ..renamed
        })
    }

    /// Its id, what it was, the sessions reached, and the session that did the reaching.
    pub(crate) fn into_parts(self) -> (Ulid, Act, Vec<SessionId>, Option<SessionId>) {
        (self.id, self.act, self.targets, self.source)
    }

    /// Its id, whose first 48 bits are its time.
    pub fn id(&self) -> Ulid {
        self.id
    }

    /// When it happened.
    pub fn at(&self) -> Millis {
        self.id.timestamp_ms()
    }

    /// Recall or drill.
    pub fn kind(&self) -> Kind {
        match self.act {
            Act::Recall(_) => Kind::Recall,
            Act::Drill => Kind::Drill,
        }
    }

    /// The query of a recall.
    pub fn query(&self) -> Option<&str> {
        match &self.act {
            Act::Recall(query) => Some(query),
            Act::Drill => None,
        }
    }

    /// The sessions reached, in the order they were surfaced.
    pub fn targets(&self) -> &[SessionId] {
        &self.targets
    }

    /// Whether that order says at which rank each was surfaced.
    pub fn is_ranked(&self) -> bool {
        self.is_ranked
    }

    /// The session that did the reaching, when known.
    pub fn source(&self) -> Option<&SessionId> {
        self.source.as_ref()
    }
}

/// The query in the one form that is kept: trimmed, white space folded to single spaces, NUL and
/// other control characters dropped, secrets redacted, cut at [`MAX_QUERY`] bytes on a character
/// boundary. `None` when nothing is left.
pub fn clean_query(query: &str) -> Option<String> {
    let mut clean = crate::redact::redact(&fold_query(query)).into_owned();
    // A cut may leave what looks like a secret where the whole did not, and that is the form that would be
    // written when the event is read again.
    for _ in 0..ROUNDS {
        if clean.len() <= MAX_QUERY {
            break;
        }
        clean = crate::redact::redact(&cut_query(&clean)?).into_owned();
    }
    cut_query(&clean)
}

/// A query trimmed, white space folded, control characters dropped.
pub(crate) fn fold_query(query: &str) -> String {
    // A hostile query of any length costs no more than this.
    let head = &query[..query.floor_char_boundary(64 * MAX_QUERY)];
    let printable: String = head.chars().filter(|c| c.is_whitespace() || !c.is_control()).collect();
    printable.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A query of at most [`MAX_QUERY`] bytes. `None` when nothing is left.
pub(crate) fn cut_query(query: &str) -> Option<String> {
    let cut = query[..query.floor_char_boundary(MAX_QUERY)].trim();
    (!cut.is_empty()).then(|| cut.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> SessionId {
        text.parse().expect("a valid id")
    }

    fn recall(query: &str, targets: &[&str], source: Option<&str>) -> Option<Event> {
        let targets = targets.iter().map(|t| id(t)).collect();
        Event::new(Ulid(7), Act::Recall(query.into()), targets, source.map(id))
    }

    #[test]
    fn an_id_is_short_and_printable() {
        assert!(SessionId::try_from("").is_err());
        assert!(SessionId::try_from("a\nb").is_err());
        assert!(SessionId::try_from("x".repeat(129).as_str()).is_err());
        assert_eq!(id(&"x".repeat(128)).as_str().len(), 128);
    }

    #[test]
    fn an_event_names_each_target_once_and_never_its_source() {
        let event = recall("jwt", &["a", "b", "a", "me"], Some("me")).expect("two targets");
        assert_eq!(event.targets(), [id("a"), id("b")]);
    }

    #[test]
    fn one_target_of_a_recall_may_be_of_unknown_rank() {
        let one = || recall("jwt", &["a"], None).expect("an event");
        assert!(one().is_ranked() && !one().of_unknown_rank().is_ranked());
        let renamed = one().of_unknown_rank().renamed(|_| id("b")).expect("an event");
        assert!(!renamed.is_ranked() && renamed.targets() == [id("b")]);
        let two = recall("jwt", &["a", "b"], None).expect("an event");
        assert!(two.of_unknown_rank().is_ranked());
    }

    #[test]
    fn an_event_without_query_or_targets_is_none() {
        assert_eq!(recall(" \t\n", &["a"], None), None);
        assert_eq!(recall("jwt", &["me"], Some("me")), None);
        assert_eq!(recall("jwt", &[], None), None);
    }

    #[test]
    fn an_event_keeps_fifty_targets() {
        let many: Vec<String> = (0..60).map(|n| format!("t{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(recall("jwt", &many, None).expect("targets").targets().len(), 50);
    }

    #[test]
    fn what_a_cut_makes_look_like_a_secret_is_redacted_at_once() {
        let query = format!("{} token=abcdefabcdeftcdefabcdeftoken=679", "x ".repeat(498));
        let clean = clean_query(&query).expect("text");
        assert!(clean.ends_with("x token=[redacted]"), "{clean}");
        assert_eq!(clean_query(&clean), Some(clean));
    }

    #[test]
    fn a_query_is_folded_and_cut_on_a_character() {
        assert_eq!(clean_query("  jwt \n\t expiry\0 ").as_deref(), Some("jwt expiry"));
        assert_eq!(clean_query("jwt \u{1} expiry").as_deref(), Some("jwt expiry"));
        let long = "é".repeat(2000);
        assert_eq!(clean_query(&long).expect("text").len(), 1024);
        let odd = format!("x{}", "é".repeat(2000));
        assert_eq!(clean_query(&odd).expect("text").len(), 1023);
    }
}
