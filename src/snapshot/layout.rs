//! The bytes of a snapshot file. All numbers are little-endian.
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 8 | `rekalsnp` |
//! | 8 | 4 | version, 2 |
//! | 12 | 4 | number of records |
//! | 16 | 16 | id of the ledger |
//! | 32 | 8 | generation of the ledger |
//! | 40 | 8 | generation of the base: its own in a base, the base's in a delta |
//! | 48 | 4 | number of blocks, a power of two |
//! | 52 | 4 | sum of everything behind the header, the lower half |
//! | 56 | 8 | FNV-1a 64 of the 56 bytes before |
//! | 64 | 64 each | blocks: 7 buckets of 8 bytes, then the sum of these 56 bytes |
//! | … | | records: length of the body (4), the body, its sum (8) |
//!
//! A bucket is empty when it is 0, else it is the first 16 bits of a record's hash, then 48 bits of its
//! offset. The body of a record is the length of the session id (1), the id, and the session's [`Reach`] in
//! postcard. In a delta it may end before `led`, its last field, which then is as the base has it. A record's hash is
//! the FNV-1a 64 of its id; its bucket is the first free one from the beginning of block `hash mod blocks` on,
//! wrapping. At least half of the buckets are empty.
//!
//! A sum goes over numbers of 8 bytes, the last one filled up with 0: each is a step of FNV-1a 64, and then the
//! upper half is brought down on the lower by exclusive or; else damage in the highest bits of two numbers could
//! cancel out. Who looks up a few records does not read all to compare it: a block and a record have sums of their own.
//! The block's is there because a bucket that is lost in a delta would let the base answer, with what was true
//! once. The drain compares the delta's sum of everything and those of some blocks of the base and their records,
//! others each time, and publishes anew what does not fit.

use crate::edge::SessionId;
use crate::hash::{fnv64, sum64};
use crate::reach::Reach;
use crate::{Error, Result};

const MAGIC: &[u8; 8] = b"rekalsnp";
const VERSION: u32 = 2;
pub(super) const HEADER: usize = 64;
pub(super) const BLOCK: usize = 64;
/// How many buckets a block has.
pub(super) const BUCKETS: usize = 7;
/// A record's length and checksum around its body.
pub(super) const FRAME: usize = 4 + 8;
/// The longest body: an id of 128 bytes, a query of 1 KiB, and what led to openings.
pub(super) const MAX_BODY: usize = 16 << 20;
const OFFSET_BITS: u32 = 48;

/// Which state of which ledger is published.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stamp {
    pub(crate) ledger: u128,
    pub(crate) generation: u64,
}

/// The header of a snapshot file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Header {
    pub(super) stamp: Stamp,
    pub(super) base: u64,
    pub(super) records: u32,
    pub(super) blocks: u32,
    pub(super) sum: u32,
}

impl Header {
    pub(super) fn encode(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.records.to_le_bytes());
        bytes[16..32].copy_from_slice(&self.stamp.ledger.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.stamp.generation.to_le_bytes());
        bytes[40..48].copy_from_slice(&self.base.to_le_bytes());
        bytes[48..52].copy_from_slice(&self.blocks.to_le_bytes());
        bytes[52..56].copy_from_slice(&self.sum.to_le_bytes());
        let own = fnv64(&bytes[..56]);
        bytes[56..].copy_from_slice(&own.to_le_bytes());
        bytes
    }

    /// `None` for anything that this version did not write.
    pub(super) fn decode(bytes: &[u8; HEADER]) -> Option<Self> {
        let fits = &bytes[..8] == MAGIC && number(&bytes[8..12]) == u128::from(VERSION);
        let own = number(&bytes[56..]) == u128::from(fnv64(&bytes[..56]));
        let header = Self {
            stamp: Stamp {
                ledger: number(&bytes[16..32]),
                generation: number(&bytes[32..40]) as u64,
            },
            base: number(&bytes[40..48]) as u64,
            records: number(&bytes[12..16]) as u32,
            blocks: number(&bytes[48..52]) as u32,
            sum: number(&bytes[52..56]) as u32,
        };
        (fits && own && header.blocks.is_power_of_two()).then_some(header)
    }

    /// The offset of the first record.
    pub(super) fn records_at(&self) -> u64 {
        HEADER as u64 + u64::from(self.blocks) * BLOCK as u64
    }
}

/// The bytes of a block.
pub(super) fn encode_block(buckets: &[u64; BUCKETS]) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    for (to, bucket) in block.chunks_exact_mut(8).zip(buckets) {
        to.copy_from_slice(&bucket.to_le_bytes());
    }
    let own = sum64(&block[..BLOCK - 8]);
    block[BLOCK - 8..].copy_from_slice(&own.to_le_bytes());
    block
}

/// The buckets of a block; `None` when they do not fit its sum.
pub(super) fn decode_block(block: &[u8; BLOCK]) -> Option<[u64; BUCKETS]> {
    let (parts, _) = block.as_chunks::<8>();
    let own = u64::from_le_bytes(*parts.last()?);
    let mut buckets = [0; BUCKETS];
    for (bucket, part) in buckets.iter_mut().zip(parts) {
        *bucket = u64::from_le_bytes(*part);
    }
    (sum64(&block[..BLOCK - 8]) == own).then_some(buckets)
}

/// The hash by which the record of a session's id is found.
pub(super) fn hash_of(id: &[u8]) -> u64 {
    fnv64(id)
}

/// A bucket that points at a record.
pub(super) fn bucket(hash: u64, offset: u64) -> u64 {
    (hash >> OFFSET_BITS) << OFFSET_BITS | offset
}

/// The offset in a bucket that is not empty.
pub(super) fn offset_in(bucket: u64) -> u64 {
    bucket & ((1 << OFFSET_BITS) - 1)
}

