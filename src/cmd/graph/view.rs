mod page;

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rekal::edge::Kind;
use rekal::graph::{self, By, EdgeLine, QueryTally, Standing};
use rekal::ledger::Ledger;
use serde::Serialize;

use super::edges::{self, Named};
use crate::answer::{Answer, Failure, Outcome};
use crate::call::Call;
use crate::handles::Handles;
use crate::out;

/// Make a web page of what reached what: one file, which needs no network
///
/// The page has the graph of queries and sessions, a table, a time line and a filter. It holds the
/// queries as they were asked: a file is readable by its owner alone.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal graph view -o rekal-graph.html")]
pub struct View {
    /// Write the page there, and not to stdout
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// What the page shows.
#[derive(Serialize)]
struct Shown {
    sessions: Vec<Session>,
    days: Vec<Day>,
}

/// A session, with the queries that reached it.
#[derive(Serialize)]
struct Session {
    #[serde(flatten)]
    standing: Named<Standing>,
    queries: Vec<QueryTally>,
}

/// What happened on a day, in UTC.
#[derive(Serialize)]
struct Day {
    day: String,
    surfaced: u32,
    drills: u32,
}

impl View {
    /// A page that says that there is nothing yet is an answer too, but the answer is no.
    pub fn run(self, call: &Call) -> Outcome {
        let ledger = call.ledger()?;
        let shown = shown(&ledger)?;
        let text = match call.json {
            true => out::json(&shown)? + "\n",
            false => page::page(&out::json(&shown)?),
        };
        match self.output.as_deref().filter(|path| *path != Path::new("-")) {
            Some(path) => {
                write(path, &text).map_err(|error| Failure::io("write to", path, &error))?;
                out::say(format!("wrote {}", path.display()));
            }
            None => out::print(&text)?,
        }
        let found = !shown.sessions.is_empty();
        if !found {
            edges::say_none(ledger.store(), "no session was reached yet")?;
        }
        Ok(Answer::from(found))
    }
}

fn shown(ledger: &Ledger) -> Result<Shown, Failure> {
    let handles = Handles::of(ledger.store());
    let mut sessions = Vec::new();
    for standing in graph::top(ledger, By::Reach, usize::MAX)? {
        let portrait = graph::show(ledger, &standing.session_id, 0)?;
        sessions.push(Session {
            standing: Named::of(standing, |standing| &standing.session_id, &handles),
            queries: portrait.map(|portrait| portrait.tallies).unwrap_or_default(),
        });
    }
    let days = days(&graph::log(ledger, 0, usize::MAX)?);
    Ok(Shown { sessions, days })
}

/// The days on which something happened, the first one first.
fn days(edges: &[EdgeLine]) -> Vec<Day> {
    let mut days: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for edge in edges {
        let day = edge.at.split('T').next().unwrap_or_default();
        let (surfaced, drills) = days.entry(day).or_default();
        match edge.kind {
            Kind::Recall => *surfaced += 1,
            Kind::Drill => *drills += 1,
        }
    }
    let day = |(day, (surfaced, drills)): (&str, _)| Day {
        day: day.to_owned(),
        surfaced,
        drills,
    };
    days.into_iter().map(day).collect()
}

/// Writes beside the file and renames, so that nobody sees half of it.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut file = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o600))
        .tempfile_in(folder.unwrap_or(Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    file.persist(path).map(drop).map_err(|error| error.error)
}
