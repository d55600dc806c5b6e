//! An answer as one compact JSON object. What is absent is left out, and nothing in it is unsafe on a
//! terminal.

use serde::Serialize;

use super::answer::{Answer, Row, Verdict};
use super::rank::Layers;
use crate::hint::safe_json;
use crate::reach::Reach;
use crate::session::{Record, Role};
use crate::time::format_rfc3339;

/// The object, without a line end.
pub fn json(answer: &Answer) -> String {
    let (verdict, reason) = match answer.verdict {
        Verdict::Inject => ("inject", None),
        Verdict::Silence(reason) => ("silence", Some(reason.as_str())),
    };
    let object = Object {
        schema_version: 1,
        query: answer.query.as_deref(),
        verdict,
        reason,
        top: answer.top.map(rounded),
        gap: answer.gap.map(rounded),
        total: answer.total,
        results: answer.rows.iter().map(|row| Shown::new(row, answer.explain)).collect(),
    };
    // Only a map with keys that are no text, or a failing writer, could refuse.
    serde_json::to_string(&object).map_or_else(|_| String::new(), |json| safe_json(&json))
}

#[derive(Serialize)]
struct Object<'a> {
    schema_version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<&'a str>,
    verdict: &'static str,
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<f64>,
    total: usize,
    results: Vec<Shown<'a>>,
}

#[derive(Serialize)]
struct Shown<'a> {
    session_id: &'a str,
    sid: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    snippet: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet_turn: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet_role: Option<Role>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary_turn: Option<u32>,
    session: About<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<Shown<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reached: Option<ReachedBefore<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    layers: Option<ByLayer>,
}

#[derive(Serialize)]
struct About<'a> {
    harness: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<&'a str>,
    actor: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<String>,
    captured_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<&'a str>,
    turn_count: u32,
    tool_call_count: u32,
    files: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_session_id: Option<&'a str>,
}

#[derive(Serialize)]
struct ReachedBefore<'a> {
    count: u32,
    #[serde(skip_serializing_if = "is_zero")]
    drills: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<&'a str>,
}

#[derive(Serialize)]
struct ByLayer {
    turn: f64,
    session: f64,
    lsa: f64,
    commit: f64,
    date: f64,
    recency: f64,
    reach: f64,
    intent: f64,
}

impl<'a> Shown<'a> {
    fn new(row: &'a Row, explain: bool) -> Self {
        let scored = row.scored.as_ref();
        Self {
            session_id: row.record.session.id.as_str(),
            sid: format!("s{}", row.record.number),
            score: scored.map(|scored| rounded(scored.score)),
            confidence: scored.map(|scored| rounded(scored.confidence)),
            snippet: &row.snippet,
            snippet_turn: row.turn.map(|(turn, _)| turn),
            snippet_role: row.turn.map(|(_, role)| role),
            summary_turn: row.summary_turn,
            session: About::new(&row.record),
            children: row.children.iter().map(|child| Self::new(child, explain)).collect(),
            reached: row
                .reach
                .as_ref()
                .filter(|reach| reach.count > 0)
                .map(ReachedBefore::new),
            layers: scored.filter(|_| explain).map(|scored| ByLayer::new(&scored.layers)),
        }
    }
}

impl<'a> About<'a> {
    fn new(record: &'a Record) -> Self {
        let session = &record.session;
        Self {
            harness: session.harness.as_str(),
            author: record.author.as_deref(),
            actor: session.actor.as_str(),
            branch: session.branch.as_deref(),
            cwd: session.cwd.as_deref(),
            started_at: session.started_at.map(format_rfc3339),
            captured_at: format_rfc3339(record.captured_at),
            commit: record.commit.as_deref(),
            turn_count: record.turn_count,
            tool_call_count: record.tool_call_count,
            files: &record.files,
            parent_session_id: session.parent.as_ref().map(|id| id.as_str()),
        }
    }
}

impl<'a> ReachedBefore<'a> {
    fn new(reach: &'a Reach) -> Self {
        Self {
            count: reach.count,
            drills: reach.drills,
            query: reach.query.as_deref().filter(|query| !query.trim().is_empty()),
        }
    }
}

impl ByLayer {
    fn new(layers: &Layers) -> Self {
        Self {
            turn: rounded(layers.turn),
            session: rounded(layers.session),
            lsa: rounded(layers.lsa),
            commit: rounded(layers.commit),
            date: rounded(layers.date),
            recency: rounded(layers.recency),
            reach: rounded(layers.reach),
            intent: rounded(layers.intent),
        }
    }
}

