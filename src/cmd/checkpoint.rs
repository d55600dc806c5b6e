use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::path::Path;

use rekal::capture::{self, Asked, Circumstances, Report, Scope, checkpoint};
use rekal::graph::Drained;
use rekal::ledger::Ledger;
use serde::Serialize;

use crate::answer::{Answer, Failure, Outcome};
use crate::call::Call;
use crate::place::{Place, Scope as PlaceScope};
use crate::progress::Bar;
use crate::{git, hold, out, when};

/// Take in what sessions said since the last time, and publish it
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal checkpoint --all")]
pub struct Checkpoint {
    /// The sessions of every folder, not only those of this repository
    #[arg(long)]
    pub all: bool,
    /// Say nothing unless it fails; leave the work to another process that is at it
    #[arg(short, long)]
    pub quiet: bool,
}

/// How many characters of a path or of a reason are shown.
const SHOWN: usize = 500;

/// What a checkpoint did, for programs.
#[derive(Serialize)]
struct Done<'a> {
    transcripts: u64,
    read: u64,
    sessions_new: u64,
    sessions_grown: u64,
    turns: u64,
    tool_calls: u64,
    skipped_lines: u64,
    sidechain_lines: u64,
    elsewhere: u64,
    commits_linked: u64,
    unreadable: &'a [String],
    unseen: &'a [String],
    indexed: u64,
    drained: &'a Drained,
}

impl Checkpoint {
    /// Holds the ledger while it works. When another process holds it, that one does the work.
    pub fn run(self, call: &Call) -> Outcome {
        if call.env.capture_is_off() {
            return self.say_nothing_was_done(call);
        }
        let place = call.place()?;
        place.create()?;
        let ledger = match hold::ledger(&place.dir, self.quiet) {
            Err(error) if error.is_locked() && self.quiet => return Ok(Answer::Yes),
            other => other?,
        };
        let report = self.take(call, &place, &ledger)?;
        if !self.quiet {
            tell(&report);
            tell_of_elsewhere(&report);
        }
        match (call.json, self.quiet) {
            (true, _) => out::print_json(&Done::of(&report))?,
            (false, false) => out::print(&summary(&report, &place.dir))?,
            (false, true) => {}
        }
        Ok(Answer::Yes)
    }

    /// The checkpoint itself, shown on a terminal as it goes on.
    fn take(&self, call: &Call, place: &Place, ledger: &Ledger) -> Result<Report, Failure> {
        let mut bar = Bar::new(!self.quiet);
        let report = checkpoint(ledger, &self.work(call, place), &mut |step| bar.show(step))?;
        bar.clear();
        Ok(report)
    }

    fn say_nothing_was_done(&self, call: &Call) -> Outcome {
        if !self.quiet {
            out::say("capture is switched off by the environment (REKAL_BENCH, REKAL_SKIP_CHECKPOINT)");
        }
        if call.json {
            out::print_json(&BTreeMap::from([("skipped", true)]))?;
        }
        Ok(Answer::Yes)
    }

    fn work<'a>(&self, call: &'a Call, place: &'a Place) -> capture::Checkpoint<'a> {
        let (scope, head) = match &place.scope {
            PlaceScope::Repository(repository) => (Scope::Below(repository.worktrees()), repository.commit()),
            PlaceScope::Everything => (Scope::Everything, None),
        };
        let circumstances = Circumstances {
            at: when::now(),
            head,
            asked: LazyCell::new(Box::new(|| ask(call, place))),
        };
        capture::Checkpoint {
            roots: call.roots(place),
            scope: if self.all { Scope::Everything } else { scope },
            circumstances,
            noted: matches!(place.scope, PlaceScope::Repository(_)),
            history: Box::new(|since| match &place.scope {
                PlaceScope::Repository(repository) => repository.history(since),
                PlaceScope::Everything => Vec::new(),
            }),
        }
    }
}

/// The checkpoint of another verb. It tells what went wrong, and leaves it to the verb to say what was done.
pub fn first(call: &Call, place: &Place) -> Result<Report, Failure> {
    let (all, quiet) = (false, false);
    let ledger = hold::ledger(&place.dir, quiet)?;
    let report = Checkpoint { all, quiet }.take(call, place, &ledger)?;
    tell(&report);
    Ok(report)
}

/// What git says, asked only when there is something to note.
fn ask(call: &Call, place: &Place) -> Asked {
    match &place.scope {
        PlaceScope::Repository(repository) => {
            let git::Head { branch, author } = repository.head();
            Asked { branch, author }
        }
        PlaceScope::Everything => Asked {
            branch: None,
            author: call.env.current_dir.as_deref().and_then(git::author),
        },
    }
}

impl<'a> Done<'a> {
    fn of(report: &'a Report) -> Self {
        let captured = &report.captured;
        Self {
            transcripts: captured.files,
            read: captured.read,
            sessions_new: captured.sessions_new,
            sessions_grown: captured.sessions_grown,
            turns: captured.turns,
            tool_calls: captured.tool_calls,
            skipped_lines: captured.skipped_lines,
            sidechain_lines: captured.sidechain_lines,
            elsewhere: captured.elsewhere,
            commits_linked: report.linked,
            unreadable: &captured.unreadable,
            unseen: &captured.unseen,
            indexed: report.indexed,
            drained: &report.drained,
        }
    }
}

fn summary(report: &Report, store: &Path) -> String {
    let captured = &report.captured;
    format!(
        "captured {} new and {} ({}, {}) from {} of {}\n\
         drained {} ({}), published {} in {}\n",
        captured.sessions_new,
        out::counted(captured.sessions_grown, "grown session"),
        out::counted(captured.turns, "turn"),
        out::counted(captured.tool_calls, "tool call"),
        captured.read,
        out::counted(captured.files, "transcript"),
        out::counted(report.drained.events, "event"),
        out::counted(report.drained.edges_new, "new edge"),
        out::counted(report.indexed, "session"),
        out::one_line(&store.display().to_string(), SHOWN),
    )
}

/// What did not go as it should, and what was left out on purpose.
fn tell(report: &Report) {
    let captured = &report.captured;
    for reason in captured.unseen.iter().chain(&captured.unreadable) {
        out::say(out::one_line(reason, SHOWN));
    }
    let counted = [
        (
            captured.skipped_lines,
            "line of a transcript could not be read and was skipped",
            "lines of transcripts could not be read and were skipped",
        ),
        (
            captured.sidechain_lines,
            "line of a subagent in the transcript of another session was left out",
            "lines of subagents in the transcripts of other sessions were left out",
        ),
        (
            captured.copies,
            "transcript is of a session that another transcript holds and was left aside",
            "transcripts are of sessions that another transcript holds and were left aside",
        ),
    ];
    for (count, one, more) in counted {
        say_counted(count, one, more);
    }
    for (reason, count) in &report.drained.bad_lines {
        let what = match count {
            1 => "line of the spool is no event",
            _ => "lines of the spool are no events",
        };
        out::say(format!("{count} {what}: {reason}"));
    }
}

fn tell_of_elsewhere(report: &Report) {
    say_counted(
        report.captured.elsewhere,
        "session was held in another folder; rekal checkpoint --all takes it too",
        "sessions were held in other folders; rekal checkpoint --all takes them too",
    );
}

fn say_counted(count: u64, one: &str, more: &str) {
    if count > 0 {
        out::say(format!("{count} {}", if count == 1 { one } else { more }));
    }
}
