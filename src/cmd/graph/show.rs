use std::fmt::Write;

use rekal::edge::SessionId;
use rekal::graph::{self, Portrait};
use serde::Serialize;

use super::edges;
use crate::answer::{Answer, Outcome};
use crate::call::Call;
use crate::columns::columns;
use crate::out;

/// Show which queries reached a session, what they led to, and its latest edges
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal graph show 3f6d1c52-8a0e-4b7d-9c41-52e7a1d0b601")]
pub struct Show {
    /// The session: its id
    pub session: String,
    /// At most so many edges; without --json also at most so many queries
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
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
        match graph::show(&ledger, &session, self.limit)? {
            Some(portrait) => {
                match call.json {
                    true => out::print_json(&portrait)?,
                    false => out::print(&text(portrait, self.limit))?,
                }
                Ok(Answer::Yes)
            }
            None => {
                match call.json {
                    true => out::print_json(&unreached(session))?,
                    false => edges::say_none(ledger.store(), "this session was never reached")?,
                }
                Ok(Answer::No)
            }
        }
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

fn text(portrait: Portrait, limit: usize) -> String {
    let Portrait {
        standing,
        tallies,
        edges,
    } = portrait;
    let mut text = format!(
        "session {}\nreached {}: surfaced {}, drilled {}; last {}\n",
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
    text.push_str(&edges::table(edges));
    text
}
