//! Sessions by number, handle and id, and what is in them.

use std::collections::{BTreeMap, BTreeSet};

use tantivy::columnar::StrColumn;
use tantivy::schema::Field;
use tantivy::{DocAddress, DocId, TantivyDocument, Term};

use super::facts::Committed;
use super::guard::{damaged, reading};
use super::layout::{COMMIT, RECORD, TOOL_CALLS};
use super::read::{Index, Place, alive, is_alive};
use crate::edge::SessionId;
use crate::session::{Commit, Conversation, Record, ToolCall, Turn};
use crate::{Error, Result};

/// The most candidates that an ambiguous prefix is answered with.
const CANDIDATES: usize = 8;

impl Index {
    /// What is known of a session. `None`: no such session.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn session(&self, number: u32) -> Result<Option<Record>> {
        let Some(address) = self.sessions.get(&number) else {
            return Ok(None);
        };
        reading(&self.dir, || self.value(*address)).map(Some)
    }

    /// The number of the session that is meant by a handle (`s5`), an id, or the beginning of exactly
    /// one id. `None`: no such session.
    ///
    /// # Errors
    /// Several ids begin so ([`Error::is_invalid`]; the message names them), or the index is damaged.
    pub fn find(&self, name: &str) -> Result<Option<u32>> {
        let handle = name.strip_prefix(['s', 'S']).and_then(|digits| digits.parse().ok());
        if let Some(number) = handle.filter(|number| self.sessions.contains_key(number)) {
            return Ok(Some(number));
        }
        if name.is_empty() {
            return Ok(None);
        }
        let begin_so = reading(&self.dir, || self.ids_from(name))?;
        match &begin_so[..] {
            [] => Ok(None),
            [(_, number)] => Ok(Some(*number)),
            [(id, number), ..] if id == name => Ok(Some(*number)),
            several => Err(ambiguous(name, several)),
        }
    }

    /// The number of the session with this very id. `None`: no such session.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn number_of(&self, id: &SessionId) -> Result<Option<u32>> {
        reading(&self.dir, || {
            let term = Term::from_field_text(self.layout.id, id.as_str());
            let first = alive(&self.searcher, &term)?.first().copied();
            let number = first.map(|at| self.segments[at.segment_ord as usize].session(at.doc_id));
            number.transpose()
        })
    }

    /// A session's own id and that of the session that started it.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn ids(&self, number: u32) -> Result<Option<(SessionId, Option<SessionId>)>> {
        let Some(address) = self.sessions.get(&number) else {
            return Ok(None);
        };
        reading(&self.dir, || {
            let segment = &self.segments[address.segment_ord as usize];
            let id = id_in(segment.id.as_ref(), address.doc_id)?;
            let id = id.ok_or_else(|| damaged("a session without id"))?;
            Ok(Some((id, id_in(segment.parent.as_ref(), address.doc_id)?)))
        })
    }

    /// The sessions that this one started, ascending by number.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn children(&self, parent: &SessionId) -> Result<Vec<Record>> {
        let mut children: Vec<Record> = reading(&self.dir, || {
            let term = Term::from_field_text(self.layout.parent, parent.as_str());
            let addresses = alive(&self.searcher, &term)?;
            addresses.into_iter().map(|address| self.value(address)).collect()
        })?;
        children.sort_by_key(|record| record.number);
        Ok(children)
    }

    /// The turns of a session in order, without their texts. Empty: no such session.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn places(&self, number: u32) -> Result<Vec<Place>> {
        let mut places = reading(&self.dir, || {
            let mut places = Vec::new();
            for address in alive(&self.searcher, &self.layout.of_session(number))? {
                let segment = &self.segments[address.segment_ord as usize];
                let turn = segment.turn(address.doc_id)?;
                if ![RECORD, COMMIT, TOOL_CALLS].contains(&turn.into()) {
                    let role = segment.role(address.doc_id)?;
                    places.push(Place { turn, role, address });
                }
            }
            Ok(places)
        })?;
        places.sort_by_key(|place| place.turn);
        Ok(places)
    }

    /// The turn at a place of this index.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn turn(&self, place: &Place) -> Result<Turn> {
        reading(&self.dir, || self.value(place.address))
    }

    /// The tool calls of a session in order. Empty: no such session.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn tool_calls(&self, number: u32) -> Result<Vec<ToolCall>> {
        reading(&self.dir, || {
            for address in alive(&self.searcher, &self.layout.of_session(number))? {
                let segment = &self.segments[address.segment_ord as usize];
                if u64::from(segment.turn(address.doc_id)?) == TOOL_CALLS {
                    return self.value(address);
                }
            }
            Ok(Vec::new())
        })
    }

    /// The commits that a checkpoint linked to a session. Empty: no such session.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn commits(&self, number: u32) -> Result<Vec<Commit>> {
        reading(&self.dir, || {
            let mut commits = Vec::new();
            for address in alive(&self.searcher, &self.layout.of_session(number))? {
                let segment = &self.segments[address.segment_ord as usize];
                if u64::from(segment.turn(address.doc_id)?) == COMMIT {
                    let Committed { subject, shas } = self.value(address)?;
                    let named = |sha| Commit {
                        sha,
                        subject: subject.clone(),
                    };
                    commits.extend(shas.into_iter().map(named));
                }
            }
            Ok(commits)
        })
    }

    /// The subjects of all commits made in a session or linked to it, each with the numbers of these
    /// sessions, ascending, in the order of the subjects.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn subjects(&self) -> Result<BTreeMap<String, BTreeSet<u32>>> {
        reading(&self.dir, || {
            let mut subjects: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
            for address in alive(&self.searcher, &self.layout.of_turn(COMMIT))? {
                let session = self.segments[address.segment_ord as usize].session(address.doc_id)?;
                let Committed { subject, .. } = self.value(address)?;
                subjects.entry(subject).or_default().insert(session);
            }
            Ok(subjects)
        })
    }

    /// A session with all that was said and done in it. `None`: no such session.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn conversation(&self, number: u32) -> Result<Option<Conversation>> {
        let Some(record) = self.session(number)? else {
            return Ok(None);
        };
        let places = self.places(number)?;
        Ok(Some(Conversation {
            record,
            turns: places.iter().map(|place| self.turn(place)).collect::<Result<_>>()?,
            tool_calls: self.tool_calls(number)?,
            commits: self.commits(number)?,
        }))
    }

    fn value<T: serde::de::DeserializeOwned>(&self, address: DocAddress) -> tantivy::Result<T> {
        let document: TantivyDocument = self.searcher.doc(address)?;
        self.layout
            .value(&document)
            .ok_or_else(|| damaged("a value that cannot be read"))
    }

    /// The ids that begin with a text, ascending, a few more than are named at most.
    fn ids_from(&self, prefix: &str) -> tantivy::Result<Vec<(String, u32)>> {
        let mut found = Vec::new();
        for (segment_ord, segment) in (0..).zip(&self.segments) {
            for (id, doc_id) in self.alive_ids(segment_ord, self.layout.id, prefix)? {
                found.push((id, segment.session(doc_id)?));
            }
        }
        found.sort();
        Ok(found)
    }

    fn alive_ids(&self, segment_ord: u32, field: Field, prefix: &str) -> tantivy::Result<Vec<(String, u32)>> {
        let reader = self.searcher.segment_reader(segment_ord);
        let index = reader.inverted_index(field)?;
        let mut terms = index.terms().range().ge(prefix).into_stream()?;
        let mut found = Vec::new();
        while terms.advance() && terms.key().starts_with(prefix.as_bytes()) && found.len() <= CANDIDATES {
            let id = String::from_utf8_lossy(terms.key()).into_owned();
            let term = Term::from_field_text(field, &id);
            let postings = index.read_postings(&term, tantivy::schema::IndexRecordOption::Basic)?;
            let Some(mut postings) = postings else {
                continue;
            };
            let mut doc = tantivy::DocSet::doc(&postings);
            while doc != tantivy::TERMINATED {
                if is_alive(reader, doc)? {
                    found.push((id.clone(), doc));
                }
                doc = tantivy::DocSet::advance(&mut postings);
            }
        }
        Ok(found)
    }
}

