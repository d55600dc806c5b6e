//! The citation graph as one thing: record, look up, drain, verify, rebuild.
//!
//! [`Graph`] is the whole of it for a host. The free functions are the same for one who holds the
//! [`Ledger`](crate::ledger::Ledger) anyway, because other tables lie in it.

mod absorb;
mod ask;
mod drain;
mod drained;
mod exchange;
mod facade;
mod forget;
mod freshness;
mod maintain;
mod openings;
mod publication;
mod stats;

pub use absorb::{Pending, absorb};
pub use ask::{By, EdgeLine, Portrait, QueryTally, Standing, log, show, top};
pub use drain::drain;
pub use drained::Drained;
pub use exchange::{export, import};
pub use facade::Graph;
pub use forget::{forget, forget_dry, forget_dry_with, forget_with};
pub use freshness::{Freshness, bad_lines, freshness};
pub use maintain::{Verified, rebuild, verify};
pub use openings::{Opening, openings};
pub use stats::{NeverOpened, Stats, stats};
