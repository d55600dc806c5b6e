//! How like a past query is to the present one: the idf-weighted cosine of their terms.

use std::collections::HashMap;

use crate::Result;
use crate::index::{Index, Query, idf};

/// Compares queries with one. What is known of a term is looked up once.
pub(super) struct Likeness<'a> {
    index: &'a Index,
    query: &'a Query,
    squares: HashMap<String, f64>,
}

impl<'a> Likeness<'a> {
    pub(super) fn new(index: &'a Index, query: &'a Query) -> Self {
        Self {
            index,
            query,
            squares: HashMap::new(),
        }
    }

    /// Σ idf² over the terms of both, over √(Σ idf² of the one · Σ idf² of the other): 0 when they share
    /// no term, 1 when they have the same ones.
    pub(super) fn of(&mut self, past: &str) -> Result<f64> {
        let past = Query::new(past);
        let shared: Vec<&String> = past
            .terms()
            .iter()
            .filter(|term| self.query.terms().contains(term))
            .collect();
        if shared.is_empty() {
            return Ok(0.0);
        }
        let both = self.sum(shared)?;
        let norms = self.sum(past.terms())? * self.sum(self.query.terms())?;
        Ok(if norms > 0.0 {
            (both / norms.sqrt()).min(1.0)
        } else {
            0.0
        })
    }

    fn sum<'t>(&mut self, terms: impl IntoIterator<Item = &'t String>) -> Result<f64> {
        terms.into_iter().map(|term| self.square(term)).sum()
    }

    fn square(&mut self, term: &str) -> Result<f64> {
        if let Some(known) = self.squares.get(term) {
            return Ok(*known);
        }
        let idf = f64::from(idf(self.index.turn_count(), self.index.turns_with(term)?));
        self.squares.insert(term.to_owned(), idf * idf);
        Ok(idf * idf)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::fixture::{index_of, session};

    #[test]
    fn it_is_the_share_of_what_is_rare_in_both() {
        let (_dir, index) = index_of(&[
            session(1, "a", &["token expiry", "token refresh", "token"]),
            session(2, "b", &["chart", "axis", "legend"]),
        ]);
        let query = Query::new("token expiry");
        let mut likeness = Likeness::new(&index, &query);
        let mut of = |past| (likeness.of(past).expect("readable") * 100.0).round() / 100.0;
        assert_eq!(of("the expiry of tokens"), 1.0);
        assert_eq!(of("the expiry"), 0.91);
        assert_eq!(of("token"), 0.41);
        assert_eq!(of("chart"), 0.0);
        assert_eq!(of(""), 0.0);
    }
}
