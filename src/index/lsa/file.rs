//! The bytes of `lsa.bin`. All numbers are little-endian.
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 8 | `rekallsa` |
//! | 8 | 4 | version of the index, whose analysis made the terms |
//! | 12 | 4 | k, the number of dimensions |
//! | 16 | 16 | id of the ledger |
//! | 32 | 8 | number of the ledger's last change that it holds |
//! | 40 | 4 | number of sessions in the store when the basis was made |
//! | 44 | 4 | number of terms |
//! | 48 | 4 | number of sessions |
//! | 52 | 4 | sum of the hashes |
//! | 56 | 4 | sum of the sessions |
//! | 60 | 4 | 0 |
//! | 64 | 8 | FNV-1a 64 of the 64 bytes before |
//! | 72 | 8 each | terms: FNV-1a 64 of each, ascending |
//! | … | 8 + k each | their vectors, in the same order: scale (4, a float), k bytes with a sign, sum of these (4) |
//! | … | 8 + k each | sessions, ascending: number (4), scale (4, a float), k bytes with a sign |
//!
//! Number i of a vector is its scale times its byte i. That of a session has length 1, or 0 when it
//! holds none of the terms. The sums are those of [`sum_of`]. A term's vector has one of its own, because
//! a query reads a few of them.
//!
//! Words are in it as hashes, and only those that at least two sessions hold. It is always written whole.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::rows::Rows;
use super::vocabulary::{MOST_DIMS, MOST_TERMS, Vocabulary};
use crate::hash::{fnv64, sum_of};
use crate::index::layout::VERSION;
use crate::{Error, Result};

const NAME: &str = "lsa.bin";

/// A build of the whole index removes files that begin so.
const TEMPORARY: &str = ".tmp-lsa.bin";

const MAGIC: &[u8; 8] = b"rekallsa";
pub(super) const HEADER: usize = 72;
pub(super) const HASH: usize = 8;

/// What a file says of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Header {
    pub(super) ledger: u128,
    pub(super) change: u64,
    /// How many sessions there were when the basis was made.
    pub(super) based_on: u32,
    pub(super) dims: u32,
    pub(super) terms: u32,
    pub(super) sessions: u32,
    pub(super) hashes_sum: u32,
    pub(super) sessions_sum: u32,
}

/// All that a file holds.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Lsa {
    pub(super) ledger: u128,
    pub(super) change: u64,
    pub(super) based_on: u32,
    pub(super) vocabulary: Vocabulary,
    /// The sessions' numbers, ascending.
    pub(super) numbers: Vec<u32>,
    pub(super) sessions: Rows,
}

impl Header {
    fn encode(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[16..32].copy_from_slice(&self.ledger.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.change.to_le_bytes());
        let numbers = [
            (8, VERSION),
            (12, self.dims),
            (40, self.based_on),
            (44, self.terms),
            (48, self.sessions),
            (52, self.hashes_sum),
            (56, self.sessions_sum),
        ];
        for (at, number) in numbers {
            bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        }
        let own = fnv64(&bytes[..64]);
        bytes[64..].copy_from_slice(&own.to_le_bytes());
        bytes
    }

    /// `None` for anything that this version did not write, or not in this length.
    pub(super) fn decode(bytes: &[u8; HEADER], file_len: u64) -> Option<Self> {
        let number = |at: usize, len: usize| {
            let bytes = bytes[at..at + len].iter().rev();
            bytes.fold(0, |number: u128, byte| number << 8 | u128::from(*byte))
        };
        let small = |at| number(at, 4) as u32;
        let header = Self {
            ledger: number(16, 16),
            change: number(32, 8) as u64,
            based_on: small(40),
            dims: small(12),
            terms: small(44),
            sessions: small(48),
            hashes_sum: small(52),
            sessions_sum: small(56),
        };
        let own = &bytes[..8] == MAGIC && number(64, 8) == u128::from(fnv64(&bytes[..64]));
        let known = small(8) == VERSION && header.dims as usize <= MOST_DIMS && header.terms as usize <= MOST_TERMS;
        (own && known && header.file_len() == file_len).then_some(header)
    }

    /// The bytes of a term's or a session's vector.
    pub(super) fn row_len(&self) -> usize {
        8 + self.dims as usize
    }

    pub(super) fn hashes_len(&self) -> usize {
        self.terms as usize * HASH
    }

    /// Where the vector of a term begins.
    pub(super) fn term_at(&self, term: usize) -> u64 {
        (HEADER + self.hashes_len() + term * self.row_len()) as u64
    }

    pub(super) fn sessions_at(&self) -> u64 {
        self.term_at(self.terms as usize)
    }

    pub(super) fn sessions_len(&self) -> u64 {
        u64::from(self.sessions) * self.row_len() as u64
    }

    fn file_len(&self) -> u64 {
        self.sessions_at() + self.sessions_len()
    }
}

/// The hashes, if they have this sum.
pub(super) fn decode_hashes(bytes: &[u8], sum: u32) -> Option<Vec<u64>> {
    let hashes = bytes.as_chunks().0.iter().map(|hash| u64::from_le_bytes(*hash));
    (sum_of(bytes) == sum).then(|| hashes.collect())
}

/// Scale and bytes of a term's vector, if they have the sum behind them.
pub(super) fn decode_term(bytes: &[u8]) -> Option<(f32, &[u8])> {
    let (row, sum) = bytes.split_last_chunk()?;
    let (scale, values) = row.split_first_chunk()?;
    (sum_of(row) == u32::from_le_bytes(*sum)).then_some((f32::from_le_bytes(*scale), values))
}

