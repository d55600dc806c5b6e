//! The tools. Each is a verb under another name: it takes the same options, refuses the same, and
//! answers the same.

use clap::{Arg, ArgMatches, Args, Command};
use rmcp::model::JsonObject;

use super::schema;
use crate::answer::Failure;
use crate::call::Call;
use crate::cmd::graph::reach::Reach;
use crate::cmd::query::Query;
use crate::cmd::recall::Recall;
use crate::reply::Reply;

/// What a verb answers, whichever it is.
type Replied = Result<Box<dyn Reply>, Failure>;

/// A verb that an agent can call.
pub struct Tool {
    /// What it is called.
    pub name: &'static str,
    /// What it is called in a list for people.
    pub title: &'static str,
    /// When to call it, and how to read what it returns.
    pub description: &'static str,
    /// Arguments that cannot be left out.
    pub required: &'static [&'static str],
    /// Arguments that are lists of texts.
    pub lists: &'static [&'static str],
    /// Options of the verb that the tool does not have.
    left_out: &'static [&'static str],
    options: fn(Command) -> Command,
    answer: fn(&ArgMatches, &Call) -> Replied,
}

/// All of them.
pub const TOOLS: [Tool; 3] = [
    Tool {
        name: "recall",
        title: "Recall earlier sessions",
        description: "\
Search what earlier coding-agent sessions in this project said and did. Call it before you work something out \
anew: at the start of a task; on an error message; before changing code whose reason you do not know; on \
\"again\", \"last time\", \"as before\"; before deciding what may have been decided already.
Ask in a few telling words: names of files and functions, error texts, the subject. The answer is one of two.
INJECT: a row a session, best first, with how far it can be trusted (conf, 0 to 1), its best turn (t12), how often it \
was found and opened before ([reached 9× drilled 2×· \"query that led to it\"]) and a snippet. A snippet is no \
answer: call open_session with the session and the turn.
SILENCE: nothing earlier can be stood behind. That is an answer, not an error: go on without, or ask once more in \
other words.
Filters without a query list the newest sessions.",
        required: &[],
        lists: &[],
        left_out: &["explain"],
        options: Recall::augment_args,
        answer: |matches, call| Ok(Box::new(asked::<Recall>(matches)?.reply(call)?)),
    },
    Tool {
        name: "open_session",
        title: "Open an earlier session",
        description: "\
Read the turns of a session that recall found. Call it for every row that looks right: opening is what counts, it \
lifts the session for later questions and tells the next agent that it was of use; a session that was only found \
gains nothing. Give the handle (s5) and, as turn, the turn of the row (t12) to begin there. A last line \
`(more: … --after 16)` means: call again with after 16 instead of turn; that reads on and is not another opening.",
        required: &["session"],
        lists: &[],
        left_out: &["name"],
        options: Query::augment_args,
        answer: |matches, call| Ok(Box::new(asked::<Query>(matches)?.reply(call)?)),
    },
    Tool {
        name: "reach",
        title: "How sessions were used",
        description: "\
How often each of these sessions was found and opened before, and which question led to it most. Call it to choose \
between sessions that look alike. It searches nothing and counts as no use.",
        required: &["sessions"],
        lists: &["sessions"],
        left_out: &[],
        options: Reach::augment_args,
        answer: |matches, call| Ok(Box::new(asked::<Reach>(matches)?.reply(call)?)),
    },
];

impl Tool {
    /// Does what the verb does, and returns what it would print.
    pub fn answer(&self, arguments: &JsonObject, call: &Call) -> Replied {
        let words = schema::words(self, arguments)?;
        let matches = self.command().try_get_matches_from(words);
        (self.answer)(&matches.map_err(|error| Failure::misunderstood(&error))?, call)
    }

    /// The verb's options.
    pub fn command(&self) -> Command {
        (self.options)(Command::new(self.name))
    }

    /// Those of them that the tool has.
    pub fn arguments<'a>(&self, command: &'a Command) -> impl Iterator<Item = &'a Arg> {
        let left_out = self.left_out;
        command
            .get_arguments()
            .filter(move |arg| !left_out.contains(&arg.get_id().as_str()))
    }
}

fn asked<V: Args>(matches: &ArgMatches) -> Result<V, Failure> {
    V::from_arg_matches(matches).map_err(|error| Failure::misunderstood(&error))
}
