//! How far a session can be trusted to be about what was asked, 0 to 1.
//!
//! It depends on the query and that session alone: no other result, no opening moves it. It is the
//! share of the query that its best passage holds, together with its branch, date and files, words weighed by their idf, times 1 − e^(−r·[`EVIDENCE`])
//! where r adds up how rare the held words are (idf over the idf of a word that no turn holds). So a
//! common word alone proves little, and what the store never heard of counts against every turn.

use crate::index::{Hit, Matches, Query, idf};

/// A store with fewer turns is taken for one of so many: it cannot tell which words are common yet, and
/// three turns that all speak of the same thing must not make every word of it worthless.
const TURNS: u64 = 1000;

/// How much one held word as rare as can be weighs: alone it proves 1 − e^(−2.5), 0.92.
const EVIDENCE: f64 = 2.5;

/// What a name asks for, in words that no turn holds: who or what is spoken of decides whether a question is
/// about this store at all, also where everybody speaks of it.
const NAME: f64 = 1.5;

/// What is left of the confidence when all of the query is found, but scattered over the session.
const SCATTERED: f64 = 0.5;

/// A query and what every held term of it proves.
pub(super) struct Trust {
    /// For every word: what it weighs, its term, its parts and what they weigh.
    words: Vec<Weighed>,
    asked: f64,
    unseen: f64,
    all: u64,
}

struct Weighed {
    /// How rare it is.
    rarity: f64,
    /// How much of the query it is: its rarity, or that of a name.
    weight: f64,
    whole: usize,
    parts: Vec<(usize, f64)>,
}

impl Trust {
    pub(super) fn new(query: &Query, matches: &Matches) -> Self {
        let turns = matches.turns.max(TURNS);
        let unseen = f64::from(idf(turns, 0));
        // A branch or a year that every session has is as common as a word in every turn.
        let as_turns = |share: &f32| (f64::from(*share) * turns as f64) as u32;
        let rarity = |term: usize| {
            let of_facts = matches.facts.get(term).map_or(0, as_turns);
            let count = matches.counts.get(term).copied().unwrap_or_default();
            f64::from(idf(turns, count.max(of_facts)))
        };
        let mut words = Vec::new();
        let (mut asked, mut all) = (0.0, 0);
        for word in query.words() {
            let parts: Vec<(usize, f64)> = word.parts.iter().map(|part| (*part, rarity(*part))).collect();
            let rarest = parts.iter().map(|(_, idf)| *idf).fold(0.0, f64::max);
            let whole = rarity(word.whole);
            // A spelling that nobody used says nothing: `jwt-expiry` is then as rare as its rarest part.
            let rarity = if parts.is_empty() { whole } else { whole.min(rarest) };
            let weight = if word.is_name { NAME * unseen } else { rarity };
            asked += weight;
            all |= 1 << word.whole;
            words.push(Weighed {
                rarity,
                weight,
                whole: word.whole,
                parts,
            });
        }
        Self {
            words,
            asked,
            unseen,
            all,
        }
    }

    /// What a passage proves that holds the terms whose bits are set.
    fn of(&self, held: u64) -> f64 {
        if self.asked <= 0.0 {
            return 0.0;
        }
        let (mut found, mut rarity) = (0.0, 0.0);
        for word in &self.words {
            let share = word.share(held);
            found += word.weight * share;
            rarity += word.rarity * share;
        }
        let evidence = EVIDENCE * rarity / self.unseen;
        found / self.asked * (1.0 - (-evidence).exp())
    }
}

impl Weighed {
    /// How much of it is held, 0 to 1.
    fn share(&self, held: u64) -> f64 {
        let is_held = |term: usize| held & (1 << term) != 0;
        if is_held(self.whole) {
            return 1.0;
        }
        let of_parts: f64 = self.parts.iter().map(|(_, idf)| idf).sum();
        let parts_held: f64 = self
            .parts
            .iter()
            .filter(|(part, _)| is_held(*part))
            .map(|(_, idf)| idf)
            .sum();
        if of_parts > 0.0 { parts_held / of_parts } else { 0.0 }
    }
}

