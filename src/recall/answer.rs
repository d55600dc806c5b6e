//! What a recall found, before it is put into words.

use super::rank::Layers;
use crate::edge::{MAX_TARGETS, SessionId};
use crate::reach::Reach;
use crate::session::{Record, Role};

/// The answer to an [`super::Ask`].
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// What was looked for. `None`: a list of the newest sessions.
    pub query: Option<String>,
    /// Whether rekal stands behind the rows.
    pub verdict: Verdict,
    /// The highest confidence in any session that holds a term of the query.
    pub top: Option<f64>,
    /// How far that is above the second highest; of a single one, above 0.
    pub gap: Option<f64>,
    /// How many sessions are behind the answer, shown or not. 0 on silence.
    pub total: usize,
    /// The sessions that are shown, best first. Empty on silence.
    pub rows: Vec<Row>,
    /// Show what each layer of the ranking gave.
    pub explain: bool,
}

/// Yes or no.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The rows are worth reading.
    Inject,
    /// Nothing can be stood behind.
    Silence(Reason),
}

/// Why there is silence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// No session holds a word of the query, or passes the filter; or nothing was asked.
    NoResults,
    /// What was found is too unlike the query.
    BelowGate,
    /// One session alone was found, which takes more to be trusted.
    SingleBelowConf,
    /// There is no store.
    NoStore,
    /// Nothing is published in it that this version can read.
    NoIndex,
}

/// A session of an answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The session.
    pub record: Record,
    /// Its place in the ranking. `None`: it was listed, not found.
    pub scored: Option<Scored>,
    /// The turn that the snippet is from. `None`: a session without turns.
    pub turn: Option<(u32, Role)>,
    /// A passage of that turn, white space folded; not yet safe for a terminal.
    pub snippet: String,
    /// Its last compaction summary.
    pub summary_turn: Option<u32>,
    /// How it was reached before.
    pub reach: Option<Reach>,
    /// Sessions of the same family that are folded under it.
    pub children: Vec<Row>,
}

/// How a session was ranked.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scored {
    /// What it is ordered by.
    pub score: f64,
    /// How far its turn can be trusted to be about the query, 0 to 1.
    pub confidence: f64,
    /// What each layer gave.
    pub layers: Layers,
}

impl Answer {
    /// Nothing can be stood behind.
    pub fn silence(query: Option<String>, reason: Reason) -> Self {
        Self {
            query,
            verdict: Verdict::Silence(reason),
            top: None,
            gap: None,
            total: 0,
            rows: Vec::new(),
            explain: false,
        }
    }

    /// The edges of this recall: the sessions shown, children too, in order, at most 50. None on silence and when
    /// sessions were only listed.
    pub fn shown(&self) -> Vec<SessionId> {
        let rows = self
            .rows
            .iter()
            .flat_map(|row| std::iter::once(row).chain(&row.children));
        let found = rows.filter(|row| row.scored.is_some());
        found
            .map(|row| row.record.session.id.clone())
            .take(MAX_TARGETS)
            .collect()
    }

    /// How many sessions are behind the answer and not shown.
    pub fn more(&self) -> usize {
        self.total.saturating_sub(self.rows.len())
    }

    /// The exit code asks for this: false when the answer is no.
    pub fn is_silence(&self) -> bool {
        matches!(self.verdict, Verdict::Silence(_))
    }
}

impl Reason {
    /// The word in the output.
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::NoResults => "no_results",
            Reason::BelowGate => "below_gate",
            Reason::SingleBelowConf => "single_below_conf",
            Reason::NoStore => "no_store",
            Reason::NoIndex => "no_index",
        }
    }

    /// What a person can try, in lower case and without a full stop.
    pub fn advice(self) -> &'static str {
        match self {
            Reason::NoResults => {
                "no session holds these words, or they are in every English sentence; try others that were used then"
            }
            Reason::BelowGate => "what was found is too unlike the query; name files, functions or error texts",
            Reason::SingleBelowConf => "one session alone mentions it; add words that tell it apart",
            Reason::NoStore => "there is no store here yet; run `rekal checkpoint`",
            Reason::NoIndex => "nothing is published yet; run `rekal checkpoint`",
        }
    }
}
