use rekal::graph::Drained;

use rekal::graph;

use crate::answer::{Answer, Outcome};
use crate::call::Call;
use crate::{out, when};

/// Move the spooled events into the ledger, and publish what they add up to
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal graph drain")]
pub struct Drain {}

/// How many characters of a bad line are shown.
const SHOWN: usize = 60;

impl Drain {
    /// Prints the same object with `--json` and without it.
    pub fn run(self, call: &Call) -> Outcome {
        let drained = graph::drain(&call.ledger()?, when::now())?;
        say_bad_lines(&drained);
        if drained.left > 0 {
            let (are, them) = if drained.left == 1 {
                ("is", "it")
            } else {
                ("are", "them")
            };
            let claims = out::counted(drained.left, "claim");
            out::say(format!(
                "{claims} {are} still being written; the next drain takes {them}"
            ));
        }
        out::print_json(&drained)?;
        Ok(Answer::Yes)
    }
}

/// Names the first few lines that are no event.
pub fn say_bad_lines(drained: &Drained) {
    for sample in &drained.samples {
        let text = out::one_line(&sample.text, SHOWN);
        out::say(format!("line {} is no event: {}: {text}", sample.line, sample.reason));
    }
}
