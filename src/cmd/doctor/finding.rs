//! What the doctor finds.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::out::one_line;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Something does not work.
    Error,
    /// It works, and not as it should.
    Warning,
    /// Nothing is wrong.
    Info,
}

/// One thing that was found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    level: Level,
    area: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

impl Finding {
    pub fn error(area: &'static str, message: impl Into<String>) -> Self {
        Self::new(Level::Error, area, message.into())
    }

    pub fn warning(area: &'static str, message: impl Into<String>) -> Self {
        Self::new(Level::Warning, area, message.into())
    }

    pub fn info(area: &'static str, message: impl Into<String>) -> Self {
        Self::new(Level::Info, area, message.into())
    }

    /// With the file or folder concerned.
    pub fn at(mut self, path: impl AsRef<Path>) -> Self {
        self.path = Some(path.as_ref().to_path_buf());
        self
    }

    /// With what to do about it.
    pub fn remedy_is(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// Whether it is more than a word about how things are.
    pub fn is_wrong(&self) -> bool {
        self.level != Level::Info
    }

    /// One line, and one more for the remedy.
    pub fn text(&self) -> String {
        let level = match self.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Info => "info",
        };
        let message = one_line(&self.message, usize::MAX);
        let remedy = self.remedy.as_deref().map(|remedy| one_line(remedy, usize::MAX));
        let remedy = remedy.map_or_else(String::new, |remedy| format!("         remedy: {remedy}\n"));
        format!("{level:8} {}: {message}\n{remedy}", self.area)
    }

    fn new(level: Level, area: &'static str, message: String) -> Self {
        Self {
            level,
            area,
            message,
            path: None,
            remedy: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_a_line_and_its_remedy_another() {
        let finding = Finding::warning("spool", "a\nb").remedy_is("rekal graph drain");
        let text = "warning  spool: a\\u{a}b\n         remedy: rekal graph drain\n";
        assert_eq!((finding.text().as_str(), finding.is_wrong()), (text, true));
        assert_eq!(Finding::info("store", "c").text(), "info     store: c\n");
    }
}
