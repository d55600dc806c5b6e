//! One session, read page by page.

mod json;
mod page;
mod text;

pub use json::json;
pub use page::{Done, Page, Reading, read};
pub use text::text;
