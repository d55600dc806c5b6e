//! The results as tables in Markdown.

use super::labelled::{Scores, Spread};
use super::reader::{Answered, Run};
use super::regime::Regime;
use super::stream::Class;

/// Runs of one regime: for each seed those over all stores.
pub(crate) type Runs = Vec<Vec<Run>>;

/// Which questions a table is about.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    title: &'static str,
    holds: fn(Class) -> bool,
}

/// The tables that are printed for an input.
pub(crate) const PARTS: [Part; 6] = [
    Part {
        title: "All questions",
        holds: |_| true,
    },
    Part {
        title: "Fresh needs: no right session was right before",
        holds: |class| class == Class::Fresh,
    },
    Part {
        title: "Needs that return in other words: another question had the same right sessions",
        holds: |class| matches!(class, Class::SameSessions | Class::SameNeed),
    },
    Part {
        title: "… of these, questions for the very same passage",
        holds: |class| class == Class::SameNeed,
    },
    Part {
        title: "Needs that somebody else asked for before, in words of their own",
        holds: |class| class == Class::Otherwise,
    },
    Part {
        title: "Questions asked again without a third of their words",
        holds: |class| class == Class::Shortened,
    },
];

/// A row for every regime, the first of which is what the others are compared with.
pub(crate) fn part(part: Part, regimes: &[Regime], all: &[Runs]) {
    let (holds, is_all) = (part.holds, (part.holds)(Class::Mixed));
    let base = scores(&all[0], &|answered| holds(answered.class));
    let n: usize = base.iter().map(|scores| scores.n).sum();
    if n == 0 {
        return;
    }
    println!("{} (n = {} a seed)\n", part.title, n / base.len());
    let more = if is_all {
        [" share of the ten |", "---|"]
    } else {
        [""; 2]
    };
    println!(
        "| ranking | hit@1 | hit@5 | MRR | nDCG@10 | against no graph |{}",
        more[0]
    );
    println!("|---|---|---|---|---|---|{}", more[1]);
    for (regime, runs) in regimes.iter().zip(all) {
        let own = scores(runs, &|answered| holds(answered.class));
        let figure = |of: fn(&Scores) -> f64| spread(&own.iter().map(of).collect::<Vec<_>>());
        let gained: Vec<f64> = own.iter().zip(&base).map(|(own, base)| own.ndcg - base.ndcg).collect();
        let ten = if is_all {
            format!(" {} |", spread(&of_ten(runs)))
        } else {
            String::new()
        };
        println!(
            "| {} | {} | {} | {} | {} | {} |{ten}",
            regime.name,
            figure(|s| s.hit_1),
            figure(|s| s.hit_5),
            figure(|s| s.mrr),
            figure(|s| s.ndcg),
            signed(&gained),
        );
    }
    println!();
}

/// What every value of `intent_boost` brings on either half of the questions: one to choose by, the other to
/// see what the choice is worth.
pub(crate) fn choice(regimes: &[Regime], all: &[Runs]) {
    println!("nDCG@10 against no graph, by halves of the questions\n");
    println!(
        "| ranking | 1st half: all | fresh | same sessions | others' words | shortened | 2nd half: all | fresh | same sessions | others' words | shortened |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let classes: [fn(Class) -> bool; 5] = [
        |_| true,
        |class| class == Class::Fresh,
        |class| matches!(class, Class::SameSessions | Class::SameNeed),
        |class| class == Class::Otherwise,
        |class| class == Class::Shortened,
    ];
    for (regime, runs) in regimes.iter().zip(all).skip(1) {
        print!("| {} |", regime.name);
        for first in [true, false] {
            for holds in classes {
                let counts = move |answered: &Answered| answered.is_first_half == first && holds(answered.class);
                let own = scores(runs, &counts);
                let base = scores(&all[0], &counts);
                let gained: Vec<f64> = own.iter().zip(&base).map(|(own, base)| own.ndcg - base.ndcg).collect();
                print!(" {} |", signed(&gained));
            }
        }
        println!();
    }
    println!();
}

/// The mean figures of each seed.
fn scores(runs: &Runs, counts: &dyn Fn(&Answered) -> bool) -> Vec<Scores> {
    let of_seed = |stores: &Vec<Run>| {
        let mut sum = Scores::default();
        let answered = stores.iter().flat_map(|run| &run.answered);
        answered
            .filter(|answered| counts(answered))
            .for_each(|answered| sum += answered.scores);
        sum.mean()
    };
    runs.iter().map(of_seed).collect()
}

/// The share of all first places that the ten most surfaced sessions of a store have, for each seed.
fn of_ten(runs: &Runs) -> Vec<f64> {
    let of_seed = |stores: &Vec<Run>| {
        let asked: usize = stores.iter().map(|run| run.answered.len()).sum();
        let first: usize = stores.iter().map(|run| run.first_of_ten).sum();
        first as f64 / asked.max(1) as f64
    };
    runs.iter().map(of_seed).collect()
}

fn spread(values: &[f64]) -> String {
    let Spread { mean, deviation } = Spread::of(values);
    format!("{mean:.3} ±{deviation:.3}")
}

fn signed(values: &[f64]) -> String {
    let Spread { mean, deviation } = Spread::of(values);
    format!("{mean:+.3} ±{deviation:.3}")
}
