//! The verbs: one file each in `cmd`, named here and nowhere else.

use clap::Subcommand;

use crate::answer::Outcome;
use crate::call::Call;
use crate::cmd::bench::Bench;
use crate::cmd::checkpoint::Checkpoint;
use crate::cmd::clean::Clean;
use crate::cmd::completions::Completions;
use crate::cmd::config::Config;
use crate::cmd::demo::Demo;
use crate::cmd::doctor::Doctor;
use crate::cmd::find::Find;
use crate::cmd::forget::Forget;
use crate::cmd::graph::verb::Graph;
use crate::cmd::index::Index;
use crate::cmd::init::Init;
use crate::cmd::log::Log;
use crate::cmd::man::Man;
use crate::cmd::mcp::Mcp;
use crate::cmd::query::Query;
use crate::cmd::recall::Recall;
use crate::cmd::version::Version;

/// What the program can do. The hidden verbs stand in one line of its help, which is to fit a screen.
#[derive(Subcommand, Debug)]
pub enum Verb {
    Init(Init),
    Recall(Recall),
    Query(Query),
    Find(Find),
    Checkpoint(Checkpoint),
    Index(Index),
    Log(Log),
    Forget(Forget),
    Graph(Graph),
    Mcp(Mcp),
    Bench(Bench),
    Demo(Demo),
    #[command(hide = true)]
    Clean(Clean),
    Doctor(Doctor),
    #[command(hide = true)]
    Config(Config),
    #[command(hide = true)]
    Completions(Completions),
    #[command(hide = true)]
    Man(Man),
    #[command(hide = true)]
    Version(Version),
}

impl Verb {
    /// Does it.
    pub fn run(self, call: &Call) -> Outcome {
        match self {
            Verb::Init(verb) => verb.run(call),
            Verb::Recall(verb) => verb.run(call),
            Verb::Query(verb) => verb.run(call),
            Verb::Find(verb) => verb.run(call),
            Verb::Checkpoint(verb) => verb.run(call),
            Verb::Index(verb) => verb.run(call),
            Verb::Log(verb) => verb.run(call),
            Verb::Forget(verb) => verb.run(call),
            Verb::Graph(verb) => verb.run(call),
            Verb::Mcp(verb) => verb.run(call),
            Verb::Bench(verb) => verb.run(call),
            Verb::Demo(verb) => verb.run(call),
            Verb::Doctor(verb) => verb.run(call),
            Verb::Config(verb) => verb.run(call),
            Verb::Completions(verb) => verb.run(call),
            Verb::Man(verb) => verb.run(call),
            Verb::Clean(verb) => verb.run(call),
            Verb::Version(verb) => verb.run(call),
        }
    }
}
