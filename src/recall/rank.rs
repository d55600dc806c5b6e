//! The order of the candidates. Pure: what is known of each goes in, an order comes out.
//!
//! A layer's values are divided by their maximum over the candidates. The score is the weighted mean
//! of the layers that there are, plus the boosts, times the discount of a subagent; equal scores go by
//! id.

use super::weights::Weights;
use crate::boost;

/// A session that might answer.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Candidate {
    /// The session's own id.
    pub(super) id: String,
    /// It was started by another session.
    pub(super) is_subagent: bool,
    /// BM25 of its best turn, times what that turn's role is worth.
    pub(super) turn: f64,
    /// How often it was opened.
    pub(super) drills: u32,
}

/// What each layer gave, before the discount of a subagent.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Layers {
    /// The best turn, 0 to 1.
    pub turn: f64,
    /// What having been opened added to the score.
    pub reach: f64,
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
    let best_turn = candidates.iter().map(|c| c.turn).fold(0.0, f64::max);
    let most_drills = candidates.iter().map(|c| c.drills).max().unwrap_or(0);
    let mut ranked: Vec<Ranked> = candidates
        .iter()
        .enumerate()
        .map(|(candidate, c)| {
            let layers = Layers {
                turn: share(c.turn, best_turn),
                reach: weights.reach_boost * boost::flat(c.drills, most_drills),
            };
            let discount = if c.is_subagent { weights.subagent_discount } else { 1.0 };
            Ranked {
                candidate,
                score: (mean(&[(weights.turn, layers.turn)]) + layers.reach) * discount,
                layers,
            }
        })
        .collect();
    ranked.sort_by(|a, b| {
        let by_id = || candidates[a.candidate].id.cmp(&candidates[b.candidate].id);
        b.score.total_cmp(&a.score).then_with(by_id)
    });
    ranked
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

    fn candidate(id: &str, turn: f64, drills: u32) -> Candidate {
        Candidate {
            id: id.into(),
            is_subagent: false,
            turn,
            drills,
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
        assert_eq!(order(&candidates, &Weights::default()), expected);
    }

    #[test]
    fn openings_add_up_to_the_reach_boost() {
        let candidates = [candidate("a", 10.0, 0), candidate("b", 9.0, 1), candidate("c", 8.0, 4)];
        let expected = [("a".into(), 1.0), ("c".into(), 1.0), ("b".into(), 0.95)];
        assert_eq!(order(&candidates, &Weights::default()), expected);
        let off = Weights {
            reach_boost: 0.0,
            ..Weights::default()
        };
        let expected = [("a".into(), 1.0), ("b".into(), 0.9), ("c".into(), 0.8)];
        assert_eq!(order(&candidates, &off), expected);
    }

    #[test]
    fn a_subagent_keeps_seven_tenths_of_score_and_boost() {
        let mut sub = candidate("a", 10.0, 2);
        sub.is_subagent = true;
        let expected = [("b".into(), 0.9), ("a".into(), 0.84)];
        assert_eq!(order(&[sub, candidate("b", 9.0, 0)], &Weights::default()), expected);
    }

    #[test]
    fn a_layer_without_weight_and_a_maximum_of_zero_give_zero() {
        let off = Weights {
            turn: 0.0,
            ..Weights::default()
        };
        assert_eq!(order(&[candidate("a", 3.0, 0)], &off), [("a".into(), 0.0)]);
        assert_eq!(
            order(&[candidate("a", 0.0, 0)], &Weights::default()),
            [("a".into(), 0.0)]
        );
        assert_eq!(order(&[], &Weights::default()), []);
    }
}
