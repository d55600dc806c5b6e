use clap::Subcommand;

use super::append::Append;
use super::drain::Drain;
use super::reach::Reach;
use super::rebuild::Rebuild;
use super::verify::Verify;
use crate::answer::Outcome;
use crate::call::Call;

/// Work on the citation graph: what was asked, and what was opened
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal graph drain", arg_required_else_help = true)]
pub struct Graph {
    #[command(subcommand)]
    pub verb: Verb,
}

/// What can be done with the graph.
#[derive(Subcommand, Debug)]
pub enum Verb {
    Reach(Reach),
    Append(Append),
    Drain(Drain),
    Verify(Verify),
    Rebuild(Rebuild),
}

impl Graph {
    pub fn run(self, call: &Call) -> Outcome {
        match self.verb {
            Verb::Reach(verb) => verb.run(call),
            Verb::Append(verb) => verb.run(call),
            Verb::Drain(verb) => verb.run(call),
            Verb::Verify(verb) => verb.run(call),
            Verb::Rebuild(verb) => verb.run(call),
        }
    }
}
