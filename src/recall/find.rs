//! From what is asked to an answer.

use std::collections::HashMap;

use super::answer::{Answer, Reason, Row, Scored, Verdict};
use super::ask::{Ask, when};
use super::confidence::confidence;
use super::rank::{Candidate, Ranked, rank};
use super::snippet::{opening, snippet};
use super::weights::Weights;
use crate::Result;
use crate::edge::SessionId;
use crate::index::{Bm25, Hit, Index, Matches, Query};
use crate::reach::{Reach, Reached};
use crate::session::{Record, Role};

/// The usual values. Of 36 pairs tried on 357 commit subjects whose sessions are known they are within
/// .006 of the best mean reciprocal rank; a b below .6 costs .03, because turns differ much in length.
const BM25: Bm25 = Bm25 { k1: 1.2, b: 0.75 };

/// The confidence that the best session must reach. On a store of 99 sessions it lets 352 of 357
/// subjects of commits made in them pass, and 35 of 1,986 questions about other people's lives.
const GATE: f64 = 0.33;

/// The same when no other session reaches the floor.
const SINGLE: f64 = 0.45;

/// A session below it is none of the answer: it shares a common word with the query.
const FLOOR: f64 = 0.10;

/// The most sessions that are ranked, unless more are asked for.
const CANDIDATES: usize = 200;

/// Answers a query from the published index. Reach is looked up for the candidates when it takes part
/// in the ranking, and for the rows.
///
/// # Errors
/// The index is damaged.
pub fn recall(index: &Index, reached: &dyn Reached, ask: &Ask, weights: &Weights) -> Result<Answer> {
    let mut reach = LookedUp::new(reached);
    if ask.query.trim().is_empty() {
        return newest(index, &mut reach, ask);
    }
    let query = Query::new(&ask.query);
    let mut matches = index.matches(&query, BM25, |role| worth(role, weights))?;
    let found = admitted(index, ask, std::mem::take(&mut matches.hits))?;
    let trusted = |hit: &Hit| confidence(&query, &matches, hit.held);
    let (top, gap) = top_and_gap(found.iter().map(trusted).collect());
    let hits: Vec<Hit> = found.iter().copied().filter(|hit| trusted(hit) >= FLOOR).collect();
    if let Some(reason) = gate(found.len(), hits.len(), top) {
        let known = |figure| (!found.is_empty()).then_some(figure);
        return Ok(Answer {
            top: known(top),
            gap: known(gap),
            ..Answer::silence(Some(ask.query.clone()), reason)
        });
    }
    let total = hits.len();
    let search = Search {
        index,
        query: &query,
        matches: &matches,
        weights,
    };
    let mut rows = Vec::new();
    for (hit, ranked) in search.best(hits, &mut reach, ask.limit)? {
        let scored = Scored {
            score: ranked.score,
            confidence: confidence(&query, &matches, hit.held),
            layers: ranked.layers,
        };
        rows.extend(search.row(&hit, scored, &mut reach)?);
    }
    Ok(Answer {
        query: Some(ask.query.clone()),
        verdict: Verdict::Inject,
        top: Some(top),
        gap: Some(gap),
        total,
        rows,
        explain: ask.explain,
    })
}

/// Every reach that was asked for, each looked up once.
struct LookedUp<'a> {
    published: &'a dyn Reached,
    known: HashMap<SessionId, Option<Reach>>,
}

impl<'a> LookedUp<'a> {
    fn new(published: &'a dyn Reached) -> Self {
        Self {
            published,
            known: HashMap::new(),
        }
    }

    fn of(&mut self, id: &SessionId) -> Option<&Reach> {
        let published = self.published;
        self.known
            .entry(id.clone())
            .or_insert_with(|| published.reach(id))
            .as_ref()
    }
}

struct Search<'a> {
    index: &'a Index,
    query: &'a Query,
    matches: &'a Matches,
    weights: &'a Weights,
}

