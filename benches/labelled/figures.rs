//! How good an order of sessions is, and means over many of them.

use std::collections::HashSet;
use std::ops::AddAssign;

use rekal::SessionId;

/// How good one order is, or the sum over several. nDCG@10 counts every right session among the first ten as
/// 1 / log₂(1 + rank), against what the best order would have (Järvelin and Kekäläinen 2002).
#[derive(Clone, Copy, Default)]
pub(crate) struct Scores {
    pub(crate) n: usize,
    pub(crate) hit_1: f64,
    pub(crate) hit_5: f64,
    pub(crate) hit_10: f64,
    pub(crate) mrr: f64,
    pub(crate) ndcg: f64,
}

impl Scores {
    pub(crate) fn of(order: &[SessionId], right: &HashSet<SessionId>) -> Self {
        let first = order.iter().position(|id| right.contains(id));
        let within = |n: usize| f64::from(u8::from(first.is_some_and(|before| before < n)));
        let gain = |before: usize| 1.0 / (before as f64 + 2.0).log2();
        let ten = order.iter().take(10).enumerate();
        let gained: f64 = ten.filter(|(_, id)| right.contains(*id)).map(|(at, _)| gain(at)).sum();
        let best: f64 = (0..right.len().min(10)).map(gain).sum();
        Self {
            n: 1,
            hit_1: within(1),
            hit_5: within(5),
            hit_10: within(10),
            mrr: first.map_or(0.0, |before| 1.0 / (before as f64 + 1.0)),
            ndcg: gained / best,
        }
    }

    /// The mean of each figure.
    pub(crate) fn mean(&self) -> Self {
        let n = self.n.max(1) as f64;
        Self {
            n: self.n,
            hit_1: self.hit_1 / n,
            hit_5: self.hit_5 / n,
            hit_10: self.hit_10 / n,
            mrr: self.mrr / n,
            ndcg: self.ndcg / n,
        }
    }
}

impl AddAssign for Scores {
    fn add_assign(&mut self, other: Self) {
        self.n += other.n;
        self.hit_1 += other.hit_1;
        self.hit_5 += other.hit_5;
        self.hit_10 += other.hit_10;
        self.mrr += other.mrr;
        self.ndcg += other.ndcg;
    }
}

/// A mean over runs, and their standard deviation.
pub(crate) struct Spread {
    pub(crate) mean: f64,
    pub(crate) deviation: f64,
}

impl Spread {
    pub(crate) fn of(values: &[f64]) -> Self {
        let n = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Self {
            mean,
            deviation: (squares / (n - 1.0).max(1.0)).sqrt(),
        }
    }
}

/// Whether a question is in the half that weights are chosen on. Decided by its text alone (FNV-1a), so that
/// a question is in the same half whatever else is asked.
pub(crate) fn is_first_half(question: &str) -> bool {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = question.bytes().fold(0xcbf2_9ce4_8422_2325, step);
    (hash ^ hash >> 32) & 1 == 0
}

/// Splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// Whether something happens that happens so often.
    pub(crate) fn happens(&mut self, rate: f64) -> bool {
        ((self.next() >> 11) as f64 / (1u64 << 53) as f64) < rate
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}
