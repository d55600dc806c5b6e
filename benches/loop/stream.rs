//! The order in which questions come, and what is known when each does.

use std::collections::{BTreeSet, HashSet};

use rekal::SessionId;

use super::labelled::{Chance, Question};

/// How many of the questions are asked once more, shortened; and how many were asked before in another's words,
/// where such are known.
const AGAIN: f64 = 0.3;

/// How many of its words a shortened question keeps, and how many at least.
const KEPT: f64 = 0.65;
const KEPT_AT_LEAST: usize = 2;

/// What a question is to those before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// None of its right sessions was right before.
    Fresh,
    /// Some were, but not for one question. Or it is what somebody else asked who wants the same as a later question.
    Mixed,
    /// Another question had the very same right sessions.
    SameSessions,
    /// … and wanted the very same passage of them, in other words.
    SameNeed,
    /// It is an earlier question without a third of its words.
    Shortened,
    /// It wants what somebody else asked for before, who did not know this question.
    Otherwise,
}

/// A question in its place.
pub(crate) struct Asked<'a> {
    pub(crate) question: &'a Question,
    pub(crate) text: String,
    pub(crate) class: Class,
}

/// A question's place in time: at equal ones in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    InOthersWords,
    Itself(bool),
    Shortened,
}

/// All questions in an order that depends on the seed, and some of them twice.
pub(crate) fn stream(questions: &[Question], seed: u64) -> Vec<Asked<'_>> {
    let mut chance = Chance(seed);
    let mut order: Vec<usize> = (0..questions.len()).collect();
    chance.shuffle(&mut order);
    let mut places = Vec::new();
    for (at, question) in order.iter().enumerate() {
        let (before, after) = (chance.happens(AGAIN), chance.happens(AGAIN));
        let (earlier, later) = (chance.below(at + 1), at + chance.below(order.len() - at));
        let before = before && !questions[*question].otherwise.is_empty();
        places.push((at, Turn::Itself(before), *question));
        if before {
            places.push((earlier, Turn::InOthersWords, *question));
        }
        if after {
            places.push((later, Turn::Shortened, *question));
        }
    }
    places.sort();
    let mut before = Before::default();
    let mut asked = Vec::with_capacity(places.len());
    for (_, turn, place) in places {
        let question = &questions[place];
        let (text, class) = match turn {
            Turn::InOthersWords => {
                let one = chance.below(question.otherwise.len());
                (question.otherwise[one].clone(), Class::Mixed)
            }
            Turn::Itself(true) => (question.text.clone(), Class::Otherwise),
            Turn::Itself(false) => (question.text.clone(), before.class(question)),
            Turn::Shortened => (shortened(&question.text, &mut chance), Class::Shortened),
        };
        before.note(question);
        asked.push(Asked { question, text, class });
    }
    asked
}

/// What was asked before.
#[derive(Default)]
struct Before<'a> {
    sessions: HashSet<&'a SessionId>,
    sets: HashSet<BTreeSet<&'a str>>,
    needs: HashSet<&'a str>,
}

impl<'a> Before<'a> {
    fn class(&self, question: &'a Question) -> Class {
        let is_known = |need: &String| self.needs.contains(need.as_str());
        if question.need.as_ref().is_some_and(is_known) {
            Class::SameNeed
        } else if self.sets.contains(&set(question)) {
            Class::SameSessions
        } else if question.right.iter().any(|id| self.sessions.contains(id)) {
            Class::Mixed
        } else {
            Class::Fresh
        }
    }

    fn note(&mut self, question: &'a Question) {
        self.sessions.extend(&question.right);
        self.sets.insert(set(question));
        self.needs.extend(question.need.as_deref());
    }
}

fn set(question: &Question) -> BTreeSet<&str> {
    question.right.iter().map(SessionId::as_str).collect()
}

fn shortened(text: &str, chance: &mut Chance) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut kept: Vec<usize> = (0..words.len()).collect();
    chance.shuffle(&mut kept);
    kept.truncate(((words.len() as f64 * KEPT) as usize).max(KEPT_AT_LEAST));
    kept.sort_unstable();
    kept.iter().map(|at| words[*at]).collect::<Vec<_>>().join(" ")
}
