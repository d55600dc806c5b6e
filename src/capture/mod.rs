//! A checkpoint: new turns into the ledger, the spool into the ledger, the index and the snapshot
//! published. The one place where the ledger is held for long, by one process at a time.

mod census;
mod checkpoint;
mod commits;
mod forget;
mod publish;
mod scope;
mod sessions;

pub use census::{Census, census, freshness};
pub use checkpoint::{Checkpoint, History, Progress, Report, checkpoint, checkpoints};
pub use forget::{forget, forget_dry};
pub use publish::{index_of, publish, rebuild};
pub use scope::Scope;
pub use sessions::{Asked, Captured, Circumstances};
