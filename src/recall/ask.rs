//! What is asked of a recall.

use regex_lite::Regex;

use crate::edge::SessionId;
use crate::session::{Actor, Harness, Record};
use crate::time::Millis;

/// A recall as it is asked for.
#[derive(Clone, Debug)]
pub struct Ask {
    /// What is looked for, as text. Blank: the newest sessions that pass the filter.
    pub query: String,
    /// The most rows.
    pub limit: usize,
    /// Whether the answer shows what each layer of the ranking gave.
    pub explain: bool,
    /// The session that asks. It is never its own result.
    pub exclude: Option<SessionId>,
    /// Which sessions may answer.
    pub filter: Filter,
}

impl Ask {
    /// A query with the limit of 20 and nothing else.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            limit: 20,
            explain: false,
            exclude: None,
            filter: Filter::default(),
        }
    }
}

/// Conditions on a session, all of which must hold.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Matches one of its files.
    pub file: Option<Regex>,
    /// The beginning of the commit at which it was captured, in any case.
    pub commit: Option<String>,
    /// The mail address of who captured it, in any case.
    pub author: Option<String>,
    /// Who asked in it.
    pub actor: Option<Actor>,
    /// Its agent.
    pub harness: Option<Harness>,
    /// It was started then or later.
    pub since: Option<Millis>,
    /// It was started then or earlier.
    pub until: Option<Millis>,
}

impl Filter {
    /// Every session passes.
    pub fn is_empty(&self) -> bool {
        self.file.is_none()
            && self.commit.is_none()
            && self.author.is_none()
            && self.actor.is_none()
            && self.harness.is_none()
            && self.since.is_none()
            && self.until.is_none()
    }

    /// Whether a session meets all conditions. What is not known of it meets none.
    pub fn accepts(&self, record: &Record) -> bool {
        let started = when(record);
        holds(&self.file, |file| record.files.iter().any(|path| file.is_match(path)))
            && holds(&self.commit, |sha| begins(record.commit.as_deref(), sha))
            && holds(&self.author, |mail| {
                record
                    .author
                    .as_deref()
                    .is_some_and(|author| author.eq_ignore_ascii_case(mail))
            })
            && holds(&self.actor, |actor| record.session.actor == *actor)
            && holds(&self.harness, |harness| record.session.harness == *harness)
            && holds(&self.since, |since| started >= *since)
            && holds(&self.until, |until| started <= *until)
    }
}

/// When a session took place: its start, else its capture.
pub(super) fn when(record: &Record) -> Millis {
    record.session.started_at.unwrap_or(record.captured_at)
}

fn holds<T>(condition: &Option<T>, test: impl FnOnce(&T) -> bool) -> bool {
    condition.as_ref().is_none_or(test)
}

fn begins(commit: Option<&str>, sha: &str) -> bool {
    let head = commit.and_then(|commit| commit.get(..sha.len()));
    !sha.is_empty() && head.is_some_and(|head| head.eq_ignore_ascii_case(sha))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;

    fn record() -> Record {
        Record {
            number: 5,
            session: Session {
                id: "s".parse().expect("an id"),
                harness: Harness::Codex,
                actor: Actor::Human,
                parent: None,
                cwd: None,
                branch: None,
                started_at: Some(1000),
            },
            author: Some("Ada@Example.org".into()),
            captured_at: 9000,
            commit: Some("abcdef0123".into()),
            turn_count: 1,
            tool_call_count: 0,
            files: vec!["src/auth.rs".into(), "README.md".into()],
        }
    }

    fn accepts(change: impl FnOnce(&mut Filter)) -> bool {
        let mut filter = Filter::default();
        change(&mut filter);
        assert!(!filter.is_empty());
        filter.accepts(&record())
    }

    #[test]
    fn each_condition_is_met_or_not() {
        assert!(Filter::default().is_empty() && Filter::default().accepts(&record()));
        assert!(accepts(|f| f.file = Regex::new(r"auth\.rs$").ok()));
        assert!(!accepts(|f| f.file = Regex::new("^auth").ok()));
        assert!(accepts(|f| f.commit = Some("ABCD".into())));
        assert!(!accepts(|f| f.commit = Some("bcd".into())));
        assert!(!accepts(|f| f.commit = Some("".into())));
        assert!(!accepts(|f| f.commit = Some("abcdef01234567".into())));
        assert!(accepts(|f| f.author = Some("ada@example.org".into())));
        assert!(!accepts(|f| f.author = Some("ada".into())));
        assert!(accepts(|f| f.actor = Some(Actor::Human)));
        assert!(!accepts(|f| f.actor = Some(Actor::Agent)));
        assert!(accepts(|f| f.harness = Some(Harness::Codex)));
        assert!(!accepts(|f| f.harness = Some(Harness::Claude)));
        assert!(accepts(|f| f.since = Some(1000)));
        assert!(!accepts(|f| f.since = Some(1001)));
        assert!(accepts(|f| f.until = Some(1000)));
        assert!(!accepts(|f| f.until = Some(999)));
    }

    #[test]
    fn conditions_are_anded() {
        assert!(!accepts(|f| {
            f.harness = Some(Harness::Codex);
            f.actor = Some(Actor::Agent);
        }));
    }

    #[test]
    fn what_is_not_known_meets_no_condition() {
        let mut unknown = record();
        unknown.commit = None;
        unknown.author = None;
        unknown.session.started_at = None;
        let with = |change: fn(&mut Filter)| {
            let mut filter = Filter::default();
            change(&mut filter);
            filter.accepts(&unknown)
        };
        assert!(!with(|f| f.commit = Some("abc".into())));
        assert!(!with(|f| f.author = Some("ada@example.org".into())));
        assert!(with(|f| f.since = Some(9000)));
    }
}
