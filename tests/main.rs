//! All integration tests, in one binary.
#![allow(unreachable_pub, reason = "nothing imports a test binary")]

#[cfg(feature = "cli")]
mod cli;
mod shape;
