//! The citation graph as one thing: record, look up, drain, verify, rebuild.
//!
//! [`Graph`] is the whole of it for a host. The free functions are the same for one who holds the
//! [`Ledger`](crate::ledger::Ledger) anyway, because other tables lie in it.

mod absorb;
mod drain;
mod facade;
mod forget;
mod maintain;
mod publication;

pub use absorb::{Pending, absorb};
pub use drain::{Drained, drain};
pub use facade::Graph;
pub use forget::{forget, forget_dry};
pub use maintain::{Verified, rebuild, verify};
