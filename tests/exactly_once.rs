//! Exactly once, and never in the way: real processes on one store, some of which die, run out of disk
//! or hold what others want.
//!
//! `REKAL_LONG_TESTS=1` runs the long forms.

mod disk_full;
mod held;
mod host;
mod kills;
mod other_writers;
pub mod party;
pub mod program;
mod races;
mod replay;
mod size;
