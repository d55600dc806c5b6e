//! How good the ranking is, layer by layer, and what the gate silences: the figures that README and ARCHITECTURE
//! give, as tables in Markdown. Every figure comes for both halves of the questions too, which their own texts
//! divide: a weight that was chosen on one is to be believed on the other.
//!
//! `cargo bench --bench ranking -- --home DIR --labels FILE --dialogues FILE`

#![allow(clippy::print_stdout, reason = "a bench prints its figures")]

use rekal::index::Index;
use rekal::reach::Reached;
use rekal::recall::bench::settings;
use rekal::recall::{Ask, Ranking, Weights, ranking};
use rekal::{Reach, SessionId};

#[path = "labelled/mod.rs"]
#[allow(dead_code, unused_imports, reason = "shared by benches, each of which uses a part")]
mod labelled;

use labelled::{Input, Scores, is_first_half, of_command_line};

/// Where the gate might stand. The one in the middle is where it does.
const GATES: [f64; 5] = [0.25, 0.30, 0.345, 0.40, 0.45];

/// Among so many sessions the answer must be for silence to count as wrong.
const WITHIN: usize = 5;

/// A figure for either half of the questions.
#[derive(Clone, Copy, Default)]
struct Halves<T>([T; 2]);

/// How many of how many were silenced, at each gate.
type Silenced = [(usize, usize); GATES.len()];

fn main() {
    let inputs = of_command_line();
    for input in &inputs {
        quality(input);
    }
    gates(&inputs);
}

/// A ranking that learned nothing: no session was ever reached.
struct Unreached;

impl Reached for Unreached {
    fn reach(&self, _: &SessionId) -> Option<Reach> {
        None
    }
}

fn ranked(index: &Index, question: &str, weights: &Weights) -> Ranking {
    ranking(index, &Unreached, &Ask::new(question), weights).expect("readable")
}

fn quality(input: &Input) {
    let (questions, stores) = input.size();
    println!("### {}: {questions} questions, {stores} store(s)\n", input.name);
    println!("| ranking | questions | n | hit@1 | hit@5 | hit@10 | MRR | nDCG@10 |");
    println!("|---|---|---|---|---|---|---|---|");
    // The last one is the mix with a graph, of which there is none.
    let settings = settings(&Weights::DEFAULT);
    for setting in &settings[..settings.len() - 1] {
        let mut sums: Halves<Scores> = Halves::default();
        for store in &input.stores {
            for question in &store.questions {
                let order = ranked(&store.index, &question.text, &setting.weights).sessions;
                *sums.of(&question.text) += Scores::of(&order, &question.right);
            }
        }
        let Halves([first, second]) = sums;
        let mut all = first;
        all += second;
        for (part, sum) in [("all", all), ("1st half", first), ("2nd half", second)] {
            let Scores {
                n,
                hit_1,
                hit_5,
                hit_10,
                mrr,
                ndcg,
            } = sum.mean();
            println!(
                "| {} | {part} | {n} | {hit_1:.3} | {hit_5:.3} | {hit_10:.3} | {mrr:.3} | {ndcg:.3} |",
                setting.name
            );
        }
    }
    println!();
}

/// What the gate silences: of the questions whose answer is in the first rows, which is wrong, and of those
/// that belong to another store, which is right.
fn gates(inputs: &[Input]) {
    let columns: Vec<(String, Halves<Silenced>)> = inputs
        .iter()
        .flat_map(|input| {
            let answerable = (format!("answerable, {}", input.name), answerable(input));
            let foreign = (format!("foreign, to {}", input.name), foreign(input, inputs));
            [answerable, foreign]
        })
        .collect();
    println!("### What the gate silences: all (1st half, 2nd half)\n");
    print!("| gate |");
    for (name, Halves([first, second])) in &columns {
        print!(" {name} (n = {}) |", first[0].1 + second[0].1);
    }
    println!("\n|---|{}", "---|".repeat(columns.len()));
    for (at, gate) in GATES.iter().enumerate() {
        print!("| {gate} |");
        for (_, Halves([first, second])) in &columns {
            let all = (first[at].0 + second[at].0, first[at].1 + second[at].1);
            print!(" {} ({}, {}) |", share(all), share(first[at]), share(second[at]));
        }
        println!();
    }
}

fn answerable(input: &Input) -> Halves<Silenced> {
    let mut silenced = Halves::default();
    for store in &input.stores {
        for question in &store.questions {
            let found = ranked(&store.index, &question.text, &Weights::DEFAULT);
            if found.sessions.iter().take(WITHIN).any(|id| question.right.contains(id)) {
                count(silenced.of(&question.text), &found);
            }
        }
    }
    silenced
}

/// The questions of all other inputs, put to every store of this one.
fn foreign(input: &Input, inputs: &[Input]) -> Halves<Silenced> {
    let others = inputs.iter().filter(|other| other.name != input.name);
    let asked = others
        .flat_map(|other| &other.stores)
        .flat_map(|store| &store.questions);
    let asked = asked.map(|question| question.text.as_str());
    let asked: Vec<&str> = asked.chain(input.foreign.iter().copied()).collect();
    let mut silenced = Halves::default();
    for store in &input.stores {
        for question in &asked {
            count(
                silenced.of(question),
                &ranked(&store.index, question, &Weights::DEFAULT),
            );
        }
    }
    silenced
}

fn count(silenced: &mut Silenced, found: &Ranking) {
    for (gate, (of_them, all)) in GATES.iter().zip(silenced) {
        *of_them += usize::from(found.is_silenced_at(*gate));
        *all += 1;
    }
}

fn share((part, all): (usize, usize)) -> String {
    match all {
        0 => "-".to_owned(),
        all => format!("{:.3}", part as f64 / all as f64),
    }
}

impl<T> Halves<T> {
    /// That of the half a question is in.
    fn of(&mut self, question: &str) -> &mut T {
        &mut self.0[usize::from(!is_first_half(question))]
    }
}
