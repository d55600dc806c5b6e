//! Labelled queries against the ranking.

use std::collections::HashSet;

use serde::Serialize;

use super::figures::{Figure, rounded};
use super::settings::Setting;
use crate::Result;
use crate::edge::SessionId;
use crate::index::Index;
use crate::reach::Reached;
use crate::recall::{Ask, ranking};

/// How well a setting ranks.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Quality {
    /// The setting.
    pub name: &'static str,
    /// How many queries.
    pub n: usize,
    /// The mean of 1 over the rank of the first right session; 0 where there is none in 20 rows.
    pub mrr: Figure,
    /// The share of queries whose first session is right.
    pub hit_1: Figure,
    /// The share with a right one among the first 5.
    pub hit_5: Figure,
    /// The share with a right one among the first 10.
    pub hit_10: Figure,
    /// The share that the gate silences, which moves none of the others.
    pub silenced: f64,
}

/// Ranks every query by a setting.
///
/// # Errors
/// The index is damaged.
pub fn quality(
    index: &Index,
    reached: &dyn Reached,
    queries: &[(String, HashSet<SessionId>)],
    setting: &Setting,
) -> Result<Quality> {
    let (mut ranks, mut silenced) = (Vec::with_capacity(queries.len()), 0);
    for (query, right) in queries {
        let ranking = ranking(index, reached, &Ask::new(query), &setting.weights)?;
        ranks.push(ranking.sessions.iter().position(|id| right.contains(id)));
        silenced += usize::from(ranking.silenced);
    }
    let figure = |value: &dyn Fn(usize) -> f64| {
        let values: Vec<f64> = ranks.iter().map(|rank| rank.map_or(0.0, value)).collect();
        Figure::of(&values)
    };
    let hit = |within: usize| figure(&move |before| f64::from(u8::from(before < within)));
    Ok(Quality {
        name: setting.name,
        n: queries.len(),
        mrr: figure(&|before| 1.0 / (before as f64 + 1.0)),
        hit_1: hit(1),
        hit_5: hit(5),
        hit_10: hit(10),
        silenced: rounded(silenced as f64 / queries.len().max(1) as f64),
    })
}
