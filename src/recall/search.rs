//! From hits to ranked rows.

use std::collections::HashMap;

use super::answer::{Row, Scored};
use super::ask::when;
use super::confidence::{Trust, confidence};
use super::dates::Months;
use super::family::{Family, families};
use super::likeness::Likeness;
use super::newest::last_summary;
use super::rank::{Candidate, Ranked, rank};
use super::reached::LookedUp;
use super::snippet::{opening, snippet};
use super::weights::Weights;
use crate::Result;
use crate::boost;
use crate::index::{Hit, Index, Matches, Query};
use crate::session::Turn;

/// The most sessions that are ranked, unless more are asked for.
const CANDIDATES: usize = 200;

/// A turn of so many bytes that is found word for word in two sessions was copied, whatever its time.
const LONG: usize = 200;

pub(super) struct Search<'a> {
    pub(super) index: &'a Index,
    pub(super) query: &'a Query,
    pub(super) matches: &'a Matches,
    pub(super) trust: &'a Trust,
    pub(super) months: &'a Months,
    pub(super) weights: &'a Weights,
}

/// A candidate in its place, with its hit.
struct Placed {
    hit: Hit,
    ranked: Ranked,
    id: String,
    parent: Option<String>,
}

impl<'s> Search<'s> {
    /// The best `limit` families of the hits as rows, and how many sessions are folded away: children,
    /// and copies of what another row shows.
    pub(super) fn rows(&self, hits: Vec<Hit>, reach: &mut LookedUp<'_>, limit: usize) -> Result<(Vec<Row>, usize)> {
        let placed = self.placed(hits, reach, limit)?;
        let ids: Vec<_> = placed.iter().map(|p| (p.id.as_str(), p.parent.as_deref())).collect();
        let families = families(&ids);
        let mut folded: usize = families.iter().map(|family| family.others).sum();
        let mut shown = Shown::default();
        let mut rows = Vec::new();
        for family in &families {
            if rows.len() == limit {
                break;
            }
            match self.family(family, &placed, &mut shown, reach)? {
                Some(row) => rows.push(row),
                None => folded += 1,
            }
        }
        Ok((rows, folded))
    }

    fn placed(&self, mut hits: Vec<Hit>, reach: &mut LookedUp<'_>, limit: usize) -> Result<Vec<Placed>> {
        let alike: HashMap<u32, f32> = match self.weights.lsa > 0.0 {
            true => self.index.likeness(self.query).into_iter().collect(),
            false => HashMap::new(),
        };
        let candidate = |hit: &Hit| candidate(hit, alike.get(&hit.session).copied());
        let mut candidates: Vec<Candidate> = hits.iter().map(candidate).collect();
        if candidates.len() > limit.max(CANDIDATES) {
            let text_alone = Weights {
                recency_boost: 0.0,
                reach_boost: 0.0,
                intent_boost: 0.0,
                ..*self.weights
            };
            let best = rank(&candidates, &text_alone);
            hits = best
                .iter()
                .take(limit.max(CANDIDATES))
                .map(|ranked| hits[ranked.candidate])
                .collect();
            candidates = hits.iter().map(candidate).collect();
        }
        let mut parents = Vec::with_capacity(hits.len());
        let mut likeness = None;
        for candidate in &mut candidates {
            parents.push(self.complete(candidate, reach, &mut likeness)?);
        }
        let ranked = rank(&candidates, self.weights);
        Ok(ranked
            .into_iter()
            .map(|ranked| Placed {
                hit: hits[ranked.candidate],
                id: std::mem::take(&mut candidates[ranked.candidate].id),
                parent: parents[ranked.candidate].take(),
                ranked,
            })
            .collect())
    }

