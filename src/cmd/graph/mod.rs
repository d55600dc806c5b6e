//! The verbs of the citation graph: `rekal graph …`, one file each, listed in [`verb`].

pub mod append;
pub mod drain;
pub mod reach;
pub mod rebuild;
pub mod verb;
pub mod verify;
