use clap::Subcommand;

use super::append::Append;
use super::drain::Drain;
use super::export::Export;
use super::import::Import;
use super::log::Log;
use super::reach::Reach;
use super::rebuild::Rebuild;
use super::show::Show;
use super::stats::Stats;
use super::top::Top;
use super::verify::Verify;
use super::view::View;
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
    Top(Top),
    Show(Show),
    Log(Log),
    Reach(Reach),
    Append(Append),
    Drain(Drain),
    Verify(Verify),
    Rebuild(Rebuild),
    Export(Export),
    Import(Import),
    Stats(Stats),
    View(View),
}

impl Graph {
    pub fn run(self, call: &Call) -> Outcome {
        match self.verb {
            Verb::Top(verb) => verb.run(call),
            Verb::Show(verb) => verb.run(call),
            Verb::Log(verb) => verb.run(call),
            Verb::Reach(verb) => verb.run(call),
            Verb::Append(verb) => verb.run(call),
            Verb::Drain(verb) => verb.run(call),
            Verb::Verify(verb) => verb.run(call),
            Verb::Rebuild(verb) => verb.run(call),
            Verb::Export(verb) => verb.run(call),
            Verb::Import(verb) => verb.run(call),
            Verb::Stats(verb) => verb.run(call),
            Verb::View(verb) => verb.run(call),
        }
    }
}
