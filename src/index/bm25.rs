//! How well a document holds the terms of a query: BM25 from the postings of a field.
//!
//! With n documents of which d hold the term, idf = ln(1 + (n − d + ½) / (d + ½)); with f occurrences in
//! a document of l terms where one has a on average, a term adds
//! idf · f · (k₁ + 1) / (f + k₁ · (1 − b + b · l / a)) (Robertson and Zaragoza 2009; the idf as in Lucene).
//! n and d count what is published and not deleted, so a session that grew weighs as if it had been
//! indexed in one go.

use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::Postings;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, Searcher, SegmentReader, TERMINATED, Term};

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
        let mut sums: Vec<Sum> = Vec::new();
        for (number, (term, idf)) in self.terms.iter().zip(&self.idf).enumerate() {
            let index = reader.inverted_index(term.field())?;
            let Some(mut postings) = index.read_postings(term, IndexRecordOption::WithFreqs)? else {
                continue;
            };
            let norms = reader.get_fieldnorms_reader(term.field())?;
            sums.resize(reader.max_doc() as usize, Sum::default());
            let mut doc = postings.doc();
            while doc != TERMINATED {
                if is_alive(reader, doc)? {
                    let often = postings.term_freq() as f32;
                    let length = self.lengths[usize::from(norms.fieldnorm_id(doc))];
                    let sum = &mut sums[doc as usize];
                    sum.score += idf * often * (self.bm25.k1 + 1.0) / (often + length);
                    sum.held |= 1 << number;
                }
                doc = postings.advance();
            }
        }
        let touched = (0..).zip(sums).filter(|(_, sum)| sum.held != 0);
        Ok(touched.collect())
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