/// Whether what a bucket points at may be the record of this hash.
pub(super) fn may_be(bucket: u64, hash: u64) -> bool {
    bucket >> OFFSET_BITS == hash >> OFFSET_BITS
}

/// Appends a record, with the bytes of what it says of `led` or with those of `reach.led`.
pub(super) fn encode_record(id: &SessionId, reach: &Reach, led: Option<&[u8]>, out: &mut Vec<u8>) -> Result<()> {
    let mut body = vec![id.as_str().len() as u8];
    body.extend_from_slice(id.as_str().as_bytes());
    let body = match led {
        Some(led) => postcard::to_extend(&(reach.count, reach.drills, &reach.query), body).map(|mut body| {
            body.extend_from_slice(led);
            body
        }),
        None => postcard::to_extend(reach, body),
    };
    frame(
        &[&body.map_err(|e| Error::invalid(format!("encode a reach: {e}")))?],
        out,
    );
    Ok(())
}

/// Appends a record whose body is in parts.
pub(super) fn frame(parts: &[&[u8]], out: &mut Vec<u8>) {
    let len: usize = parts.iter().map(|part| part.len()).sum();
    out.extend_from_slice(&(len as u32).to_le_bytes());
    parts.iter().for_each(|part| out.extend_from_slice(part));
    let own = sum64(&out[out.len() - len..]);
    out.extend_from_slice(&own.to_le_bytes());
}

/// The length of the body that begins here.
pub(super) fn body_len(head: &[u8; 4]) -> Option<usize> {
    let len = u32::from_le_bytes(*head) as usize;
    (len <= MAX_BODY).then_some(len)
}

/// The body of the record that begins here, its sum, and what is behind it.
pub(super) fn split_frame(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (head, rest) = bytes.split_first_chunk()?;
    let (body, rest) = rest.split_at_checked(body_len(head)?)?;
    let (sum, rest) = rest.split_at_checked(FRAME - head.len())?;
    Some((body, sum, rest))
}

/// The session's id in a record and the bytes of its reach; `None` when the body does not fit its sum.
pub(super) fn split_record<'a>(body: &'a [u8], sum: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    if sum != sum64(body).to_le_bytes() {
        return None;
    }
    split_id(body)
}

/// The same where the sum of the whole file was compared.
pub(super) fn split_id(body: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = body.split_first()?;
    rest.split_at_checked(usize::from(*len))
}

/// The session of a record.
pub(super) fn decode_id(id: &[u8]) -> Option<SessionId> {
    SessionId::try_from(std::str::from_utf8(id).ok()?).ok()
}

/// What a record says of it, and whether that is all: `led` may have to be read in the base.
pub(super) fn decode_reach(reach: &[u8]) -> Option<(Reach, bool)> {
    let (counts, led) = split_led(reach)?;
    if !led.is_empty() {
        return Some((postcard::from_bytes(reach).ok()?, true));
    }
    let (count, drills, query) = postcard::from_bytes(counts).ok()?;
    let led = Vec::new();
    let reach = Reach {
        count,
        drills,
        query,
        led,
    };
    Some((reach, false))
}

/// The bytes before its `led`, and the bytes of that.
pub(super) fn split_led(reach: &[u8]) -> Option<(&[u8], &[u8])> {
    let (_, led) = postcard::take_from_bytes::<(u32, u32, Option<&str>)>(reach).ok()?;
    reach.split_at_checked(reach.len() - led.len())
}

/// Up to 16 bytes as a little-endian number.
pub(super) fn number(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |n, byte| n << 8 | u128::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_header_and_record() {
        let header = Header {
            stamp: Stamp {
                ledger: 0x0102,
                generation: 3,
            },
            base: 2,
            records: 1,
            blocks: 4,
            sum: 5,
        };
        let bytes = header.encode();
        assert_eq!(&bytes[..16], b"rekalsnp\x02\0\0\0\x01\0\0\0");
        assert_eq!(&bytes[16..34], b"\x02\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x03\0");
        assert_eq!(&bytes[40..52], b"\x02\0\0\0\0\0\0\0\x04\0\0\0");
        assert_eq!(&bytes[52..56], b"\x05\0\0\0");
        assert_eq!(Header::decode(&bytes), Some(header));

        let reach = Reach {
            count: 3,
            drills: 1,
            query: Some("jwt".into()),
            led: vec![("jwt".into(), 1)],
        };
        let mut record = Vec::new();
        let session = "s".parse().expect("an id");
        encode_record(&session, &reach, None, &mut record).expect("encodes");
        assert_eq!(
            &record[..19],
            b"\x0f\0\0\0\x01s\x03\x01\x01\x03jwt\x01\x03jwt\x01".as_slice()
        );
        let (counts, led) = split_led(&record[6..19]).expect("whole");
        assert_eq!((counts, led), (&record[6..13], b"\x01\x03jwt\x01".as_slice()));
        assert_eq!(decode_reach(&record[6..19]), Some((reach.clone(), true)));
        let counted = Reach {
            led: Vec::new(),
            ..reach
        };
        let mut again = Vec::new();
        encode_record(&session, &counted, Some(led), &mut again).expect("encodes");
        assert_eq!(again, record);
        assert_eq!(decode_reach(counts), Some((counted, false)));
    }

    #[test]
    fn every_flipped_byte_of_a_header_is_noticed() {
        let bytes = Header {
            stamp: Stamp {
                ledger: 9,
                generation: 8,
            },
            base: 8,
            records: 0,
            blocks: 1,
            sum: 7,
        }
        .encode();
        for at in 0..HEADER {
            let mut torn = bytes;
            torn[at] ^= 0x40;
            assert_eq!(Header::decode(&torn), None, "byte {at}");
        }
    }
}
