//! Reading a snapshot: one open, and one or two reads for a session. Whatever is wrong with a file,
//! the answer is that nothing is known; never an error.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::layout::{BUCKET, FRAME, HEADER, Header, Stamp, body_len, decode_record, hash_of, number, offset_in};
use crate::edge::SessionId;
use crate::hash::Sum;
use crate::reach::{Reach, Reached};

pub(super) const BASE: &str = "reach.snap";
pub(super) const DELTA: &str = "reach.delta";

/// Most records fit into the first read.
const FIRST_READ: usize = 512;

/// What is read at a time where all of a file is, a multiple of 8 bytes.
const PORTION: usize = 128 << 10;

/// How many buckets one read takes.
const BUCKETS_READ: u64 = 8;

/// The published reach of all sessions, as of when it was opened.
pub struct Snapshot {
    delta: Option<SnapshotFile>,
    base: Option<SnapshotFile>,
}

pub(super) struct SnapshotFile {
    file: File,
    pub(super) header: Header,
}

impl Snapshot {
    /// Opens what is published in the store. The delta is opened first: should a new base be
    /// published in between, it holds all that the delta did, and the delta no longer fits it.
    pub fn open(store: &Path) -> Self {
        let delta = SnapshotFile::open(&store.join(DELTA));
        let base = SnapshotFile::open(&store.join(BASE));
        let fits = |delta: &SnapshotFile| base.as_ref().is_some_and(|base| delta.header.is_on(&base.header));
        let delta = delta.filter(fits);
        Self { delta, base }
    }

    /// Which state of which ledger this is.
    pub(crate) fn stamp(&self) -> Option<Stamp> {
        self.delta.as_ref().or(self.base.as_ref()).map(|file| file.header.stamp)
    }

    /// The generation of this ledger that is published; 0 if none is.
    pub(crate) fn generation_of(&self, ledger: u128) -> u64 {
        let own = self.stamp().filter(|stamp| stamp.ledger == ledger);
        own.map_or(0, |stamp| stamp.generation)
    }

    pub(super) fn files(&self) -> (Option<&SnapshotFile>, Option<&SnapshotFile>) {
        (self.base.as_ref(), self.delta.as_ref())
    }

    /// Whether every byte of what is published is as it was written.
    pub(crate) fn is_whole(&self) -> bool {
        let files = [&self.delta, &self.base].into_iter().flatten();
        self.base.is_some() && files.into_iter().all(SnapshotFile::is_whole)
    }

    /// All records, each session once. `None` if one is damaged or missing.
    pub(crate) fn all(&self) -> Option<Vec<(SessionId, Reach)>> {
        let mut records = std::collections::BTreeMap::new();
        for file in [&self.base, &self.delta].into_iter().flatten() {
            records.extend(file.all()?);
        }
        Some(records.into_iter().collect())
    }
}

impl Reached for Snapshot {
    fn reach(&self, target: &SessionId) -> Option<Reach> {
        let delta = self.delta.as_ref().and_then(|file| file.find(target));
        delta.or_else(|| self.base.as_ref()?.find(target))
    }
}

impl Header {
    /// This delta belongs to that base.
    fn is_on(&self, base: &Header) -> bool {
        self.stamp.ledger == base.stamp.ledger && self.base == base.stamp.generation
    }
}

impl SnapshotFile {
    fn open(path: &Path) -> Option<Self> {
        let file = File::open(path).ok()?;
        let mut bytes = [0; HEADER];
        file.read_exact_at(&mut bytes, 0).ok()?;
        let header = Header::decode(&bytes)?;
        Some(Self { file, header })
    }

    fn is_whole(&self) -> bool {
        let mut sum = Sum::new();
        let mut portion = vec![0; PORTION];
        let mut at = HEADER as u64;
        loop {
            let mut got = 0;
            while got < PORTION {
                match self.file.read_at(&mut portion[got..], at + got as u64) {
                    Ok(0) => return sum.with(&portion[..got]).value() == self.header.sum,
                    Ok(more) => got += more,
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(_) => return false,
                }
            }
            sum = sum.with(&portion);
            at += PORTION as u64;
        }
    }

    fn find(&self, target: &SessionId) -> Option<Reach> {
        let hash = hash_of(target);
        let buckets = u64::from(self.header.buckets);
        let mut at = hash % buckets;
        let mut looked = 0;
        while looked < buckets {
            let many = BUCKETS_READ.min(buckets - at);
            let mut bytes = [0; BUCKETS_READ as usize * BUCKET];
            let window = &mut bytes[..many as usize * BUCKET];
            self.file
                .read_exact_at(window, HEADER as u64 + at * BUCKET as u64)
                .ok()?;
            for bucket in window.chunks_exact(BUCKET).map(|bucket| number(bucket) as u64) {
                if bucket == 0 {
                    return None;
                }
                let record = offset_in(bucket, hash).and_then(|offset| self.record(offset));
                if let Some((id, reach)) = record
                    && id == *target
                {
                    return Some(reach);
                }
            }
            looked += many;
            at = (at + many) % buckets;
        }
        None
    }

    /// The record at an offset.
    fn record(&self, offset: u64) -> Option<(SessionId, Reach)> {
        let mut first = [0; FIRST_READ];
        let got = self.file.read_at(&mut first, offset).ok()?;
        let len = body_len(first[..got].first_chunk()?)?;
        let framed = &first[4..got];
        match framed.get(..len + 8) {
            Some(whole) => decode_record(&whole[..len], &whole[len..]),
            None => {
                let mut whole = vec![0; len + 8];
                self.file.read_exact_at(&mut whole, offset + 4).ok()?;
                decode_record(&whole[..len], &whole[len..])
            }
        }
    }

    /// All records, in the order in which they were written. `None`: one is damaged or missing.
    pub(super) fn all(&self) -> Option<Vec<(SessionId, Reach)>> {
        let start = self.header.records_at();
        let len = self.file.metadata().ok()?.len().checked_sub(start)?;
        let mut bytes = vec![0; usize::try_from(len).ok()?];
        self.file.read_exact_at(&mut bytes, start).ok()?;
        let mut rest = &bytes[..];
        let mut records = Vec::new();
        for _ in 0..self.header.records {
            let (first, behind) = rest.split_first_chunk()?;
            let (body, behind) = behind.split_at_checked(body_len(first)?)?;
            let (sum, behind) = behind.split_at_checked(FRAME - first.len())?;
            records.push(decode_record(body, sum)?);
            rest = behind;
        }
        Some(records)
    }
}
