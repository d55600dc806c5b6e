//! What `rekal init` puts into a repository: which pieces there are, in what state each is, and how
//! they are put in and taken out again. The texts are pure; `files` alone writes.

mod agent;
mod files;
mod hook;
mod json;
mod line;
pub mod mark;
mod piece;
mod plan;
mod record;
mod site;
mod skill;

pub use mark::Program;
pub use piece::{Found, Piece};
pub use plan::{Done, put_in, take_out};
pub use site::Site;
