//! Stores with questions whose answer is known, for the benches that measure how good recall is.

mod dialogues;
mod figures;
mod input;
mod invented;
mod store;

pub(crate) use figures::{Chance, Scores, Spread, is_first_half};
pub(crate) use input::{Input, of_command_line, option};
pub(crate) use store::{Question, Store, Talk};
