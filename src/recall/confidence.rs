//! How far a turn can be trusted to be about what was asked, 0 to 1.
//!
//! It depends on the query and that turn alone: no other result, no opening, no date moves it. It is
//! the share of the query that the turn holds, words weighed by their idf, times 1 − e^(−r·[`EVIDENCE`])
//! where r adds up how rare the held words are (idf over the idf of a word that no turn holds). So a
//! common word alone proves little, and what the store never heard of counts against every turn.

use crate::index::{Matches, Query, idf};

/// A store with fewer turns is taken for one of so many: it cannot tell which words are common yet, and
/// three turns that all speak of the same thing must not make every word of it worthless.
const TURNS: u64 = 1000;

/// How much one held word as rare as can be weighs: alone it proves 1 − e^(−1.2), 0.70.
const EVIDENCE: f64 = 1.2;

/// The confidence in a turn that holds the terms whose bits are set.
pub(super) fn confidence(query: &Query, matches: &Matches, held: u64) -> f64 {
    let turns = matches.turns.max(TURNS);
    let unseen = f64::from(idf(turns, 0));
    let idf = |term: usize| {
        matches
            .counts
            .get(term)
            .map_or(unseen, |count| idf(turns, *count).into())
    };
    let is_held = |term: usize| held & (1 << term) != 0;
    let (mut asked, mut found) = (0.0, 0.0);
    for word in query.words() {
        let of_parts: f64 = word.parts.iter().map(|part| idf(*part)).sum();
        let parts_held: f64 = word.parts.iter().filter(|p| is_held(**p)).map(|p| idf(*p)).sum();
        let rarest = word.parts.iter().map(|part| idf(*part)).fold(0.0, f64::max);
        let whole = idf(word.whole);
        // A spelling that nobody used says nothing: `jwt-expiry` is then as rare as its rarest part.
        let weight = if word.parts.is_empty() {
            whole
        } else {
            whole.min(rarest)
        };
        asked += weight;
        if is_held(word.whole) {
            found += weight;
        } else if of_parts > 0.0 {
            found += weight * parts_held / of_parts;
        }
    }
    if asked <= 0.0 {
        return 0.0;
    }
    let evidence = EVIDENCE * found / unseen;
    found / asked * (1.0 - (-evidence).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a store of 5,000 turns; `counts` are the turns that hold each term of the query.
    fn of(text: &str, counts: &[u32], held: u64) -> f64 {
        let matches = Matches {
            hits: Vec::new(),
            counts: counts.into(),
            turns: 5000,
        };
        (confidence(&Query::new(text), &matches, held) * 100.0).round() / 100.0
    }

    #[test]
    fn it_is_the_share_of_the_query_that_is_held_tempered_by_how_rare_that_is() {
        assert_eq!(of("jwt expiry", &[10, 10], 0b11), 0.80);
        assert_eq!(of("jwt expiry", &[10, 10], 0b01), 0.28);
        assert_eq!(of("jwt expiry", &[10, 10], 0), 0.0);
        assert_eq!(of("jwt", &[10], 1), 0.55);
        assert_eq!(of("error", &[2500], 1), 0.09);
    }

    #[test]
    fn what_the_store_never_heard_of_counts_against_it() {
        assert_eq!(of("sourdough hydration ratio", &[0, 0, 40], 0b100), 0.1);
        assert_eq!(of("jwt expiry sourdough", &[10, 10, 0], 0b11), 0.46);
    }

    #[test]
    fn a_word_that_can_be_split_is_held_whole_or_by_the_share_of_its_parts() {
        // Terms: jwt_expiri, jwt, expiri.
        assert_eq!(of("jwt_expiry", &[3, 10, 10], 0b001), 0.55);
        assert_eq!(of("jwt_expiry", &[0, 10, 10], 0b110), 0.55);
        assert_eq!(of("jwt_expiry", &[0, 10, 10], 0b010), 0.17);
        assert_eq!(of("jwt_expiry", &[0, 10, 0], 0), 0.0);
    }

    #[test]
    fn in_a_young_store_a_perfect_match_is_trusted() {
        let matches = Matches {
            hits: Vec::new(),
            counts: vec![2, 2],
            turns: 2,
        };
        let found = confidence(&Query::new("jwt expiry"), &matches, 0b11);
        assert_eq!((found * 100.0).round(), 85.0);
    }

    #[test]
    fn it_lies_between_none_and_one() {
        assert_eq!(of("", &[], 0), 0.0);
        let long: String = (0..80).map(|n| format!("word{n} ")).collect();
        assert_eq!(of(&long, &[1; 64], u64::MAX), 1.0);
        assert_eq!(of("jwt", &[], 1), 0.7);
    }
}
