//! What the documents of the index consist of.
//!
//! Four kinds share one schema, told apart by the field `turn`:
//!
//! | `turn` | one a | `session` | `role` | searched | `id`, `parent` | `value` |
//! |---|---|---|---|---|---|---|
//! | 0 | session | number | 0 | `whole`: turns, facts and deeds; `facts` | ids | `Record` |
//! | 1, 2, … | turn | number | number | `body`: its text | – | `Turn` |
//! | 2³² − 2 | subject of commits made in the session | number | 2 | `subject` | – | `Committed` |
//! | 2³² − 1 | session | number | 2 | – | – | `Vec<ToolCall>` |
//!
//! What is searched is given as its terms, a line each. `value` is one byte of [`VERSION`] and postcard.
//! Tool calls lie apart, so that printing a result does not read them. The documents of a session follow
//! each other, its turns in order.

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions, Value,
};
use tantivy::{TantivyDocument, Term};

use super::analysis::analyzer;
use super::facts;
use super::lines::lines_of_terms;
use crate::session::{Conversation, Record, Role};

/// Of everything in the folder: schema, analysis and values. Any difference means: build anew.
pub(super) const VERSION: u32 = 3;

/// The `turn` of a session document.
pub(super) const RECORD: u64 = 0;

/// The `turn` of a session's tool calls.
pub(super) const TOOL_CALLS: u64 = u32::MAX as u64;

/// The `turn` of a commit made in a session.
pub(super) const COMMIT: u64 = TOOL_CALLS - 1;

/// The name under which what reads the lines of terms is registered.
pub(super) const ANALYZER: &str = "rekal";

/// The fields, in the order of the schema.
#[derive(Clone)]
pub(super) struct Layout {
    pub(super) schema: Schema,
    pub(super) session: Field,
    pub(super) turn: Field,
    pub(super) role: Field,
    /// A turn.
    pub(super) body: Field,
    /// A session as one text.
    pub(super) whole: Field,
    /// Branch, date and files of a session.
    pub(super) facts: Field,
    /// The subject of a commit.
    pub(super) subject: Field,
    pub(super) id: Field,
    pub(super) parent: Field,
    value: Field,
}

impl Layout {
    pub(super) fn new() -> Self {
        let mut schema = Schema::builder();
        let text = TextFieldIndexing::default()
            .set_tokenizer(ANALYZER)
            .set_index_option(IndexRecordOption::WithFreqs)
            .set_fieldnorms(true);
        let text = TextOptions::default().set_indexing_options(text);
        Self {
            session: schema.add_u64_field("session", INDEXED | FAST),
            turn: schema.add_u64_field("turn", INDEXED | FAST),
            role: schema.add_u64_field("role", FAST),
            body: schema.add_text_field("body", text.clone()),
            whole: schema.add_text_field("whole", text.clone()),
            facts: schema.add_text_field("facts", text.clone()),
            subject: schema.add_text_field("subject", text),
            id: schema.add_text_field("id", STRING | FAST),
            parent: schema.add_text_field("parent", STRING | FAST),
            value: schema.add_bytes_field("value", STORED),
            schema: schema.build(),
        }
    }

    /// All documents of a session; `indexed` is what is searched of a turn's text.
    pub(super) fn documents(
        &self,
        conversation: &Conversation,
        indexed: fn(&str) -> Cow<'_, str>,
    ) -> Result<Vec<TantivyDocument>, postcard::Error> {
        let number = u64::from(conversation.record.number);
        let mut analyzer = analyzer();
        let mut terms = |text: &str| lines_of_terms(&mut analyzer, text);
        let mut turns = Vec::with_capacity(conversation.turns.len());
        let mut whole = String::new();
        for (turn, said) in (1..COMMIT).zip(&conversation.turns) {
            let said_terms = terms(&indexed(&said.text));
            whole += &said_terms;
            let mut document = self.document(number, turn, said.role, said)?;
            document.add_text(self.body, said_terms);
            turns.push(document);
        }
        let facts = terms(&facts::facts(&conversation.record));
        whole += &terms(&facts::deeds(&conversation.tool_calls));
        whole += &facts;
        let mut documents = vec![self.session_document(&conversation.record, whole, facts)?];
        documents.append(&mut turns);
        for committed in facts::committed(conversation) {
            let mut document = self.document(number, COMMIT, Role::Assistant, &committed)?;
            document.add_text(self.subject, terms(&committed.subject));
            documents.push(document);
        }
        documents.push(self.document(number, TOOL_CALLS, Role::Assistant, &conversation.tool_calls)?);
        Ok(documents)
    }

