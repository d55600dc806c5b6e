use super::edges;
use crate::answer::{Answer, Outcome};
use crate::call::Call;
use crate::out;

/// Print every event as one JSON object a line, oldest first
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal graph export > edges.ndjson")]
pub struct Export {}

impl Export {
    /// Prints the same lines with `--json` and without it.
    pub fn run(self, call: &Call) -> Outcome {
        let graph = call.graph()?;
        let events = out::stream(|stdout| graph.export(stdout))?;
        // Whoever stopped reading had found enough.
        let found = events != Some(0);
        if !found {
            edges::say_none(graph.store(), "there is no event to export")?;
        }
        Ok(Answer::from(found))
    }
}
