//! A citation graph for the memory of coding agents: which query surfaced which session, and which
//! session was then opened.
//!
//! A program that searches the sessions of an agent knows what they say. It does not know how they
//! were used: that this one was found nine times and opened twice, and by which question. This crate
//! keeps that record beside any search: it takes in recalls and drills without making the search wait,
//! and gives back a [`Hint`] to show beside a result and two terms to [`boost`] its rank with.
//!
//! ```
//! use rekal::{Graph, Hint, SessionId, boost};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let store = folder.path();
//! let graph = Graph::open(store)?;
//! let now = 1_796_040_000_000; // milliseconds since 1970; the caller has the clock
//! let found = ["session-a", "session-b"].map(|id| SessionId::try_from(id).expect("a session id"));
//!
//! // A search answered, and its second result was opened.
//! let recorder = graph.recorder();
//! recorder.recalled(now, None, "jwt expiry", &found);
//! recorder.drilled(now + 9_000, None, &found[1]);
//! drop(recorder);
//!
//! // From time to time, away from the search, the record is taken in and published.
//! assert_eq!(graph.drain(now + 60_000)?.edges_new, 3);
//!
//! // The next search shows it, and ranks by it if it likes.
//! let reaches = graph.reach(&found);
//! let hints: Vec<String> = reaches.iter().flatten().map(|reach| Hint(reach).to_string()).collect();
//! assert_eq!(hints, [r#"[reached 1×· "jwt expiry"]"#, r#"[reached 2× drilled 1×· "jwt expiry"]"#]);
//! let drills: Vec<u32> = reaches.iter().flatten().map(|reach| reach.drills).collect();
//! assert_eq!(boost::flat(drills[1], 1), 1.0);
//! # Ok(())
//! # }
//! ```
//!
//! # The invariant
//!
//! **Recording and looking up never open the ledger.** They read published, immutable files and append
//! to the spool, a file. So they never wait for a writer and never fail because of one. The ledger is
//! opened by [`drain`](Graph::drain) and the calls below it, by one process at a time; another one is
//! told so ([`Error::is_locked`]) and tries later: nothing that was recorded is lost meanwhile.
//!
//! Every event is counted once, whatever dies where: its id decides, and a drain that is repeated adds
//! nothing. What is published of a session ([`Reach`]) is a fold over its edges; [`Graph::verify`]
//! compares the two, [`Graph::rebuild`] makes them agree.
//!
//! # What it is not
//!
//! It is no search and has no opinion about one. It holds no text but the queries. It sends nothing
//! anywhere, runs nothing in the background but the recorder's thread, reads neither environment nor
//! clock, prints nothing, and takes any input without a panic.
//!
//! A host that has a redb database of its own can keep the graph in it: see [`Graph::absorb`]. A program
//! in another language appends to the spool itself, as `FORMAT.md` says, or calls `rekal graph append`.
//!
//! # Features
//!
//! `cli`, on by default, is the program `rekal`: transcripts of agents, an index, recall. A host wants
//! the graph alone, which brings 21 packages:
//!
//! ```toml
//! rekal = { version = "0.1", default-features = false }
//! ```

pub mod boost;
#[doc(hidden)]
pub mod edge;
mod error;
#[doc(hidden)]
pub mod graph;
#[doc(hidden)]
pub mod hash;
#[doc(hidden)]
pub mod hint;
#[doc(hidden)]
pub mod ledger;
#[doc(hidden)]
pub mod reach;
#[doc(hidden)]
pub mod redact;
#[doc(hidden)]
pub mod snapshot;
#[doc(hidden)]
pub mod spool;
#[doc(hidden)]
pub mod time;

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod capture;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod index;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod recall;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod session;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod transcript;

pub use edge::{SessionId, Ulid};
pub use error::{Error, Result};
pub use graph::{Drained, Graph, Pending, Verified};
pub use hint::Hint;
pub use ledger::{Forget, Forgotten};
pub use reach::Reach;
pub use redb;
pub use spool::Recorder;
pub use time::Millis;
