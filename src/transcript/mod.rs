//! Transcripts of coding agents: bytes to sessions, turns and tool calls.
//!
//! `discover` finds the files, `read` reads one of them, from its beginning or from where it
//! was left. One file of this folder for each agent knows its format; what leaves has no secrets.

mod aider;
mod arguments;
mod claude;
mod cline;
mod codex;
mod commit;
mod copilot;
mod cursor;
mod digest;
mod discover;
mod gather;
mod gemini;
mod line;
mod loose;
mod own;
mod position;
mod queue;
mod read;
mod tags;
#[cfg(test)]
mod tests;

pub use aider::AIDER_HISTORY;
pub use commit::commit_subjects;
pub use digest::without_digest;
pub use discover::{Discovered, Found, Roots, discover};
pub use position::Position;
pub use read::{Reading, read};
