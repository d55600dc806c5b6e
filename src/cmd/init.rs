use std::path::PathBuf;

use rekal::capture::{self, Report};
use serde::Serialize;

use super::checkpoint;
use crate::answer::{Answer, Failure, Outcome};
use crate::call::Call;
use crate::out;
use crate::place::Place;
use crate::setup::{Found, Piece, Program, Site, put_in};

/// Set this repository up for its agents, and run the first checkpoint
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal init --agent-hooks (rekal clean takes everything out again)")]
pub struct Init {
    /// Also a checkpoint when a session of Claude Code ends or is compacted
    #[arg(long)]
    pub agent_hooks: bool,
}

/// How many characters of a path are shown.
const SHOWN: usize = 500;

/// What setting up did, for programs.
#[derive(Serialize)]
struct Done {
    changed: Vec<PathBuf>,
    pieces: Vec<Found>,
    /// Sessions that the store holds, of all that were found. Absent: nothing was captured.
    #[serde(flatten)]
    captured: Option<Captured>,
}

#[derive(Serialize)]
struct Captured {
    captured: u64,
    sessions: u64,
}

impl Init {
    /// A second run changes nothing, and says so.
    pub fn run(self, call: &Call) -> Outcome {
        let site = Site::around(call.env.current_dir.as_deref(), "set up")?;
        let place = call.place()?;
        let program = Program {
            path: call.env.program.clone(),
            store: call.named_store(),
        };
        let done = put_in(&site, &place, self.wanted(), &program)?;
        for kept in &done.kept {
            let path = out::one_line(&site.short(&kept.path), SHOWN);
            out::say(match kept.obstacle {
                Some(why) => format!("{path} is left out: {why}; init goes on without it"),
                None => format!("{path} was changed by hand and stays as it is; without it, init writes it anew"),
            });
        }
        for (piece, path) in done.changed.iter().filter(|_| !call.json) {
            let path = out::one_line(&site.short(path), SHOWN);
            out::print(&format!("wrote {path}: {}\n", purpose(*piece)))?;
        }
        let is_due = !done.changed.is_empty() || !capture::index_of(&place.dir).exists();
        let captured = if is_due { captured(call, &place)? } else { None };
        if call.json {
            let changed = done.changed.into_iter().map(|(_, path)| path).collect();
            let pieces = Found::all(&site)?;
            out::print_json(&Done {
                changed,
                pieces,
                captured,
            })?;
        } else {
            out::print(&summary(is_due, captured.as_ref()))?;
        }
        Ok(Answer::Yes)
    }

    fn wanted(&self) -> &'static [Piece] {
        const ALL: [Piece; 4] = [Piece::Hook, Piece::Skill, Piece::Instruction, Piece::AgentHooks];
        if self.agent_hooks { &ALL } else { &ALL[..3] }
    }
}

/// The first checkpoint. `None`: it is switched off.
fn captured(call: &Call, place: &Place) -> Result<Option<Captured>, Failure> {
    if call.env.capture_is_off() {
        out::say("capture is switched off by the environment (REKAL_BENCH, REKAL_SKIP_CHECKPOINT)");
        return Ok(None);
    }
    let Report { captured, .. } = checkpoint::first(call, place)?;
    Ok(Some(Captured {
        captured: captured.held,
        sessions: captured.held + captured.elsewhere,
    }))
}

fn purpose(piece: Piece) -> &'static str {
    match piece {
        Piece::Hook => "a checkpoint after each commit, in the background",
        Piece::Skill => "tells agents when and how to ask",
        Piece::Instruction => "one line, so that agents know of it",
        Piece::AgentHooks => "a checkpoint when a session ends or is compacted",
    }
}

fn summary(is_due: bool, captured: Option<&Captured>) -> String {
    match captured {
        None if is_due => String::new(),
        None => "nothing to change: this repository is set up\n".to_owned(),
        Some(Captured { captured, sessions }) => {
            let others = if captured < sessions { "; the others: --all" } else { "" };
            format!(
                "captured {captured} of {}{others}\n",
                out::counted(*sessions, "session")
            )
        }
    }
}
