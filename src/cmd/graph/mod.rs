//! The verbs of the citation graph: `rekal graph …`, one file each, listed in [`verb`].

pub mod append;
pub mod drain;
pub mod edges;
pub mod export;
pub mod import;
pub mod log;
pub mod reach;
pub mod rebuild;
pub mod show;
pub mod stats;
pub mod top;
pub mod verb;
pub mod verify;
pub mod view;
