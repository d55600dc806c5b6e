//! Filters without a query: a list of the newest sessions.

use super::answer::{Answer, Reason, Row, Verdict};
use super::ask::{Ask, when};
use super::reached::LookedUp;
use super::snippet::opening;
use crate::Result;
use crate::index::Index;
use crate::session::{Record, Role};

/// The sessions that pass the filter, newest first. Nothing when there is no filter either.
pub(super) fn newest(index: &Index, reach: &mut LookedUp<'_>, ask: &Ask) -> Result<Answer> {
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
pub(super) fn listed(index: &Index, reach: &mut LookedUp<'_>, record: Record) -> Result<Row> {
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

/// The number of a session's last compaction summary.
pub(super) fn last_summary(index: &Index, session: u32) -> Result<Option<u32>> {
    let places = index.places(session)?;
    let summary = places.iter().rfind(|place| place.role == Role::Summary);
    Ok(summary.map(|place| place.turn))
}
