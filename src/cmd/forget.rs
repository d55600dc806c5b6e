use std::io::{self, Read};
use std::path::Path;

use clap::ArgGroup;
use rekal::capture;
use rekal::ledger::{self, Forgotten, ForgottenContent};
use rekal::spool::parse_ulid;
use serde::Serialize;

use crate::answer::{Answer, Failure, Outcome};
use crate::call::Call;
use crate::when::When;
use crate::{out, when};

/// Remove something without a trace, so that nothing brings it back
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal forget --text - < secret.txt")]
#[command(override_usage = "rekal forget [OPTIONS] <one of --text --query --session --event --before>")]
#[command(group = ArgGroup::new("what").required(true))]
pub struct Forget {
    /// The text on stdin, which is never printed, wherever it is: queries, turns, commands
    #[arg(long, value_name = "-", group = "what")]
    pub text: Option<String>,
    /// Every recall of this query
    #[arg(long, value_name = "TEXT", group = "what")]
    pub query: Option<String>,
    /// This session: its turns, and every edge to it
    #[arg(long, value_name = "ID", group = "what")]
    pub session: Option<String>,
    /// One event: its id, as graph log shows it
    #[arg(long, value_name = "ID", group = "what")]
    pub event: Option<String>,
    /// Every event before that time: 90d, 2026-11-02
    #[arg(long, value_name = "WHEN", group = "what")]
    pub before: Option<When>,
    /// Only say how much it would be
    #[arg(long)]
    pub dry_run: bool,
}

/// The longest text that is looked for: as long as a query that is read.
const LONGEST: u64 = 64 << 10;

#[derive(Serialize)]
struct Printed {
    dry_run: bool,
    #[serde(flatten)]
    forgotten: Forgotten,
    #[serde(flatten)]
    content: ForgottenContent,
}

impl Forget {
    /// Answers no when nothing matched.
    pub fn run(self, call: &Call) -> Outcome {
        let what = self.what(call)?;
        let (dry_run, mut ledger) = (self.dry_run, call.ledger()?);
        let (forgotten, content) = match dry_run {
            true => capture::forget_dry(&ledger, &what, when::now())?,
            false => capture::forget(&mut ledger, &what, when::now())?,
        };
        let found = forgotten != Forgotten::default() || content != ForgottenContent::default();
        let printed = Printed {
            dry_run,
            forgotten,
            content,
        };
        match (call.json, found) {
            (true, _) => out::print_json(&printed)?,
            (false, true) => out::print(&text(&printed))?,
            (false, false) => out::say("nothing matched"),
        }
        Ok(Answer::from(found))
    }

    /// Exactly one of the options was given.
    fn what(&self, call: &Call) -> Result<ledger::Forget, Failure> {
        if let Some(dash) = &self.text {
            return Ok(ledger::Forget::Text(secret(dash, io::stdin().lock())?));
        }
        if let Some(query) = &self.query {
            return Ok(ledger::Forget::Query(query.clone()));
        }
        if let Some(session) = &self.session {
            return Ok(ledger::Forget::Session(call.session(session)?));
        }
        if let Some(event) = &self.event {
            let id =
                parse_ulid(event).ok_or_else(|| Failure::usage("an event's id has 26 characters, see graph log"))?;
            return Ok(ledger::Forget::Event(id));
        }
        Ok(ledger::Forget::Before(call.since(self.before)?))
    }
}

/// The text on `input`, without the line end behind it.
fn secret(dash: &str, input: impl Read) -> Result<String, Failure> {
    let remedy = "give it on stdin: rekal forget --text -";
    if dash != "-" {
        // It may be the secret: the message does not repeat it.
        let why = "a text on the command line stays in the list of commands";
        return Err(Failure::usage(why).remedy_is(remedy));
    }
    let mut text = String::new();
    input
        .take(LONGEST + 1)
        .read_to_string(&mut text)
        .map_err(|error| Failure::io("read", Path::new("stdin"), &error))?;
    if text.len() as u64 > LONGEST {
        return Err(Failure::usage("the text is longer than any query"));
    }
    let text = text.trim_end_matches(['\n', '\r']);
    if text.trim().is_empty() {
        return Err(Failure::usage("the text is blank, which would be in every query").remedy_is(remedy));
    }
    Ok(text.to_owned())
}

fn text(printed: &Printed) -> String {
    let Printed {
        dry_run,
        forgotten: graph,
        content,
    } = printed;
    let done = if *dry_run { "would forget" } else { "forgot" };
    let captured = match *content == ForgottenContent::default() {
        true => String::new(),
        false => format!(
            "; {}, {}, {}, {}",
            out::counted(content.captured_sessions, "captured session"),
            out::counted(content.turns, "turn"),
            out::counted(content.tool_calls, "tool call"),
            out::counted(content.commits, "commit")
        ),
    };
    format!(
        "{done} {}, {}, {}, {}{captured}\n",
        out::counted(graph.events, "event"),
        out::counted(graph.edges, "edge"),
        out::counted(graph.queries, "query"),
        out::counted(graph.sessions, "session id"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_from_stdin_without_its_line_end() {
        assert_eq!(secret("-", &b"open sesame\r\n"[..]), Ok("open sesame".to_owned()));
        assert_eq!(secret("-", &b" two\nlines \n\n"[..]), Ok(" two\nlines ".to_owned()));
    }

    #[test]
    fn what_would_match_everything_or_stay_on_the_command_line_is_refused() {
        for blank in ["", "\n", " \t\r\n"] {
            assert!(secret("-", blank.as_bytes()).is_err(), "{blank:?}");
        }
        let failure = secret("open sesame", &b""[..]).expect_err("refused");
        assert!(!failure.message().contains("sesame"), "{}", failure.message());
        assert!(secret("-", &b"\xff"[..]).is_err());
        assert!(secret("-", "x".repeat(65_537).as_bytes()).is_err());
    }
}