impl Search<'_> {
    /// The best `limit` of the hits.
    fn best(&self, mut hits: Vec<Hit>, reach: &mut LookedUp<'_>, limit: usize) -> Result<Vec<(Hit, Ranked)>> {
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.session.cmp(&b.session)));
        hits.truncate(limit.max(CANDIDATES));
        let mut candidates = Vec::with_capacity(hits.len());
        for hit in &hits {
            candidates.push(self.candidate(hit, reach)?);
        }
        let ranked = rank(&candidates, self.weights);
        let best = ranked.into_iter().take(limit);
        Ok(best
            .filter_map(|ranked| Some((*hits.get(ranked.candidate)?, ranked)))
            .collect())
    }

    fn candidate(&self, hit: &Hit, reach: &mut LookedUp<'_>) -> Result<Candidate> {
        let ids = self.index.ids(hit.session)?;
        let drills = match &ids {
            Some((id, _)) if self.weights.reach_boost > 0.0 => reach.of(id).map_or(0, |reach| reach.drills),
            _ => 0,
        };
        let (id, parent) = ids.map_or_else(Default::default, |(id, parent)| (String::from(id), parent));
        Ok(Candidate {
            id,
            is_subagent: parent.is_some(),
            turn: hit.score.into(),
            drills,
        })
    }

    fn row(&self, hit: &Hit, scored: Scored, reach: &mut LookedUp<'_>) -> Result<Option<Row>> {
        let Some(record) = self.index.session(hit.session)? else {
            return Ok(None);
        };
        let text = self.index.turn(&hit.place)?.text;
        Ok(Some(Row {
            scored: Some(scored),
            turn: Some((hit.place.turn, hit.place.role)),
            snippet: snippet(&text, self.query, self.matches),
            summary_turn: last_summary(self.index, hit.session)?,
            reach: reach.of(&record.session.id).cloned(),
            children: Vec::new(),
            record,
        }))
    }
}

/// The hits that are not the asking session's and pass the filter.
fn admitted(index: &Index, ask: &Ask, hits: Vec<Hit>) -> Result<Vec<Hit>> {
    let asking = match &ask.exclude {
        Some(id) => index.number_of(id)?,
        None => None,
    };
    let mut admitted = Vec::with_capacity(hits.len());
    for hit in hits {
        let passes = ask.filter.is_empty() || index.session(hit.session)?.is_some_and(|r| ask.filter.accepts(&r));
        if passes && Some(hit.session) != asking {
            admitted.push(hit);
        }
    }
    Ok(admitted)
}

/// The sessions that pass the filter, newest first. Nothing when there is no filter either.
fn newest(index: &Index, reach: &mut LookedUp<'_>, ask: &Ask) -> Result<Answer> {
    let mut records: Vec<Record> = Vec::new();
    if !ask.filter.is_empty() {
        for number in index.sessions() {
            let record = index.session(number)?;
            let asking = |record: &Record| ask.exclude.as_ref() == Some(&record.session.id);
            records.extend(record.filter(|r| ask.filter.accepts(r) && !asking(r)));
        }
    }
    if records.is_empty() {
        return Ok(Answer::silence(None, Reason::NoResults));
    }
    records.sort_by_key(|record| std::cmp::Reverse((when(record), record.number)));
    let total = records.len();
    records.truncate(ask.limit);
    let mut rows = Vec::with_capacity(records.len());
    for record in records {
        rows.push(listed(index, reach, record)?);
    }
    Ok(Answer {
        query: None,
        verdict: Verdict::Inject,
        top: None,
        gap: None,
        total,
        rows,
        explain: false,
    })
}

/// A session that is shown with what its person asked first.
fn listed(index: &Index, reach: &mut LookedUp<'_>, record: Record) -> Result<Row> {
    let places = index.places(record.number)?;
    let first = places.iter().find(|place| place.role == Role::Human).or(places.first());
    let text = first.map(|place| index.turn(place)).transpose()?.map(|turn| turn.text);
    Ok(Row {
        scored: None,
        turn: first.map(|place| (place.turn, place.role)),
        snippet: text.map_or_else(String::new, |text| opening(&text)),
        summary_turn: last_summary(index, record.number)?,
        reach: reach.of(&record.session.id).cloned(),
        children: Vec::new(),
        record,
    })
}

fn last_summary(index: &Index, session: u32) -> Result<Option<u32>> {
    let places = index.places(session)?;
    let summary = places.iter().rfind(|place| place.role == Role::Summary);
    Ok(summary.map(|place| place.turn))
}

