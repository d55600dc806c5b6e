//! What a verb comes to: yes, no, or a failure.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;

/// The exit code of a verb that could run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Exit code 0.
    Yes,
    /// Exit code 1: nothing found, a difference, a finding.
    No,
}

/// Why a verb could not run: exit code 2. The keys are those of the JSON form.
#[derive(PartialEq, Debug, Serialize)]
pub struct Failure {
    kind: &'static str,
    message: String,
    path: Option<PathBuf>,
    remedy: Option<String>,
}

/// What running a verb returns.
pub type Outcome = Result<Answer, Failure>;

impl Failure {
    /// What was asked for cannot be done as it was asked.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new("usage", message.into())
    }

    /// An operating system call failed: `attempt` is "create", "write to".
    pub fn io(attempt: &str, path: &Path, source: &std::io::Error) -> Self {
        Self {
            path: Some(path.to_path_buf()),
            ..Self::new("io", format!("{attempt} {}: {source}", path.display()))
        }
    }

    /// There is no store where one is needed.
    pub fn no_store(dir: &Path) -> Self {
        let what = format!("open {}: there is no store yet", dir.display());
        Self {
            path: Some(dir.to_path_buf()),
            ..Self::new("no_store", what).remedy_is("run rekal checkpoint to make one")
        }
    }

    /// Nothing is published in the store.
    pub fn no_index(dir: &Path) -> Self {
        let what = format!("read {}: nothing is published in it yet", dir.display());
        Self {
            path: Some(dir.to_path_buf()),
            ..Self::new("no_index", what).remedy_is("run rekal checkpoint, or rekal index if it was damaged")
        }
    }

    /// The words of a call cannot be understood.
    pub fn misunderstood(error: &clap::Error) -> Self {
        let text = error.to_string();
        let mistake = text.lines().take_while(|line| !line.is_empty());
        let mistake: Vec<&str> = mistake.map(str::trim).collect();
        let mistake = mistake.join(" ");
        Self::usage(mistake.strip_prefix("error: ").unwrap_or(&mistake)).remedy_is("see rekal --help")
    }

    /// The program panicked: what it said, and where.
    pub fn fault(what: &str, place: &str) -> Self {
        let message = format!("stopped by a fault of its own: {what} ({place})");
        Self::new("fault", message).remedy_is("please report it with this line")
    }

    fn new(kind: &'static str, message: String) -> Self {
        Self {
            kind,
            message,
            path: None,
            remedy: None,
        }
    }

    /// With what to do about it.
    pub fn remedy_is(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// Damage that was met in a table of the ledger, and is told of that table alone.
    pub fn is_of_a_table(&self) -> bool {
        let table = |path: &PathBuf| path.to_str().is_some_and(|path| path.starts_with("rekal."));
        self.kind == "corrupt" && self.path.as_ref().is_some_and(table)
    }

    /// What was attempted, and why it failed.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it.
    pub fn remedy(&self) -> Option<&str> {
        self.remedy.as_deref()
    }
}

impl From<rekal::Error> for Failure {
    fn from(error: rekal::Error) -> Self {
        Self {
            path: error.path().map(Path::to_path_buf),
            remedy: error.remedy().map(str::to_owned),
            ..Self::new(error.kind(), error.to_string())
        }
    }
}

impl From<Answer> for ExitCode {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Yes => ExitCode::SUCCESS,
            Answer::No => ExitCode::from(1),
        }
    }
}

impl From<bool> for Answer {
    fn from(yes: bool) -> Self {
        if yes { Answer::Yes } else { Answer::No }
    }
}