    /// What is not known from the query alone; gives the parent's id.
    fn complete(
        &self,
        candidate: &mut Candidate,
        reach: &mut LookedUp<'_>,
        likeness: &mut Option<Likeness<'s>>,
    ) -> Result<Option<String>> {
        let Some((id, parent)) = self.index.ids(candidate.session)? else {
            return Ok(None);
        };
        let weights = self.weights;
        let months_count = weights.date_boost > 0.0 && !self.months.is_empty();
        if weights.recency_boost > 0.0 || months_count {
            candidate.at = self.index.session(candidate.session)?.as_ref().map_or(0, when);
            candidate.dated = months_count && self.months.hold(candidate.at);
        }
        let opened = weights.reach_boost > 0.0 || weights.intent_boost > 0.0;
        if let Some(reach) = opened.then(|| reach.of(&id)).flatten() {
            candidate.drills = reach.drills;
            if weights.intent_boost > 0.0 && !reach.led.is_empty() {
                let likeness = match likeness {
                    Some(known) => known,
                    new => new.insert(Likeness::new(self.index, self.query)?),
                };
                let led = reach.led.iter().map(|(past, times)| Ok((likeness.of(past)?, *times)));
                candidate.intent = boost::intent(led.collect::<Result<Vec<_>>>()?);
            }
        }
        candidate.id = id.into();
        candidate.is_subagent = parent.is_some();
        Ok(parent.map(String::from))
    }

    /// `None`: all of it was shown before, in another session.
    fn family(
        &self,
        family: &Family,
        placed: &[Placed],
        shown: &mut Shown,
        reach: &mut LookedUp<'_>,
    ) -> Result<Option<Row>> {
        let Some(mut head) = self.row(&placed[family.head], shown, reach)? else {
            return Ok(None);
        };
        for child in &family.children {
            head.children
                .extend(self.row(&placed[*child], &mut Shown::default(), reach)?);
        }
        Ok(Some(head))
    }

    fn row(&self, placed: &Placed, shown: &mut Shown, reach: &mut LookedUp<'_>) -> Result<Option<Row>> {
        let Placed { hit, ranked, .. } = placed;
        let Some(record) = self.index.session(hit.session)? else {
            return Ok(None);
        };
        let turn = hit.place.map(|place| self.index.turn(&place)).transpose()?;
        if turn.as_ref().is_some_and(|turn| shown.has(turn)) {
            return Ok(None);
        }
        let snippet = match &turn {
            Some(turn) => snippet(&turn.text, self.query, self.matches),
            None => self.first_words(hit.session)?,
        };
        shown.turns.extend(turn);
        Ok(Some(Row {
            scored: Some(Scored {
                score: ranked.score,
                confidence: confidence(self.trust, hit),
                layers: ranked.layers,
            }),
            turn: hit.place.map(|place| (place.turn, place.role)),
            snippet,
            summary_turn: last_summary(self.index, hit.session)?,
            reach: reach.of(&record.session.id).cloned(),
            children: Vec::new(),
            record,
        }))
    }

    fn first_words(&self, session: u32) -> Result<String> {
        let first = self.index.places(session)?.first().copied();
        let text = first.map(|place| self.index.turn(&place)).transpose()?;
        Ok(text.map_or_else(String::new, |turn| opening(&turn.text)))
    }
}

/// The turns that rows show.
#[derive(Default)]
struct Shown {
    turns: Vec<Turn>,
}

impl Shown {
    /// Whether this very turn is shown: a session that was resumed or forked begins with a copy.
    fn has(&self, turn: &Turn) -> bool {
        self.turns.iter().any(|known| {
            let same_time = known.at.is_some() && known.at == turn.at;
            known.text == turn.text && (same_time || turn.text.len() >= LONG)
        })
    }
}

/// What is known from the query alone.
fn candidate(hit: &Hit, alike: Option<f32>) -> Candidate {
    Candidate {
        session: hit.session,
        turn: hit.turn.into(),
        whole: hit.whole.into(),
        lsa: alike.unwrap_or_default().into(),
        commit: hit.subject.into(),
        ..Candidate::default()
    }
}
