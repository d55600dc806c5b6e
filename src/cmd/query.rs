use std::collections::BTreeMap;

use clap::ArgGroup;
use clap::builder::TypedValueParser;
use rekal::capture::index_of;
use rekal::index::Index;
use rekal::recall::drill::{self, Page, Reading};
use rekal::session::Role;

use super::recall::one_of;
use crate::answer::{Failure, Outcome};
use crate::call::Call;
use crate::out;
use crate::place::Place;
use crate::reply::{self, Reply};

/// How many characters of a name that is nobody's are shown.
const SHOWN: usize = 60;

/// Open a session: its turns
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal query s5 --turn 12 -n 5")]
#[command(group = ArgGroup::new("which").required(true))]
pub struct Query {
    /// The session, as for --session
    #[arg(value_name = "SESSION", group = "which")]
    pub name: Option<String>,
    /// The session: its handle (s5), its id, or the beginning of the id that no other has
    #[arg(short, long, group = "which")]
    pub session: Option<String>,
    /// Start at this turn
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub turn: Option<u32>,
    /// Read on behind this turn
    #[arg(long, value_name = "N", conflicts_with = "turn")]
    pub after: Option<u32>,
    /// At most so many turns
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Only what was said in this role
    #[arg(short, long, value_parser = role())]
    pub role: Option<Role>,
    /// Tool calls and files too
    #[arg(short = 'F', long)]
    pub full: bool,
}

impl Query {
    /// Prints the turns.
    pub fn run(self, call: &Call) -> Outcome {
        reply::print(&self.reply(call)?, call)
    }

    /// Reads the turns, without recording the opening.
    pub fn reply(self, call: &Call) -> Result<Opened, Failure> {
        let place = call.place()?;
        if !place.dir.is_dir() {
            return Err(Failure::no_store(&place.dir));
        }
        let index = Index::open(&index_of(&place.dir))?;
        let index = index.ok_or_else(|| Failure::no_index(&place.dir))?;
        let reading = Reading {
            from: self.turn,
            after: self.after,
            limit: self.limit,
            role: self.role,
            full: self.full,
        };
        let page = match index.find(self.session())? {
            Some(number) => drill::read(&index, number, &reading)?,
            None => None,
        };
        Ok(Opened {
            name: out::one_line(self.session(), SHOWN),
            page,
            place,
            is_drill: self.is_drill(),
        })
    }

    /// The one that was given.
    fn session(&self) -> &str {
        self.name.as_deref().or(self.session.as_deref()).unwrap_or_default()
    }

    /// Whether this opens the session. Reading on is not another opening.
    pub fn is_drill(&self) -> bool {
        self.after.is_none()
    }
}

/// What opening a session comes to.
pub struct Opened {
    name: String,
    /// `None`: there is no session of this name.
    page: Option<Page>,
    place: Place,
    is_drill: bool,
}

impl Reply for Opened {
    fn is_yes(&self) -> bool {
        self.page.as_ref().is_some_and(|page| !page.turns.is_empty())
    }

    fn text(&self) -> String {
        self.page.as_ref().map(drill::text).unwrap_or_default()
    }

    fn json(&self) -> Result<String, Failure> {
        match &self.page {
            Some(page) => Ok(drill::json(page)),
            None => out::json(&BTreeMap::from([("found", false)])),
        }
    }

    fn advice(&self) -> Option<String> {
        let is_known = self.page.is_some();
        (!is_known).then(|| format!("there is no session {}", self.name))
    }

    fn is_mistaken(&self) -> bool {
        self.page.is_none()
    }

    fn record(&self, call: &Call) {
        // A page without a turn opens nothing.
        if let Some(page) = self.page.as_ref().filter(|_| self.is_drill && self.is_yes()) {
            call.record(&self.place, |recorder, at, source| {
                recorder.drilled(at, source, &page.record.session.id);
            });
        }
    }
}

/// A parser of the names of roles.
pub fn role() -> impl TypedValueParser<Value = Role> {
    const ALL: [Role; 4] = [Role::Human, Role::Steering, Role::Assistant, Role::Summary];
    one_of(&ALL, Role::as_str)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser, Debug)]
    struct Line {
        #[command(flatten)]
        query: Query,
    }

    fn read(line: &str) -> Result<Query, clap::error::ErrorKind> {
        Line::try_parse_from(["query"].into_iter().chain(line.split(' ')))
            .map(|line| line.query)
            .map_err(|error| error.kind())
    }

    #[test]
    fn every_option_is_read() {
        let query = read("-s s5 --turn 12 -n 3 -r steering -F").expect("read");
        assert_eq!(query.session(), "s5");
        assert_eq!(read("s5 -n 3").expect("read").session(), "s5");
        assert_eq!((query.turn, query.limit, query.full), (Some(12), Some(3), true));
        assert_eq!(query.role, Some(Role::Steering));
        assert!(query.is_drill());
    }

    #[test]
    fn reading_on_is_no_drill() {
        let query = read("-s s5 --after 16").expect("read");
        assert_eq!(query.after, Some(16));
        assert!(!query.is_drill());
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for line in [
            "--turn 3",
            "s5 -s s6",
            "-s s5 --turn 0",
            "-s s5 --turn 3 --after 4",
            "-s s5 -n -1",
            "-s s5 -r robot",
        ] {
            assert!(read(line).is_err(), "{line}");
        }
    }
}
