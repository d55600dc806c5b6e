//! The part of a session that is read at once.

use crate::Result;
use crate::edge::SessionId;
use crate::index::{Index, Place};
use crate::session::{Commit, Record, Role, ToolCall, Turn};

/// The turns of a page unless a number is asked for.
const TURNS: usize = 20;

/// The most turns of a page, whatever is asked for.
const MAX_TURNS: usize = 1000;

/// What is asked of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reading {
    /// Begin at this turn.
    pub from: Option<u32>,
    /// Begin behind this turn: reading on, not a drill.
    pub after: Option<u32>,
    /// At most so many turns: 20 unless said, never more than 1,000.
    pub limit: Option<usize>,
    /// Only the turns of this role.
    pub role: Option<Role>,
    /// Tool calls and files too.
    pub full: bool,
}

/// A page of a session.
#[derive(Clone, PartialEq, Debug)]
pub struct Page {
    /// The session.
    pub record: Record,
    /// The sessions that it started.
    pub children: Vec<SessionId>,
    /// The turns with their numbers.
    pub turns: Vec<(u32, Turn)>,
    /// There are more such turns behind them.
    pub has_more: bool,
    /// The role that was asked for.
    pub role: Option<Role>,
    /// What was done meanwhile, when all was asked for.
    pub done: Option<Done>,
    /// The commits that a checkpoint linked to the session.
    pub commits: Vec<Commit>,
}

/// What was done in the turns of a page.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Done {
    /// The tool calls, each with its number within the session, from 1.
    pub tool_calls: Vec<(u32, ToolCall)>,
}

/// Reads a page. `None`: no such session.
///
/// # Errors
/// The index is damaged.
pub fn read(index: &Index, number: u32, reading: &Reading) -> Result<Option<Page>> {
    let Some(record) = index.session(number)? else {
        return Ok(None);
    };
    let first = reading
        .from
        .unwrap_or(1)
        .max(reading.after.map_or(1, |after| after.saturating_add(1)));
    let places = index.places(number)?;
    let wanted = |place: &&Place| place.turn >= first && reading.role.is_none_or(|role| role == place.role);
    let mut wanted = places.iter().filter(wanted);
    let limit = reading.limit.unwrap_or(TURNS).min(MAX_TURNS);
    let turns = wanted
        .by_ref()
        .take(limit)
        .map(|place| Ok((place.turn, index.turn(place)?)))
        .collect::<Result<Vec<_>>>()?;
    let children = index.children(&record.session.id)?;
    let done = reading.full.then(|| index.tool_calls(number)).transpose()?;
    Ok(Some(Page {
        children: children.into_iter().map(|child| child.session.id).collect(),
        has_more: wanted.next().is_some(),
        role: reading.role,
        done: done.map(|calls| within(calls, &turns)),
        commits: index.commits(number)?,
        record,
        turns,
    }))
}

/// The tool calls from the first turn of a page to its last. Those before the first turn of all belong
/// to it.
fn within(calls: Vec<ToolCall>, turns: &[(u32, Turn)]) -> Done {
    let (Some((first, _)), Some((last, _))) = (turns.first(), turns.last()) else {
        return Done::default();
    };
    let first = if *first == 1 { 0 } else { *first };
    let numbered = (1..).zip(calls);
    Done {
        tool_calls: numbered
            .filter(|(_, call)| (first..=*last).contains(&call.turn))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::fixture::{index_of, session};

    fn numbers(reading: &Reading) -> (Vec<u32>, bool) {
        let texts: Vec<String> = (1..=45).map(|n| format!("turn {n}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (_dir, index) = index_of(&[session(5, "aa", &texts)]);
        let page = read(&index, 5, reading).expect("readable").expect("there");
        (page.turns.iter().map(|(number, _)| *number).collect(), page.has_more)
    }

    #[test]
    fn a_page_has_twenty_turns_and_says_whether_there_are_more() {
        assert_eq!(numbers(&Reading::default()), ((1..=20).collect(), true));
        let last = Reading {
            after: Some(40),
            ..Reading::default()
        };
        assert_eq!(numbers(&last), ((41..=45).collect(), false));
        let beyond = Reading {
            from: Some(46),
            ..Reading::default()
        };
        assert_eq!(numbers(&beyond), (vec![], false));
    }

    #[test]
    fn it_begins_at_or_behind_a_turn_and_keeps_to_a_role() {
        let from = |from, after, limit, role| {
            numbers(&Reading {
                from,
                after,
                limit: Some(limit),
                role,
                full: false,
            })
        };
        assert_eq!(from(Some(12), None, 3, None), (vec![12, 13, 14], true));
        assert_eq!(from(None, Some(12), 2, None), (vec![13, 14], true));
        assert_eq!(from(Some(0), None, 1, None), (vec![1], true));
        assert_eq!(from(None, Some(u32::MAX), 1, None), (vec![], false));
        assert_eq!(from(Some(42), None, 9, Some(Role::Assistant)), (vec![42, 44], false));
        assert_eq!(from(None, None, 9, Some(Role::Summary)), (vec![], false));
        assert_eq!(from(None, None, 0, None), (vec![], true));
        assert_eq!(from(None, None, usize::MAX, None), ((1..=45).collect(), false));
    }

    #[test]
    fn tool_calls_come_with_the_turns_that_they_follow() {
        let mut conversation = session(5, "aa", &["one", "two", "three"]);
        let call = |turn, tool: &str| ToolCall {
            turn,
            tool: tool.into(),
            path: None,
            command: None,
        };
        conversation.tool_calls = vec![call(0, "Read"), call(1, "Edit"), call(3, "Bash")];
        let (_dir, index) = index_of(&[conversation]);
        let calls = |from| {
            let reading = Reading {
                from: Some(from),
                limit: Some(2),
                full: true,
                ..Reading::default()
            };
            let page = read(&index, 5, &reading).expect("readable").expect("there");
            let calls = page.done.expect("asked for").tool_calls.into_iter();
            calls.map(|(order, call)| (order, call.tool)).collect::<Vec<_>>()
        };
        assert_eq!(calls(1), [(1, "Read".into()), (2, "Edit".into())]);
        assert_eq!(calls(2), [(3, "Bash".into())]);
        assert_eq!(calls(9), []);
    }

    #[test]
    fn a_session_that_is_not_there_has_no_page() {
        let (_dir, index) = index_of(&[]);
        assert_eq!(read(&index, 5, &Reading::default()).expect("readable"), None);
    }
}
