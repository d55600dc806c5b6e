mod stage;

use std::fs;
use std::path::Path;

use stage::Stage;

use crate::answer::{Answer, Failure, Outcome};
use crate::call::Call;

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

/// What is asked, before a session is opened and after.
pub const QUESTION: &str = "jwt expiry";

/// What no session of the demo speaks of.
pub const FOREIGN_QUESTION: &str = "sourdough hydration ratio";

impl Demo {
    /// Plays the loop in a folder of its own, which is gone afterwards, whatever happens.
    pub fn run(self, call: &Call) -> Outcome {
        if call.json {
            return Err(
                Failure::usage("demo: it shows what a person sees and has no JSON").remedy_is("run it without --json")
            );
        }
        let folder = tempfile::tempdir().map_err(|error| Failure::io("create", Path::new("a folder"), &error))?;
        let stage = Stage::new(folder.path())?;
        lay_out(&stage.claude_dir())?;
        play(&stage)?;
        Ok(Answer::Yes)
    }
}

fn play(stage: &Stage) -> Result<(), Failure> {
    let ask = ["recall", QUESTION];
    stage.say("Seven sessions of an invented project are captured and published")?;
    stage.play("", &["checkpoint"])?;
    stage.say("A first question: nothing has been reached yet, so no row has a hint")?;
    stage.play("asker-1", &ask)?;
    let best = stage.best(QUESTION)?;
    let open = ["query", "--session", best.as_str(), "-n", "2"];
    stage.say("The best answer is opened: a drill, credited to the question that led to it")?;
    stage.play("asker-1", &open)?;
    stage.say("Eight more sessions ask the same, one of them opens the answer too (not shown)")?;
    for asker in 2..=9 {
        stage.play_unseen(&format!("asker-{asker}"), &ask)?;
    }
    stage.play_unseen("asker-9", &open)?;
    stage.say("All of that waits in the spool; a checkpoint or a drain takes it into the ledger")?;
    stage.play("", &["graph", "drain"])?;
    stage.say("The same question again: each row says how often it was surfaced and opened, and why")?;
    stage.play("asker-10", &ask)?;
    stage.say("A question that no session answers: silence, which is an answer too")?;
    stage.play("asker-10", &["recall", FOREIGN_QUESTION])
}

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
