//! The spool: a write-ahead file that every process appends events to without waiting, and the
//! claims by which one drain takes it over. It knows no ledger.
//!
//! | file | holds |
//! |---|---|
//! | [`line`](mod@line) | the grammar of a line, and what becomes of a torn one |
//! | [`writer`] | the append protocol |
//! | [`claim`] | how a spool becomes the property of one drain |
//! | [`reader`] | a claim as a stream of events |
//! | [`report`] | what could not be read, and why |
//! | [`waiting`] | how much has not been drained yet |
//! | `happened` | an event on its way to the recorder's thread |
//! | [`recorder`] | a channel and a thread in front of the writer |

pub mod claim;
#[cfg(test)]
mod fixture;
mod happened;
mod ids;
pub mod line;
mod quote;
pub mod reader;
pub mod recorder;
pub mod report;
pub mod waiting;
pub mod writer;

pub use ids::{Ids, new_ulid, parse_ulid};
pub use recorder::Recorder;
