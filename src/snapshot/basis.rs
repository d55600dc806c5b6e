//! What the next publication takes over of what is published, looked through before it does.

use super::layout::{BUCKETS, Stamp, offset_in};
use super::read::{Snapshot, SnapshotFile};
use super::records::Records;
use crate::hash::Sum;

/// A delta holds at most this many records and a 32nd of the base. It is written at every drain, so a longer one
/// would cost more there than a new base does now and then.
const SMALL: usize = 256;

/// Of how many blocks of the base each drain reads the records: those of 50 sessions. To compare a base of
/// 50,000 as a whole would be a third of a drain.
const LOOKED_THROUGH: u64 = 16;

/// What is published, without what was found damaged.
pub(crate) struct Basis {
    /// The state that is published.
    pub(crate) stamp: Stamp,
    /// What the next delta goes on.
    pub(super) base: Base,
    /// The records of the published delta.
    pub(super) delta: Records,
}

pub(super) enum Base {
    /// The published base, of this generation.
    Stays(u64),
    /// A new one, for the delta would be too long: these records of the published one, and the delta's.
    New(Records),
}

impl Snapshot {
    /// What is published, for so many changes. `None`: nothing is, damage was found, or the changes are so many that
    /// nothing is gained by keeping the rest. Of the delta every byte is compared; of the base a part, which depends on
    /// the `turn`, and all for a new one.
    pub(crate) fn basis(&self, turn: u64, changes: usize) -> Option<Basis> {
        let (base, delta) = self.files()?;
        let (all, changed) = (base.records(), delta.map_or(0, SnapshotFile::records) + changes);
        if changes > SMALL + all / 4 || !base.is_whole_in(turn) {
            return None;
        }
        let stamp = self.stamp()?;
        let delta = delta.map_or(Some(Records::default()), SnapshotFile::compared)?;
        let base = match changed <= SMALL + all / 32 {
            true => Base::Stays(base.header.stamp.generation),
            false => Base::New(base.compared()?),
        };
        Some(Basis { stamp, base, delta })
    }
}

impl SnapshotFile {
    fn records(&self) -> usize {
        self.header.records as usize
    }

    /// Whether some of the blocks and their records are as they were written: each block within as many turns as
    /// there are parts.
    fn is_whole_in(&self, turn: u64) -> bool {
        let blocks = u64::from(self.header.blocks);
        let first = turn.wrapping_mul(LOOKED_THROUGH) % blocks;
        let points_at_a_record = |bucket: &u64| self.record(offset_in(*bucket), |_, _| Some(())).is_some();
        let is_whole = |block: [u64; BUCKETS]| block.iter().filter(|bucket| **bucket != 0).all(points_at_a_record);
        (first..blocks.min(first + LOOKED_THROUGH)).all(|at| self.block(at).is_ok_and(is_whole))
    }

    /// All records. `None` where a byte is not as it was written.
    fn compared(&self) -> Option<Records> {
        let (blocks, records) = self.parts()?;
        let sum = Sum::new().with(&blocks).with(&records).value();
        Records::new(records, self.records()).filter(|_| sum == self.header.sum)
    }
}
