//! The records of a snapshot as they lie in its file, one behind the other, and their blocks. A record that did
//! not change is copied from file to file without being read.

use std::collections::HashSet;

use super::layout::{
    BUCKETS, FRAME, Header, Stamp, bucket, encode_block, encode_record, hash_of, split_frame, split_id,
};
use crate::Result;
use crate::edge::SessionId;
use crate::hash::Sum;
use crate::reach::Reach;

/// A session whose record is written anew.
pub(crate) struct Change {
    pub(crate) session: SessionId,
    pub(crate) reach: Reach,
    /// The published bytes of `reach.led` where that did not change; then it is empty in `reach`.
    pub(crate) led: Option<Vec<u8>>,
}

/// Records whose lengths are right.
#[derive(Default)]
pub(super) struct Records(Vec<u8>);

/// One of them: the id of its session, and where its bytes are.
struct Record<'a> {
    id: &'a [u8],
    at: usize,
    len: usize,
}

impl Records {
    /// So many of them. `None`: those are no records, or others than so many.
    pub(super) fn new(bytes: Vec<u8>, count: usize) -> Option<Self> {
        let records = Self(bytes);
        let (found, ends) = records
            .iter()
            .fold((0, 0), |(found, _), record| (found + 1, record.at + record.len));
        (found == count && ends == records.0.len()).then_some(records)
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// These, and the others in place of those of the same sessions.
    pub(super) fn with(mut self, others: Self) -> Self {
        self.remove(&others.iter().map(|record| record.id).collect());
        self.0.extend_from_slice(&others.0);
        self
    }

    /// These, and what changed in place of the records of the same sessions.
    pub(super) fn with_changes(mut self, changed: &[Change]) -> Result<Self> {
        self.remove(
            &changed
                .iter()
                .map(|change| change.session.as_str().as_bytes())
                .collect(),
        );
        for change in changed {
            encode_record(&change.session, &change.reach, change.led.as_deref(), &mut self.0)?;
        }
        Ok(self)
    }

    /// One more, of another session.
    pub(super) fn push(&mut self, session: &SessionId, reach: &Reach) -> Result<()> {
        encode_record(session, reach, None, &mut self.0)
    }

    /// The header and the blocks of a file of these records.
    pub(super) fn index(&self, stamp: Stamp, base: u64) -> (Header, Vec<u8>) {
        let found: Vec<(u64, usize)> = self.iter().map(|record| (hash_of(record.id), record.at)).collect();
        let header = Header {
            stamp,
            base,
            records: found.len() as u32,
            blocks: (found.len() * 2).div_ceil(BUCKETS).next_power_of_two() as u32,
            sum: 0,
        };
        let mut blocks = vec![[0; BUCKETS]; header.blocks as usize];
        for (hash, at) in found {
            *free_bucket(&mut blocks, hash) = bucket(hash, header.records_at() + at as u64);
        }
        let blocks: Vec<u8> = blocks.iter().flat_map(encode_block).collect();
        let sum = Sum::new().with(&blocks).with(&self.0).value();
        (Header { sum, ..header }, blocks)
    }

    fn iter(&self) -> impl Iterator<Item = Record<'_>> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let (body, ..) = split_frame(&self.0[at..])?;
            let (id, _) = split_id(body)?;
            let len = FRAME + body.len();
            at += len;
            Some(Record { id, at: at - len, len })
        })
    }

    /// Closes the gaps that these sessions leave.
    fn remove(&mut self, sessions: &HashSet<&[u8]>) {
        let stay: Vec<_> = self
            .iter()
            .filter(|record| !sessions.contains(record.id))
            .map(|record| record.at..record.at + record.len)
            .collect();
        let mut to = 0;
        for record in stay {
            let len = record.len();
            self.0.copy_within(record, to);
            to += len;
        }
        self.0.truncate(to);
    }
}

/// At least half of them are free.
fn free_bucket(blocks: &mut [[u64; BUCKETS]], hash: u64) -> &mut u64 {
    let all = blocks.as_flattened_mut();
    let mut at = (hash % (all.len() / BUCKETS) as u64) as usize * BUCKETS;
    while all[at] != 0 {
        at = (at + 1) % all.len();
    }
    &mut all[at]
}
