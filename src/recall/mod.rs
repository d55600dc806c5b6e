//! From a query to the sessions that answer it, and from a session to its turns.
//!
//! `recall` ranks, gates and explains what the published index holds; `digest` and `json` render
//! its `Answer`. `drill` opens one session, `bench` measures how good the ranking is. Nothing here opens the ledger, writes a file or knows
//! what time it is.

mod answer;
mod ask;
pub mod bench;
mod confidence;
mod dates;
mod digest;
pub mod drill;
mod family;
mod find;
#[cfg(test)]
mod fixture;
mod json;
mod likeness;
mod line;
pub mod mention;
mod newest;
mod rank;
mod reached;
mod search;
mod snippet;
mod weights;

pub use answer::{Answer, Reason, Row, Scored, Verdict};
pub use ask::{Ask, Filter};
pub use digest::digest;
pub use find::{Ranking, ranking, recall};
pub use json::json;
pub use rank::Layers;
pub use weights::Weights;
