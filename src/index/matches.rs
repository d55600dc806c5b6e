//! The sessions that hold terms of a query: how well the best turn, the whole session and a commit
//! made in it do, and which terms are found close together.

use std::collections::HashMap;

use tantivy::schema::Field;
use tantivy::{DocId, Term};

use super::bm25::{Bm25, Scorer, Sum, documents_with, idf};
use super::guard::reading;
use super::layout::{COMMIT, RECORD, TOOL_CALLS};
use super::query::Query;
use super::read::{Index, Place};
use super::spoken::{PASSAGE, Spoken};
use crate::Result;
use crate::session::Role;

/// A store with fewer sessions is taken for one of so many: that two of three were held on a branch does not
/// make its name a word that says nothing.
const SESSIONS: u64 = 10;

/// How each kind of document is scored.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Formulas {
    /// A turn.
    pub turn: Bm25,
    /// A session as one text.
    pub whole: Bm25,
    /// The subject of a commit.
    pub subject: Bm25,
}

/// The sessions that answer a query.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Matches {
    /// Every session that holds a term, ascending by number.
    pub hits: Vec<Hit>,
    /// How many turns hold each term of the query.
    pub counts: Vec<u32>,
    /// In how much of the sessions branch, date or files hold each term, 0 to 1.
    pub facts: Vec<f32>,
    /// How many turns there are.
    pub turns: u64,
}

/// A session that holds a term.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Hit {
    /// Its number.
    pub session: u32,
    /// Its best turn. `None`: no turn holds a term.
    pub place: Option<Place>,
    /// BM25 of that turn, times what its role is worth.
    pub turn: f32,
    /// BM25 of the session as one text: turns, commands, files, branch and date.
    pub whole: f32,
    /// BM25 of the best subject of a commit made in it.
    pub subject: f32,
    /// Bit t is set when the query's term t is found in its best passage, or in the subject of a commit
    /// if that holds more; or else among branch, date and files.
    pub held: u64,
    /// Bit t is set when the session holds the query's term t anywhere.
    pub anywhere: u64,
}

impl Index {
    /// Finds the sessions that hold terms of a query. `worth` of a role multiplies the score of its
    /// turns; of two equal turns the earlier is the better.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn matches(&self, query: &Query, formulas: Formulas, worth: impl Fn(Role) -> f32) -> Result<Matches> {
        reading(&self.dir, || self.search(query, formulas, worth))
    }

    /// How many turns hold a term.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn turns_with(&self, term: &str) -> Result<u32> {
        let term = Term::from_field_text(self.layout.body, term);
        reading(&self.dir, || documents_with(&self.searcher, &term))
    }

    /// How many turns there are. A session has two documents that are none, and one for each commit.
    pub fn turn_count(&self) -> u64 {
        let others = 2 * self.sessions.len() as u64 + self.commits;
        self.searcher.num_docs().saturating_sub(others)
    }

    fn search(&self, query: &Query, formulas: Formulas, worth: impl Fn(Role) -> f32) -> tantivy::Result<Matches> {
        let (turns, sessions) = (self.turn_count(), self.sessions.len() as u64);
        let counts = self.counts(query, self.layout.body)?;
        let rarity: Vec<f32> = counts.iter().map(|count| idf(turns, *count)).collect();
        let of_sessions = self.counts(query, self.layout.whole)?;
        let of_sessions = of_sessions.iter().map(|count| idf(sessions, *count)).collect();
        let on_disk = self.on_disk()?;
        let scorer =
            |field, idf, formula, documents| Scorer::new(&self.searcher, field, &query.terms, idf, formula, documents);
        let body = scorer(self.layout.body, rarity.clone(), formulas.turn, on_disk.turns)?;
        let whole = scorer(self.layout.whole, of_sessions, formulas.whole, on_disk.sessions)?;
        let facts = scorer(self.layout.facts, rarity.clone(), formulas.whole, on_disk.sessions)?;
        let subject = scorer(self.layout.subject, rarity.clone(), formulas.subject, on_disk.commits)?;
        let mut found = Found {
            rarity: &rarity,
            hits: HashMap::new(),
        };
        for ((segment_ord, reader), segment) in (0..).zip(self.searcher.segment_readers()).zip(&self.segments) {
            for (doc, sum) in whole.sums(reader)? {
                let hit = found.hit(segment.session(doc)?);
                (hit.whole, hit.anywhere) = (sum.score, sum.held);
            }
            for (doc, sum) in facts.sums(reader)? {
                found.hit(segment.session(doc)?).held = sum.held;
            }
            let spoken = Spoken {
                segment,
                segment_ord,
                lengths: reader.get_fieldnorms_reader(self.layout.body)?,
            };
            found.take_turns(&spoken, &body.sums(reader)?, &worth)?;
            for (doc, sum) in subject.sums(reader)? {
                found.take_subject(segment.session(doc)?, sum);
            }
        }
        let mut hits: Vec<Hit> = found.hits.into_values().collect();
        hits.sort_by_key(|hit| hit.session);
        let facts = self.counts(query, self.layout.facts)?;
        let share = |with: u32| with as f32 / sessions.max(SESSIONS) as f32;
        let facts = facts.into_iter().map(share).collect();
        Ok(Matches {
            hits,
            counts,
            facts,
            turns,
        })
    }

    fn counts(&self, query: &Query, field: Field) -> tantivy::Result<Vec<u32>> {
        let terms = query.terms.iter().map(|term| Term::from_field_text(field, term));
        terms.map(|term| documents_with(&self.searcher, &term)).collect()
    }

    /// Deleted documents count: what averages are taken of has them too, and they are earlier states of
    /// documents that are there.
    fn on_disk(&self) -> tantivy::Result<OnDisk> {
        let mut on_disk = OnDisk::default();
        for reader in self.searcher.segment_readers() {
            let by_kind = reader.inverted_index(self.layout.turn)?;
            let of = |kind| by_kind.doc_freq(&self.layout.of_turn(kind)).map(u64::from);
            let (sessions, commits) = (of(RECORD)?, of(COMMIT)?);
            let others = sessions + commits + of(TOOL_CALLS)?;
            on_disk.sessions += sessions;
            on_disk.commits += commits;
            on_disk.turns += u64::from(reader.max_doc()).saturating_sub(others);
        }
        Ok(on_disk)
    }
}

