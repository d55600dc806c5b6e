//! The sessions' terms, from the inverted index.

use tantivy::postings::Postings;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED};

use super::vocabulary::{Count, hash_of, position};
use crate::index::Index;
use crate::index::read::is_alive;

/// The slot of a document that is not asked for.
const NONE: u32 = u32::MAX;

/// How many sessions hold each term, a segment after the other.
pub(super) fn count(index: &Index) -> tantivy::Result<Vec<Count>> {
    let mut counts = Vec::new();
    for reader in index.searcher.segment_readers() {
        let inverted = reader.inverted_index(index.layout.whole)?;
        let mut stream = inverted.terms().stream()?;
        while let Some((term, info)) = stream.next() {
            let sessions = if reader.has_deletes() {
                alive(
                    reader,
                    inverted.read_postings_from_terminfo(info, IndexRecordOption::Basic)?,
                )?
            } else {
                info.doc_freq
            };
            if sessions > 0 {
                let hash = hash_of(term);
                counts.push(Count { hash, sessions });
            }
        }
    }
    Ok(counts)
}

fn alive(reader: &SegmentReader, mut postings: impl DocSet) -> tantivy::Result<u32> {
    let mut count = 0;
    let mut doc = postings.doc();
    while doc != TERMINATED {
        count += u32::from(is_alive(reader, doc)?);
        doc = postings.advance();
    }
    Ok(count)
}

/// Tells `visit` of each term that a wanted session holds: which of `wanted`, which of `hashes`, and how
/// often. The terms of a session come in an order that does not depend on where it is stored. Both lists
/// ascend; segments that hold none of the sessions are not read.
pub(super) fn visit(
    index: &Index,
    wanted: &[u32],
    hashes: &[u64],
    mut visit: impl FnMut(usize, usize, u32),
) -> tantivy::Result<()> {
    for (ord, reader) in (0..).zip(index.searcher.segment_readers()) {
        let Some(slots) = Slots::of(index, ord, reader, wanted) else {
            continue;
        };
        let inverted = reader.inverted_index(index.layout.whole)?;
        let mut stream = inverted.terms().stream()?;
        while let Some((term, info)) = stream.next() {
            if let Some(at) = position(hashes, hash_of(term)) {
                let postings = inverted.read_postings_from_terminfo(info, IndexRecordOption::WithFreqs)?;
                slots.visit(postings, |slot, often| visit(slot, at, often));
            }
        }
    }
    Ok(())
}

/// Which documents of a segment are wanted.
struct Slots {
    first: DocId,
    last: DocId,
    /// Of each document from the first to the last: which of the wanted sessions it is.
    slots: Vec<u32>,
}

impl Slots {
    /// `None`: none of them.
    fn of(index: &Index, ord: u32, reader: &SegmentReader, wanted: &[u32]) -> Option<Self> {
        let addresses = wanted.iter().map(|number| index.sessions.get(number));
        let here = (0..).zip(addresses).filter_map(|(slot, address)| {
            let address = address.filter(|address| address.segment_ord == ord && address.doc_id < reader.max_doc())?;
            Some((address.doc_id, slot))
        });
        let here: Vec<(DocId, u32)> = here.collect();
        let first = here.iter().map(|(doc, _)| *doc).min()?;
        let last = here.iter().map(|(doc, _)| *doc).max()?;
        let mut slots = vec![NONE; (last - first) as usize + 1];
        for (doc, slot) in here {
            slots[(doc - first) as usize] = slot;
        }
        Some(Self { first, last, slots })
    }

    fn visit(&self, mut postings: impl Postings, mut visit: impl FnMut(usize, u32)) {
        let mut doc = postings.doc();
        if doc < self.first {
            doc = postings.seek(self.first);
        }
        while doc <= self.last {
            let slot = self.slots[(doc - self.first) as usize];
            if slot != NONE {
                visit(slot as usize, postings.term_freq());
            }
            doc = postings.advance();
        }
    }
}
