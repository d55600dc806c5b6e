//! Every turn that holds a text: no ranking, no gate.

mod folded;
mod json;
mod scan;
mod text;

pub use json::json;
pub use scan::{Mention, Mentions, Sought, mentions};
pub use text::text;
