//! How well a document holds the terms of a query: BM25 from the postings of a field.
//!
//! With n documents of which d hold the term, idf = ln(1 + (n − d + ½) / (d + ½)); with f occurrences in
//! a document of l terms where one has a on average, a term adds
//! idf · f · (k₁ + 1) / (f + k₁ · (1 − b + b · l / a)) (Robertson and Zaragoza 2009; the idf as in Lucene).
//! n and d count what is published and not deleted, so a session that grew weighs as if it had been
//! indexed in one go.

use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, Searcher, SegmentReader, TERMINATED, Term};

use super::guard::damaged;
use super::read::is_alive;

/// The two constants of the formula.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bm25 {
    /// How soon further occurrences of a term add less.
    pub k1: f32,
    /// How much the length of a document counts against it, 0 to 1.
    pub b: f32,
}

/// What a document holds of a query.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum {
    pub(super) score: f32,
    /// Bit t is set when it holds term t.
    pub(super) held: u64,
}

/// A query in one field.
pub(super) struct Scorer {
    terms: Vec<Term>,
    idf: Vec<f32>,
    bm25: Bm25,
    lengths: [f32; 256],
}

impl Scorer {
    /// `idf` of each term; `documents` of the field lie on disk, the deleted ones included.
    pub(super) fn new(
        searcher: &Searcher,
        field: Field,
        terms: &[String],
        idf: Vec<f32>,
        bm25: Bm25,
        documents: u64,
    ) -> tantivy::Result<Self> {
        let mut tokens = 0;
        for reader in searcher.segment_readers() {
            tokens += reader.inverted_index(field)?.total_num_tokens();
        }
        let average = (tokens as f32 / documents.max(1) as f32).max(1.0);
        let Bm25 { k1, b } = bm25;
        // For every length that tantivy tells apart.
        let factor = |id| k1 * (1.0 - b + b * FieldNormReader::id_to_fieldnorm(id) as f32 / average);
        Ok(Self {
            terms: terms.iter().map(|term| Term::from_field_text(field, term)).collect(),
            idf,
            bm25,
            lengths: std::array::from_fn(|id| factor(id as u8)),
        })
    }

    /// The documents of a segment that hold any of the terms, ascending.
    pub(super) fn sums(&self, reader: &SegmentReader) -> tantivy::Result<Vec<(DocId, Sum)>> {
        let mut lists = self.lists(reader)?;
        let Some(list) = lists.first() else {
            return Ok(Vec::new());
        };
        let norms = reader.get_fieldnorms_reader(list.field)?;
        let mut window = Window::new();
        let mut sums = Vec::new();
        while let Some(first) = lists.iter().map(|list| list.postings.doc()).min() {
            if first == TERMINATED {
                break;
            }
            for list in &mut lists {
                let mut doc = list.postings.doc();
                while doc < first.saturating_add(WINDOW as u32) {
                    if is_alive(reader, doc)? {
                        let often = list.postings.term_freq() as f32;
                        let length = self.lengths[usize::from(norms.fieldnorm_id(doc))];
                        let sum = window.sum(first, doc)?;
                        sum.score += list.idf * often * (self.bm25.k1 + 1.0) / (often + length);
                        sum.held |= 1 << list.number;
                    }
                    doc = list.postings.advance();
                }
            }
            window.empty_into(first, &mut sums);
        }
        Ok(sums)
    }

    /// Of each term that the segment holds.
    fn lists(&self, reader: &SegmentReader) -> tantivy::Result<Vec<List>> {
        let mut lists = Vec::new();
        for (number, (term, idf)) in self.terms.iter().zip(&self.idf).enumerate() {
            let field = term.field();
            let index = reader.inverted_index(field)?;
            lists.extend(
                index
                    .read_postings(term, IndexRecordOption::WithFreqs)?
                    .map(|postings| List {
                        number,
                        field,
                        idf: *idf,
                        postings,
                    }),
            );
        }
        Ok(lists)
    }
}

/// The documents that hold a term.
struct List {
    number: usize,
    field: Field,
    idf: f32,
    postings: SegmentPostings,
}

/// Sums of so many successive documents at a time: what a query touches stays small, however large the
/// store is.
const WINDOW: usize = 2048;

struct Window {
    sums: Vec<Sum>,
    /// Bit d of number n is set when document 64 n + d of the window holds a term.
    touched: [u64; WINDOW / 64],
}

impl Window {
    fn new() -> Self {
        Self {
            sums: vec![Sum::default(); WINDOW],
            touched: [0; WINDOW / 64],
        }
    }

    /// The sum of a document of the window that begins with `first`.
    fn sum(&mut self, first: DocId, doc: DocId) -> tantivy::Result<&mut Sum> {
        let at = doc.wrapping_sub(first) as usize;
        let sum = self.sums.get_mut(at).ok_or_else(|| damaged("postings out of order"))?;
        self.touched[at / 64] |= 1 << (at % 64);
        Ok(sum)
    }

    fn empty_into(&mut self, first: DocId, sums: &mut Vec<(DocId, Sum)>) {
        for (word, touched) in self.touched.iter_mut().enumerate() {
            while *touched != 0 {
                let at = 64 * word + touched.trailing_zeros() as usize;
                *touched &= *touched - 1;
                sums.push((first + at as u32, std::mem::take(&mut self.sums[at])));
            }
        }
    }
}

/// How many documents hold the term, without the deleted ones.
pub(super) fn documents_with(searcher: &Searcher, term: &Term) -> tantivy::Result<u32> {
    let mut count = 0;
    for reader in searcher.segment_readers() {
        let index = reader.inverted_index(term.field())?;
        if !reader.has_deletes() {
            count += index.doc_freq(term)?;
            continue;
        }
        let Some(mut postings) = index.read_postings(term, IndexRecordOption::Basic)? else {
            continue;
        };
        let mut doc = postings.doc();
        while doc != TERMINATED {
            count += u32::from(is_alive(reader, doc)?);
            doc = postings.advance();
        }
    }
    Ok(count)
}

/// The idf of a term that so many of all documents hold.
pub fn idf(documents: u64, with: u32) -> f32 {
    let without = documents.saturating_sub(with.into()) as f32;
    (1.0 + (without + 0.5) / (with as f32 + 0.5)).ln()
}
