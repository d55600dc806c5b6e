//! Memory for coding agents that records how it was used.

pub mod boost;
pub mod edge;
mod error;
pub mod graph;
mod hash;
pub mod hint;
pub mod ledger;
pub mod reach;
pub mod redact;
pub mod snapshot;
pub mod spool;
pub mod time;

#[cfg(feature = "cli")]
pub mod capture;
#[cfg(feature = "cli")]
pub mod index;
#[cfg(feature = "cli")]
pub mod recall;
#[cfg(feature = "cli")]
pub mod session;
#[cfg(feature = "cli")]
pub mod transcript;

pub use error::{Error, Result};
