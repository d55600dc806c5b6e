//! The rows: one version byte, then postcard. Decoding is fallible and total: bytes of another
//! version, a torn row, or bytes left over behind it are damage, said with the table's name.

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// The version of every row of format 1.
const VERSION: u8 = 1;

/// What an event was, without its targets, which are its edges.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum EventRow {
    /// A query returned the sessions that have an edge of this event.
    Recall {
        /// The number of the query.
        query: u32,
        /// The number of the asking session, 0 when not known.
        source: u32,
    },
    /// A session was opened.
    Drill {
        /// The number of the opening session, 0 when not known.
        source: u32,
    },
    /// Forgotten: the id stays, so that the event does not come back.
    Forgotten,
}

/// The numbers that a write transaction hands out, and how often the reach has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Numbers {
    /// Rises with every transaction that changes what is published.
    pub(crate) generation: u64,
    /// The next target number; 0 stands for none.
    pub(crate) next_target: u32,
    /// The next query number; 0 stands for none.
    pub(crate) next_query: u32,
}

impl Default for Numbers {
    fn default() -> Self {
        Self {
            generation: 0,
            next_target: 1,
            next_query: 1,
        }
    }
}

/// The bytes of a row.
pub(crate) fn encode(row: &impl Serialize) -> Result<Vec<u8>> {
    postcard::to_extend(row, vec![VERSION]).map_err(|e| Error::invalid(format!("encode a row: {e}")))
}

/// The row that `bytes` hold. `table` names where they come from.
pub(crate) fn decode<'a, T: Deserialize<'a>>(bytes: &'a [u8], table: &str) -> Result<T> {
    let damaged = |what: String| Error::corrupt(table, what);
    match bytes.split_first() {
        Some((&VERSION, body)) => match postcard::take_from_bytes(body) {
            Ok((row, [])) => Ok(row),
            Ok((_, rest)) => Err(damaged(format!("{} bytes left over behind a row", rest.len()))),
            Err(e) => Err(damaged(format!("a row does not decode: {e}"))),
        },
        Some((other, _)) => Err(damaged(format!("a row of version {other}"))),
        None => Err(damaged("an empty row".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reach::{Tally, Totals};

    #[test]
    fn golden_bytes() {
        let recall = EventRow::Recall { query: 300, source: 0 };
        assert_eq!(encode(&recall).expect("encodes"), [1, 0, 172, 2, 0]);
        assert_eq!(encode(&EventRow::Drill { source: 9 }).expect("encodes"), [1, 1, 9]);
        assert_eq!(encode(&EventRow::Forgotten).expect("encodes"), [1, 2]);
        let tally = Tally {
            count: 2,
            led: 1,
            at: 128,
        };
        assert_eq!(encode(&tally).expect("encodes"), [1, 2, 1, 128, 1]);
        let totals = Totals {
            count: 3,
            drills: 1,
            last_query: 2,
            top_query: 1,
            top_count: 2,
            top_at: 5,
            last: 6,
        };
        assert_eq!(encode(&totals).expect("encodes"), [1, 3, 1, 2, 1, 2, 5, 6]);
        assert_eq!(encode(&Numbers::default()).expect("encodes"), [1, 0, 1, 1]);
    }

    #[test]
    fn damage_is_an_error_and_never_a_zero() {
        for bytes in [
            &b""[..],
            b"\x02\x02",
            b"\x01",
            b"\x01\x07",
            b"\x01\x02\x00",
            b"\x01\x00\xff",
        ] {
            assert!(decode::<EventRow>(bytes, "events").expect_err("damaged").is_corrupt());
        }
    }
}
