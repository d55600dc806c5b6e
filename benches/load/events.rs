//! The events that the benches drain: made with a fixed seed, so every run drains the same ones.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;

use rekal::{Millis, Ulid};

/// Sessions that may be reached.
pub(crate) const TARGETS: usize = 50_000;
const RANKS: usize = 20;
const START: Millis = 1_780_000_000_000;

/// When everything is drained.
pub(crate) const NOW: Millis = START + 10_000_000_000;

/// How many of the latest queries may be asked again, and how rarely one is.
const RECENT: usize = 1000;
const AGAIN: u64 = 20;

/// A small, fast generator.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Recalls of 20 targets, drawn as often as 1/rank, with queries of about 200 bytes, mostly distinct;
/// one in twenty was asked before; every fourth is followed by a drill.
pub(crate) struct Events {
    chance: Chance,
    at: u64,
    popularity: Vec<f64>,
    words: Vec<String>,
    recent: Vec<String>,
}

impl Events {
    /// The events of the fixed seed, from the first.
    pub(crate) fn new() -> Self {
        let mut chance = Chance(42);
        let mut sum = 0.0;
        let weights = (1..=TARGETS).map(|rank| {
            sum += 1.0 / rank as f64;
            sum
        });
        let popularity: Vec<f64> = weights.collect();
        let word = |chance: &mut Chance| {
            let len = 3 + chance.below(8);
            (0..len).map(|_| (b'a' + chance.below(26) as u8) as char).collect()
        };
        let words = (0..3000).map(|_| word(&mut chance)).collect();
        Self {
            chance,
            at: START,
            popularity,
            words,
            recent: Vec::new(),
        }
    }

    fn target(&mut self) -> usize {
        let drawn = self.chance.fraction() * self.popularity[TARGETS - 1];
        self.popularity.partition_point(|sum| *sum < drawn).min(TARGETS - 1)
    }

    fn query(&mut self) -> String {
        if !self.recent.is_empty() && self.chance.below(AGAIN) == 0 {
            return self.recent[self.chance.below(self.recent.len() as u64) as usize].clone();
        }
        let mut query = String::new();
        while query.len() < 195 {
            query.push_str(&self.words[self.chance.below(3000) as usize]);
            query.push(' ');
        }
        let query = query.trim_end().to_owned();
        if self.recent.len() < RECENT {
            self.recent.push(query.clone());
        } else {
            self.recent[self.chance.below(RECENT as u64) as usize] = query.clone();
        }
        query
    }

    /// Writes one recall, sometimes with a drill; gives the number of edges.
    fn write(&mut self, out: &mut impl Write) -> std::io::Result<usize> {
        self.at += 1000 + self.chance.below(60_000);
        let query = self.query();
        let mut targets: Vec<usize> = Vec::new();
        while targets.len() < RANKS {
            let target = self.target();
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        let source = uuid(1_000_000 + self.chance.below(5000));
        let names: Vec<String> = targets
            .iter()
            .map(|target| format!("\"{}\"", uuid(*target as u64)))
            .collect();
        let id = self.id(0);
        let names = names.join(",");
        writeln!(
            out,
            r#"{{"id":"{id}","ts":"2026-11-30T12:00:00.123Z","kind":"recall","query":"{query}","targets":[{names}],"source":"{source}"}}"#
        )?;
        if self.chance.below(4) != 0 {
            return Ok(RANKS);
        }
        let id = self.id(500);
        let opened = uuid(targets[self.chance.below(RANKS as u64) as usize] as u64);
        writeln!(
            out,
            r#"{{"id":"{id}","ts":"2026-11-30T12:00:00.623Z","kind":"drill","targets":["{opened}"],"source":"{source}"}}"#
        )?;
        Ok(RANKS + 1)
    }

    fn id(&mut self, later: u64) -> Ulid {
        let random = u128::from(self.chance.next()) << 64 | u128::from(self.chance.next());
        Ulid::from_parts(self.at + later, random & ((1 << 80) - 1))
    }
}

/// The id of a session.
pub(crate) fn uuid(n: u64) -> String {
    let mut chance = Chance(n.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
    chance.next();
    let hex = format!("{:016x}{:016x}", chance.next(), chance.next());
    format!(
        "{}-{}-{}-{}-{}",
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..]
    )
}

/// Writes at least so many edges into the empty spool of a store; gives their number.
pub(crate) fn fill(store: &Path, events: &mut Events, edges: usize) -> usize {
    let spool = fs::File::create(store.join("recall-log.ndjson")).expect("a spool");
    let mut out = BufWriter::new(spool);
    let mut written = 0;
    while written < edges {
        written += events.write(&mut out).expect("written");
    }
    out.flush().expect("written");
    written
}

/// The most memory that this process had, in MB of 1024 KiB.
pub(crate) fn peak_memory_mb() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok())
        .unwrap_or(0)
        / 1024
}
