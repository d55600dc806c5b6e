//! A session id as the ledger stores it: a tag, then the id in its shortest form.
//!
//! | tag | the bytes after it | stands for |
//! |---|---|---|
//! | 0 | 1 to 128 bytes of UTF-8 | any id, as it is |
//! | 1 | 16, big-endian | a ULID in its canonical form, 26 upper-case characters |
//! | 2 | 16 | a UUID in its canonical form, 36 lower-case characters |
//!
//! An id is packed only if it unpacks to the identical text, so one id has one packed form.

use crate::edge::{SessionId, Ulid};

const TEXT: u8 = 0;
const ULID: u8 = 1;
const UUID: u8 = 2;

/// The packed form of an id.
pub(crate) fn pack(id: &SessionId) -> Vec<u8> {
    let text = id.as_str();
    match (parse_ulid(text), parse_uuid(text)) {
        (Some(bits), _) => tagged(ULID, &bits.to_be_bytes()),
        (_, Some(bits)) => tagged(UUID, &bits.to_be_bytes()),
        _ => tagged(TEXT, text.as_bytes()),
    }
}

/// The id of a packed form; `None` for bytes that [`pack`] does not make.
pub(crate) fn unpack(bytes: &[u8]) -> Option<SessionId> {
    let (tag, body) = bytes.split_first()?;
    let text = match *tag {
        TEXT => std::str::from_utf8(body).ok()?.to_owned(),
        ULID => Ulid(u128::from_be_bytes(body.try_into().ok()?)).to_string(),
        UUID => format_uuid(u128::from_be_bytes(body.try_into().ok()?)),
        _ => return None,
    };
    let id = SessionId::try_from(text).ok()?;
    (pack(&id) == bytes).then_some(id)
}

fn tagged(tag: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(1 + body.len());
    bytes.push(tag);
    bytes.extend_from_slice(body);
    bytes
}

fn parse_ulid(text: &str) -> Option<u128> {
    if text.len() != 26 {
        return None;
    }
    let ulid = Ulid::from_string(text).ok()?;
    (ulid.to_string() == text).then_some(ulid.0)
}

fn parse_uuid(text: &str) -> Option<u128> {
    let bytes = text.as_bytes();
    if bytes.len() != 36 {
        return None;
    }
    let mut bits = 0u128;
    for (at, byte) in bytes.iter().enumerate() {
        let digit = match (at, byte) {
            (8 | 13 | 18 | 23, b'-') => continue,
            (8 | 13 | 18 | 23, _) => return None,
            (_, b'0'..=b'9') => byte - b'0',
            (_, b'a'..=b'f') => byte - b'a' + 10,
            _ => return None,
        };
        bits = bits << 4 | u128::from(digit);
    }
    Some(bits)
}

fn format_uuid(bits: u128) -> String {
    let hex = format!("{bits:032x}");
    format!(
        "{}-{}-{}-{}-{}",
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..]
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn packed(text: &str) -> Vec<u8> {
        pack(&text.parse().expect("an id"))
    }

    #[test]
    fn known_shapes_take_seventeen_bytes() {
        let uuid = "0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
        assert_eq!(
            packed(uuid),
            b"\x02\x01\x93\xa1\xb2\xc3\xd4\x7e\x5f\x8a\x9b\x0c\x1d\x2e\x3f\x4a\x5b"
        );
        assert_eq!(
            packed("00000000000000000000000001"),
            b"\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01"
        );
        assert_eq!(packed("agent-a1"), b"\0agent-a1");
    }

    #[test]
    fn a_shape_that_would_not_come_back_the_same_stays_text() {
        for text in [
            "0193A1B2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
            "0193a1b2c3d47e5f8a9b0c1d2e3f4a5b0000",
            "0000000000000000000000000l",
            "8ZZZZZZZZZZZZZZZZZZZZZZZZZ",
        ] {
            assert_eq!(packed(text)[0], TEXT, "{text}");
            assert_eq!(unpack(&packed(text)).expect("an id").as_str(), text);
        }
    }

    #[test]
    fn foreign_bytes_are_no_id() {
        for bytes in [
            &b""[..],
            b"\0",
            b"\x01short",
            b"\x09abc",
            b"\0a\nb",
            b"\0\xff",
            b"\x0000000000000000000000000001",
        ] {
            assert_eq!(unpack(bytes), None, "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn every_id_comes_back_identical(text in "[ -~é]{1,40}|[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}") {
            let id = SessionId::try_from(text).expect("an id");
            prop_assert_eq!(unpack(&pack(&id)), Some(id));
        }

        #[test]
        fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            if let Some(id) = unpack(&bytes) {
                prop_assert_eq!(pack(&id), bytes);
            }
        }
    }
}
