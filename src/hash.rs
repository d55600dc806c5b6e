//! FNV-1a, the frozen hash of everything on disk (Fowler, Noll and Vo; offset bases and primes as in
//! the IETF draft "The FNV Non-Cryptographic Hash Algorithm").

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// FNV-1a of 64 bits.
pub(crate) fn fnv64(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
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
    fn published_vectors() {
        assert_eq!(fnv64(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv64(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv64(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