/// The confidence in a session.
pub(super) fn confidence(trust: &Trust, hit: &Hit) -> f64 {
    let together = trust.of(hit.held);
    let is_scattered = hit.anywhere & trust.all == trust.all;
    if is_scattered {
        together.max(SCATTERED * trust.of(hit.anywhere))
    } else {
        together
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a store of so many turns; `counts` of them hold each term of the query.
    fn in_store(turns: u64, text: &str, counts: &[u32], hit: &Hit) -> f64 {
        let matches = Matches {
            hits: Vec::new(),
            counts: counts.into(),
            facts: Vec::new(),
            turns,
        };
        let trust = Trust::new(&Query::new(text), &matches);
        (confidence(&trust, hit) * 100.0).round() / 100.0
    }

    fn of(text: &str, counts: &[u32], held: u64) -> f64 {
        let hit = Hit { held, ..Hit::default() };
        in_store(5000, text, counts, &hit)
    }

    #[test]
    fn all_of_it_scattered_over_a_session_is_worth_half() {
        let scattered = |held, anywhere| {
            let hit = Hit {
                held,
                anywhere,
                ..Hit::default()
            };
            in_store(5000, "jwt expiry", &[10, 10], &hit)
        };
        assert_eq!(scattered(0, 0b11), 0.48);
        assert_eq!(scattered(0, 0b01), 0.0);
        assert_eq!(scattered(0b11, 0b11), 0.96);
    }

    #[test]
    fn it_is_the_share_of_the_query_that_is_held_tempered_by_how_rare_that_is() {
        assert_eq!(of("jwt expiry", &[10, 10], 0b11), 0.96);
        assert_eq!(of("jwt expiry", &[10, 10], 0b01), 0.41);
        assert_eq!(of("jwt expiry", &[10, 10], 0), 0.0);
        assert_eq!(of("jwt", &[10], 1), 0.81);
        assert_eq!(of("error", &[2500], 1), 0.17);
    }

    #[test]
    fn a_branch_that_every_session_has_says_nothing() {
        let of_branch = |share| {
            let matches = Matches {
                counts: vec![0],
                facts: vec![share],
                turns: 5000,
                ..Matches::default()
            };
            let hit = Hit {
                held: 1,
                ..Hit::default()
            };
            let trust = Trust::new(&Query::new("trunk"), &matches);
            (confidence(&trust, &hit) * 100.0).round() / 100.0
        };
        assert_eq!(of_branch(1.0), 0.0);
        assert_eq!(of_branch(0.01), 0.71);
        assert_eq!(of_branch(0.0), 0.92);
    }

    #[test]
    fn what_the_store_never_heard_of_counts_against_it() {
        assert_eq!(of("sourdough hydration ratio", &[0, 0, 40], 0b100), 0.15);
        assert_eq!(of("jwt expiry sourdough", &[10, 10, 0], 0b11), 0.55);
    }

    #[test]
    fn a_name_decides_also_where_everybody_speaks_of_it() {
        // Terms: rosa, hobbi.
        assert_eq!(of("what are rosa hobbies", &[2500, 0], 0b01), 0.01);
        assert_eq!(of("what are Rosa hobbies", &[2500, 0], 0b01), 0.1);
        assert_eq!(of("what are Rosa hobbies", &[2500, 40], 0b10), 0.19);
        assert_eq!(of("what are rosa hobbies", &[2500, 40], 0b10), 0.64);
    }

    #[test]
    fn a_word_that_can_be_split_is_held_whole_or_by_the_share_of_its_parts() {
        // Terms: jwt_expiri, jwt, expiri.
        assert_eq!(of("jwt_expiry", &[3, 10, 10], 0b001), 0.81);
        assert_eq!(of("jwt_expiry", &[0, 10, 10], 0b110), 0.81);
        assert_eq!(of("jwt_expiry", &[0, 10, 10], 0b010), 0.28);
        assert_eq!(of("jwt_expiry", &[0, 10, 0], 0), 0.0);
    }

    #[test]
    fn in_a_young_store_a_perfect_match_is_trusted() {
        let hit = Hit {
            held: 0b11,
            ..Hit::default()
        };
        assert_eq!(in_store(2, "jwt expiry", &[2, 2], &hit), 0.98);
    }

    #[test]
    fn it_lies_between_none_and_one() {
        assert_eq!(of("", &[], 0), 0.0);
        let long: String = (0..80).map(|n| format!("word{n} ")).collect();
        assert_eq!(of(&long, &[1; 64], u64::MAX), 1.0);
        assert_eq!(of("jwt", &[], 1), 0.92);
    }
}