/// Number, scale and bytes of a session.
pub(super) fn decode_session(bytes: &[u8]) -> Option<(u32, f32, &[u8])> {
    let (number, row) = bytes.split_first_chunk()?;
    let (scale, values) = row.split_first_chunk()?;
    Some((u32::from_le_bytes(*number), f32::from_le_bytes(*scale), values))
}

impl Lsa {
    /// What is published in the folder of an index. `None`: nothing, or nothing whole.
    pub(super) fn read(dir: &Path) -> Option<Self> {
        Self::decode(&fs::read(path(dir)).ok()?)
    }

    /// Publishes it.
    pub(super) fn write(&self, dir: &Path) -> Result<()> {
        let bytes = self.encode();
        let temporary = dir.join(TEMPORARY);
        let written = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&temporary)
            .and_then(|mut file| {
                file.write_all(&bytes)?;
                file.sync_data()
            });
        written.map_err(|error| Error::io("write", &temporary, error))?;
        fs::rename(&temporary, path(dir)).map_err(|error| Error::io("publish", path(dir), error))
    }

    fn encode(&self) -> Vec<u8> {
        let hashes: Vec<u8> = self.vocabulary.hashes.iter().flat_map(|h| h.to_le_bytes()).collect();
        let mut sessions = Vec::new();
        for (at, number) in self.numbers.iter().enumerate() {
            sessions.extend_from_slice(&number.to_le_bytes());
            encode_row(self.sessions.row(at), &mut sessions);
        }
        let header = Header {
            ledger: self.ledger,
            change: self.change,
            based_on: self.based_on,
            dims: self.vocabulary.rows.dims as u32,
            terms: self.vocabulary.hashes.len() as u32,
            sessions: self.numbers.len() as u32,
            hashes_sum: sum_of(&hashes),
            sessions_sum: sum_of(&sessions),
        };
        let mut bytes = header.encode().to_vec();
        bytes.extend_from_slice(&hashes);
        for at in 0..self.vocabulary.rows.len() {
            let from = bytes.len();
            encode_row(self.vocabulary.rows.row(at), &mut bytes);
            let sum = sum_of(&bytes[from..]);
            bytes.extend_from_slice(&sum.to_le_bytes());
        }
        bytes.extend_from_slice(&sessions);
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let header = Header::decode(bytes.first_chunk()?, bytes.len() as u64)?;
        let (hashes, rest) = bytes[HEADER..].split_at_checked(header.hashes_len())?;
        let (terms, rest) = rest.split_at_checked(header.terms as usize * header.row_len())?;
        if sum_of(rest) != header.sessions_sum {
            return None;
        }
        let dims = header.dims as usize;
        let mut rows = Rows::new(dims);
        for term in terms.chunks_exact(header.row_len()) {
            let (scale, values) = decode_term(term)?;
            rows.append(scale, signed(values));
        }
        let (mut numbers, mut sessions) = (Vec::new(), Rows::new(dims));
        for session in rest.chunks_exact(header.row_len()) {
            let (number, scale, values) = decode_session(session)?;
            numbers.push(number);
            sessions.append(scale, signed(values));
        }
        Some(Self {
            ledger: header.ledger,
            change: header.change,
            based_on: header.based_on,
            vocabulary: Vocabulary {
                hashes: decode_hashes(hashes, header.hashes_sum)?,
                rows,
            },
            numbers,
            sessions,
        })
    }
}

fn encode_row((scale, values): (f32, &[i8]), out: &mut Vec<u8>) {
    out.extend_from_slice(&scale.to_le_bytes());
    out.extend(values.iter().map(|value| *value as u8));
}

/// Bytes with their sign.
pub(super) fn signed(values: &[u8]) -> impl Iterator<Item = i8> + '_ {
    values.iter().map(|value| *value as i8)
}

/// Where it lies in the folder of an index.
pub(super) fn path(dir: &Path) -> PathBuf {
    dir.join(NAME)
}

/// Takes back what is published in the folder of an index.
pub(in crate::index) fn remove(dir: &Path) -> Result<()> {
    match fs::remove_file(path(dir)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io("remove", path(dir), error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Lsa {
        let (mut rows, mut sessions) = (Rows::new(2), Rows::new(2));
        rows.append(0.5, [1, -2]);
        sessions.append(0.25, [4, 0]);
        sessions.append(0.0, [0, 0]);
        Lsa {
            ledger: 7,
            change: 9,
            based_on: 3,
            vocabulary: Vocabulary {
                hashes: vec![0x0807_0605_0403_0201],
                rows,
            },
            numbers: vec![1, 5],
            sessions,
        }
    }

    #[test]
    fn the_bytes_are_as_described() {
        let bytes = small().encode();
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert_eq!(bytes.len(), 72 + 8 + 10 + 20);
        assert_eq!(&bytes[..8], b"rekallsa");
        assert_eq!(hex(&bytes[12..16]), "02000000");
        assert_eq!(
            hex(&bytes[16..52]),
            "070000000000000000000000000000000900000000000000030000000100000002000000"
        );
        assert_eq!(hex(&bytes[72..86]), "01020304050607080000003f01fe");
        assert_eq!(hex(&bytes[90..]), "010000000000803e040005000000000000000000");
        assert_eq!(Lsa::decode(&bytes), Some(small()));
    }

    #[test]
    fn anything_else_is_none() {
        let bytes = small().encode();
        for at in 0..bytes.len() {
            assert_eq!(Lsa::decode(&bytes[..at]), None, "cut at {at}");
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            assert_eq!(Lsa::decode(&flipped), None, "flipped at {at}");
        }
        assert_eq!(Lsa::decode(&[&bytes[..], &[0]].concat()), None);
    }
}
