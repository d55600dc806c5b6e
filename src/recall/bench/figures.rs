//! Means over queries, with an interval that says how far they can be trusted.

use serde::Serialize;

/// How often the queries are drawn again, with replacement.
const RESAMPLES: usize = 1000;

/// The same draws each time, so that the same store gives the same figures.
const SEED: u64 = 0x5eed;

/// A mean over all queries, and the middle 95 % of the means of resampled ones (bootstrap, percentiles).
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Figure {
    /// The mean.
    pub value: f64,
    /// 2.5 % of the resampled means lie below.
    pub low: f64,
    /// 2.5 % of the resampled means lie above.
    pub high: f64,
}

impl Figure {
    /// The mean of the values. Without any all is 0.
    pub(super) fn of(values: &[f64]) -> Self {
        if values.is_empty() {
            let (value, low, high) = (0.0, 0.0, 0.0);
            return Self { value, low, high };
        }
        let mut draws = Draws(SEED);
        let mut means: Vec<f64> = (0..RESAMPLES)
            .map(|_| mean(values.iter().map(|_| values[draws.below(values.len())])))
            .collect();
        means.sort_by(f64::total_cmp);
        Self {
            value: rounded(mean(values.iter().copied())),
            low: rounded(means[RESAMPLES / 40]),
            high: rounded(means[RESAMPLES - 1 - RESAMPLES / 40]),
        }
    }
}

/// To four places: more of them say nothing about a few hundred queries.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// Splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        ((u128::from(bits) * end as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_lies_within_its_interval() {
        let half: Vec<f64> = (0..400).map(|n| f64::from(n % 2)).collect();
        let Figure { value, low, high } = Figure::of(&half);
        // The standard error is √(.25 / 400) = .025, so that .451 and .549 are expected.
        assert_eq!(value, 0.5);
        assert!(
            (low - 0.451).abs() < 0.006 && (high - 0.549).abs() < 0.006,
            "{low} {high}"
        );
        assert_eq!(Figure::of(&half), Figure { value, low, high });
    }

    #[test]
    fn what_never_differs_has_no_interval() {
        let one = Figure {
            value: 1.0,
            low: 1.0,
            high: 1.0,
        };
        assert_eq!(Figure::of(&[1.0; 3]), one);
        assert_eq!(Figure::of(&[]).value, 0.0);
    }

    #[test]
    fn draws_reach_every_number_below_the_end() {
        let mut draws = Draws(SEED);
        let mut counts = [0; 4];
        (0..4000).for_each(|_| counts[draws.below(4)] += 1);
        assert!(counts.iter().all(|count| (900..1100).contains(count)), "{counts:?}");
    }
}
