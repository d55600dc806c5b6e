//! How like a past query is to the present one: the idf-weighted cosine of their terms.
//!
//! With S = Σ idf² over the terms of both, Q over those of the present query and P over those of the past one,
//! it is k = S / √(P · Q). Only k ≥ L = [`LIKE`] counts, and that spares most of the work: S ≤ P, so S ≥ L² · Q;
//! and the terms that only the past query has may add up to S² / (L² · Q) − S at most. Which terms can be in both is
//! told from how the words begin, before anything is analysed; and of a past query that shares few of them,
//! hardly any is.

use std::collections::HashMap;

use crate::Result;
use crate::boost::LIKE;
use crate::index::{Beginnings, Index, Query, idf};

/// What is lost in rounding must not cost a query that is just like enough.
const ROUNDING: f64 = 1e-9;

/// The most different terms of a past query that count, as of a query.
const MAX_TERMS: usize = 64;

/// Compares queries with one. What is known of a term is looked up once.
pub(super) struct Likeness<'a> {
    index: &'a Index,
    query: &'a Query,
    beginnings: Beginnings,
    /// idf² of each term of the query, and their sum.
    own: Vec<f64>,
    asked: f64,
    /// The terms of every word met so far.
    words: HashMap<String, Vec<Term>>,
    /// The terms met so far that the query does not have.
    others: HashMap<String, Term>,
}

#[derive(Clone, Copy)]
enum Term {
    /// Of the query: its bit.
    Own(u64),
    /// Another: its number, and idf².
    Other(usize, f64),
}

impl<'a> Likeness<'a> {
    pub(super) fn new(index: &'a Index, query: &'a Query) -> Result<Self> {
        let squares = query.terms().iter().map(|term| square(index, term));
        let own = squares.collect::<Result<Vec<f64>>>()?;
        Ok(Self {
            index,
            query,
            beginnings: Beginnings::new(query),
            asked: own.iter().sum(),
            own,
            words: HashMap::new(),
            others: HashMap::new(),
        })
    }

    /// 1 when both have the same terms; 0 when they are less than half alike.
    pub(super) fn of(&mut self, past: &str) -> Result<f64> {
        let shared = self.sum(self.beginnings.in_text(past));
        if shared <= 0.0 || shared < self.least() {
            return Ok(0.0);
        }
        let (held, others) = self.analysed(past, self.most_others(shared))?;
        let shared = self.sum(held);
        if shared < self.least() || others > self.most_others(shared) {
            return Ok(0.0);
        }
        Ok((shared / (self.asked * (shared + others)).sqrt()).min(1.0))
    }

    /// The terms of the query that a past one has, by their bits, and the weight of its other terms, as far as
    /// that is no more than `most`.
    fn analysed(&mut self, past: &str, most: f64) -> Result<(u64, f64)> {
        let (mut held, mut others) = (0_u64, 0.0);
        let mut seen = Vec::new();
        for word in past.split_whitespace() {
            if !self.words.contains_key(word) {
                let terms = self.terms(word)?;
                self.words.insert(word.to_owned(), terms);
            }
            for term in &self.words[word] {
                match *term {
                    Term::Own(bit) => held |= bit,
                    Term::Other(number, square) if !seen.contains(&number) => {
                        seen.push(number);
                        others += square;
                    }
                    Term::Other(..) => {}
                }
                if others > most || seen.len() + held.count_ones() as usize == MAX_TERMS {
                    return Ok((held, others));
                }
            }
        }
        Ok((held, others))
    }

    /// White space ends every term, so a word has the same terms wherever it stands.
    fn terms(&mut self, word: &str) -> Result<Vec<Term>> {
        let mut terms = Vec::new();
        for term in Query::new(word).terms() {
            let own = self.query.terms().iter().position(|own| own == term);
            let known = own.map(|number| Term::Own(1 << number));
            terms.push(match known.or_else(|| self.others.get(term).copied()) {
                Some(known) => known,
                None => {
                    let new = Term::Other(self.others.len(), square(self.index, term)?);
                    self.others.insert(term.clone(), new);
                    new
                }
            });
        }
        Ok(terms)
    }

