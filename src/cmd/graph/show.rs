use std::fmt::Write;

use rekal::edge::SessionId;
use rekal::graph::{self, Portrait, QueryTally, Standing};
use serde::Serialize;

use super::edges::{self, Named, NamedEdge};
use crate::answer::{Answer, Outcome};
use crate::call::Call;
use crate::columns::columns;
use crate::handles::Handles;
use crate::out;

/// Show which queries reached a session, what they led to, and its latest edges
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal graph show s5 -n 50")]
pub struct Show {
    /// The session: its handle (s5), its id, or the beginning of the id
    pub session: String,
    /// At most so many edges; without --json also at most so many queries
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
}

/// A session in full, with the handles.
#[derive(Serialize)]
struct Printed {
    #[serde(flatten)]
    standing: Named<Standing>,
    tallies: Vec<QueryTally>,
    edges: Vec<NamedEdge>,
}

/// A session that nothing reached, with the keys of one that was.
#[derive(Serialize)]
struct Unreached {
    session_id: SessionId,
    count: u32,
    surfaced: u32,
    drills: u32,
    tallies: [u8; 0],
    edges: [u8; 0],
}

impl Show {
    pub fn run(self, call: &Call) -> Outcome {
        let session = call.session(&self.session)?;
        let ledger = call.ledger()?;
        let handles = Handles::of(ledger.store());
        match graph::show(&ledger, &session, self.limit)? {
            Some(portrait) => {
                match call.json {
                    true => out::print_json(&printed(portrait, &handles))?,
                    false => out::print(&text(portrait, self.limit, &handles))?,
                }
                Ok(Answer::Yes)
            }
            None => {
                match call.json {
                    true => out::print_json(&Named::of(unreached(session), |row| &row.session_id, &handles))?,
                    false => edges::say_none(ledger.store(), "this session was never reached")?,
                }
                Ok(Answer::No)
            }
        }
    }
}

fn printed(portrait: Portrait, handles: &Handles) -> Printed {
    Printed {
        standing: Named::of(portrait.standing, |standing| &standing.session_id, handles),
        tallies: portrait.tallies,
        edges: edges::named(portrait.edges, handles),
    }
}

fn unreached(session_id: SessionId) -> Unreached {
    Unreached {
        session_id,
        count: 0,
        surfaced: 0,
        drills: 0,
        tallies: [],
        edges: [],
    }
}

fn text(portrait: Portrait, limit: usize, handles: &Handles) -> String {
    let Portrait {
        standing,
        tallies,
        edges,
    } = portrait;
    let handle = handles.handle(&standing.session_id);
    let mut text = format!(
        "session {}{}\nreached {}: surfaced {}, drilled {}; last {}\n",
        handle.map_or(String::new(), |handle| format!("{handle} ")),
        out::one_line(standing.session_id.as_str(), usize::MAX),
        standing.count,
        standing.surfaced,
        standing.drills,
        standing.last_at
    );
    if !tallies.is_empty() {
        let more = tallies.len().saturating_sub(limit);
        let rows = tallies.into_iter().take(limit).map(|tally| {
            [
                tally.count.to_string(),
                tally.led.to_string(),
                tally.last_at,
                edges::query(Some(&tally.query)),
            ]
        });
        text.push('\n');
        text.push_str(&columns(
            ["surfaced", "led to a drill", "last", "query"],
            rows.collect(),
        ));
        if more > 0 {
            _ = writeln!(text, "(+{more} more)");
        }
    }
    text.push('\n');
    text.push_str(&edges::table(edges, handles));
    text
}