    /// The documents of this session.
    pub(super) fn of_session(&self, number: u32) -> Term {
        Term::from_field_u64(self.session, number.into())
    }

    /// The documents of one kind, or the turns of one number.
    pub(super) fn of_turn(&self, turn: u64) -> Term {
        Term::from_field_u64(self.turn, turn)
    }

    /// `None`: no such value, or another version's.
    pub(super) fn value<T: DeserializeOwned>(&self, document: &TantivyDocument) -> Option<T> {
        let bytes = document.get_first(self.value)?.as_bytes()?;
        let (version, row) = bytes.split_first()?;
        let known = u32::from(*version) == VERSION;
        known.then(|| postcard::from_bytes(row).ok()).flatten()
    }

    fn session_document(
        &self,
        record: &Record,
        whole: String,
        facts: String,
    ) -> Result<TantivyDocument, postcard::Error> {
        let mut document = self.document(record.number.into(), RECORD, Role::Human, record)?;
        document.add_text(self.whole, whole);
        document.add_text(self.facts, facts);
        document.add_text(self.id, record.session.id.as_str());
        if let Some(parent) = &record.session.parent {
            document.add_text(self.parent, parent.as_str());
        }
        Ok(document)
    }

    /// Every document has a role, so that its column has no gaps.
    fn document(
        &self,
        number: u64,
        turn: u64,
        role: Role,
        value: &impl Serialize,
    ) -> Result<TantivyDocument, postcard::Error> {
        let mut document = TantivyDocument::default();
        document.add_u64(self.role, role_number(role));
        document.add_u64(self.session, number);
        document.add_u64(self.turn, turn);
        let bytes = postcard::to_extend(value, vec![VERSION as u8])?;
        document.add_bytes(self.value, &bytes);
        Ok(document)
    }
}

/// The number that stands for a role.
fn role_number(role: Role) -> u64 {
    match role {
        Role::Human => 0,
        Role::Steering => 1,
        Role::Assistant => 2,
        Role::Summary => 3,
    }
}

/// The role that a number stands for.
pub(super) fn role_of(number: u64) -> Option<Role> {
    match number {
        0 => Some(Role::Human),
        1 => Some(Role::Steering),
        2 => Some(Role::Assistant),
        3 => Some(Role::Summary),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Turn;

    #[test]
    fn a_value_of_another_version_or_cut_short_is_none() {
        let layout = Layout::new();
        let said = Turn {
            role: Role::Steering,
            text: "stop".into(),
            at: Some(5),
        };
        let document = layout.document(1, 1, Role::Steering, &said).expect("a document");
        assert_eq!(layout.value::<Turn>(&document), Some(said));
        for bytes in [&b""[..], b"\x03", b"\x03\x01\x04sto", b"\x02\x01\x04stop\x01\x05"] {
            let mut damaged = TantivyDocument::default();
            damaged.add_bytes(layout.value, bytes);
            assert_eq!(layout.value::<Turn>(&damaged), None, "{bytes:?}");
        }
    }

    #[test]
    fn every_role_keeps_its_number() {
        for (number, role) in [Role::Human, Role::Steering, Role::Assistant, Role::Summary]
            .into_iter()
            .enumerate()
        {
            assert_eq!(role_number(role), number as u64);
            assert_eq!(role_of(number as u64), Some(role));
        }
        assert_eq!(role_of(4), None);
    }
}
