use rekal::graph;
use serde::Serialize;

use super::edges::{self, NamedEdge};
use crate::answer::{Answer, Outcome};
use crate::call::Call;
use crate::handles::Handles;
use crate::out;
use crate::when::When;

/// List the latest edges of all sessions, the latest first
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal graph log -n 50 --since 7d")]
pub struct Log {
    /// At most so many edges
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
    /// Only edges of then or later: 12h, 30d, 8w, 2026-11-02
    #[arg(long, value_name = "WHEN")]
    pub since: Option<When>,
}

#[derive(Serialize)]
struct Printed {
    edges: Vec<NamedEdge>,
}

impl Log {
    pub fn run(self, call: &Call) -> Outcome {
        let since = call.since(self.since)?;
        let ledger = call.ledger()?;
        let edges = graph::log(&ledger, since, self.limit)?;
        let (found, handles) = (!edges.is_empty(), Handles::of(ledger.store()));
        if call.json {
            out::print_json(&Printed {
                edges: edges::named(edges, &handles),
            })?;
        } else if found {
            out::print(&edges::table(edges, &handles))?;
        } else {
            edges::say_none(ledger.store(), "no edge was found")?;
        }
        Ok(Answer::from(found))
    }
}
