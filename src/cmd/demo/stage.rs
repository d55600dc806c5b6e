//! Where the demo is played: a folder with a store and transcripts of its own, and the program itself
//! as a child process, so that every step is what a user would see.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::answer::Failure;
use crate::env;
use crate::out;

/// A folder in which the program is played.
pub struct Stage {
    program: PathBuf,
    folder: PathBuf,
}

impl Stage {
    /// A stage in this folder.
    pub fn new(folder: &Path) -> Result<Self, Failure> {
        let program = env::program().map_err(|error| Failure::io("find", Path::new("the program itself"), &error))?;
        let folder = folder.to_path_buf();
        Ok(Self { program, folder })
    }

    /// Where the transcripts of the stage lie.
    pub fn claude_dir(&self) -> PathBuf {
        self.folder.join("claude")
    }

    /// Says what comes next.
    pub fn say(&self, text: &str) -> Result<(), Failure> {
        out::print(&format!("\n# {text}\n"))
    }

    /// Shows a command line and what it prints, on stdout and on stderr.
    pub fn play(&self, session: &str, words: &[&str]) -> Result<(), Failure> {
        let shown: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
        out::print(&format!("$ rekal {}\n", shown.join(" ")))?;
        let output = self.run(session, words, "")?;
        out::print(&String::from_utf8_lossy(&output.stdout))?;
        out::print(&String::from_utf8_lossy(&output.stderr))?;
        match output.status.code() {
            Some(0) => Ok(()),
            Some(1) => out::print("(exit code 1)\n"),
            _ => Err(failed(words)),
        }
    }

    /// Runs a command line without showing anything.
    pub fn play_unseen(&self, session: &str, words: &[&str]) -> Result<(), Failure> {
        let output = self.run(session, words, "")?;
        output.status.success().then_some(()).ok_or_else(|| failed(words))
    }

    /// The handle of the best answer, asked for without leaving a trace.
    pub fn best(&self, question: &str) -> Result<String, Failure> {
        let words = ["recall", "--json", question];
        let output = self.run("", &words, "1")?;
        let answer: Value = serde_json::from_slice(&output.stdout).map_err(|_| failed(&words))?;
        let handle = answer["results"][0]["sid"].as_str();
        handle.map(str::to_owned).ok_or_else(|| failed(&words))
    }

    fn run(&self, session: &str, words: &[&str], bench: &str) -> Result<Output, Failure> {
        let below = |name: &str| self.folder.join(name);
        let mut command = Command::new(&self.program);
        // Nothing of the user's home, configuration or session reaches the stage.
        command
            .env_clear()
            .env("HOME", &self.folder)
            .env("CLAUDE_CONFIG_DIR", self.claude_dir())
            .env("REKAL_STORE", below("store"))
            .env("REKAL_SESSION", session)
            .env("REKAL_BENCH", bench)
            .env("PATH", std::env::var_os("PATH").as_deref().unwrap_or(OsStr::new("")))
            .current_dir(&self.folder)
            .args(words)
            .stdin(Stdio::null());
        command
            .output()
            .map_err(|error| Failure::io("run", &self.program, &error))
    }
}

fn shell_word(word: &str) -> String {
    match word.contains(' ') {
        true => format!("\"{word}\""),
        false => word.to_owned(),
    }
}

fn failed(words: &[&str]) -> Failure {
    Failure::usage(format!("demo: a step failed: rekal {}", words.join(" ")))
}
