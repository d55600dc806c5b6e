//! The order of the candidates. Pure: what is known of each goes in, an order comes out.
//!
//! A layer's values are divided by their maximum over the candidates. The score is the weighted mean
//! of turn, session and LSA, plus the boosts, times the discount of a subagent; equal scores go by id.

use super::weights::Weights;
use crate::boost;
use crate::time::{DAY, Millis};

/// Every so many milliseconds back, half of the boost for being recent is left.
const HALF_LIFE: f64 = 30.0 * DAY as f64;

/// A session that might answer.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Candidate {
    /// Its number.
    pub(super) session: u32,
    /// The session's own id.
    pub(super) id: String,
    /// It was started by another session.
    pub(super) is_subagent: bool,
    /// BM25 of its best turn, times what that turn's role is worth.
    pub(super) turn: f64,
    /// BM25 of the session as one text.
    pub(super) whole: f64,
    /// Likeness in the space of latent topics, 0 to 1.
    pub(super) lsa: f64,
    /// BM25 of the subject of a commit made in it.
    pub(super) commit: f64,
    /// The query names the month in which it was held.
    pub(super) dated: bool,
    /// When it took place.
    pub(super) at: Millis,
    /// How often it was opened.
    pub(super) drills: u32,
    /// How far it was opened for queries like this one, 0 to 1.
    pub(super) intent: f64,
}

/// What each layer gave, before the discount of a subagent.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Layers {
    /// The best turn, 0 to 1.
    pub turn: f64,
    /// The session as one text, 0 to 1.
    pub session: f64,
    /// Latent topics, 0 to 1.
    pub lsa: f64,
    /// What the subject of a commit made in it added to the score.
    pub commit: f64,
    /// What being of a month that the query names added.
    pub date: f64,
    /// What being recent added.
    pub recency: f64,
    /// What having been opened added.
    pub reach: f64,
    /// What having been opened for like queries added.
    pub intent: f64,
}

/// A candidate in its place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Ranked {
    /// Its position among the candidates.
    pub(super) candidate: usize,
    pub(super) score: f64,
    pub(super) layers: Layers,
}

/// The candidates, best first.
pub(super) fn rank(candidates: &[Candidate], weights: &Weights) -> Vec<Ranked> {
    let most = |of: fn(&Candidate) -> f64| candidates.iter().map(of).fold(0.0, f64::max);
    let best_turn = most(|c| c.turn);
    let best_whole = most(|c| c.whole);
    let best_lsa = most(|c| c.lsa);
    let best_commit = most(|c| c.commit);
    let newest = candidates.iter().map(|c| c.at).max().unwrap_or(0);
    let most_drills = candidates.iter().map(|c| c.drills).max().unwrap_or(0);
    let layers = |c: &Candidate| Layers {
        turn: share(c.turn, best_turn),
        session: share(c.whole, best_whole),
        lsa: share(c.lsa, best_lsa),
        commit: weights.commit_boost * share(c.commit, best_commit),
        date: if c.dated { weights.date_boost } else { 0.0 },
        recency: weights.recency_boost * 0.5f64.powf((newest - c.at) as f64 / HALF_LIFE),
        reach: weights.reach_boost * boost::flat(c.drills, most_drills),
        intent: weights.intent_boost * c.intent,
    };
    let mut ranked: Vec<Ranked> = (0..)
        .zip(candidates)
        .map(|(candidate, c)| {
            let layers = layers(c);
            let discount = if c.is_subagent { weights.subagent_discount } else { 1.0 };
            Ranked {
                candidate,
                score: layers.score(weights) * discount,
                layers,
            }
        })
        .collect();
    ranked.sort_by(|a, b| {
        let (one, other) = (&candidates[a.candidate], &candidates[b.candidate]);
        let by_id = || one.id.cmp(&other.id).then(one.session.cmp(&other.session));
        b.score.total_cmp(&a.score).then_with(by_id)
    });
    ranked
}

impl Layers {
    fn score(&self, weights: &Weights) -> f64 {
        let text = mean(&[
            (weights.turn, self.turn),
            (weights.session, self.session),
            (weights.lsa, self.lsa),
        ]);
        text + self.commit + self.date + self.recency + self.reach + self.intent
    }
}

