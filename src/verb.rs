//! The verbs: one file each in `cmd`, named here and nowhere else.

use clap::Subcommand;

use crate::answer::Outcome;
use crate::call::Call;
use crate::cmd::graph::verb::Graph;
use crate::cmd::version::Version;

/// What the program can do.
#[derive(Subcommand, Debug)]
pub enum Verb {
    Graph(Graph),
    Version(Version),
}

impl Verb {
    /// Does it.
    pub fn run(self, call: &Call) -> Outcome {
        match self {
            Verb::Graph(verb) => verb.run(call),
            Verb::Version(verb) => verb.run(call),
        }
    }
}
