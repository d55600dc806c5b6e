//! A store and a home of their own, in which the real program is run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

/// A folder that is gone when this is dropped.
pub struct Stage {
    folder: tempfile::TempDir,
}

/// What a run of the program came to.
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// The object that was printed.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {}{}", self.stdout, self.stderr))
    }

    /// The row of a session in a digest, without its indentation.
    pub fn row(&self, sid: &str) -> &str {
        let row = self
            .stdout
            .lines()
            .map(str::trim)
            .find(|line| line.starts_with(&format!("{sid} ")));
        row.unwrap_or_else(|| panic!("{sid} is not in {}", self.stdout))
    }
}

impl Stage {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { folder }
    }

    /// With three sessions about tokens, captured as s1, s2 and s3, and one about something else.
    pub fn with_sessions() -> Self {
        let stage = Self::new();
        stage.claude(
            "aaaa",
            &[
                ("user", "Where is the jwt expiry set?"),
                ("assistant", "The jwt expiry is set in auth.rs."),
            ],
        );
        stage.claude(
            "bbbb",
            &[
                ("user", "Make the jwt expiry longer, please"),
                ("assistant", "Now it is one hour."),
            ],
        );
        stage.claude(
            "cccc",
            &[
                ("user", "Why does jwt expiry matter on a phone?"),
                ("assistant", "Clocks differ."),
            ],
        );
        stage.claude(
            "dddd",
            &[
                ("user", "Export the table as csv"),
                ("assistant", "Done with a header row."),
            ],
        );
        assert_eq!(stage.run(&["checkpoint"]).code, Some(0));
        stage
    }

    pub fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    pub fn home(&self) -> &Path {
        self.folder.path()
    }

    /// Where the transcript of a Claude Code session lies.
    pub fn transcript(&self, id: &str) -> PathBuf {
        let project = self.folder.path().join(".claude/projects/-home-dev-app");
        fs::create_dir_all(&project).expect("folders");
        project.join(id).with_extension("jsonl")
    }

    /// Writes a transcript of Claude Code: who speaks and what is said.
    pub fn claude(&self, id: &str, said: &[(&str, &str)]) {
        let line = |(at, (who, text)): (usize, &(&str, &str))| claude_line(id, at, who, text);
        let lines: String = said.iter().enumerate().map(line).collect();
        fs::write(self.transcript(id), lines).expect("written");
    }

    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rekal"));
        command
            .args(words)
            .env_clear()
            .env("HOME", self.home())
            .env("REKAL_STORE", self.store())
            .current_dir(self.home())
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, words: &[&str]) -> Run {
        self.run_with(&[], words)
    }

    pub fn run_with(&self, env: &[(&str, &str)], words: &[&str]) -> Run {
        finished(
            self.command(words)
                .envs(env.iter().copied())
                .output()
                .expect("the program runs"),
        )
    }

    /// What is shown on a terminal that is 120 columns wide. `None`: nothing here gives it one.
    pub fn on_terminal(&self, words: &str) -> Option<String> {
        let line = format!("stty columns 120; {} {words}", env!("CARGO_BIN_EXE_rekal"));
        let mut script = Command::new("script");
        for (name, value) in self.command(&[]).get_envs() {
            script.env(name, value.unwrap_or_default());
        }
        script
            .args(["-qec", &line, "/dev/null"])
            .env("TERM", "xterm")
            .stdin(Stdio::null());
        let shown = script.output().ok().filter(|shown| shown.status.code() < Some(2))?;
        Some(String::from_utf8_lossy(&shown.stdout).into_owned())
    }

    /// What waits in the spool: its lines.
    pub fn spooled(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.store().join("recall-log.ndjson")).unwrap_or_default();
        let lines = text.lines().filter(|line| !line.is_empty());
        lines.map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

pub fn finished(output: Output) -> Run {
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Run {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// One line of a transcript of Claude Code, the `at`-th.
pub fn claude_line(id: &str, at: usize, who: &str, text: &str) -> String {
    let line = json!({
        "type": who, "uuid": format!("{id}-{at}"), "sessionId": id, "cwd": "/home/dev/app", "gitBranch": "main",
        "timestamp": format!("2026-11-02T10:{at:02}:00.000Z"), "isSidechain": false,
        "message": {"role": who, "content": text},
    });
    format!("{line}\n")
}
