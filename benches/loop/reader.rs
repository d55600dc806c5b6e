//! Recalls that are logged, and somebody who opens what they show.

use std::collections::HashMap;

use rekal::edge::{Act, Event, Ulid};
use rekal::index::Index;
use rekal::reach::Reached;
use rekal::recall::{Ask, ranking, recall};
use rekal::snapshot::Snapshot;
use rekal::spool::writer::{Batch, Writer};
use rekal::{Graph, Reach, SessionId};

use super::labelled::{Chance, Scores, is_first_half};
use super::regime::Regime;
use super::stream::{Asked, Class};

/// Of how many rows from the top a wrong one may be opened.
const LOOKED_AT: usize = 5;

/// How a reader acts on what a recall shows.
#[derive(Clone, Copy)]
pub(crate) struct Reader {
    /// How often the first right session is opened, if one is shown.
    pub(crate) rate: f64,
    /// How often a wrong one among the first five is.
    pub(crate) noise: f64,
}

/// How a question was answered.
pub(crate) struct Answered {
    pub(crate) class: Class,
    pub(crate) is_first_half: bool,
    pub(crate) scores: Scores,
}

/// A run over a stream.
pub(crate) struct Run {
    pub(crate) answered: Vec<Answered>,
    /// Questions whose first place is one of the ten sessions that were surfaced most.
    pub(crate) first_of_ten: usize,
}

/// Asks one question after another. The ranking of each is measured whether the gate lets it pass or not; only
/// what passes is shown, logged and opened, as `rekal recall` does.
pub(crate) fn run(index: &Index, stream: &[Asked<'_>], regime: &Regime, reader: Reader, seed: u64) -> (Run, Log) {
    let mut log = Log::default();
    let mut firsts: Vec<SessionId> = Vec::new();
    let mut answered = Vec::with_capacity(stream.len());
    for (place, asked) in stream.iter().enumerate() {
        let ask = Ask::new(&asked.text);
        let view = View(&log, regime.counts_surfacing);
        let answer = recall(index, &view, &ask, &regime.weights).expect("readable");
        let shown = answer.shown();
        let order = match answer.is_silence() {
            true => ranking(index, &view, &ask, &regime.weights).expect("readable").sessions,
            false => shown.clone(),
        };
        answered.push(Answered {
            class: asked.class,
            is_first_half: is_first_half(&asked.question.text),
            scores: Scores::of(&order, &asked.question.right),
        });
        firsts.extend(order.into_iter().next());
        log.recalled(&asked.text, &shown);
        // The same luck in every regime.
        let mut chance = Chance(seed << 32 | place as u64);
        let is_right = |id: &&SessionId| asked.question.right.contains(*id);
        let (opens, slips) = (chance.happens(reader.rate), chance.happens(reader.noise));
        if let Some(right) = shown.iter().find(is_right).filter(|_| opens) {
            log.opened(&asked.text, right);
        }
        let wrong: Vec<_> = shown.iter().take(LOOKED_AT).filter(|id| !is_right(id)).collect();
        if slips && !wrong.is_empty() {
            log.opened(&asked.text, wrong[chance.below(wrong.len())]);
        }
    }
    let ten = log.most_surfaced(10);
    let first_of_ten = firsts.iter().filter(|id| ten.contains(id)).count();
    (Run { answered, first_of_ten }, log)
}

/// What was logged, in the figures that a drain publishes.
#[derive(Default)]
pub(crate) struct Log {
    reaches: HashMap<SessionId, Reach>,
    acts: Vec<(Act, Vec<SessionId>)>,
}

impl Log {
    fn recalled(&mut self, query: &str, shown: &[SessionId]) {
        for id in shown {
            self.reaches.entry(id.clone()).or_default().count += 1;
        }
        if !shown.is_empty() {
            self.acts.push((Act::Recall(query.to_owned()), shown.to_vec()));
        }
    }

    fn opened(&mut self, query: &str, id: &SessionId) {
        let reach = self.reaches.entry(id.clone()).or_default();
        reach.count += 1;
        reach.drills += 1;
        match reach.led.binary_search_by(|(past, _)| past.as_str().cmp(query)) {
            Ok(at) => reach.led[at].1 += 1,
            Err(at) => reach.led.insert(at, (query.to_owned(), 1)),
        }
        self.acts.push((Act::Drill, vec![id.clone()]));
    }

    fn most_surfaced(&self, many: usize) -> Vec<SessionId> {
        let mut all: Vec<(u32, &SessionId)> = self
            .reaches
            .iter()
            .map(|(id, reach)| (reach.count - reach.drills, id))
            .collect();
        all.sort_by(|a, b| b.cmp(a));
        all.into_iter().take(many).map(|(_, id)| id.clone()).collect()
    }

    /// Sends all of it through spool, ledger and snapshot, and fails unless what is published is the same.
    pub(crate) fn prove(&self) {
        const BEGIN: u64 = 1_700_000_000_000;
        let dir = tempfile::tempdir().expect("a folder");
        let mut batch = Batch::new();
        let mut at = BEGIN;
        for (number, (act, targets)) in (0..).zip(&self.acts) {
            // An hour between recalls, so that no reading goes on and no drill is credited to another query.
            at += if matches!(act, Act::Recall(_)) { 3_600_000 } else { 1000 };
            let event = Event::new(Ulid::from_parts(at, number), act.clone(), targets.clone(), None);
            batch.push(&event.expect("an event"));
        }
        Writer::new(dir.path()).append(&batch).expect("appended");
        let graph = Graph::open(dir.path()).expect("a graph");
        graph.drain(at).expect("drained");
        let snapshot = Snapshot::open(dir.path());
        for (id, own) in &self.reaches {
            let published = snapshot.reach(id).expect("published");
            let figures = |reach: &Reach| (reach.count, reach.drills, reach.led.clone());
            assert_eq!(figures(own), figures(&published), "{id}");
        }
    }
}

/// The record as a ranking sees it.
struct View<'a>(&'a Log, bool);

impl Reached for View<'_> {
    fn reach(&self, target: &SessionId) -> Option<Reach> {
        let mut reach = self.0.reaches.get(target)?.clone();
        if self.1 {
            reach.drills = reach.count;
        }
        Some(reach)
    }
}
