//! ULIDs: 48 bits of time, given by the caller, and 80 bits from the system.

use crate::edge::Ulid;
use crate::hash::random128;
use crate::time::Millis;

/// The latest time that 48 bits hold (in the year 10889).
const LATEST: Millis = (1 << Ulid::TIME_BITS) - 1;

/// Makes ULIDs that rise within one millisecond, so that what happened first sorts first.
#[derive(Default, Debug)]
pub struct Ids {
    last: Option<Ulid>,
}

impl Ids {
    /// An id of this time: the successor of the last one if that has the same time, else a new one.
    pub fn next(&mut self, at: Millis) -> Ulid {
        let at = at.min(LATEST);
        let successor = self
            .last
            .filter(|last| last.timestamp_ms() == at)
            .and_then(|last| last.increment().ok());
        // 79 of the 80 bits: half of the range is left to the successors of a new id.
        let id = successor.unwrap_or_else(|| Ulid::from_parts(at, random128() >> 49));
        self.last = Some(id);
        id
    }
}

/// An id of this time that nobody else has.
pub fn new_ulid(at: Millis) -> Ulid {
    Ulid::from_parts(at.min(LATEST), random128())
}

/// A ULID from its 26 characters, in either case. `None`: not one, or above 128 bits.
pub fn parse_ulid(text: &str) -> Option<Ulid> {
    // 26 characters hold 130 bits: a first one above 7 would silently lose its highest.
    let fits = matches!(text.as_bytes().first(), Some(b'0'..=b'7'));
    if fits { Ulid::from_string(text).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_of_one_millisecond_rise() {
        let mut ids = Ids::default();
        let made: Vec<Ulid> = (0..1000).map(|_| ids.next(1_796_040_000_123)).collect();
        assert!(made.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(made.iter().all(|id| id.timestamp_ms() == 1_796_040_000_123));
        assert_eq!(ids.next(5).timestamp_ms(), 5);
    }

    #[test]
    fn ids_of_many_threads_differ() {
        let threads: Vec<_> = (0..8)
            .map(|_| std::thread::spawn(|| (0..2000).map(|_| new_ulid(7)).collect::<Vec<_>>()))
            .collect();
        let all: Vec<Ulid> = threads.into_iter().flat_map(|t| t.join().expect("ids")).collect();
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), 16_000);
        let ones: u32 = all.iter().map(|id| id.random().count_ones()).sum();
        assert!((39 * 16_000..41 * 16_000).contains(&ones), "{ones} bits set");
    }

    #[test]
    fn a_time_beyond_48_bits_is_the_latest() {
        assert_eq!(new_ulid(u64::MAX).timestamp_ms(), 281_474_976_710_655);
        assert_eq!(Ids::default().next(u64::MAX).timestamp_ms(), 281_474_976_710_655);
    }

    #[test]
    fn an_id_above_128_bits_is_none() {
        assert_eq!(parse_ulid("7ZZZZZZZZZZZZZZZZZZZZZZZZZ"), Some(Ulid(u128::MAX)));
        assert_eq!(parse_ulid("8ZZZZZZZZZZZZZZZZZZZZZZZZZ"), None);
        assert_eq!(
            parse_ulid("01arz3ndektsv4rrffq69g5fav"),
            parse_ulid("01ARZ3NDEKTSV4RRFFQ69G5FAV")
        );
        assert_eq!(parse_ulid("01ARZ3NDEKTSV4RRFFQ69G5FA"), None);
        assert_eq!(parse_ulid(""), None);
        assert_eq!(parse_ulid("é1ARZ3NDEKTSV4RRFFQ69G5FA"), None);
    }
}
