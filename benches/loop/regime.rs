//! What the ranking makes of the record.

use rekal::recall::Weights;

/// A way of using the record.
#[derive(Clone)]
pub(crate) struct Regime {
    pub(crate) name: String,
    pub(crate) weights: Weights,
    /// Having been surfaced counts like having been opened.
    pub(crate) counts_surfacing: bool,
}

/// What `intent_boost` is tried with.
const INTENTS: [f64; 5] = [0.1, 0.2, 0.3, 0.4, 0.6];

const FLAT: f64 = 0.2;

/// The first one uses nothing of the record; then what others do, drills alone, and intent with every value,
/// alone and beside the drills. Everything else weighs what it does by default, but subjects of commits where
/// the questions are such subjects and must not be found by themselves.
pub(crate) fn regimes(commit_boost: f64) -> Vec<Regime> {
    let regime = |name: &str, reach_boost, intent_boost| Regime {
        name: name.to_owned(),
        weights: Weights {
            reach_boost,
            intent_boost,
            commit_boost,
            ..Weights::DEFAULT
        },
        counts_surfacing: false,
    };
    let mut regimes = vec![
        regime("no graph", 0.0, 0.0),
        Regime {
            counts_surfacing: true,
            ..regime("all edges .2", FLAT, 0.0)
        },
        regime("drills .2", FLAT, 0.0),
    ];
    regimes.extend(INTENTS.map(|intent| regime(&format!("intent {intent}"), 0.0, intent)));
    regimes.extend(INTENTS.map(|intent| regime(&format!("drills .2, intent {intent}"), FLAT, intent)));
    regimes
}
