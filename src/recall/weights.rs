//! What the layers of the ranking weigh.

/// Every figure that the ranking can be tuned with. 0 switches a layer off.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Weights {
    /// BM25 of the best turn.
    pub turn: f64,
    /// BM25 of the session as a whole.
    pub session: f64,
    /// Likeness in the space of latent topics.
    pub lsa: f64,
    /// How much the subject of a commit made in it adds.
    pub commit_boost: f64,
    /// How much it adds that the query names the month in which it was held.
    pub date_boost: f64,
    /// How much being recent adds.
    pub recency_boost: f64,
    /// How much having been opened adds.
    pub reach_boost: f64,
    /// How much having been opened for like queries adds.
    pub intent_boost: f64,
    /// What a turn is worth that a person typed while the agent was at work.
    pub steering_boost: f64,
    /// What a compaction summary is worth.
    pub summary_boost: f64,
    /// What is left of a subagent's score.
    pub subagent_discount: f64,
}

impl Weights {
    /// What is used unless a user says otherwise.
    pub const DEFAULT: Self = Self {
        turn: 0.45,
        session: 0.45,
        lsa: 0.10,
        commit_boost: 0.3,
        date_boost: 0.3,
        recency_boost: 0.0,
        reach_boost: 0.2,
        intent_boost: 0.3,
        steering_boost: 1.3,
        summary_boost: 1.15,
        subagent_discount: 1.0,
    };
}

impl Default for Weights {
    fn default() -> Self {
        Self::DEFAULT
    }
}
