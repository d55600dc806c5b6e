use std::fmt::Write;

use rekal::graph::Verified;

use rekal::graph;

use crate::answer::{Answer, Outcome};
use crate::call::Call;
use crate::out;

/// Compare what is derived with a fold over all edges; exit 1 on a difference
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal graph verify")]
pub struct Verify {}

impl Verify {
    pub fn run(self, call: &Call) -> Outcome {
        let verified = graph::verify(&call.ledger()?)?;
        match call.json {
            true => out::print_json(&verified)?,
            false => out::print(&text(&verified))?,
        }
        if !verified.is_right() {
            out::say("rekal graph rebuild makes it right");
        }
        Ok(Answer::from(verified.is_right()))
    }
}

fn text(verified: &Verified) -> String {
    let right = verified.targets.saturating_sub(verified.differing.len() as u64);
    let agree = match verified.targets {
        1 => "agrees with its edges",
        _ => "agree with their edges",
    };
    let mut text = format!("{right} of {} {agree}\n", out::counted(verified.targets, "session"));
    for session in &verified.differing {
        let id = out::one_line(session.as_str(), usize::MAX);
        _ = writeln!(text, "differs: {id}");
    }
    text.push_str(match verified.published {
        true => "what is published agrees with the ledger\n",
        false => "what is published differs from the ledger\n",
    });
    text
}