/// Four decimals: more would be noise that differs from one build to another.
fn rounded(figure: f64) -> f64 {
    (figure * 10_000.0).round() / 10_000.0
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recall::fixture::{answer, hostile, listed, row};
    use crate::recall::{Answer, Reason};

    /// One row with everything there is.
    fn full() -> Answer {
        let mut full = answer();
        full.rows.truncate(1);
        let first = &mut full.rows[0];
        first.snippet = "w1".into();
        first.record.commit = Some("abc123".into());
        first.record.session.parent = Some("trunk".parse().expect("an id"));
        let mut child = row(7, "cc");
        child.snippet = "w2".into();
        first.children = vec![child];
        full.explain = true;
        full
    }

    #[test]
    fn an_answer_has_these_keys_in_this_order() {
        let expected = concat!(
            r#"{"schema_version":1,"query":"jwt expiry","verdict":"inject","reason":null,"top":0.62,"gap":0.05,"total":6,"#,
            r#""results":[{"session_id":"aa","sid":"s5","score":0.91,"confidence":0.5,"snippet":"w1","snippet_turn":12,"#,
            r#""snippet_role":"assistant","summary_turn":41,"session":{"harness":"claude","author":"ada@example.org","#,
            r#""actor":"human","branch":"main","cwd":"/srv/shop","started_at":"2026-11-02T10:00:00.000Z","#,
            r#""captured_at":"2026-11-02T11:00:00.000Z","commit":"abc123","turn_count":2,"tool_call_count":1,"#,
            r#""files":["src/auth.rs"],"parent_session_id":"trunk"},"children":[{"session_id":"cc","sid":"s7","score":0.91,"#,
            r#""confidence":0.5,"snippet":"w2","snippet_turn":12,"snippet_role":"assistant","session":{"harness":"claude","#,
            r#""author":"ada@example.org","actor":"human","branch":"main","cwd":"/srv/shop","#,
            r#""started_at":"2026-11-02T10:00:00.000Z","captured_at":"2026-11-02T11:00:00.000Z","turn_count":2,"#,
            r#""tool_call_count":1,"files":["src/auth.rs"]},"layers":{"turn":0.81,"session":0.0,"lsa":0.0,"commit":0.0,"date":0.0,"recency":0.0,"reach":0.1,"intent":0.0}}],"#,
            r#""reached":{"count":9,"drills":2,"query":"jwt expiry"},"layers":{"turn":0.81,"session":0.0,"lsa":0.0,"commit":0.0,"date":0.0,"recency":0.0,"reach":0.1,"intent":0.0}}]}"#,
        );
        assert_eq!(json(&full()), expected);
    }

    #[test]
    fn what_is_absent_is_left_out() {
        let mut bare = full();
        bare.explain = false;
        let row = &mut bare.rows[0];
        row.children.clear();
        row.summary_turn = None;
        row.record.commit = None;
        row.record.author = None;
        row.record.session.parent = None;
        row.record.session.branch = None;
        row.record.session.cwd = None;
        row.record.session.started_at = None;
        row.reach = crate::recall::fixture::reach(4, 0, " ");
        let text = json(&bare);
        assert!(text.ends_with(concat!(
            r#""session":{"harness":"claude","actor":"human","captured_at":"2026-11-02T11:00:00.000Z","turn_count":2,"#,
            r#""tool_call_count":1,"files":["src/auth.rs"]},"reached":{"count":4}}]}"#
        )));
        bare.rows[0].reach = Some(Reach::default());
        assert!(!json(&bare).contains("reached"));
    }

    #[test]
    fn silence_has_a_reason_and_no_results() {
        let silence = Answer::silence(Some("x".into()), Reason::BelowGate);
        assert_eq!(
            json(&silence),
            r#"{"schema_version":1,"query":"x","verdict":"silence","reason":"below_gate","total":0,"results":[]}"#
        );
    }

    #[test]
    fn a_list_has_neither_query_nor_score() {
        let text = json(&listed());
        assert!(text.starts_with(concat!(
            r#"{"schema_version":1,"verdict":"inject","reason":null,"total":1,"results":[{"session_id":"aa","sid":"s5","#,
            r#""snippet":"fix it","snippet_turn":1,"snippet_role":"human","session":{"#
        )));
    }

    #[test]
    fn hostile_text_is_valid_json_and_harmless_on_a_terminal() {
        let text = json(&hostile());
        assert!(!text.chars().any(crate::hint::is_unsafe_on_a_line));
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value["query"], "\u{202e}\u{1b}");
        assert_eq!(value["results"][0]["snippet"], "say \"hi\"\u{1b}[31m \u{202e}evil");
    }
}
