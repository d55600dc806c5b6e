//! A compact session id: packed, it comes back byte for byte; bytes that are no id are none.

use crate::edge::SessionId;
use crate::packed_form::{pack, unpack};

pub fn check(data: &[u8]) {
    if let Some(id) = unpack(data) {
        assert_eq!(pack(&id), data, "one id has one packed form");
    }
    let Ok(text) = std::str::from_utf8(data) else { return };
    for text in [text.to_owned(), as_uuid(data), as_ulid(data)] {
        if let Ok(id) = SessionId::try_from(text.as_str()) {
            let packed = pack(&id);
            assert_eq!(unpack(&packed).as_ref().map(SessionId::as_str), Some(text.as_str()));
            assert!(packed.len() <= text.len() + 1);
        }
    }
}

/// The bytes in the shape of a UUID, with whatever letters they give.
fn as_uuid(data: &[u8]) -> String {
    let mut digits = data
        .iter()
        .map(|byte| char::from(b"0123456789abcdefABCDEFg-"[usize::from(*byte) % 24]));
    let digit = |at: usize| match at {
        8 | 13 | 18 | 23 => '-',
        _ => digits.next().unwrap_or('0'),
    };
    (0..36).map(digit).collect()
}

/// The bytes in the shape of a ULID, with letters that are none among them.
fn as_ulid(data: &[u8]) -> String {
    let mut digits = data
        .iter()
        .map(|byte| char::from(b"0123456789ABCDEFGHJKMNPQRSTVWXYZilou"[usize::from(*byte) % 36]));
    (0..26).map(|_| digits.next().unwrap_or('0')).collect()
}
