//! Which terms count, and where they lie.

use super::basis::{SparseRow, basis};
use super::rows::Rows;
use crate::hash::fnv64;

/// The most terms that are told apart: those that most sessions hold.
pub(super) const MOST_TERMS: usize = 30_000;

/// The most dimensions. A store of few sessions has a third of their number: more would tell each of them
/// apart from all others, and then nothing is like anything.
pub(super) const MOST_DIMS: usize = 128;

/// How many sessions hold a term, which is known by its hash.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Count {
    pub(super) hash: u64,
    pub(super) sessions: u32,
}

/// The terms, ascending by hash, with the vector of each: its row of the basis times its idf.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Vocabulary {
    pub(super) hashes: Vec<u64>,
    pub(super) rows: Rows,
}

/// By which a term is known. Two terms of one hash are one term.
pub(super) fn hash_of(term: &[u8]) -> u64 {
    fnv64(term)
}

/// The number of a term in hashes that ascend.
pub(super) fn position(hashes: &[u64], hash: u64) -> Option<usize> {
    hashes.binary_search(&hash).ok()
}

/// The terms to tell apart, ascending by hash: those that at least two sessions hold, for one that only
/// one holds says of no other that it is like it. Of equals the lower hash goes first.
pub(super) fn select(mut counts: Vec<Count>) -> Vec<Count> {
    counts.sort_unstable_by_key(|count| count.hash);
    counts.dedup_by(|other, count| {
        let same = other.hash == count.hash;
        count.sessions += if same { other.sessions } else { 0 };
        same
    });
    counts.retain(|count| count.sessions >= 2);
    counts.sort_unstable_by_key(|count| (std::cmp::Reverse(count.sessions), count.hash));
    counts.truncate(MOST_TERMS);
    counts.sort_unstable_by_key(|count| count.hash);
    counts
}

/// How much a term weighs that a session holds so often, before its idf.
pub(super) fn weight(often: u32) -> f32 {
    1.0 + (often.max(1) as f32).ln()
}

impl Vocabulary {
    /// From the terms and a sample of `n` sessions, given as weights of terms before their idf.
    pub(super) fn new(terms: &[Count], n: usize, mut sample: Vec<SparseRow>) -> Self {
        let idf: Vec<f32> = terms.iter().map(|term| idf(n, term.sessions)).collect();
        for row in &mut sample {
            row.iter_mut().for_each(|(term, weight)| *weight *= idf[*term as usize]);
            normalise(row);
        }
        let dims = (sample.len() / 3).clamp(2, MOST_DIMS);
        let basis = basis(&sample, terms.len(), dims);
        let mut rows = Rows::new(dims);
        for (at, idf) in idf.iter().enumerate() {
            let vector: Vec<f32> = basis.row(at).iter().map(|value| idf * value).collect();
            rows.push(&vector);
        }
        Self {
            hashes: terms.iter().map(|term| term.hash).collect(),
            rows,
        }
    }

    /// Adds a term to the vector of a session, which need not be divided by its length: only its direction
    /// counts.
    pub(super) fn fold(&self, sum: &mut [f32], term: usize, weight: f32) {
        let (scale, values) = self.rows.row(term);
        super::rows::add(sum, weight * scale, values.iter().copied());
    }
}

fn idf(n: usize, sessions: u32) -> f32 {
    (1.0 + n as f32 / sessions as f32).ln()
}

fn normalise(row: &mut SparseRow) {
    let length = row.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
    if length > 0.0 {
        row.iter_mut().for_each(|(_, weight)| *weight /= length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(hash: u64, sessions: u32) -> Count {
        Count { hash, sessions }
    }

    #[test]
    fn counts_of_one_term_add_up_and_a_term_of_one_session_is_left_out() {
        let counts = vec![count(9, 1), count(5, 2), count(7, 1), count(9, 1), count(5, 3)];
        assert_eq!(select(counts), [count(5, 5), count(9, 2)]);
    }

    #[test]
    fn of_many_terms_those_that_most_sessions_hold_are_kept() {
        let all = MOST_TERMS as u64;
        let many = (0..all + 3).map(|hash| count(hash, if hash == all + 2 { 3 } else { 2 }));
        let kept = select(many.collect());
        assert_eq!(kept.len(), MOST_TERMS);
        assert_eq!(kept[MOST_TERMS - 2..], [count(all - 2, 2), count(all + 2, 3)]);
    }

    #[test]
    fn a_term_weighs_by_the_logarithm_of_how_often_it_is_held() {
        assert_eq!(weight(1), 1.0);
        assert!((weight(10) - 3.302_585).abs() < 1e-6);
        assert!((idf(8, 2) - 1.609_438).abs() < 1e-6);
    }

    #[test]
    fn few_sessions_have_few_dimensions() {
        let dims = |sessions: usize| Vocabulary::new(&[], sessions, vec![Vec::new(); sessions]).rows.dims;
        assert_eq!([0, 1, 9, 99, 500].map(dims), [2, 2, 3, 33, 128]);
    }
}
