use std::fmt::Write;

use rekal::edge::SessionId;
use rekal::hint::Hint;
use rekal::reach;
use serde::Serialize;

use crate::answer::{Failure, Outcome};
use crate::call::Call;
use crate::handles::Handles;
use crate::out;
use crate::reply::{self, Reply};

/// Show what is published of these sessions, as recall sees it
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal graph reach s5 s6 --json")]
pub struct Reach {
    /// Sessions: their handles (s5), ids, or the beginnings of ids
    #[arg(required = true, value_name = "SESSION")]
    pub sessions: Vec<String>,
}

#[derive(Serialize)]
struct Printed<'a> {
    sessions: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    session_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    handle: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reached: Option<Reached<'a>>,
}

/// A reach in the form that recall prints it in.
#[derive(Serialize)]
struct Reached<'a> {
    count: u32,
    #[serde(skip_serializing_if = "is_zero")]
    drills: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<&'a str>,
}

impl Reach {
    /// Answers no when none of the sessions was ever reached.
    pub fn run(self, call: &Call) -> Outcome {
        reply::print(&self.reply(call)?, call)
    }

    /// Looks it up.
    pub fn reply(self, call: &Call) -> Result<Known, Failure> {
        let named = self.sessions.iter().map(|argument| call.session(argument));
        let sessions = named.collect::<Result<Vec<SessionId>, Failure>>()?;
        let graph = call.graph()?;
        Ok(Known {
            reaches: graph.reach(&sessions),
            handles: Handles::of(graph.store()),
            sessions,
        })
    }
}

/// What is known of each session.
pub struct Known {
    sessions: Vec<SessionId>,
    reaches: Vec<Option<reach::Reach>>,
    handles: Handles,
}

impl Known {
    fn rows(&self) -> impl Iterator<Item = (&SessionId, Option<&reach::Reach>)> {
        self.sessions.iter().zip(self.reaches.iter().map(Option::as_ref))
    }
}

impl Reply for Known {
    fn is_yes(&self) -> bool {
        self.reaches.iter().any(Option::is_some)
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (id, reach) in self.rows() {
            let id = out::one_line(id.as_str(), usize::MAX);
            _ = match reach {
                Some(reach) => writeln!(text, "{id} {}", Hint(reach)),
                None => writeln!(text, "{id} never reached"),
            };
        }
        text
    }

    fn json(&self) -> Result<String, Failure> {
        let rows = self.rows().map(|(id, reach)| row(id, reach, &self.handles));
        out::json(&Printed {
            sessions: rows.collect(),
        })
    }
}

fn row<'a>(id: &'a SessionId, reach: Option<&'a reach::Reach>, handles: &Handles) -> Row<'a> {
    let reached = reach.map(|reach| Reached {
        count: reach.count,
        drills: reach.drills,
        query: reach.query.as_deref().filter(|query| !query.trim().is_empty()),
    });
    Row {
        session_id: id.as_str(),
        handle: handles.handle(id),
        reached,
    }
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}
