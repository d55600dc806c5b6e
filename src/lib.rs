//! Memory for coding agents that records how it was used.

pub mod edge;
mod error;
pub mod hint;
pub mod reach;
pub mod redact;
pub mod time;

#[cfg(feature = "cli")]
pub mod session;

pub use error::Error;

/// What every fallible call of this crate returns.
pub type Result<T> = std::result::Result<T, Error>;
