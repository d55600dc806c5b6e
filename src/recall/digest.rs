//! An answer as text.
//!
//! ```text
//! INJECT top=0.62 gap=0.05 12 seeds
//!   s5 conf=0.50 t12 [reached 9× drilled 2×· "jwt expiry"] "first fifteen words of the snippet…"
//!   (+4 more)
//! ```
//!
//! The first line says how much the best session can be trusted, how far it stands out, and how many
//! sessions follow. A list of the newest sessions begins with `INJECT 12 sessions`, and its rows have a
//! date instead of a confidence. Subagents follow their trunk, indented further. Silence is one line, `SILENCE reason=below_gate`.

use std::fmt::{self, Display, Formatter};

use super::answer::{Answer, Row, Scored, Verdict};
use super::ask::when;
use super::line::Quoted;
use super::snippet::first_words;
use crate::hint::Hint;
use crate::time::format_rfc3339;

/// The text, each line ended.
pub fn digest(answer: &Answer) -> String {
    Digest(answer).to_string()
}

struct Digest<'a>(&'a Answer);

impl Display for Digest<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Digest(answer) = self;
        if let Verdict::Silence(reason) = answer.verdict {
            return writeln!(f, "SILENCE reason={}", reason.as_str());
        }
        f.write_str("INJECT")?;
        match (answer.top, answer.gap) {
            (Some(top), Some(gap)) => writeln!(f, " top={top:.2} gap={gap:.2} {} seeds", answer.rows.len())?,
            _ => writeln!(f, " {} sessions", answer.rows.len())?,
        }
        for row in &answer.rows {
            write_row(f, "  ", row, answer.explain)?;
            for child in &row.children {
                write_row(f, "    ", child, answer.explain)?;
            }
        }
        match answer.more() {
            0 => Ok(()),
            more => writeln!(f, "  (+{more} more)"),
        }
    }
}

fn write_row(f: &mut Formatter<'_>, indent: &str, row: &Row, explain: bool) -> fmt::Result {
    write!(f, "{indent}s{}", row.record.number)?;
    match &row.scored {
        Some(scored) => write!(f, " conf={:.2}", scored.confidence)?,
        None => write!(f, " {}", &format_rfc3339(when(&row.record))[..10])?,
    }
    if let Some((turn, _)) = row.turn {
        write!(f, " t{turn}")?;
    }
    if let Some(reach) = row.reach.as_ref().filter(|reach| reach.count > 0) {
        write!(f, " {}", Hint(reach))?;
    }
    let (words, more) = first_words(&row.snippet);
    write!(f, " \"{}{}\"", Quoted(words), if more { "…" } else { "" })?;
    if let Some(scored) = row.scored.as_ref().filter(|_| explain) {
        write_layers(f, scored)?;
    }
    writeln!(f)
}

fn write_layers(f: &mut Formatter<'_>, scored: &Scored) -> fmt::Result {
    let Scored { score, layers, .. } = scored;
    write!(f, " score={score:.2} turn={:.2}", layers.turn)?;
    write!(
        f,
        " session={:.2} lsa={:.2} commit={:.2} date={:.2}",
        layers.session, layers.lsa, layers.commit, layers.date
    )?;
    let (recency, reach, intent) = (layers.recency, layers.reach, layers.intent);
    write!(f, " recency={recency:.2} reach={reach:.2} intent={intent:.2}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recall::fixture::{answer, hostile, listed, row};
    use crate::recall::{Answer, Reason};

    #[test]
    fn rows_show_confidence_turn_hint_and_the_first_fifteen_words() {
        let expected = "INJECT top=0.62 gap=0.05 2 seeds
  s5 conf=0.50 t12 [reached 9× drilled 2×· \"jwt expiry\"] \"w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w12 w13 w14 w15…\"
  s6 conf=0.47 t3 \"short\"
  (+4 more)
";
        assert_eq!(digest(&answer()), expected);
    }

    #[test]
    fn explained_rows_end_with_what_each_layer_gave() {
        let mut explained = answer();
        explained.explain = true;
        explained.rows.remove(0);
        explained.total = 1;
        let expected = "INJECT top=0.62 gap=0.05 1 seeds
  s6 conf=0.47 t3 \"short\" score=0.91 turn=0.81 session=0.00 lsa=0.00 commit=0.00 date=0.00 recency=0.00 reach=0.10 intent=0.00
";
        assert_eq!(digest(&explained), expected);
    }

    #[test]
    fn silence_is_one_line() {
        let silent = |reason| digest(&Answer::silence(None, reason));
        assert_eq!(silent(Reason::NoResults), "SILENCE reason=no_results\n");
        assert_eq!(silent(Reason::BelowGate), "SILENCE reason=below_gate\n");
        assert_eq!(silent(Reason::SingleBelowConf), "SILENCE reason=single_below_conf\n");
        assert_eq!(silent(Reason::NoStore), "SILENCE reason=no_store\n");
        assert_eq!(silent(Reason::NoIndex), "SILENCE reason=no_index\n");
    }

    #[test]
    fn a_list_has_dates_instead_of_confidences() {
        let expected = "INJECT 1 sessions\n  s5 2026-11-02 t1 \"fix it\"\n";
        assert_eq!(digest(&listed()), expected);
    }

    #[test]
    fn no_row_at_all_is_still_an_answer() {
        let mut none = answer();
        none.rows.clear();
        assert_eq!(digest(&none), "INJECT top=0.62 gap=0.05 0 seeds\n  (+6 more)\n");
    }

    #[test]
    fn a_hostile_snippet_and_query_stay_one_line() {
        let expected = "INJECT top=0.62 gap=0.05 1 seeds
  s5 conf=0.50 t12 [reached 1×· \"a\\\"]\\u{a}\\u{1b}[31m\"] \"say \\\"hi\\\"\\u{1b}[31m \\u{202e}evil\"
";
        assert_eq!(digest(&hostile()), expected);
    }

    #[test]
    fn a_row_without_edges_has_no_hint() {
        let mut unreached = answer();
        unreached.rows = vec![row(5, "aa")];
        unreached.rows[0].reach = Some(Default::default());
        assert!(digest(&unreached).contains("  s5 conf=0.50 t12 \"w1 "));
    }
}
