//! Queries whose answer is known.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::edge::SessionId;
use crate::index::Index;

/// A query of fewer words is a name, not a question.
const WORDS: usize = 2;

/// A query and the sessions that answer it. Other keys of a label are ignored.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Label {
    /// What is asked.
    pub query: String,
    /// The sessions that answer it.
    #[serde(rename = "relevant_sessions")]
    pub sessions: Vec<String>,
}

/// Labels that can be measured, and why others cannot.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Labels {
    /// Each query with the sessions of this store that answer it, at least one.
    #[serde(skip)]
    pub usable: Vec<(String, HashSet<SessionId>)>,
    /// Queries of a single word, or none.
    pub short: u64,
    /// Queries that were there before, in any case.
    pub repeated: u64,
    /// Queries that no session of this store answers.
    pub unanswered: u64,
    /// Sessions named by labels that this store does not have, each once.
    pub unknown_sessions: u64,
}

impl Labels {
    /// The labels that can be measured on this index.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn new(index: &Index, labels: impl IntoIterator<Item = Label>) -> Result<Self> {
        let mut found = Self::default();
        let (mut seen, mut unknown) = (HashSet::new(), HashSet::new());
        for label in labels {
            let query = label.query.trim();
            if query.split_whitespace().count() < WORDS {
                found.short += 1;
            } else if !seen.insert(query.to_lowercase()) {
                found.repeated += 1;
            } else {
                let mut sessions = HashSet::new();
                for name in label.sessions {
                    match known(index, &name)? {
                        Some(id) => _ = sessions.insert(id),
                        None => _ = unknown.insert(name),
                    }
                }
                match sessions.is_empty() {
                    true => found.unanswered += 1,
                    false => found.usable.push((query.to_owned(), sessions)),
                }
            }
        }
        found.unknown_sessions = unknown.len() as u64;
        Ok(found)
    }

    /// The subjects of all commits, each with the sessions that made it or that it was linked to.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn of_commits(index: &Index) -> Result<Self> {
        let mut merged: BTreeMap<String, (String, BTreeSet<u32>)> = BTreeMap::new();
        for (subject, numbers) in index.subjects()? {
            let subject = subject.trim().to_owned();
            let (_, sessions) = merged
                .entry(subject.to_lowercase())
                .or_insert((subject, BTreeSet::new()));
            sessions.extend(numbers);
        }
        let mut labels = Vec::new();
        for (query, numbers) in merged.into_values() {
            let mut sessions = Vec::new();
            for number in numbers {
                sessions.extend(index.ids(number)?.map(|(id, _)| id.into()));
            }
            labels.push(Label { query, sessions });
        }
        Self::new(index, labels)
    }
}

fn known(index: &Index, name: &str) -> Result<Option<SessionId>> {
    let Ok(id) = SessionId::try_from(name.to_owned()) else {
        return Ok(None);
    };
    Ok(index.number_of(&id)?.map(|_| id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::fixture::{index_of, session};
    use crate::session::Commit;

    fn label(query: &str, sessions: &[&str]) -> Label {
        Label {
            query: query.into(),
            sessions: sessions.iter().map(|id| (*id).into()).collect(),
        }
    }

    fn shown(labels: &Labels) -> Vec<(&str, Vec<&str>)> {
        let sorted = |ids: &'_ HashSet<SessionId>| -> Vec<String> {
            let mut ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
            ids.sort();
            ids
        };
        let rows = labels.usable.iter();
        rows.map(|(query, ids)| {
            let names = ["aa", "bb"].into_iter();
            let ids = sorted(ids);
            (
                query.as_str(),
                names.filter(|name| ids.iter().any(|id| id == name)).collect(),
            )
        })
        .collect()
    }

    #[test]
    fn what_cannot_be_measured_is_left_out_and_counted() {
        let (_dir, index) = index_of(&[session(1, "aa", &["one"]), session(2, "bb", &["two"])]);
        let labels = Labels::new(
            &index,
            [
                label(" Fix the expiry ", &["aa", "zz", "bb"]),
                label("fix the EXPIRY", &["bb"]),
                label("wip", &["aa"]),
                label("", &["aa"]),
                label("Draw a chart", &["zz", "a\nb"]),
            ],
        );
        let labels = labels.expect("readable");
        assert_eq!(shown(&labels), [("Fix the expiry", vec!["aa", "bb"])]);
        assert_eq!(
            (
                labels.short,
                labels.repeated,
                labels.unanswered,
                labels.unknown_sessions
            ),
            (2, 1, 1, 2)
        );
    }

    #[test]
    fn commits_made_and_linked_are_labels() {
        let mut made = session(1, "aa", &["one"]);
        made.tool_calls[0].command = Some("git commit -m 'Fix the expiry' && git commit -m wip".into());
        let mut linked = session(2, "bb", &["two"]);
        let commit = |sha: &str, subject: &str| Commit {
            sha: sha.into(),
            subject: subject.into(),
        };
        linked.commits = vec![commit("c1", "fix the expiry"), commit("c2", "Draw a chart")];
        let (_dir, index) = index_of(&[made, linked]);
        let labels = Labels::of_commits(&index).expect("readable");
        assert_eq!(
            shown(&labels),
            [("Draw a chart", vec!["bb"]), ("Fix the expiry", vec!["aa", "bb"])]
        );
        assert_eq!((labels.short, labels.repeated), (1, 0));
    }
}
