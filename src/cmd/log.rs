use rekal::capture;
use rekal::ledger::CheckpointRow;
use rekal::time::format_rfc3339;
use serde::Serialize;

use crate::answer::{Answer, Outcome};
use crate::call::Call;
use crate::out;

/// List the checkpoints, newest first
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal log -n 5")]
pub struct Log {
    /// At most so many
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
}

#[derive(Serialize)]
struct Checkpoints {
    checkpoints: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    sessions: Vec<String>,
}

/// How many characters of a branch or a commit are shown.
const SHOWN: usize = 60;

impl Log {
    pub fn run(self, call: &Call) -> Outcome {
        let rows = capture::checkpoints(&call.ledger()?, self.limit)?;
        let found = !rows.is_empty();
        let checkpoints: Vec<Line> = rows.into_iter().map(Line::of).collect();
        match call.json {
            true => out::print_json(&Checkpoints { checkpoints })?,
            false => out::print(&checkpoints.iter().map(Line::text).collect::<String>())?,
        }
        if !found {
            out::say("no checkpoint was noted; one is noted in a git repository, when it takes in something new");
        }
        Ok(Answer::from(found))
    }
}

impl Line {
    fn of(row: CheckpointRow) -> Self {
        Self {
            at: format_rfc3339(row.at),
            commit: row.head,
            branch: row.branch,
            author: row.author,
            sessions: row.sessions.iter().map(|number| format!("s{number}")).collect(),
        }
    }

    fn text(&self) -> String {
        let commit = self.commit.as_deref().and_then(|sha| sha.get(..10)).unwrap_or("-");
        let branch = out::one_line(self.branch.as_deref().unwrap_or("-"), SHOWN);
        let sessions = match self.sessions.len() {
            0 => "no session".to_owned(),
            _ => out::one_line(&self.sessions.join(" "), SHOWN),
        };
        format!("{} {commit} {branch}  {sessions}\n", &self.at[..16])
    }
}
