use rekal::capture::index_of;
use rekal::index::Index;
use rekal::recall::Reason;
use rekal::recall::mention::{self, Mentions, Sought};
use rekal::session::Role;

use super::query::role;
use crate::answer::{Answer, Failure, Outcome};
use crate::call::Call;
use crate::out;

/// List every turn that holds this very text, in any case, oldest first
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal find \"exit code 137\" -r human")]
pub struct Find {
    /// The text; several words are joined
    #[arg(required = true)]
    pub text: Vec<String>,
    /// Only what was said in this role
    #[arg(short, long, value_parser = role())]
    pub role: Option<Role>,
    /// At most so many turns
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
}

impl Find {
    pub fn run(self, call: &Call) -> Outcome {
        let sought = Sought {
            text: self.text.join(" "),
            role: self.role,
            limit: self.limit,
        };
        if sought.text.trim().is_empty() {
            return Err(Failure::usage(
                "find: say what to look for; every turn holds a blank text",
            ));
        }
        let (mentions, silence) = mentions(call, &sought)?;
        match call.json {
            true => out::print(&format!("{}\n", mention::json(&mentions)))?,
            false => out::print(&mention::text(&mentions))?,
        }
        if mentions.total == 0 {
            out::say(silence.map_or(
                "no turn holds this very text; rekal recall looks for the words of it",
                Reason::advice,
            ));
        }
        Ok(Answer::from(mentions.total > 0))
    }
}

/// What was found, and why nothing can be.
fn mentions(call: &Call, sought: &Sought) -> Result<(Mentions, Option<Reason>), Failure> {
    let dir = call.place()?.dir;
    let nothing = Mentions {
        text: sought.text.clone(),
        total: 0,
        shown: Vec::new(),
    };
    if !dir.is_dir() {
        return Ok((nothing, Some(Reason::NoStore)));
    }
    match Index::open(&index_of(&dir))? {
        Some(index) => Ok((mention::mentions(&index, sought)?, None)),
        None => Ok((nothing, Some(Reason::NoIndex))),
    }
}