/// 0 when the maximum is 0.
fn share(value: f64, max: f64) -> f64 {
    if max > 0.0 { value / max } else { 0.0 }
}

/// The weighted mean of (weight, value). 0 when nothing weighs anything.
fn mean(layers: &[(f64, f64)]) -> f64 {
    let sum: f64 = layers.iter().map(|(weight, value)| weight * value).sum();
    let weight: f64 = layers.iter().map(|(weight, _)| weight).sum();
    share(sum, weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The best turn alone, so that the figures can be followed.
    const TURNS: Weights = Weights {
        session: 0.0,
        lsa: 0.0,
        ..Weights::DEFAULT
    };

    fn candidate(id: &str, turn: f64, drills: u32) -> Candidate {
        Candidate {
            id: id.into(),
            turn,
            drills,
            ..Candidate::default()
        }
    }

    fn order(candidates: &[Candidate], weights: &Weights) -> Vec<(String, f64)> {
        rank(candidates, weights)
            .iter()
            .map(|r| (candidates[r.candidate].id.clone(), (r.score * 1000.0).round() / 1000.0))
            .collect()
    }

    #[test]
    fn the_best_turn_is_worth_one_and_equal_scores_go_by_id() {
        let candidates = [candidate("b", 5.0, 0), candidate("c", 20.0, 0), candidate("a", 5.0, 0)];
        let expected = [("c".into(), 1.0), ("a".into(), 0.25), ("b".into(), 0.25)];
        assert_eq!(order(&candidates, &TURNS), expected);
    }

    #[test]
    fn openings_add_up_to_the_reach_boost() {
        let candidates = [candidate("a", 10.0, 0), candidate("b", 9.0, 1), candidate("c", 8.0, 4)];
        let expected = [("a".into(), 1.0), ("c".into(), 1.0), ("b".into(), 0.95)];
        assert_eq!(order(&candidates, &TURNS), expected);
        let off = Weights {
            reach_boost: 0.0,
            ..TURNS
        };
        let expected = [("a".into(), 1.0), ("b".into(), 0.9), ("c".into(), 0.8)];
        assert_eq!(order(&candidates, &off), expected);
    }

    #[test]
    fn a_discount_is_taken_of_score_and_boost_of_a_subagent() {
        let discount = Weights {
            subagent_discount: 0.7,
            ..TURNS
        };
        let mut sub = candidate("a", 10.0, 2);
        sub.is_subagent = true;
        let expected = [("b".into(), 0.9), ("a".into(), 0.84)];
        assert_eq!(order(&[sub, candidate("b", 9.0, 0)], &discount), expected);
    }

    #[test]
    fn a_layer_without_weight_and_a_maximum_of_zero_give_zero() {
        let off = Weights { turn: 0.0, ..TURNS };
        assert_eq!(order(&[candidate("a", 3.0, 0)], &off), [("a".into(), 0.0)]);
        assert_eq!(order(&[candidate("a", 0.0, 0)], &TURNS), [("a".into(), 0.0)]);
        assert_eq!(order(&[], &TURNS), []);
    }

    #[test]
    fn every_layer_weighs_what_it_is_given() {
        let full = Candidate {
            turn: 4.0,
            whole: 8.0,
            lsa: 0.5,
            commit: 3.0,
            dated: true,
            at: 100 * DAY,
            intent: 0.5,
            ..candidate("a", 4.0, 0)
        };
        let half = Candidate {
            turn: 2.0,
            whole: 2.0,
            lsa: 0.4,
            commit: 1.5,
            at: 70 * DAY,
            intent: 0.0,
            ..candidate("b", 2.0, 0)
        };
        let all = Weights {
            recency_boost: 0.2,
            intent_boost: 0.4,
            ..Weights::DEFAULT
        };
        // b: .45 · .5 + .45 · .25 + .1 · .8 = .4175; + .3 · .5 + .2 · .5.
        let expected = [("a".into(), 2.0), ("b".into(), 0.668)];
        assert_eq!(order(&[half, full], &all), expected);
    }
}
