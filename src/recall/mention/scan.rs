//! The scan over all turns.

use std::ops::Range;

use super::folded::Needle;
use crate::Result;
use crate::edge::SessionId;
use crate::index::Index;
use crate::recall::ask::when;
use crate::session::{Record, Role, Turn};
use crate::time::Millis;

/// The most characters that are shown before a hit, and behind it.
const BEFORE: usize = 60;
const BEHIND: usize = 100;

/// What stands for the text that is not shown.
const CUT: &str = "…";

/// What is sought.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sought {
    /// The very text, in any case.
    pub text: String,
    /// Only what was said in this role.
    pub role: Option<Role>,
    /// The most mentions that are shown. `None`: all.
    pub limit: Option<usize>,
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mentions {
    /// What was sought.
    pub text: String,
    /// The turns that hold it, shown or not.
    pub total: usize,
    /// Those that are shown, oldest first.
    pub shown: Vec<Mention>,
}

/// A turn that holds the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mention {
    /// Its session.
    pub session: SessionId,
    /// The session's number.
    pub number: u32,
    /// The turn's number.
    pub turn: u32,
    /// Who speaks.
    pub role: Role,
    /// When, as recorded.
    pub at: Option<Millis>,
    /// How often the turn holds it.
    pub count: usize,
    /// The first of them with what stands around it, white space folded; not yet safe for a terminal.
    pub snippet: String,
}

/// Every turn that holds the text, in time order. A turn that bears no time was said when the one before
/// it was; the first of a session, when that began.
///
/// # Errors
/// The index is damaged.
pub fn mentions(index: &Index, sought: &Sought) -> Result<Mentions> {
    let needle = Needle::new(&sought.text);
    let mut found: Vec<(Millis, Mention)> = Vec::new();
    for number in index.sessions() {
        let Some(record) = index.session(number)? else {
            continue;
        };
        let mut at = when(&record);
        for place in index.places(number)? {
            let turn = index.turn(&place)?;
            at = turn.at.unwrap_or(at);
            if sought.role.is_none_or(|role| role == turn.role) {
                found.extend(mention(&record, place.turn, &turn, &needle).map(|mention| (at, mention)));
            }
        }
    }
    found.sort_by_key(|(at, mention)| (*at, mention.number, mention.turn));
    let total = found.len();
    found.truncate(sought.limit.unwrap_or(total));
    Ok(Mentions {
        text: sought.text.clone(),
        total,
        shown: found.into_iter().map(|(_, mention)| mention).collect(),
    })
}

fn mention(record: &Record, number: u32, turn: &Turn, needle: &Needle) -> Option<Mention> {
    let hits = needle.hits(&turn.text);
    Some(Mention {
        session: record.session.id.clone(),
        number: record.number,
        turn: number,
        role: turn.role,
        at: turn.at,
        count: hits.len(),
        snippet: around(&turn.text, hits.first()?),
    })
}

/// The hit with the words before and behind it.
fn around(text: &str, hit: &Range<usize>) -> String {
    let (before, behind) = (&text[..hit.start], &text[hit.end..]);
    let begin = before.char_indices().rev().nth(BEFORE).map_or(0, |(far, _)| {
        let word = before[far..].find(char::is_whitespace);
        word.map_or(far, |space| far + space)
    });
    let end = behind.char_indices().nth(BEHIND).map_or(text.len(), |(far, _)| {
        let word = behind[..far].rfind(char::is_whitespace);
        hit.end + word.unwrap_or(far)
    });
    let shown = text[begin..end].split_whitespace().collect::<Vec<_>>().join(" ");
    let mark = |cut: &str| if cut.trim().is_empty() { "" } else { CUT };
    format!("{}{shown}{}", mark(&text[..begin]), mark(&text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::fixture::{START, index_of, session};

    fn sought(text: &str) -> Sought {
        Sought {
            text: text.into(),
            role: None,
            limit: None,
        }
    }

    fn places(mentions: &Mentions) -> Vec<(u32, u32)> {
        mentions.shown.iter().map(|m| (m.number, m.turn)).collect()
    }

    #[test]
    fn every_turn_is_found_oldest_first_whatever_its_session() {
        let mut late = session(1, "aa", &["Token here", "none", "a token, a TOKEN"]);
        late.turns[0].at = Some(START + 90_000);
        late.turns[2].at = None;
        late.turns[1].at = Some(START + 200_000);
        let early = session(2, "bb", &["the tokens", "no", "token"]);
        let (_dir, index) = index_of(&[late, early]);
        let found = mentions(&index, &sought("token")).expect("readable");
        assert_eq!(places(&found), [(2, 1), (1, 1), (2, 3), (1, 3)]);
        assert_eq!((found.total, found.shown[3].count), (4, 2));
        assert_eq!(found.shown[3].at, None);

        let two = Sought {
            limit: Some(2),
            ..sought("token")
        };
        let found = mentions(&index, &two).expect("readable");
        assert_eq!((places(&found), found.total), (vec![(2, 1), (1, 1)], 4));
        let said = Sought {
            role: Some(Role::Assistant),
            ..sought("no")
        };
        assert_eq!(places(&mentions(&index, &said).expect("readable")), [(2, 2), (1, 2)]);
    }

    #[test]
    fn a_turn_without_a_time_stands_where_its_session_begins() {
        let mut timeless = session(1, "aa", &["token", "token"]);
        timeless.turns[0].at = None;
        let (_dir, index) = index_of(&[timeless, session(2, "bb", &["token", "no", "token"])]);
        let found = mentions(&index, &sought("token")).expect("readable");
        assert_eq!(places(&found), [(1, 1), (2, 1), (1, 2), (2, 3)]);
    }

    #[test]
    fn the_words_around_the_first_hit_are_shown_on_one_line() {
        let around_it = |text: &str| around(text, &Needle::new("hit").hits(text)[0]);
        assert_eq!(around_it("  a\n\thit  b "), "a hit b");
        assert_eq!(around_it("hit"), "hit");
        let words = "word ".repeat(40);
        assert_eq!(
            around_it(&format!("{words}hit {words}")),
            format!("…{}hit{}…", "word ".repeat(12), " word".repeat(19))
        );
        let joined = "é".repeat(200);
        assert_eq!(
            around_it(&format!("{joined}hit{joined}")),
            format!("…{}hit{}…", "é".repeat(61), "é".repeat(100))
        );
    }
}
