//! The one error of this crate: opaque, with predicates.
//!
//! A message says what was attempted on which path, in lower case and without a full stop. What to
//! do about it is kept apart ([`Error::remedy`]), so that a program can show it as it likes.

use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What every fallible call of this crate returns.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call failed.
pub struct Error(Box<Inner>);

struct Inner {
    kind: Kind,
    /// "append to", "open", "rename": what was attempted on `path`.
    attempt: String,
    path: Option<PathBuf>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
    remedy: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Io,
    Locked,
    NewerFormat,
    Corrupt,
    Store,
    Invalid,
}

impl Error {
    /// An operating system call failed.
    pub(crate) fn io(attempt: impl Into<String>, path: impl AsRef<Path>, source: std::io::Error) -> Self {
        Self::new(Kind::Io, attempt).on(path).because(source)
    }

    /// A file was written by a newer version of this crate.
    pub(crate) fn newer_format(found: u32, known: u32) -> Self {
        let what = format!("open: its format is {found}, this version knows formats up to {known}:");
        Self::new(Kind::NewerFormat, what).remedy_is("install a newer rekal")
    }

    /// A row of a table names something that only a newer version of this crate knows.
    #[cfg(feature = "cli")]
    pub(crate) fn newer_row(table: &str, what: &str) -> Self {
        let attempt = format!("read {what} that this version does not know, in");
        Self::new(Kind::NewerFormat, attempt)
            .on(table)
            .remedy_is("install a newer rekal")
    }

    /// A file holds what no version of this crate writes.
    pub(crate) fn corrupt(path: impl AsRef<Path>, what: impl fmt::Display) -> Self {
        Self::new(Kind::Corrupt, "read")
            .on(path)
            .because(Detail(format!("damaged: {what}")))
    }

    /// The key-value store refused a call.
    pub(crate) fn store(attempt: impl Into<String>, source: impl Into<redb::Error>) -> Self {
        let source = source.into();
        match source {
            redb::Error::DatabaseAlreadyOpen => Self::new(Kind::Locked, "open: another process holds it")
                .remedy_is("wait for it to finish, then run the command again"),
            redb::Error::Corrupted(_) => Self::new(Kind::Corrupt, attempt).because(source),
            // What begins otherwise than a store does, or ends too early.
            redb::Error::Io(why) if matches!(why.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof) => {
                Self::new(Kind::Corrupt, attempt).because(why)
            }
            _ => Self::new(Kind::Store, attempt).because(source),
        }
    }

    /// The same failure, told of the ledger in this file: the one home of what to do about a damaged one.
    pub(crate) fn of_ledger(self, file: &Path) -> Self {
        if self.0.kind != Kind::Corrupt || self.0.path.as_deref() == Some(file) {
            return self.on(file);
        }
        Self::new(Kind::Corrupt, "read")
            .on(file)
            .because(Detail(self.to_string()))
            .remedy_is(
                "restore it from a backup, or move it away and run rekal checkpoint --all: a new one begins \
                 without the old events; until then the published hints stay",
            )
    }

    /// What the caller handed over cannot be used.
    pub(crate) fn invalid(what: impl Into<String>) -> Self {
        Self::new(Kind::Invalid, what)
    }

    fn new(kind: Kind, attempt: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            attempt: attempt.into(),
            path: None,
            source: None,
            remedy: None,
        }))
    }

    pub(crate) fn on(mut self, path: impl AsRef<Path>) -> Self {
        self.0.path = Some(path.as_ref().to_path_buf());
        self
    }

    fn because(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.0.source = Some(Box::new(source));
        self
    }

    pub(crate) fn remedy_is(mut self, remedy: impl Into<String>) -> Self {
        self.0.remedy = Some(remedy.into());
        self
    }

    /// Another process holds the ledger.
    pub fn is_locked(&self) -> bool {
        self.0.kind == Kind::Locked
    }

    /// The file was written by a newer version.
    pub fn is_newer_format(&self) -> bool {
        self.0.kind == Kind::NewerFormat
    }

    /// The file is damaged.
    pub fn is_corrupt(&self) -> bool {
        self.0.kind == Kind::Corrupt
    }

    /// The caller's input cannot be used.
    pub fn is_invalid(&self) -> bool {
        self.0.kind == Kind::Invalid
    }

    /// One word for programs: `io`, `locked`, `newer_format`, `corrupt`, `store` or `invalid`.
    pub fn kind(&self) -> &'static str {
        match self.0.kind {
            Kind::Io => "io",
            Kind::Locked => "locked",
            Kind::NewerFormat => "newer_format",
            Kind::Corrupt => "corrupt",
            Kind::Store => "store",
            Kind::Invalid => "invalid",
        }
    }

    /// The file or folder concerned.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// What to do about it.
    pub fn remedy(&self) -> Option<&str> {
        self.0.remedy.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.attempt)?;
        if let Some(path) = &self.0.path {
            write!(f, " {}", path.display())?;
        }
        match &self.0.source {
            Some(source) => write!(f, ": {source}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.0.kind)
    }
}

/// A reason that no other error gives.
#[derive(Debug)]
struct Detail(String);

impl fmt::Display for Detail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Detail {}

/// The source is part of the message, so it is not given a second time by `source()`.
impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_what_was_attempted_where_and_why() {
        let why = std::io::Error::from(std::io::ErrorKind::PermissionDenied);
        let error = Error::io("append to", "/store/recall-log.ndjson", why);
        assert_eq!(
            error.to_string(),
            "append to /store/recall-log.ndjson: permission denied"
        );
        assert_eq!(error.kind(), "io");
    }

    #[test]
    fn damage_names_the_ledger_the_place_in_it_and_the_remedy_once() {
        let error = Error::corrupt("rekal.events", "an edge of event 7, which is missing");
        let error = error
            .of_ledger(Path::new("store.redb"))
            .of_ledger(Path::new("store.redb"));
        assert!(error.is_corrupt());
        assert_eq!(
            error.to_string(),
            "read store.redb: read rekal.events: damaged: an edge of event 7, which is missing"
        );
        assert!(error.remedy().is_some_and(|remedy| remedy.contains("backup")));
        assert_eq!(
            Error::newer_format(7, 1).of_ledger(Path::new("x")).remedy(),
            Some("install a newer rekal")
        );
    }

    #[test]
    fn a_newer_format_names_both_numbers_and_the_remedy() {
        let error = Error::newer_format(7, 1).on("store.redb");
        assert!(error.is_newer_format());
        assert_eq!(
            error.to_string(),
            "open: its format is 7, this version knows formats up to 1: store.redb"
        );
        assert_eq!(error.remedy(), Some("install a newer rekal"));
    }
}
