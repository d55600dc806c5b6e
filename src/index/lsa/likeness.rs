//! Which sessions are like a query. Of the file, the hashes are read, the vectors of the query's terms,
//! and the sessions. Whatever is wrong with it, the answer is that no session is; never an error.

use std::fs::File;
use std::os::unix::fs::FileExt;

use super::file::{HEADER, Header, decode_hashes, decode_session, decode_term, path, signed};
use super::rows::add;
use super::vocabulary::{hash_of, position};
use crate::hash::sum_of;
use crate::index::{Index, Query};

/// The largest number of a query in whole numbers: a sum of 128 products of it and a byte fits 32 bits.
const LARGEST: f32 = 32_767.0;

impl Index {
    /// How like a query each session is: the cosine of the angle between them, above 0, ascending by
    /// session. Sessions at a right angle or more, and such as were put since the vectors were last
    /// published, are not in it; none is when there are no vectors.
    pub fn likeness(&self, query: &Query) -> Vec<(u32, f32)> {
        let scored = Opened::open(self).and_then(|opened| opened.score(&query.terms));
        let mut known = self.sessions().peekable();
        let mut is_known = |number| {
            while known.next_if(|other| *other < number).is_some() {}
            known.next_if_eq(&number).is_some()
        };
        let mut scored = scored.unwrap_or_default();
        scored.retain(|(number, _)| is_known(*number));
        scored
    }
}

struct Opened {
    file: File,
    header: Header,
}

impl Opened {
    fn open(index: &Index) -> Option<Self> {
        let file = File::open(path(&index.dir)).ok()?;
        let mut bytes = [0; HEADER];
        file.read_exact_at(&mut bytes, 0).ok()?;
        let header = Header::decode(&bytes, file.metadata().ok()?.len())?;
        (header.ledger == index.ledger()).then_some(Self { file, header })
    }

    fn score(&self, terms: &[String]) -> Option<Vec<(u32, f32)>> {
        let query = Direction::of(&self.fold(terms)?)?;
        let sessions = self.part(self.header.sessions_at(), self.header.sessions_len() as usize)?;
        if sum_of(&sessions) != self.header.sessions_sum {
            return None;
        }
        let rows = sessions.chunks_exact(self.header.row_len()).filter_map(decode_session);
        let scored = rows.map(|(number, scale, values)| (number, query.cosine(scale, values)));
        Some(scored.filter(|(_, cosine)| *cosine > 0.0).collect())
    }

    /// The vector of a query: the sum of its terms'.
    fn fold(&self, terms: &[String]) -> Option<Vec<f32>> {
        let hashes = self.part(HEADER as u64, self.header.hashes_len())?;
        let hashes = decode_hashes(&hashes, self.header.hashes_sum)?;
        let mut sum = vec![0.0; self.header.dims as usize];
        for term in terms {
            if let Some(at) = position(&hashes, hash_of(term.as_bytes())) {
                let row = self.part(self.header.term_at(at), self.header.row_len())?;
                let (scale, values) = decode_term(&row)?;
                add(&mut sum, scale, signed(values));
            }
        }
        Some(sum)
    }

    /// No more bytes than the file has: its header was compared with its length.
    fn part(&self, from: u64, len: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; len];
        self.file.read_exact_at(&mut bytes, from).ok()?;
        Some(bytes)
    }
}

/// A query in whole numbers, whose products can be added in any order, several at a time.
struct Direction {
    values: Vec<i16>,
    per_length: f32,
}

impl Direction {
    /// `None`: of no length, so without a direction.
    fn of(vector: &[f32]) -> Option<Self> {
        let largest = vector.iter().fold(0f32, |largest, value| largest.max(value.abs()));
        let whole = vector.iter().map(|value| (value / largest * LARGEST).round() as i16);
        let values: Vec<i16> = whole.collect();
        let square: f64 = values.iter().map(|value| f64::from(*value).powi(2)).sum();
        let per_length = 1.0 / square.sqrt() as f32;
        (largest > 0.0).then_some(Self { values, per_length })
    }

    fn cosine(&self, scale: f32, values: &[u8]) -> f32 {
        let products = self.values.iter().zip(values);
        let sum: i32 = products.map(|(a, b)| i32::from(*a) * i32::from(*b as i8)).sum();
        sum as f32 * self.per_length * scale
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::index::fixture::{index_of, open, session};

    /// Sessions about tokens and about charts. No session holds both `jwt` and `revocation`.
    const TEXTS: [&str; 8] = [
        "jwt token expiry",
        "jwt token header",
        "jwt token expiry header",
        "token expiry revocation",
        "token header revocation",
        "chart axis legend",
        "chart axis colour",
        "axis legend colour",
    ];

    fn store() -> (tempfile::TempDir, Index) {
        let sessions: Vec<_> = (1..)
            .zip(TEXTS)
            .map(|(number, text)| session(number, &format!("id-{number}"), &[text]))
            .collect();
        index_of(&sessions)
    }

    fn of(found: &[(u32, f32)], number: u32) -> f32 {
        found
            .iter()
            .find(|(other, _)| *other == number)
            .map_or(0.0, |(_, cosine)| *cosine)
    }

    #[test]
    fn a_word_finds_a_session_that_does_not_hold_it() {
        let (_dir, index) = store();
        let found = index.likeness(&Query::new("jwt"));
        for number in [4, 5] {
            assert!(of(&found, number) > 0.4, "{number}: {found:?}");
        }
        for number in 6..=8 {
            assert!(of(&found, number) < 0.1, "{number}: {found:?}");
        }
        assert!(found.iter().is_sorted_by_key(|(number, _)| *number));
        assert!(found.iter().all(|(_, cosine)| *cosine > 0.0 && *cosine < 1.001));
    }

    #[test]
    fn what_no_two_sessions_hold_is_like_nothing() {
        let (_dir, index) = store();
        for query in ["", "unknown words", "the"] {
            assert_eq!(index.likeness(&Query::new(query)), [], "{query:?}");
        }
    }

    #[test]
    fn every_truncation_is_no_likeness_and_every_flipped_byte_none_or_the_same() {
        let (dir, index) = store();
        let file = dir.path().join("lsa.bin");
        let whole = fs::read(&file).expect("published");
        let query = Query::new("jwt colour");
        let good = index.likeness(&query);
        assert!(good.len() > 4, "{good:?}");
        let mut none = 0;
        for at in 0..whole.len() {
            fs::write(&file, &whole[..at]).expect("written");
            assert_eq!(index.likeness(&query), [], "cut at {at}");
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << (at % 8);
            fs::write(&file, &flipped).expect("written");
            let found = index.likeness(&query);
            none += usize::from(found.is_empty());
            assert!(found.is_empty() || found == good, "flipped at {at}");
        }
        // Vectors of terms that were not asked for are not read.
        assert!(none > 200 && none < whole.len(), "{none} of {}", whole.len());
        fs::write(&file, [&whole[..], b"x"].concat()).expect("written");
        assert_eq!(index.likeness(&query), []);
        fs::remove_file(&file).expect("removed");
        assert_eq!(open(dir.path()).likeness(&query), []);
    }
}
