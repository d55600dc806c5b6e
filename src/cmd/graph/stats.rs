use std::collections::BTreeMap;
use std::fmt::Write;

use rekal::graph;
use rekal::spool::waiting::{Waiting, waiting};
use serde::Serialize;

use crate::answer::{Answer, Outcome};
use crate::call::Call;
use crate::columns::columns;
use crate::footprint::sizes;
use crate::handles::Handles;
use crate::when::When;
use crate::{out, when};

/// Show the record in figures, and how much was opened of what recall surfaced
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal graph stats --since 30d")]
pub struct Stats {
    /// Only events of then or later: 12h, 30d, 8w, 2026-11-02
    #[arg(long, value_name = "WHEN")]
    pub since: Option<When>,
}

#[derive(Serialize)]
struct Printed {
    #[serde(flatten)]
    stats: graph::Stats,
    waiting: Waiting,
    /// The store's files and what they take, in bytes.
    sizes: BTreeMap<String, u64>,
}

impl Stats {
    /// Figures are an answer, whatever they are.
    pub fn run(self, call: &Call) -> Outcome {
        let since = call.since(self.since)?;
        let ledger = call.ledger()?;
        let printed = Printed {
            stats: graph::stats(&ledger, since)?,
            waiting: waiting(ledger.store(), when::now())?,
            sizes: sizes(ledger.store())?,
        };
        match call.json {
            true => out::print_json(&printed)?,
            false => out::print(&text(&printed, &Handles::of(ledger.store())))?,
        }
        Ok(Answer::Yes)
    }
}

fn text(printed: &Printed, handles: &Handles) -> String {
    let mut text = columns(["figure", "value"], figures(printed));
    for session in &printed.stats.never_opened {
        let id = out::one_line(&handles.name(&session.session_id), usize::MAX);
        _ = writeln!(text, "surfaced {} times, never opened: {id}", session.surfaced);
    }
    text
}

fn figures(printed: &Printed) -> Vec<[String; 2]> {
    let Printed { stats, waiting, sizes } = printed;
    let row = |name: &str, value: &dyn std::fmt::Display| [name.to_owned(), value.to_string()];
    let mut rows = vec![
        row("edges", &stats.edges),
        row("sessions reached", &stats.targets),
        row("different queries", &stats.queries),
        row("recalls", &stats.recalls),
        row("  that led to a drill", &stats.recalls_opened),
        row("  in percent", &percent(stats)),
        row("drills", &stats.drills),
        row("  that no recall led to", &stats.openings_without_recall),
    ];
    for (rank, drills) in &stats.openings_by_rank {
        rows.push(row(&format!("  of rank {rank}"), drills));
    }
    if stats.openings_of_unknown_rank > 0 {
        rows.push(row("  of unknown rank", &stats.openings_of_unknown_rank));
    }
    if let Some(median) = stats.median_opened_rank {
        rows.push(row("median rank of a drill", &median));
    }
    for (reason, lines) in &stats.bad_lines {
        rows.push(row(&format!("bad lines drained: {reason}"), lines));
    }
    rows.push(row("lines waiting", &waiting.lines));
    rows.push(row("  in bytes", &waiting.bytes));
    rows.push(row("  in leftover claims", &waiting.claims));
    for (reason, lines) in &waiting.bad_lines {
        rows.push(row(&format!("  bad: {reason}"), lines));
    }
    for (name, bytes) in sizes {
        rows.push(row(&format!("bytes in {name}"), bytes));
    }
    rows
}

fn percent(stats: &graph::Stats) -> String {
    match stats.opened_share {
        Some(share) => format!("{:.0}", share * 100.0),
        None => "-".to_owned(),
    }
}