    fn sum(&self, terms: u64) -> f64 {
        let held = self
            .own
            .iter()
            .enumerate()
            .filter(|(number, _)| terms >> number & 1 == 1);
        held.map(|(_, square)| square).sum()
    }

    /// What the terms of both must weigh.
    fn least(&self) -> f64 {
        LIKE * LIKE * self.asked * (1.0 - ROUNDING)
    }

    /// What the terms of the past query alone may weigh, beside those of both.
    fn most_others(&self, shared: f64) -> f64 {
        (shared * shared / (LIKE * LIKE * self.asked) - shared).max(0.0) + ROUNDING * self.asked
    }
}

fn square(index: &Index, term: &str) -> Result<f64> {
    let idf = f64::from(idf(index.turn_count(), index.turns_with(term)?));
    Ok(idf * idf)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::fixture::{index_of, session};

    fn store() -> (tempfile::TempDir, Index) {
        index_of(&[
            session(1, "a", &["token expiry", "token refresh", "token"]),
            session(2, "b", &["chart", "axis", "legend"]),
        ])
    }

    /// Of a past query to a present one, in hundredths.
    fn of(present: &str, past: &str) -> f64 {
        let (_dir, index) = store();
        let query = Query::new(present);
        let mut likeness = Likeness::new(&index, &query).expect("readable");
        (likeness.of(past).expect("readable") * 100.0).round() / 100.0
    }

    #[test]
    fn it_is_the_share_of_what_is_rare_in_both() {
        assert_eq!(of("token expiry", "the expiry of tokens"), 1.0);
        assert_eq!(of("token expiry", "the expiry"), 0.91);
        assert_eq!(of("the expiry", "token expiry, token"), 0.91);
        assert_eq!(of("token expiry", "an expiry in the chart"), 0.64);
        assert_eq!(of("token expiry", "Expiry: EXPIRY"), 0.91);
    }

    #[test]
    fn less_than_half_is_nothing() {
        assert_eq!(of("token expiry", "token"), 0.0);
        assert_eq!(of("token expiry", "expiry, axis, legend, chart"), 0.0);
        assert_eq!(of("token expiry", "tokens chart"), 0.0);
        assert_eq!(of("token expiry", "chart"), 0.0);
        assert_eq!(of("token expiry", ""), 0.0);
        assert_eq!(of("", "token"), 0.0);
    }

    /// What is skipped counts for nothing: against the formula, on every pair of many queries.
    #[test]
    fn the_short_way_comes_to_what_the_formula_says() {
        let (_dir, index) = store();
        let words = [
            "token",
            "expiring",
            "chart",
            "wrote",
            "axisLegend",
            "refresh_token",
            "tokyo",
            "dying",
        ];
        let text = |n: usize| {
            (0..8)
                .filter(|bit| n >> bit & 1 == 1)
                .map(|bit| words[bit])
                .collect::<Vec<_>>()
                .join(" ")
        };
        let square = |term: &String| square(&index, term).expect("readable");
        let mut like = 0;
        for present in (1..256).step_by(5) {
            let query = Query::new(&text(present));
            let mut likeness = Likeness::new(&index, &query).expect("readable");
            for past in 0..256 {
                let other = Query::new(&text(past));
                let sum = |terms: &[String]| terms.iter().map(square).sum::<f64>();
                let both = other.terms().iter().filter(|term| query.terms().contains(term));
                let k = both.map(square).sum::<f64>() / (sum(query.terms()) * sum(other.terms())).sqrt();
                let found = likeness.of(&text(past)).expect("readable");
                match k >= LIKE {
                    true => assert!((found - k).abs() < 1e-9, "{present} {past}: {found} {k}"),
                    false => assert!(found < LIKE, "{present} {past}: {found} {k}"),
                }
                like += u32::from(k >= LIKE);
            }
        }
        assert!(like > 1000, "{like}");
    }
}
