//! From what is asked to an answer.

use super::answer::{Answer, Reason, Row, Verdict};
use super::ask::Ask;
use super::confidence::{Trust, confidence};
use super::dates::Months;
use super::newest::newest;
use super::reached::LookedUp;
use super::search::Search;
use super::weights::Weights;
use crate::Result;
use crate::edge::SessionId;
use crate::index::{Bm25, Formulas, Hit, Index, Matches, Query};
use crate::reach::Reached;
use crate::session::Role;

/// Turns and subjects have the usual values; a whole session is long because it went on, which says
/// less against it.
const FORMULAS: Formulas = Formulas {
    turn: Bm25 { k1: 1.2, b: 0.75 },
    whole: Bm25 { k1: 0.9, b: 0.4 },
    subject: Bm25 { k1: 1.2, b: 0.75 },
};

/// The confidence that the best session must reach: where nine in ten questions of another field are
/// silenced, and fewer than one in a hundred that would have been answered. ARCHITECTURE has the curve.
const GATE: f64 = 0.33;

/// The same when no other session reaches the floor.
const SINGLE: f64 = 0.45;

/// A session below it is none of the answer: it shares a common word with the query.
const FLOOR: f64 = 0.10;

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
    let found = Found::new(index, ask, weights)?;
    if let Some(reason) = found.silence() {
        let known = |figure| (!found.hits.is_empty()).then_some(figure);
        return Ok(Answer {
            top: known(found.top),
            gap: known(found.gap),
            ..Answer::silence(Some(ask.query.clone()), reason)
        });
    }
    let total = found.passed.len();
    let (rows, folded) = found.rows(index, found.passed.clone(), &mut reach, weights, ask.limit)?;
    Ok(Answer {
        query: Some(ask.query.clone()),
        verdict: Verdict::Inject,
        top: Some(found.top),
        gap: Some(found.gap),
        total: total.saturating_sub(folded),
        rows,
        explain: ask.explain,
    })
}

/// The sessions that a query finds in the order of [`recall`], children behind their trunk, however little
/// they can be trusted; and whether recall is silent. What no layer with a weight speaks for is not found.
///
/// # Errors
/// The index is damaged.
pub fn ranking(index: &Index, reached: &dyn Reached, ask: &Ask, weights: &Weights) -> Result<Ranking> {
    let found = Found::new(index, ask, weights)?;
    let (rows, _) = found.rows(
        index,
        found.hits.clone(),
        &mut LookedUp::new(reached),
        weights,
        ask.limit,
    )?;
    let all = rows.iter().flat_map(|row| std::iter::once(row).chain(&row.children));
    let shown = all.filter(|row| row.scored.is_some_and(|scored| scored.score > 0.0));
    Ok(Ranking {
        sessions: shown.map(|row| row.record.session.id.clone()).collect(),
        silenced: found.silence().is_some(),
        passed: found.passed.len(),
        top: found.top,
    })
}

/// An order of sessions, whether it is shown or not.
#[derive(Clone, PartialEq, Debug)]
pub struct Ranking {
    /// Best first.
    pub sessions: Vec<SessionId>,
    /// The gate keeps it from being shown.
    pub silenced: bool,
    /// How many sessions were found that are more than none of the answer.
    passed: usize,
    top: f64,
}

impl Ranking {
    /// Whether a gate at this confidence would keep it from being shown.
    pub fn is_silenced_at(&self, confidence: f64) -> bool {
        gate(confidence, self.sessions.len(), self.passed, self.top).is_some()
    }
}

/// What a query finds, before it is decided whether it is shown.
struct Found {
    query: Query,
    months: Months,
    matches: Matches,
    trust: Trust,
    hits: Vec<Hit>,
    /// The hits that reach the floor.
    passed: Vec<Hit>,
    top: f64,
    gap: f64,
}

