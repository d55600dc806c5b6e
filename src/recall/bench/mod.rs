//! How good recall is on a store: labelled queries, or what was opened, against what is ranked.

mod figures;
mod labels;
mod measure;
mod replay;
mod settings;

pub use figures::Figure;
pub use labels::{Label, Labels};
pub use measure::{Quality, quality};
pub use replay::{Replayed, replay};
pub use settings::{Setting, settings};
