use std::fs;
use std::path::{Path, PathBuf};

use rekal::capture::index_of;
use rekal::graph;
use rekal::index::Index;
use rekal::recall::bench::{self, Figure, Label, Labels, Quality, Replayed, Setting, quality, settings};
use rekal::snapshot::Snapshot;
use serde::Serialize;

use crate::answer::{Answer, Failure, Outcome};
use crate::call::Call;
use crate::columns::columns;
use crate::{hold, out};

/// Measure how well recall ranks the sessions of this store
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal bench --labels questions.json")]
pub struct Bench {
    /// Questions with their answers, [{"query", "relevant_sessions": [ids]}], instead of the
    /// subjects of commits and the sessions that made them
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    pub labels: Option<PathBuf>,
    /// What was opened after a recall: at which rank would it stand now?
    #[arg(long)]
    pub replay: bool,
}

#[derive(Serialize)]
struct Measured<'a> {
    /// `commits`, or the file.
    source: &'a str,
    #[serde(flatten)]
    labels: &'a Labels,
    rows: &'a [Quality],
}

#[derive(Serialize)]
struct OfRecord<'a> {
    /// Openings of sessions that are not captured here.
    unknown: usize,
    rows: &'a [Replayed],
}

/// The settings that a replay compares.
const REPLAYED: [&str; 4] = ["turn only", "session only", "mix", "mix, graph on"];

impl Bench {
    /// Answers no when there is nothing to measure with.
    pub fn run(self, call: &Call) -> Outcome {
        let place = call.place()?;
        if !place.dir.is_dir() {
            return Err(Failure::no_store(&place.dir));
        }
        let index = Index::open(&index_of(&place.dir))?;
        let index = index.ok_or_else(|| Failure::no_index(&place.dir))?;
        let settings = settings(&call.weights(&place));
        match self.replay {
            true => replay(call, &index, &place.dir, &settings),
            false => self.measure(call, &index, &place.dir, &settings),
        }
    }

    fn measure(&self, call: &Call, index: &Index, store: &Path, settings: &[Setting]) -> Outcome {
        let labels = match &self.labels {
            Some(file) => Labels::new(index, read(file)?)?,
            None => Labels::of_commits(index)?,
        };
        let reached = Snapshot::open(store);
        let mut rows = Vec::new();
        if !labels.usable.is_empty() {
            for setting in settings {
                rows.push(quality(index, &reached, &labels.usable, setting)?);
            }
        }
        let source = self.labels.as_ref().map(|file| file.display().to_string());
        if call.json {
            out::print_json(&Measured {
                source: source.as_deref().unwrap_or("commits"),
                labels: &labels,
                rows: &rows,
            })?;
        } else if !rows.is_empty() {
            out::print(&table(&rows))?;
        }
        self.tell(&labels, rows.is_empty());
        Ok(Answer::from(!rows.is_empty()))
    }

    /// What was left out, and what the figures do not say.
    fn tell(&self, labels: &Labels, is_empty: bool) {
        let counted = [
            (labels.short, "query", "of a single word: left out"),
            (labels.repeated, "query", "that came before: left out"),
            (
                labels.unanswered,
                "query",
                "that no session of this store answers: left out",
            ),
            (
                labels.unknown_sessions,
                "session",
                "that this store does not have: left out",
            ),
        ];
        for (count, what, why) in counted.iter().filter(|(count, ..)| *count > 0) {
            out::say(format!("{} {why}", out::counted(*count, what)));
        }
        match (is_empty, &self.labels) {
            (true, Some(_)) => out::say("no label can be measured on this store"),
            (true, None) => {
                out::say("the store knows of no commit to measure with");
                out::say("run rekal checkpoint in a repository, or give questions with --labels FILE");
            }
            (false, None) => out::say(
                "these subjects are in the index themselves: the row without commits is the honest one \
                 (weights.commit_boost 0); a commit made by a command is in the text of its session even so",
            ),
            (false, Some(_)) => {}
        }
    }
}

/// The labels of a file.
fn read(file: &Path) -> Result<Vec<Label>, Failure> {
    let bytes = fs::read(file).map_err(|error| Failure::io("read", file, &error))?;
    serde_json::from_slice(&bytes).map_err(|error| {
        let what = format!("read {}: it holds no labels: {error}", file.display());
        Failure::usage(what).remedy_is("write an array of {\"query\": text, \"relevant_sessions\": [ids]}")
    })
}

fn replay(call: &Call, index: &Index, store: &Path, settings: &[Setting]) -> Outcome {
    // Released before anything is ranked.
    let all = graph::openings(&hold::ledger(store, call.json)?)?;
    let mut openings = Vec::with_capacity(all.len());
    for opening in &all {
        if index.number_of(&opening.session)?.is_some() {
            openings.push(opening.clone());
        }
    }
    let settings: Vec<Setting> = settings
        .iter()
        .copied()
        .filter(|s| REPLAYED.contains(&s.name))
        .collect();
    let rows = match openings.is_empty() {
        true => Vec::new(),
        false => bench::replay(index, &Snapshot::open(store), &openings, &settings)?,
    };
    let unknown = all.len() - openings.len();
    match call.json {
        true => out::print_json(&OfRecord { unknown, rows: &rows })?,
        false if rows.is_empty() => {}
        false => out::print(&table_of_record(&rows))?,
    }
    if unknown > 0 {
        let what = out::counted(unknown as u64, "opening");
        out::say(format!("{what} of sessions that are not captured here: left out"));
    }
    match rows.is_empty() {
        true => out::say("no recall has led to an opening yet; the spool is counted by rekal checkpoint"),
        false => out::say("the graph has learned from these very openings, so the row with the graph on is flattered"),
    }
    Ok(Answer::from(!rows.is_empty()))
}

fn table(rows: &[Quality]) -> String {
    let figure = |Figure { value, low, high }: Figure| format!("{value:.3} ({low:.3}-{high:.3})");
    let row = |row: &Quality| {
        [
            row.name.to_owned(),
            row.n.to_string(),
            figure(row.mrr),
            figure(row.hit_1),
            figure(row.hit_5),
            figure(row.hit_10),
            format!("{:.3}", row.silenced),
        ]
    };
    let heads = ["ranking", "n", "MRR", "hit@1", "hit@5", "hit@10", "silenced"];
    columns(heads, rows.iter().map(row).collect())
}

fn table_of_record(rows: &[Replayed]) -> String {
    let share = |value: f64| format!("{value:.3}");
    let row = |row: &Replayed| {
        [
            row.name.to_owned(),
            row.n.to_string(),
            row.median_rank.map_or("-".to_owned(), |rank| rank.to_string()),
            share(row.at_1),
            share(row.within_5),
            share(row.within_20),
        ]
    };
    let heads = ["ranking", "n", "median rank", "at 1", "within 5", "within 20"];
    columns(heads, rows.iter().map(row).collect())
}