fn worth(role: Role, weights: &Weights) -> f32 {
    match role {
        Role::Human | Role::Assistant => 1.0,
        Role::Steering => weights.steering_boost as f32,
        Role::Summary => weights.summary_boost as f32,
    }
}

fn top_and_gap(mut sorted: Vec<f64>) -> (f64, f64) {
    sorted.sort_by(|a, b| b.total_cmp(a));
    let top = sorted.first().copied().unwrap_or(0.0);
    (top, top - sorted.get(1).copied().unwrap_or(0.0))
}

/// `passed` of the sessions that were found reach the floor.
fn gate(found: usize, passed: usize, top: f64) -> Option<Reason> {
    match (found, passed) {
        (0, _) => Some(Reason::NoResults),
        (_, 1) if (GATE..SINGLE).contains(&top) => Some(Reason::SingleBelowConf),
        _ if top < GATE => Some(Reason::BelowGate),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::fixture::{START, index_of, session};
    use crate::recall::{Filter, digest};
    use crate::session::{Actor, Conversation, Harness};

    /// Counts of edges and drills by session id, and which ids were looked up.
    struct Published(Vec<(&'static str, u32, u32)>, std::cell::RefCell<Vec<String>>);

    impl Published {
        fn new(rows: &[(&'static str, u32, u32)]) -> Self {
            Self(rows.into(), Default::default())
        }
    }

    impl Reached for Published {
        fn reach(&self, target: &SessionId) -> Option<Reach> {
            self.1.borrow_mut().push(target.to_string());
            let (_, count, drills) = self.0.iter().find(|row| row.0 == target.as_str())?;
            Some(Reach {
                count: *count,
                drills: *drills,
                query: Some("jwt expiry".into()),
                led: Vec::new(),
            })
        }
    }

    fn store() -> Vec<Conversation> {
        vec![
            session(
                1,
                "aa",
                &["the jwt expiry is wrong", "jwt expiry fixed in the refresh path"],
            ),
            session(
                2,
                "bb",
                &[
                    "why does the jwt expiry drift after a refresh of the clock",
                    "because of skew",
                ],
            ),
            session(3, "cc", &["draw a chart of the latency", "drawn with a legend"]),
            session(4, "dd", &["the chart needs an axis", "axis added"]),
        ]
    }

    fn ask(index: &Index, reach: &[(&'static str, u32, u32)], ask: &Ask) -> Answer {
        recall(index, &Published::new(reach), ask, &Weights::default()).expect("readable")
    }

    fn ids(answer: &Answer) -> Vec<&str> {
        answer.rows.iter().map(|row| row.record.session.id.as_str()).collect()
    }

    fn reason(answer: &Answer) -> Option<&'static str> {
        match answer.verdict {
            Verdict::Silence(reason) => Some(reason.as_str()),
            Verdict::Inject => None,
        }
    }

    #[test]
    fn a_query_finds_its_sessions_with_the_turn_that_says_it() {
        let (_dir, index) = index_of(&store());
        let answer = ask(&index, &[], &Ask::new("jwt expiry"));
        assert_eq!(ids(&answer), ["aa", "bb"]);
        assert_eq!(answer.total, 2);
        assert_eq!(answer.rows[0].turn, Some((1, Role::Human)));
        assert_eq!(answer.rows[0].snippet, "the jwt expiry is wrong");
        let shown: Vec<String> = answer.shown().into_iter().map(String::from).collect();
        assert_eq!(shown, ["aa", "bb"]);
    }

    #[test]
    fn blank_and_one_letter_queries_and_foreign_fields_are_silence_without_edges() {
        let (_dir, index) = index_of(&store());
        for text in ["", "   ", "a", "?", "x", "\n\t", "AND OR NOT"] {
            let answer = ask(&index, &[], &Ask::new(text));
            assert_eq!(reason(&answer), Some("no_results"), "{text:?}");
            assert!(answer.is_silence() && answer.shown().is_empty() && answer.rows.is_empty());
        }
        let foreign = ask(&index, &[], &Ask::new("sourdough hydration ratio"));
        assert_eq!(reason(&foreign), Some("no_results"));
        let nearly = ask(&index, &[], &Ask::new("sourdough hydration chart for beginners"));
        assert_eq!(reason(&nearly), Some("below_gate"));
        assert!(nearly.top.is_some_and(|top| top < GATE));
        assert!(nearly.shown().is_empty());
    }

    #[test]
    fn the_only_session_needs_more_than_one_of_several() {
        let (_dir, index) = index_of(&store());
        let alone = ask(&index, &[], &Ask::new("drawn legend of sourdough bread"));
        assert_eq!(reason(&alone), Some("single_below_conf"));
        let sure = ask(&index, &[], &Ask::new("drawn legend"));
        assert_eq!(ids(&sure), ["cc"]);
    }

    #[test]
    fn the_asking_session_is_never_its_own_result() {
        let (_dir, index) = index_of(&store());
        let mut asking = Ask::new("jwt expiry");
        asking.exclude = Some("aa".parse().expect("an id"));
        let answer = ask(&index, &[], &asking);
        assert_eq!((ids(&answer), answer.total), (vec!["bb"], 1));
        asking.query.clear();
        asking.filter.harness = Some(Harness::Claude);
        assert_eq!(ids(&ask(&index, &[], &asking)), ["dd", "cc", "bb"]);
    }

    #[test]
    fn the_limit_cuts_rows_not_the_total() {
        let (_dir, index) = index_of(&store());
        let limited = |limit| {
            let answer = ask(
                &index,
                &[],
                &Ask {
                    limit,
                    ..Ask::new("jwt expiry")
                },
            );
            (answer.rows.len(), answer.total, answer.more(), answer.is_silence())
        };
        assert_eq!(limited(0), (0, 2, 2, false));
        assert_eq!(limited(1), (1, 2, 1, false));
        assert_eq!(limited(1_000_000), (2, 2, 0, false));
    }

    #[test]
    fn at_most_fifty_rows_become_edges() {
        let many: Vec<_> = (1..=60)
            .map(|n| session(n, &format!("id-{n:02}"), &["jwt expiry"]))
            .collect();
        let (_dir, index) = index_of(&many);
        let answer = ask(
            &index,
            &[],
            &Ask {
                limit: 100,
                ..Ask::new("jwt expiry")
            },
        );
        assert_eq!((answer.rows.len(), answer.shown().len()), (60, 50));
        assert_eq!(answer.shown()[0].as_str(), "id-01");
    }

    #[test]
    fn being_surfaced_boosts_nothing_and_being_opened_does() {
        let (_dir, index) = index_of(&store());
        let query = Ask::new("jwt expiry");
        let plain = ask(&index, &[], &query);
        let surfaced = ask(&index, &[("bb", 99, 0)], &query);
        assert_eq!(ids(&surfaced), ids(&plain));
        assert_eq!(surfaced.rows[1].scored, plain.rows[1].scored);
        let opened = ask(&index, &[("aa", 99, 0), ("bb", 2, 1)], &query);
        let score = |answer: &Answer, id| {
            let row = answer.rows.iter().find(|row| row.record.session.id.as_str() == id);
            row.and_then(|row| row.scored).expect("a row").score
        };
        assert_eq!(score(&opened, "aa"), score(&plain, "aa"));
        assert_eq!(score(&opened, "bb"), score(&plain, "bb") + 0.2);
    }

    #[test]
    fn reach_moves_neither_confidence_nor_verdict() {
        let (_dir, index) = index_of(&store());
        let query = Ask::new("jwt expiry");
        let (plain, opened) = (ask(&index, &[], &query), ask(&index, &[("bb", 9, 9)], &query));
        assert_eq!((plain.top, plain.gap), (opened.top, opened.gap));
        let nearly = Ask::new("sourdough hydration chart for beginners");
        assert_eq!(
            reason(&ask(&index, &[("cc", 9, 9), ("dd", 9, 9)], &nearly)),
            Some("below_gate")
        );
    }

    #[test]
    fn without_edges_the_digest_is_the_same_whether_the_graph_is_looked_at_or_not() {
        let (_dir, index) = index_of(&store());
        let query = Ask::new("jwt expiry");
        let off = Weights {
            reach_boost: 0.0,
            ..Weights::default()
        };
        let with = recall(&index, &Published::new(&[]), &query, &Weights::default()).expect("readable");
        let without = recall(&index, &Published::new(&[]), &query, &off).expect("readable");
        assert_eq!(digest(&with), digest(&without));
    }

    #[test]
    fn reach_is_looked_up_once_a_session_and_for_rows_alone_when_it_weighs_nothing() {
        let (_dir, index) = index_of(&store());
        let looked_up = |reach_boost| {
            let published = Published::new(&[]);
            let weights = Weights {
                reach_boost,
                ..Weights::default()
            };
            let one = Ask {
                limit: 1,
                ..Ask::new("jwt expiry")
            };
            recall(&index, &published, &one, &weights).expect("readable");
            let mut ids = published.1.into_inner();
            ids.sort();
            ids
        };
        assert_eq!(looked_up(0.2), ["aa", "bb"]);
        assert_eq!(looked_up(0.0), ["aa"]);
    }

    #[test]
    fn the_trunk_comes_before_thirty_subagents_that_repeat_the_question() {
        let mut family = vec![session(1, "trunk", &["find out why the jwt expiry drifts"])];
        for n in 2..32 {
            let mut sub = session(n, &format!("agent-{n}"), &["find out why the jwt expiry drifts"]);
            sub.record.session.parent = Some("trunk".parse().expect("an id"));
            sub.record.session.actor = Actor::Agent;
            family.push(sub);
        }
        let (_dir, index) = index_of(&family);
        let answer = ask(&index, &[], &Ask::new("jwt expiry drifts"));
        assert_eq!(ids(&answer)[..2], ["trunk", "agent-10"]);
    }

    #[test]
    fn steering_and_summaries_weigh_more_and_the_last_summary_is_named() {
        let mut first = session(
            1,
            "aa",
            &["jwt expiry", "jwt expiry", "jwt expiry", "nothing", "nothing"],
        );
        first.turns[2].role = Role::Steering;
        first.turns[3].role = Role::Summary;
        first.turns[4].role = Role::Summary;
        let (_dir, index) = index_of(&[first, session(2, "bb", &["jwt expiry"])]);
        let answer = ask(&index, &[], &Ask::new("jwt expiry"));
        assert_eq!(answer.rows[0].turn, Some((3, Role::Steering)));
        assert_eq!(answer.rows[0].summary_turn, Some(5));
        assert_eq!(answer.rows[1].summary_turn, None);
    }

    #[test]
    fn filters_narrow_a_query_and_alone_they_list_the_newest_without_edges() {
        let mut sessions = store();
        sessions[1].record.session.harness = Harness::Codex;
        sessions[3].record.session.harness = Harness::Codex;
        sessions[1].record.session.started_at = Some(START + 1000);
        let (_dir, index) = index_of(&sessions);
        let mut filtered = Ask::new("jwt expiry");
        filtered.filter.harness = Some(Harness::Codex);
        assert_eq!(ids(&ask(&index, &[], &filtered)), ["bb"]);
        filtered.query = " ".into();
        let list = ask(&index, &[("bb", 3, 0)], &filtered);
        assert_eq!((ids(&list), list.total), (vec!["bb", "dd"], 2));
        assert_eq!(list.rows[0].reach.as_ref().map(|reach| reach.count), Some(3));
        assert!(!list.is_silence() && list.shown().is_empty());
        filtered.filter.actor = Some(Actor::Agent);
        assert_eq!(reason(&ask(&index, &[], &filtered)), Some("no_results"));
        let nobody = Ask {
            filter: Filter {
                actor: Some(Actor::Agent),
                ..Filter::default()
            },
            ..Ask::new("jwt expiry")
        };
        assert_eq!(reason(&ask(&index, &[], &nobody)), Some("no_results"));
    }

    #[test]
    fn chinese_and_hostile_queries_are_answered() {
        let (_dir, index) = index_of(&[
            session(1, "aa", &["缓存失效的原因"]),
            session(2, "bb", &["修复parseToken函数"]),
        ]);
        assert_eq!(ids(&ask(&index, &[], &Ask::new("缓存"))), ["aa"]);
        assert_eq!(ids(&ask(&index, &[], &Ask::new("parseToken"))), ["bb"]);
        let hostile = format!("缓存 \"]\n\u{1b}[\u{202e} 🦀 {}", "失效 ".repeat(20_000));
        assert_eq!(ids(&ask(&index, &[], &Ask::new(hostile))), ["aa"]);
    }
}
