//! Reading a snapshot: one open, and one or two reads for a session. Whatever is wrong with a file,
//! the answer is that nothing is known; never an error.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::layout::{
    BLOCK, BUCKETS, FRAME, HEADER, Header, Stamp, body_len, decode_block, decode_id, decode_reach, hash_of, may_be,
    offset_in, split_frame, split_record,
};
use crate::edge::SessionId;
use crate::hash::Sum;
use crate::reach::{Reach, Reached};

pub(super) const BASE: &str = "reach.snap";
pub(super) const DELTA: &str = "reach.delta";

/// Most records fit into the first read.
const FIRST_READ: usize = 512;

/// What is read at a time where all of a file is, a multiple of 8 bytes.
const PORTION: usize = 128 << 10;

/// The published reach of all sessions, as of when it was opened.
pub struct Snapshot {
    delta: Option<SnapshotFile>,
    base: Option<SnapshotFile>,
    /// There is a delta, and what it says is not known: then the base is no answer either.
    delta_is_damaged: bool,
}

pub(super) struct SnapshotFile {
    file: File,
    pub(super) header: Header,
}

/// A file, or the part of it that an answer needs, is not as it was written.
#[derive(Debug)]
pub(super) struct Damaged;

/// Whether anything is published in the store, damaged or not.
pub(crate) fn is_published(store: &Path) -> bool {
    store.join(BASE).exists()
}

impl Snapshot {
    /// Opens what is published in the store. The delta is opened first: should a new base be
    /// published in between, it holds all that the delta did, and the delta no longer fits it.
    pub fn open(store: &Path) -> Self {
        let (delta, delta_is_damaged) = match SnapshotFile::open(&store.join(DELTA)) {
            Ok(delta) => (delta, false),
            Err(Damaged) => (None, true),
        };
        let base = SnapshotFile::open(&store.join(BASE)).unwrap_or_default();
        let fits = |delta: &SnapshotFile| base.as_ref().is_some_and(|base| delta.header.is_on(&base.header));
        Self {
            delta: delta.filter(fits),
            base,
            delta_is_damaged,
        }
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

    /// The base and the delta on it, unless something is known to be damaged or there is no base.
    pub(super) fn files(&self) -> Option<(&SnapshotFile, Option<&SnapshotFile>)> {
        let base = self.base.as_ref().filter(|_| !self.delta_is_damaged)?;
        Some((base, self.delta.as_ref()))
    }

    /// Whether every byte of what is published is as it was written.
    pub(crate) fn is_whole(&self) -> bool {
        let is_whole = |(base, delta): (&SnapshotFile, Option<&SnapshotFile>)| {
            base.is_whole() && delta.is_none_or(SnapshotFile::is_whole)
        };
        self.files().is_some_and(is_whole)
    }

    /// All records, each session once. `None` if one is damaged or missing.
    pub(crate) fn all(&self) -> Option<Vec<(SessionId, Reach)>> {
        let mut records = std::collections::BTreeMap::new();
        for file in [&self.base, &self.delta].into_iter().flatten() {
            for (session, (mut reach, is_all)) in file.all()? {
                if !is_all {
                    reach.led = records.remove(&session).map(|known: Reach| known.led)?;
                }
                records.insert(session, reach);
            }
        }
        Some(records.into_iter().collect())
    }
}

impl Reached for Snapshot {
    fn reach(&self, target: &SessionId) -> Option<Reach> {
        let (base, delta) = self.files()?;
        let newest = delta.map_or(Ok(None), |delta| delta.find(target)).ok()?;
        match newest {
            Some((reach, true)) => Some(reach),
            Some((reach, false)) => {
                let led = base.whole(target)?.led;
                Some(Reach { led, ..reach })
            }
            None => base.whole(target),
        }
    }
}

impl Header {
    /// This delta belongs to that base.
    fn is_on(&self, base: &Header) -> bool {
        self.stamp.ledger == base.stamp.ledger && self.base == base.stamp.generation
    }
}

impl SnapshotFile {
    /// `None`: it is not there.
    fn open(path: &Path) -> Result<Option<Self>, Damaged> {
        let file = match File::open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file.map_err(|_| Damaged)?,
        };
        let mut bytes = [0; HEADER];
        file.read_exact_at(&mut bytes, 0).map_err(|_| Damaged)?;
        let header = Header::decode(&bytes).ok_or(Damaged)?;
        Ok(Some(Self { file, header }))
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

