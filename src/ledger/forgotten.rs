//! What was captured is forgotten as well, and does not come back with the next checkpoint: the
//! transcripts still hold it.
//!
//! To know it again without keeping it, the ledger keeps hashes: of a forgotten session's id, and of
//! a forgotten text with its length, so that capture can look for it at every place of a new turn.
//!
//! | table | key | value |
//! |---|---|---|
//! | `rekal.forgotten_sessions` | FNV-1a 128 of the session id | – |
//! | `rekal.forgotten_texts` | length in bytes, FNV-1a 128 of the text | – |

use std::borrow::Cow;
use std::collections::HashSet;

use redb::{ReadableTable, TableDefinition, WriteTransaction};

use super::Forget;
use super::sessions::Sessions;
use super::tables::During;
use crate::Result;
use crate::edge::SessionId;
use crate::hash::Fnv128;
use crate::session::{Record, ToolCall, Turn};

const FORGOTTEN_SESSIONS: TableDefinition<&[u8; 16], ()> = TableDefinition::new("rekal.forgotten_sessions");
const FORGOTTEN_TEXTS: TableDefinition<&[u8; 24], ()> = TableDefinition::new("rekal.forgotten_texts");

/// What stands where a forgotten text stood.
pub(super) const MARK: &str = "[forgotten]";

/// How much of what was captured was forgotten.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct ForgottenContent {
    /// Captured sessions.
    pub captured_sessions: u64,
    /// Turns, removed or without the text.
    pub turns: u64,
    /// Tool calls, removed or without the text.
    pub tool_calls: u64,
    /// Commits of the repository, removed or without the text in their subject.
    pub commits: u64,
}

/// What must not be captured again.
#[derive(Default, Debug)]
pub(crate) struct Forgotten {
    sessions: HashSet<u128>,
    texts: Vec<(usize, u128)>,
}

impl Forgotten {
    pub(super) fn read(txn: &WriteTransaction) -> Result<Self> {
        let mut forgotten = Self::default();
        let sessions = txn.open_table(FORGOTTEN_SESSIONS).during("open forgotten_sessions")?;
        for entry in sessions.iter().during("read forgotten sessions")? {
            let (hash, _) = entry.during("read forgotten sessions")?;
            forgotten.sessions.insert(u128::from_be_bytes(*hash.value()));
        }
        let texts = txn.open_table(FORGOTTEN_TEXTS).during("open forgotten_texts")?;
        for entry in texts.iter().during("read forgotten texts")? {
            let (key, _) = entry.during("read forgotten texts")?;
            let (len, hash) = key.value().split_at(8);
            let number = |bytes: &[u8]| bytes.iter().fold(0u128, |n, byte| n << 8 | u128::from(*byte));
            forgotten.texts.push((number(len) as usize, number(hash)));
        }
        Ok(forgotten)
    }

    /// Whether the session was forgotten.
    pub(crate) fn holds(&self, id: &SessionId) -> bool {
        self.sessions.contains(&Fnv128::of(id.as_str().as_bytes()))
    }

    /// The text without the forgotten ones.
    pub(crate) fn cut<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut left = Cow::Borrowed(text);
        for (len, hash) in &self.texts {
            if let Some(cut) = cut_hashed(&left, *len, *hash) {
                left = Cow::Owned(cut);
            }
        }
        left
    }

    /// Cuts them out of everything that was read of a session.
    pub(crate) fn cut_all(&self, record: &mut Record, turns: &mut [Turn], calls: &mut [ToolCall]) {
        if self.texts.is_empty() {
            return;
        }
        let cut = |text: &mut String| {
            if let Cow::Owned(without) = self.cut(text) {
                *text = without;
            }
        };
        turns.iter_mut().for_each(|turn| cut(&mut turn.text));
        for call in calls {
            call.command.iter_mut().chain(&mut call.path).for_each(cut);
        }
        record.files.iter_mut().for_each(cut);
        let session = &mut record.session;
        session.cwd.iter_mut().chain(&mut session.branch).for_each(cut);
    }
}

fn cut_hashed(text: &str, len: usize, hash: u128) -> Option<String> {
    let mut without = String::new();
    let (mut kept, mut at) = (0, 0);
    while at + len <= text.len() {
        let whole = text.is_char_boundary(at) && text.is_char_boundary(at + len);
        if whole && Fnv128::of(&text.as_bytes()[at..at + len]) == hash {
            without.push_str(&text[kept..at]);
            without.push_str(MARK);
            at += len;
            kept = at;
        } else {
            at += 1;
        }
    }
    without.push_str(&text[kept..]);
    (kept > 0).then_some(without)
}

/// Notes what must not come back, then removes it from what was captured.
pub(crate) fn forget_content(txn: &WriteTransaction, what: &Forget) -> Result<ForgottenContent> {
    match what {
        Forget::Session(session) => {
            let hash = Fnv128::of(session.as_str().as_bytes()).to_be_bytes();
            let mut table = txn.open_table(FORGOTTEN_SESSIONS).during("open forgotten_sessions")?;
            table.insert(&hash, ()).during("note a forgotten session")?;
            drop(table);
            let mut sessions = Sessions::open(txn)?;
            let report = sessions.remove(session)?;
            sessions.close()?;
            Ok(report)
        }
        Forget::Text(text) if !text.trim().is_empty() => {
            let text = text.trim();
            let mut key = [0; 24];
            key[..8].copy_from_slice(&(text.len() as u64).to_be_bytes());
            key[8..].copy_from_slice(&Fnv128::of(text.as_bytes()).to_be_bytes());
            let mut table = txn.open_table(FORGOTTEN_TEXTS).during("open forgotten_texts")?;
            table.insert(&key, ()).during("note a forgotten text")?;
            drop(table);
            let mut sessions = Sessions::open(txn)?;
            let report = sessions.cut(text)?;
            sessions.close()?;
            Ok(report)
        }
        _ => Ok(ForgottenContent::default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_known_again_by_its_hash_alone() {
        let text = "pässwort";
        let forgotten = Forgotten {
            texts: vec![(text.len(), Fnv128::of(text.as_bytes()))],
            ..Forgotten::default()
        };
        assert_eq!(
            forgotten.cut("the pässwort, pässwortpässwort"),
            "the [forgotten], [forgotten][forgotten]"
        );
        assert_eq!(forgotten.cut("ä passwort"), "ä passwort");
        assert_eq!(forgotten.cut(""), "");
    }
}
