//! The permanent store: one redb file, `store.redb`, one writer at a time.
//!
//! What is true lives here: events, edges, sessions. What follows from it (`session_reach`) lives
//! beside it and is kept up to date in the same transaction. The tables, their keys and their rows
//! are described in `tables.rs` and `rows.rs`, which are their one home.

mod absorb;
mod bad_lines;
mod batch;
#[cfg(feature = "cli")]
mod changes;
#[cfg(feature = "cli")]
mod commits;
pub(crate) mod events;
mod forget;
#[cfg(feature = "cli")]
mod forgotten;
mod guard;
mod intern;
mod open;
mod packed;
mod published;
mod refold;
pub(crate) mod rows;
mod scrub;
#[cfg(feature = "cli")]
mod session_reader;
#[cfg(feature = "cli")]
mod sessions;
pub(crate) mod tables;
#[cfg(feature = "cli")]
mod unlearn;
#[cfg(feature = "cli")]
mod unlink;
mod verify;

#[path = "../../migrations/mod.rs"]
mod migrations;

pub(crate) use absorb::{Absorbed, Changed, ChangedLed, absorb};
pub(crate) use bad_lines::Counts;
#[cfg(feature = "cli")]
pub(crate) use commits::Linked;
#[cfg(feature = "cli")]
pub use commits::Logged;
pub(crate) use forget::forget;
pub use forget::{Forget, Forgotten};
#[cfg(feature = "cli")]
pub use forgotten::ForgottenContent;
#[cfg(feature = "cli")]
pub(crate) use forgotten::forget_content;
pub(crate) use guard::guarded_of_host;
pub use guard::{damaged, guarded};
pub use open::Ledger;
pub(crate) use open::prepare;
pub(crate) use published::View;
pub(crate) use scrub::mark_for_scrubbing;
#[cfg(feature = "cli")]
pub(crate) use session_reader::SessionReader;
#[cfg(feature = "cli")]
pub use sessions::CheckpointRow;
#[cfg(feature = "cli")]
pub(crate) use sessions::{Added, Outcome, SessionRow, Sessions, TranscriptRow};
pub(crate) use verify::{Verify, rebuild};

#[cfg(test)]
mod model_tests;
