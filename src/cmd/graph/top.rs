use clap::builder::TypedValueParser;
use rekal::graph::{self, By, Standing};
use serde::Serialize;

use super::edges::{self, Named};
use crate::answer::{Answer, Outcome};
use crate::call::Call;
use crate::cmd::recall::one_of;
use crate::columns::columns;
use crate::handles::Handles;
use crate::out;

/// List the most used sessions
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal graph top -n 5 --by reach")]
pub struct Top {
    /// At most so many sessions
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
    /// Most often opened, most often reached, or reached last
    #[arg(long, default_value = "drills", value_parser = by())]
    pub by: By,
}

#[derive(Serialize)]
struct Printed {
    sessions: Vec<Named<Standing>>,
}

impl Top {
    pub fn run(self, call: &Call) -> Outcome {
        let ledger = call.ledger()?;
        let sessions = graph::top(&ledger, self.by, self.limit)?;
        let (found, handles) = (!sessions.is_empty(), Handles::of(ledger.store()));
        if call.json {
            let named = |session| Named::of(session, |session: &Standing| &session.session_id, &handles);
            let sessions = sessions.into_iter().map(named).collect();
            out::print_json(&Printed { sessions })?;
        } else if found {
            out::print(&text(sessions, &handles))?;
        } else {
            edges::say_none(ledger.store(), "no session was reached yet")?;
        }
        Ok(Answer::from(found))
    }
}

fn text(sessions: Vec<Standing>, handles: &Handles) -> String {
    let rows = sessions.into_iter().map(|session| {
        [
            handles.name(&session.session_id),
            session.count.to_string(),
            session.drills.to_string(),
            session.last_at,
            edges::query(session.top_query.as_deref()),
        ]
    });
    columns(["session", "reached", "drilled", "last", "top query"], rows.collect())
}

fn by() -> impl TypedValueParser<Value = By> {
    const ALL: [By; 3] = [By::Drills, By::Reach, By::Recent];
    one_of(&ALL, |by| match by {
        By::Drills => "drills",
        By::Reach => "reach",
        By::Recent => "recent",
    })
}
