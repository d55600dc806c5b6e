//! A row of every table: its bytes are an error, or a meaning that is written and read back the same.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::ledger::rows::{EventRow, Numbers, decode, encode};
use crate::ledger::{CheckpointRow, SessionRow, TranscriptRow};
use crate::reach::{Tally, Totals};
use crate::session::{ToolCall, Turn};

/// The first byte chooses the table, the others are the row.
pub fn check(data: &[u8]) {
    let Some((table, bytes)) = data.split_first() else {
        return;
    };
    match table % 15 {
        0 => one::<EventRow>(bytes),
        1 => one::<Numbers>(bytes),
        2 => one::<Totals>(bytes),
        3 => one::<Tally>(bytes),
        4 => one::<u32>(bytes),
        5 => one::<u128>(bytes),
        6 => one::<SessionRow>(bytes),
        7 => one::<Turn>(bytes),
        8 => one::<ToolCall>(bytes),
        9 => one::<TranscriptRow>(bytes),
        10 => one::<CheckpointRow>(bytes),
        // Rows that only their own file knows, by their fields: bad lines, the numbers of capture, commits, the
        // latest changes.
        11 => one::<(Vec<String>, BTreeMap<String, u64>)>(bytes),
        12 => one::<(u32, u32, u64)>(bytes),
        13 => one::<(String, u64, Vec<u32>)>(bytes),
        _ => one::<Vec<(u64, u64)>>(bytes),
    }
}

fn one<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(bytes: &[u8]) {
    match decode::<T>(bytes, "rekal.fuzzed") {
        Ok(row) => {
            assert_eq!(bytes[0], 1, "only version 1 is known");
            let written = encode(&row).expect("what was read can be written");
            assert!(written.len() <= bytes.len(), "the form that is written is the shortest");
            let again: T = decode(&written, "rekal.fuzzed").expect("what was written can be read");
            assert_eq!(again, row);
        }
        Err(error) => assert!(error.is_corrupt(), "{error}"),
    }
}
