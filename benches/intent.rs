//! What the query-conditioned boost costs a recall when 5,000 queries have led to openings: reading them from
//! what is published, and the term of every session, with likenesses that are given and with a cosine of words
//! as a host might compute it. `cargo bench --no-default-features --bench intent`
//!
//! With the program's features also what it costs the recall of the program: `cargo bench --bench intent`

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::collections::HashMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use rekal::edge::{Act, Event, Ulid};
use rekal::spool::writer::{Batch, Writer};
use rekal::{Graph, Reach, SessionId, boost};

#[cfg(feature = "cli")]
#[path = "labelled/mod.rs"]
#[allow(dead_code, unused_imports, reason = "shared by benches, each of which uses a part")]
mod labelled;
#[cfg(feature = "cli")]
#[path = "load/recalled.rs"]
mod recalled;

const NOON: u64 = 1_796_040_000_123;
const SESSIONS: u64 = 500;
const QUERIES: u64 = 10;

/// Of how many words the queries are made.
const WORDS: u64 = 2000;

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let graph = Graph::open(dir.path()).unwrap();
    let mut batch = Batch::new();
    for n in 0..SESSIONS * QUERIES {
        let (at, target) = (NOON - 10_000_000 + n * 1000, session(n % SESSIONS));
        let asked = Act::Recall(query(n));
        batch.push(&Event::new(Ulid::from_parts(at, n.into()), asked, vec![target.clone()], None).unwrap());
        batch.push(&Event::new(Ulid::from_parts(at + 500, n.into()), Act::Drill, vec![target], None).unwrap());
    }
    Writer::new(dir.path()).append(&batch).unwrap();
    graph.drain(NOON).unwrap();

    let ids: Vec<SessionId> = (0..SESSIONS).map(session).collect();
    let reaches: Vec<Reach> = graph.reach(&ids).into_iter().flatten().collect();
    let published: usize = reaches.iter().map(|reach| reach.led.len()).sum();
    println!("{published} queries that led to openings of {} sessions", reaches.len());
    p50("read from what is published", || graph.reach(&ids).len() as f64);
    p50("intent, likenesses given", || {
        let terms = reaches.iter().map(|reach| {
            let likenesses = reach
                .led
                .iter()
                .map(|(query, times)| (query.len() as f64 / 64.0, *times));
            boost::intent(likenesses)
        });
        terms.sum()
    });
    let rarity = rarity(&reaches);
    let present = query(7);
    p50("intent, likenesses by words", || {
        let present = Present::new(&present, &rarity);
        let like = |past: &str| present.likeness(past);
        let terms = reaches
            .iter()
            .map(|reach| boost::intent(reach.led.iter().map(|(past, times)| (like(past), *times))));
        terms.sum()
    });
    let candidates = &ids[..20];
    p50("20 sessions: read and intent", || {
        let present = Present::new(&present, &rarity);
        let like = |past: &str| present.likeness(past);
        let reaches = graph.reach(candidates);
        let terms = reaches
            .iter()
            .flatten()
            .map(|reach| boost::intent(reach.led.iter().map(|(past, times)| (like(past), *times))));
        terms.sum()
    });
    #[cfg(feature = "cli")]
    recalled::measure();
}

fn session(n: u64) -> SessionId {
    format!("4f1c2a7e-9b3d-4c55-8e21-{n:012x}").parse().unwrap()
}

/// Eight words, all queries different.
fn query(n: u64) -> String {
    let mut chance = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1;
    let words = (0..7).map(|_| {
        chance ^= chance << 13;
        chance ^= chance >> 7;
        chance ^= chance << 17;
        format!("word{}", chance % WORDS)
    });
    format!("{} {n}", words.collect::<Vec<_>>().join(" "))
}

/// The present query against past ones, by words: how rare each is comes from the host's index.
struct Present<'a> {
    words: Vec<u64>,
    /// Which of 64 classes of words it has: most past words are told from its own by this alone.
    classes: u64,
    length: f64,
    rarity: &'a HashMap<u64, f64>,
}

impl<'a> Present<'a> {
    fn new(query: &str, rarity: &'a HashMap<u64, f64>) -> Self {
        let words: Vec<u64> = query.split(' ').map(hash).collect();
        let classes = words.iter().fold(0, |classes, word| classes | 1 << (word % 64));
        let length = words.iter().map(|word| squared(rarity, *word)).sum();
        Self {
            words,
            classes,
            length,
            rarity,
        }
    }

    fn likeness(&self, past: &str) -> f64 {
        let mut words = [0; 32];
        let (mut count, mut common) = (0, 0.0);
        for (place, word) in words.iter_mut().zip(past.split(' ')) {
            let word = hash(word);
            *place = word;
            count += 1;
            if self.classes >> (word % 64) & 1 == 1 && self.words.contains(&word) {
                common += squared(self.rarity, word);
            }
        }
        // A past query is no shorter than what it has in common: below this it is less than half alike.
        if common < self.length / 4.0 {
            return 0.0;
        }
        let length: f64 = words[..count].iter().map(|word| squared(self.rarity, *word)).sum();
        (common / (self.length * length).sqrt()).min(1.0)
    }
}

fn squared(rarity: &HashMap<u64, f64>, word: u64) -> f64 {
    rarity.get(&word).copied().unwrap_or(8.0).powi(2)
}

fn rarity(reaches: &[Reach]) -> HashMap<u64, f64> {
    let mut counts: HashMap<u64, u32> = HashMap::new();
    let queries: Vec<&str> = reaches
        .iter()
        .flat_map(|reach| &reach.led)
        .map(|(query, _)| query.as_str())
        .collect();
    for word in queries.iter().flat_map(|query| query.split(' ')) {
        *counts.entry(hash(word)).or_default() += 1;
    }
    let rare = |count: u32| (1.0 + queries.len() as f64 / f64::from(count)).ln();
    counts.into_iter().map(|(word, count)| (word, rare(count))).collect()
}

fn hash(word: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325, step);
    hash ^ hash >> 32
}

fn p50(what: &str, mut work: impl FnMut() -> f64) {
    let mut times: Vec<Duration> = (0..201)
        .map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    println!("{what:<28} p50 {:>8.1} us", times[100].as_nanos() as f64 / 1000.0);
}
