//! The records of a snapshot as they lie in its file, one behind the other, and their blocks. A record that did
//! not change is copied from file to file without being read.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::layout::{
    BUCKETS, FRAME, Header, Stamp, bucket, encode_block, encode_record, frame, hash_of, split_frame, split_id,
    split_led,
};
use crate::Result;
use crate::edge::SessionId;
use crate::hash::Sum;
use crate::reach::Reach;

/// A session whose record is written anew.
pub(crate) struct Change {
    pub(crate) session: SessionId,
    pub(crate) reach: Reach,
    /// `reach.led` is as it is published, and empty here.
    pub(crate) led_stays: bool,
}

impl Change {
    fn id(&self) -> &[u8] {
        self.session.as_str().as_bytes()
    }
}

/// Records whose lengths are right.
#[derive(Default)]
pub(super) struct Records(Vec<u8>);

/// One of them.
struct Record<'a> {
    id: &'a [u8],
    reach: &'a [u8],
    at: usize,
    bytes: &'a [u8],
}

impl Records {
    /// So many of them. `None`: those are no records, or others than so many.
    pub(super) fn new(bytes: Vec<u8>, count: usize) -> Option<Self> {
        let records = Self(bytes);
        let (found, ends) = records
            .iter()
            .fold((0, 0), |(found, _), record| (found + 1, record.at + record.bytes.len()));
        (found == count && ends == records.0.len()).then_some(records)
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// These of a base, and those of the delta on it in place of them. `None`: the delta is not on it.
    pub(super) fn with(mut self, delta: &Self) -> Option<Self> {
        let led = self.remove(&delta.iter().map(|record| record.id).collect());
        for Record { id, reach, bytes, .. } in delta.iter() {
            match split_led(reach)? {
                (counts, []) => frame(&[&[id.len() as u8], id, counts, led.get(id)?], &mut self.0),
                _ => self.0.extend_from_slice(bytes),
            }
        }
        Some(self)
    }

    /// These, and what changed in place of the records of the same sessions.
    pub(super) fn with_changes(mut self, changed: &[Change]) -> Result<Self> {
        let led = self.remove(&changed.iter().map(Change::id).collect());
        for change in changed {
            let stays = || led.get(change.id()).map(Vec::as_slice).unwrap_or_default();
            let led = change.led_stays.then(stays);
            encode_record(&change.session, &change.reach, led, &mut self.0)?;
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
            let (id, reach) = split_id(body)?;
            let begin = at;
            at += FRAME + body.len();
            let bytes = &self.0[begin..at];
            Some(Record {
                id,
                reach,
                at: begin,
                bytes,
            })
        })
    }

    /// Closes the gaps that these sessions leave. Gives what their records said of `led`.
    fn remove(&mut self, sessions: &HashSet<&[u8]>) -> HashMap<Vec<u8>, Vec<u8>> {
        let (mut stay, mut led) = (Vec::<Range<usize>>::new(), HashMap::new());
        for record in self.iter() {
            let at = record.at..record.at + record.bytes.len();
            if sessions.contains(record.id) {
                let (_, own) = split_led(record.reach).unwrap_or_default();
                led.insert(record.id.to_vec(), own.to_vec());
                continue;
            }
            match stay.last_mut() {
                Some(run) if run.end == at.start => run.end = at.end,
                _ => stay.push(at),
            }
        }
        let mut to = 0;
        for run in stay {
            let len = run.len();
            self.0.copy_within(run, to);
            to += len;
        }
        self.0.truncate(to);
        led
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
