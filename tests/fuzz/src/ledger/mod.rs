//! The part of the ledger that turns bytes into meaning.

#[path = "../../../../src/ledger/forgotten.rs"]
mod forgotten;
#[path = "../../../../src/ledger/packed.rs"]
pub(crate) mod packed;
#[path = "../../../../src/ledger/rows.rs"]
pub(crate) mod rows;
#[path = "../../../../src/ledger/sessions.rs"]
mod sessions;
#[path = "../../../../src/ledger/tables.rs"]
mod tables;
#[path = "../../../../src/ledger/unlearn.rs"]
mod unlearn;

use rekal::Forget;
pub(crate) use sessions::{CheckpointRow, Outcome, SessionNumbers, SessionRow, TranscriptRow};
