//! How often a session was reached, and by what.

use crate::edge::SessionId;

/// The published aggregate of a session's edges.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reach {
    /// All edges: times surfaced and times opened.
    pub count: u32,
    /// Times opened.
    pub drills: u32,
    /// The query with the most edges.
    pub query: Option<String>,
    /// The queries whose recall led to an opening, with how often they did.
    pub led: Vec<(String, u32)>,
}

/// Looks up what is published of a session.
pub trait Reached {
    /// `None`: never reached, or not known.
    fn reach(&self, target: &SessionId) -> Option<Reach>;
}
