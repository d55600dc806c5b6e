use serde::Serialize;

use rekal::graph;

use crate::answer::{Answer, Outcome};
use crate::call::Call;
use crate::out;

/// Fold all edges again, and publish the result
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal graph rebuild")]
pub struct Rebuild {}

impl Rebuild {
    pub fn run(self, call: &Call) -> Outcome {
        #[derive(Serialize)]
        struct Rebuilt {
            targets: u64,
        }
        let targets = graph::rebuild(&call.ledger()?)?;
        match call.json {
            true => out::print_json(&Rebuilt { targets })?,
            false => out::print(&format!("folded {}\n", out::counted(targets, "session")))?,
        }
        Ok(Answer::Yes)
    }
}
