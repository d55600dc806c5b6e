//! Invented answers.

use super::answer::{Answer, Row, Scored, Verdict};
use super::rank::Layers;
use crate::index::fixture::session;
use crate::reach::Reach;
use crate::session::Role;

/// A row with a snippet of sixteen words.
pub(super) fn row(number: u32, id: &str) -> Row {
    let words: Vec<String> = (1..=16).map(|n| format!("w{n}")).collect();
    Row {
        record: session(number, id, &["one", "two"]).record,
        scored: Some(Scored {
            score: 0.91,
            confidence: 0.50,
            layers: Layers {
                turn: 0.81,
                reach: 0.10,
                ..Layers::default()
            },
        }),
        turn: Some((12, Role::Assistant)),
        snippet: words.join(" "),
        summary_turn: None,
        reach: None,
        children: Vec::new(),
    }
}

pub(super) fn reach(count: u32, drills: u32, query: &str) -> Option<Reach> {
    Some(Reach {
        count,
        drills,
        query: Some(query.into()),
        led: Vec::new(),
    })
}

/// Two rows of six.
pub(super) fn answer() -> Answer {
    let mut first = row(5, "aa");
    first.reach = reach(9, 2, "jwt expiry");
    first.summary_turn = Some(41);
    let mut second = row(6, "bb");
    second.turn = Some((3, Role::Human));
    second.snippet = "short".into();
    if let Some(scored) = &mut second.scored {
        scored.confidence = 0.47;
    }
    Answer {
        query: Some("jwt expiry".into()),
        verdict: Verdict::Inject,
        top: Some(0.62),
        gap: Some(0.05),
        total: 6,
        rows: vec![first, second],
        explain: false,
    }
}

/// One row that was listed, not found.
pub(super) fn listed() -> Answer {
    let mut only = row(5, "aa");
    only.scored = None;
    only.turn = Some((1, Role::Human));
    only.snippet = "fix it".into();
    Answer {
        query: None,
        top: None,
        gap: None,
        total: 1,
        rows: vec![only],
        ..answer()
    }
}

/// One row whose texts try to leave it.
pub(super) fn hostile() -> Answer {
    let mut only = row(5, "aa");
    only.snippet = "say \"hi\"\u{1b}[31m \u{202e}evil".into();
    only.reach = reach(1, 0, "a\"]\n\u{1b}[31m");
    Answer {
        query: Some("\u{202e}\u{1b}".into()),
        total: 1,
        rows: vec![only],
        ..answer()
    }
}
