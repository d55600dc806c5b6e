//! What a published index says of itself: the payload of its commit.
//!
//! `rekal 3 <ledger id, 32 hex digits> <change number> <what was drawn for it, 16 hex digits>`

use super::layout::VERSION;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stamp {
    pub(super) version: u32,
    pub(super) ledger: u128,
    pub(super) change: u64,
    pub(super) draw: u64,
}

impl Stamp {
    pub(super) fn encode(ledger: u128, change: u64, draw: u64) -> String {
        format!("rekal {VERSION} {ledger:032x} {change} {draw:016x}")
    }

    /// `None`: written by something else.
    pub(super) fn decode(payload: &str) -> Option<Self> {
        let mut words = payload.strip_prefix("rekal ")?.split(' ');
        let stamp = Self {
            version: words.next()?.parse().ok()?,
            ledger: u128::from_str_radix(words.next()?, 16).ok()?,
            change: words.next()?.parse().ok()?,
            draw: u64::from_str_radix(words.next()?, 16).ok()?,
        };
        Some(stamp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_payload_names_version_ledger_and_change() {
        let payload = "rekal 3 000000000000000000000000000000ff 42 00000000000000a7";
        assert_eq!(Stamp::encode(255, 42, 167), payload);
        let stamp = Stamp {
            version: 3,
            ledger: 255,
            change: 42,
            draw: 167,
        };
        assert_eq!(Stamp::decode(payload), Some(stamp));
        for other in [
            "",
            "rekal",
            "rekal 1 ff",
            "rekal x ff 1 a7",
            "other 1 ff 1 a7",
            "rekal 1 zz 1 a7",
            "rekal 1 ff 1",
            "rekal 1 ff 1 zz",
        ] {
            assert_eq!(Stamp::decode(other), None, "{other:?}");
        }
    }
}
