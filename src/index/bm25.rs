//! Which turns hold the terms of a query, and how well: BM25 from the postings.
//!
//! With n turns of which d hold the term, idf = ln(1 + (n − d + ½) / (d + ½)); with f occurrences in a
//! turn of l terms where a turn has a on average, a term adds
//! idf · f · (k₁ + 1) / (f + k₁ · (1 − b + b · l / a)) (Robertson and Zaragoza 2009; the idf as in Lucene).
//! n and d count what is published and not deleted, so a session that grew weighs as if it had been
//! indexed in one go.

use std::collections::HashMap;

use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::Postings;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocAddress, DocId, DocSet, SegmentReader, TERMINATED, Term};

use super::guard::reading;
use super::layout::{RECORD, TOOL_CALLS};
use super::query::Query;
use super::read::{Index, Place, is_alive};
use crate::Result;
use crate::session::Role;

/// The two constants of the formula.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bm25 {
    /// How soon further occurrences of a term add less.
    pub k1: f32,
    /// How much the length of a turn counts against it, 0 to 1.
    pub b: f32,
}

/// The turns that answer a query.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Matches {
    /// The best turn of every session that holds a term, ascending by session.
    pub hits: Vec<Hit>,
    /// How many turns hold each term of the query.
    pub counts: Vec<u32>,
    /// How many turns there are.
    pub turns: u64,
}

/// The best turn of a session.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hit {
    /// The session's number.
    pub session: u32,
    /// The turn.
    pub place: Place,
    /// Its BM25, times what its role is worth.
    pub score: f32,
    /// Bit t is set when it holds the query's term t.
    pub held: u64,
}

#[derive(Clone, Copy, Default)]
struct Sum {
    score: f32,
    held: u64,
}

impl Index {
    /// Finds the turns that hold terms of a query. `worth` of a role multiplies the score of its turns;
    /// of two equal turns the earlier is the better.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn matches(&self, query: &Query, bm25: Bm25, worth: impl Fn(Role) -> f32) -> Result<Matches> {
        reading(&self.dir, || self.search(query, bm25, worth))
    }

    fn search(&self, query: &Query, bm25: Bm25, worth: impl Fn(Role) -> f32) -> tantivy::Result<Matches> {
        let terms: Vec<Term> = query
            .terms
            .iter()
            .map(|term| Term::from_field_text(self.layout.body, term))
            .collect();
        let turns = self.turn_count();
        let counts = terms.iter().map(|term| self.turns_with(term));
        let counts = counts.collect::<tantivy::Result<Vec<u32>>>()?;
        let idf: Vec<f32> = counts.iter().map(|count| idf(turns, *count)).collect();
        let lengths = self.length_factors(bm25)?;
        let mut best = HashMap::new();
        for (segment_ord, reader) in (0..).zip(self.searcher.segment_readers()) {
            let sums = sum_up(reader, &terms, &idf, bm25, &lengths)?;
            for (doc_id, sum) in sums {
                let hit = self.hit(DocAddress { segment_ord, doc_id }, sum, &worth)?;
                let known = best.entry(hit.session).or_insert(hit);
                if hit.is_better_than(known) {
                    *known = hit;
                }
            }
        }
        let mut hits: Vec<Hit> = best.into_values().collect();
        hits.sort_by_key(|hit| hit.session);
        Ok(Matches { hits, counts, turns })
    }

    /// How many turns there are. A session has two documents that are none.
    pub fn turn_count(&self) -> u64 {
        self.searcher.num_docs().saturating_sub(2 * self.sessions.len() as u64)
    }

    fn turns_with(&self, term: &Term) -> tantivy::Result<u32> {
        let mut count = 0;
        for reader in self.searcher.segment_readers() {
            let index = reader.inverted_index(term.field())?;
            if reader.has_deletes() {
                let Some(mut postings) = index.read_postings(term, IndexRecordOption::Basic)? else {
                    continue;
                };
                let mut doc = postings.doc();
                while doc != TERMINATED {
                    count += u32::from(is_alive(reader, doc)?);
                    doc = postings.advance();
                }
            } else {
                count += index.doc_freq(term)?;
            }
        }
        Ok(count)
    }

    fn hit(&self, address: DocAddress, sum: Sum, worth: impl Fn(Role) -> f32) -> tantivy::Result<Hit> {
        let segment = &self.segments[address.segment_ord as usize];
        let role = segment.role(address.doc_id)?;
        let turn = segment.turn(address.doc_id)?;
        Ok(Hit {
            session: segment.session(address.doc_id)?,
            place: Place { turn, role, address },
            score: sum.score * worth(role),
            held: sum.held,
        })
    }

    /// k₁ · (1 − b + b · l / a) for every length that tantivy tells apart. The average length is that of
    /// all turns on disk: deleted ones are earlier states of turns that are there.
    fn length_factors(&self, Bm25 { k1, b }: Bm25) -> tantivy::Result<[f32; 256]> {
        let (mut turns, mut tokens) = (0, 0);
        for reader in self.searcher.segment_readers() {
            tokens += reader.inverted_index(self.layout.body)?.total_num_tokens();
            let by_kind = reader.inverted_index(self.layout.turn)?;
            let others = [RECORD, TOOL_CALLS].map(|kind| by_kind.doc_freq(&self.layout.of_turn(kind)));
            turns += u64::from(reader.max_doc());
            for other in others {
                turns = turns.saturating_sub(other?.into());
            }
        }
        let average = (tokens as f32 / turns.max(1) as f32).max(1.0);
        let factor = |id| k1 * (1.0 - b + b * FieldNormReader::id_to_fieldnorm(id) as f32 / average);
        Ok(std::array::from_fn(|id| factor(id as u8)))
    }
}

