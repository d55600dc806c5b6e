//! FNV-1a, the frozen hash of everything on disk (Fowler, Noll and Vo; offset bases and primes as in
//! the IETF draft "The FNV Non-Cryptographic Hash Algorithm").

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// What FNV-1a of 64 bits begins with.
const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// What it multiplies with.
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

/// FNV-1a of 64 bits.
pub fn fnv64(bytes: &[u8]) -> u64 {
    bytes.iter().fold(FNV_BASIS, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME)
    })
}

/// The sum of a part of a file, read in portions. FNV-1a over numbers of 8 bytes instead of single ones,
/// because it is taken of megabytes, the last one filled up with 0. After each the upper half is brought
/// down on the lower by exclusive or, else damage in the highest bits of two numbers could cancel out.
pub(crate) struct Sum(u64);

impl Sum {
    pub(crate) fn new() -> Self {
        Self(FNV_BASIS)
    }

    /// Every portion but the last is a multiple of 8 bytes.
    pub(crate) fn with(self, bytes: &[u8]) -> Self {
        let step = |sum: u64, part: [u8; 8]| {
            let sum = (sum ^ u64::from_le_bytes(part)).wrapping_mul(FNV_PRIME);
            sum ^ sum >> 32
        };
        let (parts, rest) = bytes.as_chunks::<8>();
        let sum = parts.iter().fold(self.0, |sum, part| step(sum, *part));
        if rest.is_empty() {
            return Self(sum);
        }
        let mut padded = [0; 8];
        padded[..rest.len()].copy_from_slice(rest);
        Self(step(sum, padded))
    }

    /// The lower half of the sum.
    pub(crate) fn value(&self) -> u32 {
        self.0 as u32
    }
}

/// The sum of a part of a file that is read in one go.
pub(crate) fn sum64(bytes: &[u8]) -> u64 {
    Sum::new().with(bytes).0
}

/// The lower half of such a sum.
#[cfg(any(feature = "cli", test))]
pub(crate) fn sum_of(bytes: &[u8]) -> u32 {
    sum64(bytes) as u32
}

/// FNV-1a of 128 bits, over bytes that come in portions.
pub(crate) struct Fnv128(u128);

impl Fnv128 {
    pub(crate) fn new() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    pub(crate) fn of(bytes: &[u8]) -> u128 {
        Self::new().with(bytes).value()
    }

    pub(crate) fn with(self, bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(self.0, |hash, byte| {
            (hash ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
        }))
    }

    pub(crate) fn value(self) -> u128 {
        self.0
    }
}

/// 64 random bits from the system: the standard library keys every `RandomState` from it, and each
/// new one differs. A dependency for the same call would be the graph's twenty-third package.
pub(crate) fn random64() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// 128 random bits.
pub(crate) fn random128() -> u128 {
    u128::from(random64()) << 64 | u128::from(random64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bytes_are_one_step_of_the_sum() {
        let portions = Sum::new().with(b"eight by").with(b"t");
        assert_eq!(portions.value(), sum_of(b"eight byt"));
        assert_eq!(sum_of(b""), 0x8422_2325);
        assert_eq!(sum64(b"a"), 0xaf63_dc4c_2962_30c0);
        assert_eq!(sum64(b"eight by"), 0xb13a_aa41_c887_8081);
        assert_eq!(sum_of(b"eight byt"), 0x1070_6288);
    }

    #[test]
    fn the_highest_bits_of_two_numbers_do_not_cancel_out() {
        let mut bytes = [7; 64];
        let sum = sum_of(&bytes);
        bytes[15] ^= 0x80;
        bytes[39] ^= 0x80;
        assert_ne!(sum_of(&bytes), sum);
    }

    #[test]
    fn published_vectors() {
        assert_eq!(fnv64(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv64(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv64(b"foobar"), 0x8594_4171_f739_67e8);
        assert_eq!(Fnv128::of(b""), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_eq!(Fnv128::of(b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
        assert_eq!(
            Fnv128::new().with(b"foo").with(b"bar").value(),
            0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18
        );
    }
}