fn id_in(ids: Option<&StrColumn>, doc: DocId) -> tantivy::Result<Option<SessionId>> {
    let Some((ids, ord)) = ids.and_then(|ids| Some((ids, ids.term_ords(doc).next()?))) else {
        return Ok(None);
    };
    let mut text = String::new();
    ids.ord_to_str(ord, &mut text)?;
    let id = SessionId::try_from(text).map_err(|_| damaged("an id that is none"))?;
    Ok(Some(id))
}

fn ambiguous(name: &str, several: &[(String, u32)]) -> Error {
    let named: Vec<String> = several
        .iter()
        .take(CANDIDATES)
        .map(|(id, number)| format!("s{number} {id}"))
        .collect();
    let more = if several.len() > CANDIDATES { ", …" } else { "" };
    Error::invalid(format!(
        "\"{name}\" begins several session ids: {}{more}",
        named.join(", ")
    ))
    .remedy_is("give more of the id, or the handle")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::fixture::{index_of, session};
    use crate::session::{Actor, Role};

    fn found(index: &Index, name: &str) -> Option<u32> {
        index.find(name).expect("one or none")
    }

    #[test]
    fn a_session_is_found_by_handle_id_and_beginning() {
        let (_dir, index) = index_of(&[
            session(3, "0123-aaaa", &["one"]),
            session(5, "0123-bbbb", &["two"]),
            session(7, "s5", &["three"]),
            session(8, "s99x", &["four"]),
        ]);
        assert_eq!(found(&index, "s5"), Some(5));
        assert_eq!(found(&index, "S3"), Some(3));
        assert_eq!(found(&index, "0123-bbbb"), Some(5));
        assert_eq!(found(&index, "0123-b"), Some(5));
        assert_eq!(found(&index, "s99"), Some(8));
        for name in ["", "s4", "x", "0123-aaaaa", "s-5", "s99999999999999", "5", "*"] {
            assert_eq!(found(&index, name), None, "{name:?}");
        }
        assert_eq!(
            index.number_of(&"s5".parse().expect("an id")).expect("readable"),
            Some(7)
        );
    }

    #[test]
    fn an_ambiguous_beginning_names_the_candidates() {
        let (_dir, index) = index_of(&[
            session(3, "0123-aaaa", &["one"]),
            session(5, "0123-bbbb", &["two"]),
            session(6, "0123", &["three"]),
        ]);
        let error = index.find("01").expect_err("ambiguous");
        assert!(error.is_invalid());
        assert_eq!(
            error.to_string(),
            "\"01\" begins several session ids: s6 0123, s3 0123-aaaa, s5 0123-bbbb"
        );
        assert_eq!(found(&index, "0123"), Some(6));
    }

    #[test]
    fn of_many_candidates_eight_are_named() {
        let many: Vec<_> = (10..30).map(|n| session(n, &format!("id-{n}"), &["x"])).collect();
        let (_dir, index) = index_of(&many);
        let message = index.find("id").expect_err("ambiguous").to_string();
        assert!(message.ends_with("s16 id-16, s17 id-17, …"), "{message}");
    }

    #[test]
    fn a_session_knows_its_children_and_its_parent() {
        let mut sub = session(2, "agent-1", &["look"]);
        sub.record.session.parent = Some("trunk".parse().expect("an id"));
        sub.record.session.actor = Actor::Agent;
        let (_dir, index) = index_of(&[session(1, "trunk", &["go"]), sub.clone()]);
        let trunk = "trunk".parse().expect("an id");
        assert_eq!(index.children(&trunk).expect("readable"), [sub.record]);
        let ids = index.ids(2).expect("readable").expect("there");
        assert_eq!((ids.0.as_str(), ids.1), ("agent-1", Some(trunk)));
        assert_eq!(index.ids(9).expect("readable"), None);
    }

    #[test]
    fn turns_come_in_order_with_their_roles() {
        let (_dir, index) = index_of(&[session(1, "a", &["one", "two", "three"]), session(2, "b", &[])]);
        let places = index.places(1).expect("readable");
        let seen: Vec<_> = places.iter().map(|p| (p.turn, p.role)).collect();
        let expected = [(1, Role::Human), (2, Role::Assistant), (3, Role::Human)];
        assert_eq!(seen, expected);
        assert_eq!(index.turn(&places[2]).expect("readable").text, "three");
        assert_eq!(index.places(2).expect("readable"), []);
        assert_eq!(index.tool_calls(2).expect("readable")[0].tool, "Edit");
        assert_eq!(index.places(9).expect("readable"), []);
        assert_eq!(index.tool_calls(9).expect("readable"), []);
    }
}