    /// What a base says of a session.
    fn whole(&self, target: &SessionId) -> Option<Reach> {
        let (reach, is_all) = self.find(target).ok()??;
        is_all.then_some(reach)
    }

    /// `None`: it has no record here.
    fn find(&self, target: &SessionId) -> Result<Option<(Reach, bool)>, Damaged> {
        let hash = hash_of(target.as_str().as_bytes());
        let blocks = u64::from(self.header.blocks);
        for step in 0..blocks {
            for bucket in self.block((hash % blocks + step) % blocks)? {
                if bucket == 0 {
                    return Ok(None);
                }
                if !may_be(bucket, hash) {
                    continue;
                }
                let is_its = |id: &[u8], reach: &[u8]| match id == target.as_str().as_bytes() {
                    true => decode_reach(reach).map(Some),
                    false => Some(None),
                };
                if let Some(reach) = self.record(offset_in(bucket), is_its).ok_or(Damaged)? {
                    return Ok(Some(reach));
                }
            }
        }
        Err(Damaged)
    }

    pub(super) fn block(&self, at: u64) -> Result<[u64; BUCKETS], Damaged> {
        let mut block = [0; BLOCK];
        let offset = HEADER as u64 + at * BLOCK as u64;
        self.file.read_exact_at(&mut block, offset).map_err(|_| Damaged)?;
        decode_block(&block).ok_or(Damaged)
    }

    /// What `read` makes of the id and the reach in the record at an offset.
    pub(super) fn record<T>(&self, offset: u64, read: impl Fn(&[u8], &[u8]) -> Option<T>) -> Option<T> {
        let mut first = [0; FIRST_READ];
        let got = self.file.read_at(&mut first, offset).ok()?;
        let len = body_len(first[..got].first_chunk()?)?;
        let read = |framed: &[u8]| {
            let (id, reach) = split_record(&framed[..len], &framed[len..])?;
            read(id, reach)
        };
        if let Some(framed) = first[4..got].get(..len + 8) {
            return read(framed);
        }
        // A length that lies must not cost memory.
        if offset + (len + FRAME) as u64 > self.file.metadata().ok()?.len() {
            return None;
        }
        let mut framed = vec![0; len + 8];
        self.file.read_exact_at(&mut framed, offset + 4).ok()?;
        read(&framed)
    }

    /// The bytes of the blocks and those of the records. `None`: it ends too early.
    pub(super) fn parts(&self) -> Option<(Vec<u8>, Vec<u8>)> {
        let start = self.header.records_at();
        let len = self.file.metadata().ok()?.len().checked_sub(start)?;
        let read = |offset, len: u64| {
            let mut bytes = vec![0; usize::try_from(len).ok()?];
            self.file.read_exact_at(&mut bytes, offset).ok()?;
            Some(bytes)
        };
        Some((read(HEADER as u64, start - HEADER as u64)?, read(start, len)?))
    }

    /// All records. `None`: one is damaged or missing.
    fn all(&self) -> Option<Vec<(SessionId, (Reach, bool))>> {
        let (_, bytes) = self.parts()?;
        let mut rest = &bytes[..];
        let mut records = Vec::new();
        for _ in 0..self.header.records {
            let (body, sum, behind) = split_frame(rest)?;
            let (id, reach) = split_record(body, sum)?;
            records.push((decode_id(id)?, decode_reach(reach)?));
            rest = behind;
        }
        Some(records)
    }
}
