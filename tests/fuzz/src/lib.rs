//! What must hold of every byte that a stranger, a torn write or a bad disk may put in front of rekal.
//!
//! Each module is one target: it takes bytes and panics where a promise is broken. What is public in
//! rekal is called there; what is private (the snapshot's publication, rows, packed ids) is compiled in here
//! from its own source files, so that rekal need not open itself for its fuzzers.

#![allow(dead_code, unused_imports, reason = "parts of what is compiled in have no target")]

pub mod claim;
pub mod line;
pub mod packed;
pub mod published;
pub mod row;

#[path = "../../../src/edge.rs"]
mod edge;
#[path = "../../../src/error.rs"]
mod error;
#[path = "../../../src/hash.rs"]
mod hash;
#[path = "../../../src/ledger/mod.rs"]
mod ledger;
#[path = "../../../src/ledger/packed.rs"]
mod packed_form;
#[path = "../../../src/reach.rs"]
mod reach;
#[path = "../../../src/session.rs"]
mod session;
#[path = "../../../src/snapshot/mod.rs"]
mod snapshot;

use error::{Error, Result};
use rekal::{redact, time};