/// Documents of each kind.
#[derive(Default)]
struct OnDisk {
    turns: u64,
    sessions: u64,
    commits: u64,
}

struct Found<'a> {
    rarity: &'a [f32],
    hits: HashMap<u32, Hit>,
}

impl Found<'_> {
    fn hit(&mut self, session: u32) -> &mut Hit {
        self.hits.entry(session).or_insert(Hit {
            session,
            ..Hit::default()
        })
    }

    /// How rare the terms are, together.
    fn weight(&self, held: u64) -> f32 {
        let terms = self.rarity.iter().enumerate();
        terms
            .filter(|(term, _)| held & (1 << term) != 0)
            .map(|(_, idf)| idf)
            .sum()
    }

    /// Takes in the turns of a segment that hold a term; those of a session follow each other.
    fn take_turns(
        &mut self,
        spoken: &Spoken<'_>,
        turns: &[(DocId, Sum)],
        worth: impl Fn(Role) -> f32,
    ) -> tantivy::Result<()> {
        let mut from = 0;
        while let Some((first, _)) = turns.get(from) {
            let session = spoken.segment.session(*first)?;
            let mut hit = *self.hit(session);
            let mut to = from;
            while let Some((doc, _)) = turns.get(to) {
                if spoken.segment.session(*doc)? != session {
                    break;
                }
                to += 1;
            }
            let turns = &turns[from..to];
            for (at, (doc, _)) in turns.iter().enumerate() {
                spoken.take_turn(&mut hit, *doc, spoken.score(turns, at), &worth)?;
            }
            self.take_passages(&mut hit, &spoken.with_lengths(turns));
            *self.hit(session) = hit;
            from = to;
        }
        Ok(())
    }

    /// The best passage of a session's turns, each with what it holds and where its terms end.
    fn take_passages(&self, hit: &mut Hit, turns: &[(u64, u32, u32)]) {
        let facts = hit.held;
        let (mut best, mut most) = (facts, self.weight(facts));
        for (at, (_, begin, _)) in turns.iter().enumerate() {
            let mut held = facts;
            for (position, (more, _, end)) in turns[at..].iter().enumerate() {
                if position > 0 && end - begin > PASSAGE {
                    break;
                }
                held |= more;
            }
            // What holds no other term weighs no more.
            let weight = if held & !best == 0 { 0.0 } else { self.weight(held) };
            if weight > most {
                (best, most) = (held, weight);
            }
        }
        hit.held = best;
    }

    fn take_subject(&mut self, session: u32, sum: Sum) {
        let known = self.hit(session).held;
        let better = self.weight(sum.held) > self.weight(known);
        let hit = self.hit(session);
        hit.subject = hit.subject.max(sum.score);
        if better {
            hit.held = sum.held;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::fixture::{FORMULAS, LEDGER, index_of, open, session};
    use crate::index::{Matches, Publisher};
    use crate::session::Conversation;

    fn found(index: &Index, query: &str) -> Vec<(u32, u32, f32)> {
        let matches = index.matches(&Query::new(query), FORMULAS, |_| 1.0).expect("readable");
        let rounded = |score: f32| (score * 1000.0).round() / 1000.0;
        let hits = matches.hits.iter();
        hits.map(|hit| (hit.session, hit.place.map_or(0, |place| place.turn), rounded(hit.turn)))
            .collect()
    }

    fn store() -> [Conversation; 3] {
        [
            session(1, "a", &["token expiry", "token token refresh"]),
            session(2, "b", &["chart colour legend axis", "token"]),
            session(3, "c", &["cache"]),
        ]
    }

    /// n = 5, average length 11/5. `token` is in 3 turns: idf = ln(1 + 2.5/3.5) = 0.5390. In turn 2 of
    /// session 1: 0.5390 · 2 · 2.2 / (2 + 1.2 · (0.25 + 0.75 · 3/2.2)) = 0.672, and 0.3 of turn 1's
    /// 0.5390 · 2.2 / (1 + 1.2 · (0.25 + 0.75 · 2/2.2)) = 0.560; in turn 2 of session 2, beside which no turn
    /// holds it: 0.5390 · 2.2 / (1 + 1.2 · (0.25 + 0.75/2.2)) = 0.694.
    #[test]
    fn a_turn_scores_by_the_formula_and_the_best_of_a_session_stands_for_it() {
        let (_dir, index) = index_of(&store());
        assert_eq!(found(&index, "tokens"), [(1, 2, 0.84), (2, 2, 0.694)]);
    }

    #[test]
    fn a_role_multiplies_its_turns_and_the_earlier_of_equals_wins() {
        let (_dir, index) = index_of(&[session(1, "a", &["token", "token"])]);
        assert_eq!(found(&index, "token")[0].1, 1);
        let worth = |role| if role == Role::Assistant { 1.5 } else { 1.0 };
        let matches = index.matches(&Query::new("token"), FORMULAS, worth).expect("readable");
        assert_eq!(matches.hits[0].place.map(|place| place.turn), Some(2));
    }

    #[test]
    fn only_a_terse_turn_takes_of_what_stands_right_beside_it() {
        let long = "axis legend colour ".repeat(7) + "token";
        let (_dir, index) = index_of(&[
            session(1, "a", &["token", &long]),
            session(2, "b", &[&long, "chart", "token"]),
            session(3, "c", &["token", "chart", "token"]),
        ]);
        let best = |at: usize| found(&index, "token")[at];
        assert_eq!((best(0).1, best(1).1, best(2).1), (1, 3, 1));
        assert!(best(0).2 > best(1).2 * 1.05);
        assert_eq!(best(1).2, best(2).2);
    }

    #[test]
    fn each_hit_says_which_terms_it_holds() {
        let (_dir, index) = index_of(&store());
        let query = Query::new("unknown cache token expiry");
        let Matches {
            hits, counts, turns, ..
        } = index.matches(&query, FORMULAS, |_| 1.0).expect("readable");
        let held: Vec<_> = hits.iter().map(|hit| (hit.session, hit.held)).collect();
        assert_eq!(held, [(1, 0b1100), (2, 0b0100), (3, 0b0010)]);
        assert_eq!((counts, turns), (vec![0, 1, 3, 1], 5));
    }

    #[test]
    fn what_was_replaced_or_removed_counts_for_nothing() {
        let (_whole_dir, whole) = index_of(&store());
        let dir = tempfile::tempdir().expect("a folder");
        let mut publisher = Publisher::open(dir.path(), LEDGER).expect("a publisher");
        let [first, second, third] = store();
        let gone = session(4, "d", &["chart colour legend axis", "token expiry"]);
        for (change, step) in [(1, vec![&first, &second, &gone]), (2, vec![&third, &first, &second])] {
            for conversation in step {
                publisher.put(conversation).expect("put");
            }
            publisher.commit(change).expect("commit");
        }
        publisher.remove(4).expect("remove");
        publisher.commit(3).expect("commit");
        let grown = open(dir.path());
        assert_eq!(grown.turn_count(), 5);
        let query = Query::new("token expiry chart");
        let counts = |index: &Index| index.matches(&query, FORMULAS, |_| 1.0).expect("readable").counts;
        assert_eq!(counts(&grown), [3, 1, 1]);
        assert_eq!(counts(&whole), [3, 1, 1]);
        let sessions = |index| found(index, "token expiry chart").into_iter().map(|hit| (hit.0, hit.1));
        assert!(sessions(&grown).eq(sessions(&whole)));
    }

    #[test]
    fn any_text_is_a_query() {
        let (_dir, index) = index_of(&store());
        for text in [
            "\"",
            "don't",
            "a/b",
            "C++",
            "pre-edit",
            "a:b",
            "AND OR NOT",
            "(",
            "*",
            "to\nken)",
            "body:token",
            "[a TO z]",
            "\u{0}",
            "^2~",
            "\\",
        ] {
            assert!(index.matches(&Query::new(text), FORMULAS, |_| 1.0).is_ok(), "{text:?}");
        }
        assert_eq!(found(&index, "+token -expiry").len(), 2);
    }

    #[test]
    fn chinese_is_found_by_two_characters_also_beside_an_identifier() {
        let (_dir, index) = index_of(&[
            session(1, "a", &["修复缓存失效的问题"]),
            session(2, "b", &["请检查parseToken函数的返回值"]),
        ]);
        let sessions = |query| found(&index, query).iter().map(|hit| hit.0).collect::<Vec<_>>();
        assert_eq!(sessions("缓存"), [1]);
        assert_eq!(sessions("函数"), [2]);
        assert_eq!(sessions("parseToken"), [2]);
        assert_eq!(sessions("检查parse"), [2]);
    }
}
