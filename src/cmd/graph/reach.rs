use std::fmt::Write;

use rekal::edge::SessionId;
use rekal::hint::Hint;
use rekal::reach;
use serde::Serialize;

use crate::answer::{Answer, Failure, Outcome};
use crate::call::Call;
use crate::handles::Handles;
use crate::out;

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
        let named = self.sessions.iter().map(|argument| call.session(argument));
        let sessions = named.collect::<Result<Vec<SessionId>, Failure>>()?;
        let graph = call.graph()?;
        let (reaches, handles) = (graph.reach(&sessions), Handles::of(graph.store()));
        let found = || sessions.iter().zip(&reaches);
        if call.json {
            let sessions = found().map(|(id, reach)| row(id, reach.as_ref(), &handles)).collect();
            out::print_json(&Printed { sessions })?;
        } else {
            let mut text = String::new();
            for (id, reach) in found() {
                let id = out::one_line(id.as_str(), usize::MAX);
                _ = match reach {
                    Some(reach) => writeln!(text, "{id} {}", Hint(reach)),
                    None => writeln!(text, "{id} never reached"),
                };
            }
            out::print(&text)?;
        }
        Ok(Answer::from(reaches.iter().any(Option::is_some)))
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
