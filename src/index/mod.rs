//! What recall and drill read: the published copy of the sessions, searchable, never locked.
//!
//! One tantivy index in `<store>/index/`, so that one commit publishes everything at once: the turns,
//! the sessions as a whole and their tool calls. `Publisher` writes it, under the ledger's lock;
//! `Index` reads it, from any number of processes and from read-only folders.

mod analysis;
mod beginnings;
mod bm25;
mod build;
mod facts;
#[cfg(test)]
pub(crate) mod fixture;
mod folder;
mod guard;
mod irregular;
mod layout;
mod lines;
mod lookup;
mod lsa;
mod matches;
mod names;
mod publish;
mod query;
mod read;
mod spoken;
mod stamp;
mod stop_words;
mod whole;

pub use beginnings::Beginnings;
pub use bm25::{Bm25, idf};
pub use lines::count_terms;
pub use matches::{Formulas, Hit, Matches};
pub use publish::Publisher;
pub use query::{Query, Word};
pub use read::{Index, Place};
