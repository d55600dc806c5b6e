//! Invented sessions, published in a folder that goes away.

use std::path::Path;

use super::{Bm25, Formulas, Index, Publisher};
use crate::session::{Actor, Conversation, Harness, Record, Role, Session, ToolCall, Turn};

/// 2026-11-02T10:00:00Z.
pub(crate) const START: u64 = 1_793_613_600_000;

/// The usual constants for every kind of document.
pub(crate) const FORMULAS: Formulas = Formulas {
    turn: Bm25 { k1: 1.2, b: 0.75 },
    whole: Bm25 { k1: 1.2, b: 0.75 },
    subject: Bm25 { k1: 1.2, b: 0.75 },
};

/// The ledger of all fixtures.
pub(crate) const LEDGER: u128 = 7;

/// A session whose turns alternate between a person and an agent, a minute apart.
pub(crate) fn session(number: u32, id: &str, texts: &[&str]) -> Conversation {
    let roles = [Role::Human, Role::Assistant].into_iter().cycle();
    let turns: Vec<Turn> = (0..)
        .zip(roles)
        .zip(texts)
        .map(|((minute, role), text)| Turn {
            role,
            text: (*text).into(),
            at: Some(START + minute * 60_000),
        })
        .collect();
    Conversation {
        record: Record {
            number,
            session: Session {
                id: id.parse().expect("an id"),
                harness: Harness::Claude,
                actor: Actor::Human,
                parent: None,
                cwd: Some("/srv/shop".into()),
                branch: Some("main".into()),
                started_at: Some(START),
            },
            author: Some("ada@example.org".into()),
            captured_at: START + 3_600_000,
            commit: None,
            turn_count: turns.len() as u32,
            tool_call_count: 1,
            files: vec!["src/auth.rs".into()],
        },
        turns,
        tool_calls: vec![ToolCall {
            turn: 1,
            tool: "Edit".into(),
            path: Some("src/auth.rs".into()),
            command: None,
        }],
        commits: Vec::new(),
    }
}

/// Publishes sessions in one commit, as change 1.
pub(crate) fn publish(dir: &Path, sessions: &[Conversation]) {
    let mut publisher = Publisher::open(dir, LEDGER).expect("a publisher");
    for session in sessions {
        publisher.put(session).expect("put");
    }
    publisher.commit(1).expect("commit");
}

/// An index of these sessions.
pub(crate) fn index_of(sessions: &[Conversation]) -> (tempfile::TempDir, Index) {
    let dir = tempfile::tempdir().expect("a folder");
    publish(dir.path(), sessions);
    let index = open(dir.path());
    (dir, index)
}

/// What is published in a folder.
pub(crate) fn open(dir: &Path) -> Index {
    Index::open(dir).expect("readable").expect("published")
}
