use rekal::capture::rebuild;
use rekal::graph;
use serde::Serialize;

use crate::answer::{Answer, Outcome};
use crate::call::Call;
use crate::out;
use crate::progress::Bar;

/// Rebuild everything that is derived from the ledger
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal index")]
pub struct Index {}

#[derive(Serialize)]
struct Rebuilt {
    sessions: u64,
    targets: u64,
}

impl Index {
    pub fn run(self, call: &Call) -> Outcome {
        let ledger = call.ledger()?;
        let mut bar = Bar::new(!call.json);
        let sessions = rebuild(&ledger, &mut |step| bar.show(step))?;
        bar.clear();
        let targets = graph::rebuild(&ledger)?;
        match call.json {
            true => out::print_json(&Rebuilt { sessions, targets })?,
            false => out::print(&format!(
                "published {} and the reach of {targets}\n",
                out::counted(sessions, "session")
            ))?,
        }
        Ok(Answer::Yes)
    }
}