impl Found {
    fn new(index: &Index, ask: &Ask, weights: &Weights) -> Result<Self> {
        let query = Query::new(&ask.query);
        let mut matches = index.matches(&query, FORMULAS, |role| worth(role, weights))?;
        let hits = admitted(index, ask, std::mem::take(&mut matches.hits))?;
        let trust = Trust::new(&query, &matches);
        let confidences: Vec<f64> = hits.iter().map(|hit| confidence(&trust, hit)).collect();
        let reach_floor = hits.iter().zip(&confidences).filter(|(_, known)| **known >= FLOOR);
        let passed = reach_floor.map(|(hit, _)| *hit).collect();
        let (top, gap) = top_and_gap(&confidences);
        Ok(Self {
            query,
            months: Months::of(&ask.query),
            matches,
            trust,
            hits,
            passed,
            top,
            gap,
        })
    }

    fn silence(&self) -> Option<Reason> {
        gate(GATE, self.hits.len(), self.passed.len(), self.top)
    }

    fn rows(
        &self,
        index: &Index,
        hits: Vec<Hit>,
        reach: &mut LookedUp<'_>,
        weights: &Weights,
        limit: usize,
    ) -> Result<(Vec<Row>, usize)> {
        let search = Search {
            index,
            query: &self.query,
            matches: &self.matches,
            trust: &self.trust,
            months: &self.months,
            weights,
        };
        search.rows(hits, reach, limit)
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

fn worth(role: Role, weights: &Weights) -> f32 {
    match role {
        Role::Human | Role::Assistant => 1.0,
        Role::Steering => weights.steering_boost as f32,
        Role::Summary => weights.summary_boost as f32,
    }
}

fn top_and_gap(confidences: &[f64]) -> (f64, f64) {
    let (mut top, mut second) = (0.0, 0.0);
    for confidence in confidences {
        if *confidence > top {
            (top, second) = (*confidence, top);
        } else if *confidence > second {
            second = *confidence;
        }
    }
    (top, top - second)
}

/// `passed` of the sessions that were found reach the floor.
fn gate(least: f64, found: usize, passed: usize, top: f64) -> Option<Reason> {
    match (found, passed) {
        (0, _) => Some(Reason::NoResults),
        (_, 1) if (least..SINGLE).contains(&top) => Some(Reason::SingleBelowConf),
        _ if top < least => Some(Reason::BelowGate),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::fixture::{START, index_of, session};
    use crate::reach::Reach;
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
    fn a_session_of_the_month_that_is_asked_for_comes_first() {
        let mut of_may = session(5, "ee", &["draw a chart of the latency", "drawn with a legend"]);
        of_may.record.session.started_at = Some(START - 184 * crate::time::DAY);
        let (_dir, index) = index_of(&[store(), vec![of_may]].concat());
        let asked = |query| ask(&index, &[], &Ask::new(query)).rows[0].record.session.id.to_string();
        assert_eq!(asked("the latency chart of May"), "ee");
        assert_eq!(asked("the latency chart of November"), "cc");
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
            .map(|n| session(n, &format!("id-{n:02}"), &[&format!("jwt expiry {n:02}")]))
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
            intent_boost: 0.0,
            ..Weights::default()
        };
        let with = recall(&index, &Published::new(&[]), &query, &Weights::default()).expect("readable");
        let without = recall(&index, &Published::new(&[]), &query, &off).expect("readable");
        assert_eq!(digest(&with), digest(&without));
    }

    #[test]
    fn surfacing_moves_no_score_and_opening_does() {
        let (_dir, index) = index_of(&store());
        let query = Ask::new("jwt expiry");
        let scores = |rows: &[(&'static str, u32, u32)]| {
            let answer = recall(&index, &Published::new(rows), &query, &Weights::default()).expect("readable");
            let scored = answer.rows.iter().map(|row| (row.record.number, row.scored));
            scored.collect::<Vec<_>>()
        };
        assert_eq!(scores(&[("bb", 900, 0)]), scores(&[]));
        assert_ne!(scores(&[("bb", 1, 1)]), scores(&[]));
    }

    #[test]
    fn reach_is_looked_up_once_a_session_and_for_rows_alone_when_it_weighs_nothing() {
        let (_dir, index) = index_of(&store());
        let looked_up = |reach_boost| {
            let published = Published::new(&[]);
            let weights = Weights {
                reach_boost,
                intent_boost: 0.0,
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
        assert_eq!((ids(&answer), answer.total), (vec!["trunk"], 1));
        let children = answer.rows[0].children.iter();
        let children: Vec<_> = children.map(|row| row.record.session.id.as_str()).collect();
        assert_eq!(children, ["agent-10", "agent-11", "agent-12"]);
        let shown: Vec<String> = answer.shown().into_iter().map(String::from).collect();
        assert_eq!(shown, ["trunk", "agent-10", "agent-11", "agent-12"]);
    }

    #[test]
    fn the_copied_beginning_of_a_forked_session_is_shown_once() {
        let copied = "why does the jwt expiry drift after a refresh";
        let own = "now the cookie lifetime of the login form";
        let first = session(1, "aa", &[copied, "because of skew"]);
        let fork = session(2, "bb", &[copied, "because of skew", own]);
        let other = session(3, "cc", &["the jwt expiry drift again"]);
        let (_dir, index) = index_of(&[first, fork, other]);
        let answer = ask(&index, &[], &Ask::new("jwt expiry drift refresh"));
        assert_eq!((ids(&answer), answer.total), (vec!["aa", "cc"], 2));
        assert_eq!(ids(&ask(&index, &[], &Ask::new("cookie lifetime login"))), ["bb"]);
    }

    #[test]
    fn what_was_done_is_found_and_so_is_the_subject_of_a_commit() {
        let mut done = session(1, "aa", &["please do it", "it is done"]);
        done.tool_calls[0].command = Some("terraform apply -auto-approve".into());
        let mut committed = session(2, "bb", &["please do that too", "that is done"]);
        committed.tool_calls[0].command = Some("git commit -m 'Rotate the signing keys'".into());
        let (_dir, index) = index_of(&[done, committed, session(3, "cc", &["draw a chart"])]);
        assert_eq!(ids(&ask(&index, &[], &Ask::new("terraform apply"))), ["aa"]);
        let answer = ask(&index, &[], &Ask::new("rotate signing keys"));
        assert_eq!(ids(&answer), ["bb"]);
        assert_eq!(
            (answer.rows[0].turn, answer.rows[0].snippet.as_str()),
            (None, "please do that too")
        );
        assert_eq!(ids(&ask(&index, &[], &Ask::new("signing keys of 2 November")))[0], "bb");
    }

    #[test]
    fn openings_for_like_queries_weigh_when_they_are_given_weight() {
        struct Led;
        impl Reached for Led {
            fn reach(&self, target: &SessionId) -> Option<Reach> {
                (target.as_str() == "bb").then(|| Reach {
                    count: 1,
                    drills: 1,
                    query: None,
                    led: vec![("expiry of the jwt".into(), 1)],
                })
            }
        }
        let (_dir, index) = index_of(&store());
        let weights = Weights {
            reach_boost: 0.0,
            intent_boost: 0.4,
            ..Weights::default()
        };
        let intent = |query| {
            let answer = recall(&index, &Led, &Ask::new(query), &weights).expect("readable");
            let row = answer
                .rows
                .into_iter()
                .find(|row| row.record.session.id.as_str() == "bb");
            row.and_then(|row| row.scored).expect("a row").layers.intent
        };
        assert_eq!(intent("jwt expiry"), 0.4);
        assert_eq!(intent("drift of the clock"), 0.0);
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

    #[test]
    fn a_ranking_knows_what_another_gate_would_silence() {
        let (_dir, index) = index_of(&store());
        let at = |query: &str, gate| {
            let ranking = ranking(&index, &Published::new(&[]), &Ask::new(query), &Weights::DEFAULT);
            let ranking = ranking.expect("readable");
            assert_eq!(ranking.is_silenced_at(GATE), ranking.silenced, "{query}");
            ranking.is_silenced_at(gate)
        };
        assert!(!at("jwt expiry", 0.5) && at("jwt expiry", 0.999));
        assert!(at("sourdough", 0.0));
    }
}
