//! The loop experiment: what does a ranking gain that learns from its own record?
//!
//! Questions whose answer is known stream in against a store. Each recall is logged, a simulated reader opens
//! what is right (and sometimes what is wrong), and the next question is ranked by what the record then says:
//! not at all; by all edges, surfacing counted like opening; by drills; by drills for like queries (intent).
//! Everything is ranked by the recall of the program; after the first run the log is sent through
//! spool, ledger and snapshot, to prove that the figures the ranking saw are those that would be published.
//!
//! `cargo bench --bench loop -- --home DIR --labels FILE --dialogues FILE [--seeds 5] [--rate .5] [--noise .1]
//! [--commit-boost 0]`

#![allow(clippy::print_stdout, reason = "a bench prints its figures")]

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

#[path = "labelled/mod.rs"]
#[allow(
    dead_code,
    unused_imports,
    reason = "shared by two benches, each of which uses a part"
)]
mod labelled;
#[path = "loop/reader.rs"]
mod reader;
#[path = "loop/regime.rs"]
mod regime;
#[path = "loop/stream.rs"]
mod stream;
#[path = "loop/tables.rs"]
mod tables;

use rekal::recall::Weights;

use labelled::{Input, Store, of_command_line, option};
use reader::{Reader, Run, run};
use regime::{Regime, regimes};
use stream::stream;
use tables::{PARTS, Runs, choice, part};

/// Runs that go on at the same time.
const THREADS: usize = 2;

fn main() {
    let number = |name, or| option(name).map_or(or, |text| text.parse().expect("a number"));
    let reader = Reader {
        rate: number("--rate", 0.5),
        noise: number("--noise", 0.1),
    };
    let seeds = number("--seeds", 5.0) as u64;
    let regimes = regimes(number("--commit-boost", Weights::DEFAULT.commit_boost));
    for input in of_command_line() {
        let (questions, stores) = input.size();
        println!(
            "### {}: {questions} questions, {stores} store(s), {seeds} seeds; a right session is opened with {}, a wrong one with {}\n",
            input.name, reader.rate, reader.noise
        );
        let all = runs(&input, &regimes, reader, seeds);
        for which in PARTS {
            part(which, &regimes, &all);
        }
        choice(&regimes, &all);
    }
}

/// For every regime and seed, a run over each store.
fn runs(input: &Input, regimes: &[Regime], reader: Reader, seeds: u64) -> Vec<Runs> {
    let jobs: Vec<(usize, u64, usize)> = (0..regimes.len())
        .flat_map(|regime| (0..seeds).map(move |seed| (regime, seed)))
        .flat_map(|(regime, seed)| (0..input.stores.len()).map(move |store| (regime, seed, store)))
        .collect();
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (regime, seed, store) = *job;
            let run = one(&input.stores[store], &regimes[regime], reader, seed);
            done.lock().expect("no thread panicked").push((*job, run));
        }
    };
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(work);
        }
    });
    let mut done = done.into_inner().expect("no thread panicked");
    done.sort_by_key(|(job, _)| *job);
    let mut all: Vec<Runs> = regimes
        .iter()
        .map(|_| (0..seeds).map(|_| Vec::new()).collect())
        .collect();
    for ((regime, seed, _), run) in done {
        all[regime][seed as usize].push(run);
    }
    all
}

fn one(store: &Store, regime: &Regime, reader: Reader, seed: u64) -> Run {
    let stream = stream(&store.questions, seed);
    let (run, log) = run(&store.index, &stream, regime, reader, seed);
    if seed == 0 && regime.weights.reach_boost > 0.0 {
        log.prove();
    }
    run
}
