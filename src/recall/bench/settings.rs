//! What is compared: parts of the ranking, and all of it.

use crate::recall::Weights;

/// A way of ranking.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Setting {
    /// Its name in the output.
    pub name: &'static str,
    /// What its layers weigh.
    pub weights: Weights,
}

/// The settings that are compared, in the order of the output. What no name speaks of is as configured:
/// roles and subagents.
pub fn settings(configured: &Weights) -> [Setting; 6] {
    let without_graph = Weights {
        reach_boost: 0.0,
        intent_boost: 0.0,
        ..*configured
    };
    let text = |turn, session, lsa| Weights {
        turn,
        session,
        lsa,
        commit_boost: 0.0,
        recency_boost: 0.0,
        ..without_graph
    };
    let without_commits = Weights {
        commit_boost: 0.0,
        ..without_graph
    };
    let setting = |name, weights| Setting { name, weights };
    [
        setting("turn only", text(1.0, 0.0, 0.0)),
        setting("session only", text(0.0, 1.0, 0.0)),
        setting("session + lsa", text(0.0, configured.session, configured.lsa)),
        setting("mix without commits", without_commits),
        setting("mix", without_graph),
        setting("mix, graph on", *configured),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_setting_weighs_what_its_name_says() {
        let configured = Weights {
            recency_boost: 0.5,
            intent_boost: 0.4,
            steering_boost: 2.0,
            ..Weights::DEFAULT
        };
        let found = settings(&configured).map(|Setting { name, weights: w }| {
            assert_eq!(w.steering_boost, 2.0, "{name}");
            let rest = [w.commit_boost, w.recency_boost, w.reach_boost, w.intent_boost];
            (name, [w.turn, w.session, w.lsa], rest)
        });
        let expected = [
            ("turn only", [1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]),
            ("session only", [0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0]),
            ("session + lsa", [0.0, 0.45, 0.1], [0.0, 0.0, 0.0, 0.0]),
            ("mix without commits", [0.45, 0.45, 0.1], [0.0, 0.5, 0.0, 0.0]),
            ("mix", [0.45, 0.45, 0.1], [0.3, 0.5, 0.0, 0.0]),
            ("mix, graph on", [0.45, 0.45, 0.1], [0.3, 0.5, 0.2, 0.4]),
        ];
        assert_eq!(found, expected);
    }
}