impl Hit {
    fn is_better_than(&self, other: &Self) -> bool {
        let (place, known) = (self.place.turn, other.place.turn);
        self.score > other.score || (self.score == other.score && place < known)
    }
}

/// The idf of a term that so many of all turns hold.
pub fn idf(turns: u64, with: u32) -> f32 {
    let without = turns.saturating_sub(with.into()) as f32;
    (1.0 + (without + 0.5) / (with as f32 + 0.5)).ln()
}

/// The turns of a segment that hold any of the terms.
fn sum_up(
    reader: &SegmentReader,
    terms: &[Term],
    idf: &[f32],
    bm25: Bm25,
    lengths: &[f32; 256],
) -> tantivy::Result<Vec<(DocId, Sum)>> {
    let mut sums: Vec<Sum> = Vec::new();
    for (number, (term, idf)) in terms.iter().zip(idf).enumerate() {
        let index = reader.inverted_index(term.field())?;
        let Some(mut postings) = index.read_postings(term, IndexRecordOption::WithFreqs)? else {
            continue;
        };
        let norms = reader.get_fieldnorms_reader(term.field())?;
        sums.resize(reader.max_doc() as usize, Sum::default());
        let mut doc = postings.doc();
        while doc != TERMINATED {
            if is_alive(reader, doc)? {
                let often = postings.term_freq() as f32;
                let length = lengths[usize::from(norms.fieldnorm_id(doc))];
                let sum = &mut sums[doc as usize];
                sum.score += idf * often * (bm25.k1 + 1.0) / (often + length);
                sum.held |= 1 << number;
            }
            doc = postings.advance();
        }
    }
    let touched = (0..).zip(sums).filter(|(_, sum)| sum.held != 0);
    Ok(touched.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::fixture::{LEDGER, index_of, open, session};
    use crate::index::{Matches, Publisher};
    use crate::session::Conversation;

    const PLAIN: Bm25 = Bm25 { k1: 1.2, b: 0.75 };

    fn found(index: &Index, query: &str) -> Vec<(u32, u32, f32)> {
        let matches = index.matches(&Query::new(query), PLAIN, |_| 1.0).expect("readable");
        let rounded = |score: f32| (score * 1000.0).round() / 1000.0;
        let hits = matches.hits.iter();
        hits.map(|hit| (hit.session, hit.place.turn, rounded(hit.score)))
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
    /// session 1: 0.5390 · 2 · 2.2 / (2 + 1.2 · (0.25 + 0.75 · 3/2.2)) = 0.672; in turn 2 of session 2:
    /// 0.5390 · 2.2 / (1 + 1.2 · (0.25 + 0.75/2.2)) = 0.694.
    #[test]
    fn a_turn_scores_by_the_formula_and_the_best_of_a_session_stands_for_it() {
        let (_dir, index) = index_of(&store());
        assert_eq!(found(&index, "tokens"), [(1, 2, 0.672), (2, 2, 0.694)]);
    }

    #[test]
    fn a_role_multiplies_its_turns_and_the_earlier_of_equals_wins() {
        let (_dir, index) = index_of(&[session(1, "a", &["token", "token", "token"])]);
        assert_eq!(found(&index, "token")[0].1, 1);
        let worth = |role| if role == Role::Assistant { 1.5 } else { 1.0 };
        let matches = index.matches(&Query::new("token"), PLAIN, worth).expect("readable");
        assert_eq!(matches.hits[0].place.turn, 2);
    }

    #[test]
    fn each_hit_says_which_terms_it_holds() {
        let (_dir, index) = index_of(&store());
        let query = Query::new("unknown cache token expiry");
        let Matches { hits, counts, turns } = index.matches(&query, PLAIN, |_| 1.0).expect("readable");
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
        let counts = |index: &Index| index.matches(&query, PLAIN, |_| 1.0).expect("readable").counts;
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
            assert!(index.matches(&Query::new(text), PLAIN, |_| 1.0).is_ok(), "{text:?}");
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
