//! What intent costs the recall of the program, when all of 5,000 queries led to openings of its candidates.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use rekal::reach::Reached;
use rekal::recall::{Ask, Weights, recall};
use rekal::{Reach, SessionId};

use super::labelled::{Chance, Store, Talk};

/// As many as are ranked at most, each opened for so many queries.
const SESSIONS: u64 = 200;
const QUERIES: u64 = 25;

const ROUNDS: usize = 101;

struct Published(HashMap<SessionId, Reach>);

impl Reached for Published {
    fn reach(&self, target: &SessionId) -> Option<Reach> {
        self.0.get(target).cloned()
    }
}

/// Against the same recall with an `intent_boost` of 0, in turns. Reading the openings is not in it: drills are
/// read with them.
pub(crate) fn measure() {
    let present = question(7);
    // Every session holds the question once: all are candidates.
    let turn = |n: u64| match n % 20 {
        0 => (true, present.clone()),
        rest => (rest % 2 == 0, question(n)),
    };
    let talk = |n: u64| Talk {
        id: name(n),
        at: 1_793_613_600_000 + n * 3_600_000,
        turns: (n * 20..n * 20 + 20).map(turn).collect(),
    };
    let talks: Vec<Talk> = (0..SESSIONS).map(talk).collect();
    let store = Store::of_talks(&talks, Vec::new());
    let rare = present.split(' ').next().unwrap_or_default();
    println!(
        "\nrecall among {SESSIONS} candidates with {} past queries",
        SESSIONS * QUERIES
    );
    let half = &present[..present.len() / 2];
    let asked: [(&str, &dyn Fn(u64) -> String); 3] = [
        ("of other words mostly", &|n| question(n)),
        ("each with one of its words", &|n| format!("{rare} {}", question(n))),
        ("each with half of its words", &|n| format!("{half} {n} again")),
    ];
    for (what, past) in asked {
        let led = |n: u64| (0..QUERIES).map(|q| (past(1000 + n * QUERIES + q), 1)).collect();
        let reach = |n| Reach {
            count: 40,
            drills: QUERIES as u32,
            query: None,
            led: led(n),
        };
        let ids = (0..SESSIONS).map(|n| (name(n).parse().expect("an id"), reach(n)));
        compare(what, &store, &Published(ids.collect()), &present);
    }
}

fn compare(what: &str, store: &Store, published: &Published, present: &str) {
    let once = |intent_boost| {
        let weights = Weights {
            intent_boost,
            ..Weights::DEFAULT
        };
        let start = Instant::now();
        let answer = recall(&store.index, published, &Ask::new(present), &weights).expect("readable");
        assert!(!answer.is_silence(), "it finds something");
        start.elapsed()
    };
    let pairs: Vec<(Duration, Duration)> = (0..ROUNDS).map(|_| (once(0.0), once(0.3))).collect();
    let p50 = |of: fn(&(Duration, Duration)) -> Duration| {
        let mut times: Vec<Duration> = pairs.iter().map(of).collect();
        times.sort_unstable();
        times[ROUNDS / 2].as_secs_f64() * 1000.0
    };
    let (without, with) = (p50(|pair| pair.0), p50(|pair| pair.1));
    println!(
        "{what:<28} p50 {with:.2} ms, without intent {without:.2} ms: {:.2} ms more",
        with - without
    );
}

fn name(n: u64) -> String {
    format!("candidate-{n}")
}

/// Eight of 2,000 words that can be spoken: how words begin is what tells them apart.
fn question(n: u64) -> String {
    const CONSONANTS: &[u8] = b"bdfgklmnprstvwz";
    const VOWELS: &[u8] = b"aeiou";
    let mut chance = Chance(n);
    let mut word = || {
        let number = chance.below(2000) * 7 % 5625;
        let syllable = |n: usize| [CONSONANTS[n / 5] as char, VOWELS[n % 5] as char];
        let letters = [syllable(number / 75), syllable(number % 75)].into_iter().flatten();
        letters.chain(['n']).collect::<String>()
    };
    (0..8).map(|_| word()).collect::<Vec<_>>().join(" ")
}
