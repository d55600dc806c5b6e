use std::fs;
use std::path::Path;

use crate::answer::Failure;

/// Show the whole loop on built-in sessions, in a temporary store
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal demo")]
pub struct Demo {}

/// The built-in sessions, all invented: the name of the transcript and what it holds.
pub const TRANSCRIPTS: [(&str, &str); 7] = [
    (
        "3f6d1c52-8a0e-4b7d-9c41-52e7a1d0b601",
        include_str!("demo/jwt-expiry.jsonl"),
    ),
    (
        "7b0a94e1-2c5f-4f38-8d19-e04c63b7a902",
        include_str!("demo/refresh-rotation.jsonl"),
    ),
    (
        "c81e57d0-61b3-4a92-b7f5-19d3c0e8a403",
        include_str!("demo/rate-limit.jsonl"),
    ),
    (
        "0d94b7f6-f3a8-4c10-9e62-7a5b21c8d404",
        include_str!("demo/pagination.jsonl"),
    ),
    (
        "94ac3be8-07d2-4e6b-a5c9-d8f01723e505",
        include_str!("demo/connection-pool.jsonl"),
    ),
    (
        "e2570c9d-b41f-4d83-86a7-3c9f08d1b606",
        include_str!("demo/csv-export.jsonl"),
    ),
    (
        "5a13e8f4-d96c-4b05-9f27-60b4c7d2e707",
        include_str!("demo/flaky-login.jsonl"),
    ),
];

/// What is asked: once before a session is opened and once after.
pub const QUESTION: &str = "jwt expiry";

/// What no session of the demo speaks of.
pub const FOREIGN_QUESTION: &str = "sourdough hydration ratio";

/// The steps, each a command line and why it is run.
pub const STEPS: [(&str, &str); 6] = [
    (
        "rekal checkpoint",
        "seven sessions of one project are captured and indexed",
    ),
    (
        "rekal \"jwt expiry\"",
        "a first recall: nothing has been reached yet, so there is no hint",
    ),
    (
        "rekal query --session s1",
        "the best answer is opened: that is a drill, and it is credited to the query",
    ),
    (
        "rekal graph drain",
        "the recall and the drill move from the spool into the ledger",
    ),
    (
        "rekal \"jwt expiry\"",
        "the same question again: now each row says how it was reached before",
    ),
    (
        "rekal \"sourdough hydration ratio\"",
        "a question that no session answers: silence, and exit code 1",
    ),
];

/// Writes the transcripts below `claude_dir`, as Claude Code would have left them.
pub fn lay_out(claude_dir: &Path) -> Result<(), Failure> {
    let project = claude_dir.join("projects/-home-dev-orchard");
    fs::create_dir_all(&project).map_err(|error| Failure::io("create", &project, &error))?;
    for (name, text) in TRANSCRIPTS {
        let path = project.join(name).with_extension("jsonl");
        fs::write(&path, text).map_err(|error| Failure::io("write to", &path, &error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn every_transcript_is_of_one_session_and_one_project() {
        let folder = tempfile::tempdir().expect("a folder");
        lay_out(folder.path()).expect("laid out");
        for (name, _) in TRANSCRIPTS {
            let path = folder.path().join(format!("projects/-home-dev-orchard/{name}.jsonl"));
            let text = fs::read_to_string(path).expect("written");
            let lines: Vec<Value> = text
                .lines()
                .map(|line| serde_json::from_str(line).expect("JSON"))
                .collect();
            assert!((5..=12).contains(&lines.len()), "{name}: {} lines", lines.len());
            for line in lines {
                assert_eq!(line["sessionId"], name);
                assert_eq!(line["cwd"], "/home/dev/orchard");
                let time = line["timestamp"].as_str().and_then(rekal::time::parse_rfc3339);
                assert!(time.is_some(), "{line}");
            }
        }
    }

    #[test]
    fn some_sessions_answer_the_question_and_none_the_foreign_one() {
        let with = |what: &str| {
            let has = |text: &str| text.to_lowercase().contains(what);
            TRANSCRIPTS.iter().filter(|(_, text)| has(text)).count()
        };
        assert_eq!(with(QUESTION), 3);
        assert_eq!(with("sourdough"), 0);
        assert_eq!(with("hydration"), 0);
    }
}
