//! The turns of one session that hold terms of a query, beside each other: what a terse one takes from its
//! neighbours, and how far apart they are.

use tantivy::fieldnorm::FieldNormReader;
use tantivy::{DocAddress, DocId};

use super::bm25::Sum;
use super::matches::Hit;
use super::read::{Place, Segment};
use crate::session::Role;

/// Terms found in successive turns of so many terms together are found close together: as much as two
/// people say in a few sentences, or an agent in one.
pub(super) const PASSAGE: u32 = 80;

/// A turn of fewer terms counts as so many, so that short ones do not make a passage of a whole session.
const SHORT: u32 = 8;

/// A turn of fewer terms is understood from those around it: it takes a part of what they score.
const TERSE: u32 = 20;

/// That part.
const NEIGHBOUR: f32 = 0.3;

/// The turns of a segment.
pub(super) struct Spoken<'a> {
    pub(super) segment: &'a Segment,
    pub(super) segment_ord: u32,
    pub(super) lengths: FieldNormReader,
}

impl Spoken<'_> {
    /// Takes a turn for the session's best one if it is.
    pub(super) fn take_turn(
        &self,
        hit: &mut Hit,
        doc_id: DocId,
        score: f32,
        worth: impl Fn(Role) -> f32,
    ) -> tantivy::Result<()> {
        let role = self.segment.role(doc_id)?;
        let score = score * worth(role);
        if score < hit.turn {
            return Ok(());
        }
        let turn = self.segment.turn(doc_id)?;
        let is_earlier = hit.place.is_none_or(|place| turn < place.turn);
        if score > hit.turn || is_earlier {
            hit.turn = score;
            let segment_ord = self.segment_ord;
            let address = DocAddress { segment_ord, doc_id };
            hit.place = Some(Place { turn, role, address });
        }
        Ok(())
    }

    /// What one of these turns of one session scores, which hold terms of the query.
    pub(super) fn score(&self, turns: &[(DocId, Sum)], at: usize) -> f32 {
        let (doc, own) = turns[at];
        if self.lengths.fieldnorm(doc) >= TERSE {
            return own.score;
        }
        let before = at.checked_sub(1).map(|before| turns[before]);
        let before = before.filter(|(other, _)| other + 1 == doc);
        let behind = turns.get(at + 1).copied().filter(|(other, _)| doc + 1 == *other);
        let around: f32 = [before, behind].iter().flatten().map(|(_, sum)| sum.score).sum();
        own.score + NEIGHBOUR * around
    }

    /// What each of these turns of one session holds, and at which of its terms it begins and ends.
    pub(super) fn with_lengths(&self, turns: &[(DocId, Sum)]) -> Vec<(u64, u32, u32)> {
        let length = |doc| self.lengths.fieldnorm(doc).max(SHORT);
        let mut placed = Vec::with_capacity(turns.len());
        let (mut at, mut next) = (0u32, turns.first().map_or(0, |(doc, _)| *doc));
        for (doc, sum) in turns {
            // Beyond a passage it makes no difference how far away a turn is.
            if doc - next > PASSAGE / SHORT {
                at += PASSAGE + 1;
            } else {
                at += (next..*doc).map(length).sum::<u32>();
            }
            let end = at + length(*doc);
            placed.push((sum.held, at, end));
            (at, next) = (end, doc + 1);
        }
        placed
    }
}
