//! What recall reads of the graph: the reach of every session, in files that are published by rename
//! and never locked.
//!
//! `reach.snap` is the base; `reach.delta` holds the sessions that changed since, and counts only
//! beside the base that it names. Both have the one layout of `layout.rs`.

mod basis;
mod layout;
mod publish;
mod read;
mod records;

pub(crate) use basis::Basis;
pub(crate) use layout::Stamp;
pub(crate) use publish::{publish_changes, publish_whole};
pub use read::Snapshot;
pub(crate) use read::is_published;
pub(crate) use records::Change;
