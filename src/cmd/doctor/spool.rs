//! The spool: whether it takes an event, and what waits in it.

use std::fs;
use std::io::Write;

use rekal::spool::claim::abandoned;
use rekal::spool::waiting::{Waiting, waiting};
use rekal::spool::writer::SPOOL;
use rekal::time::{DAY, Millis, format_rfc3339};

use super::finding::Finding;
use super::visit::Visit;
use crate::call::quoted;
use crate::out;

const AREA: &str = "spool";

/// What waits for longer is forgotten by whoever should drain it.
const LONG: Millis = 7 * DAY;

pub fn findings(visit: &Visit<'_>) -> Vec<Finding> {
    let dir = &visit.place.dir;
    if !dir.is_dir() {
        return Vec::new();
    }
    let mut found: Vec<Finding> = [regular(visit), writable(visit)].into_iter().flatten().collect();
    match waiting(dir, visit.now) {
        Ok(waiting) => found.extend(
            [lag(visit, &waiting), bad(visit, &waiting), claims(visit, &waiting)]
                .into_iter()
                .flatten(),
        ),
        Err(error) => found.push(
            Finding::error(AREA, error.to_string())
                .at(dir)
                .remedy_is(format!("chmod -R u=rwX,go= {}", quoted(&dir.join(SPOOL)))),
        ),
    }
    let begun = abandoned(dir, visit.now).unwrap_or_default();
    found.extend(begun.first().map(|path| {
        let what = format!(
            "{} died before a claim was finished",
            out::counted(begun.len() as u64, "writer")
        );
        Finding::warning(AREA, what)
            .at(path)
            .remedy_is(visit.call.line("graph drain"))
    }));
    found.extend(counted(visit));
    found
}

/// Only a regular file is appended to and drained.
fn regular(visit: &Visit<'_>) -> Option<Finding> {
    let path = visit.place.dir.join(SPOOL);
    let is_other = fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file());
    is_other.then(|| {
        let away = path.with_extension("away");
        let what = "the spool is no regular file, so what is in it is never drained";
        let remedy = format!("mv {} {}", quoted(&path), quoted(&away));
        Finding::error(AREA, what).at(path).remedy_is(remedy)
    })
}

/// An event that cannot be written is counted nowhere: there is nowhere to count it. So it is tried
/// whether one could be.
fn writable(visit: &Visit<'_>) -> Option<Finding> {
    let dir = &visit.place.dir;
    let tried = tempfile::tempfile_in(dir).and_then(|mut file| {
        file.write_all(&[b'\n'; 4096])?;
        file.sync_all()
    });
    Some(match tried {
        Ok(()) => Finding::info(
            AREA,
            "an event could be recorded now; one that could not be is counted nowhere, the verb says so on stderr",
        ),
        Err(error) => Finding::error(AREA, format!("no event can be recorded in {}: {error}", dir.display()))
            .at(dir)
            .remedy_is(format!("make room on its disk, or chmod 700 {}", quoted(dir))),
    })
}

fn lag(visit: &Visit<'_>, waiting: &Waiting) -> Option<Finding> {
    let oldest = waiting.oldest?;
    let what = format!(
        "{} to be drained, the oldest of {}",
        match waiting.events {
            1 => "1 event waits".to_owned(),
            more => format!("{more} events wait"),
        },
        &format_rfc3339(oldest)[..16]
    );
    let is_late = oldest.saturating_add(LONG) < visit.now;
    let finding = match is_late {
        true => Finding::warning(AREA, what),
        false => Finding::info(AREA, what),
    };
    Some(finding.remedy_is(visit.call.line("checkpoint")))
}

fn bad(visit: &Visit<'_>, waiting: &Waiting) -> Option<Finding> {
    let lines: u64 = waiting.bad_lines.values().sum();
    (lines > 0).then(|| {
        let reasons = waiting.bad_lines.iter();
        let what = format!("{} no event: {}", lines_are(lines), by_reason(reasons));
        Finding::warning(AREA, what)
            .at(visit.place.dir.join(SPOOL))
            .remedy_is(visit.call.line("graph drain"))
    })
}

/// While another process drains, a claim is what it works on.
fn claims(visit: &Visit<'_>, waiting: &Waiting) -> Option<Finding> {
    (waiting.claims > 0).then(|| {
        let what = format!(
            "{} left behind",
            match waiting.claims {
                1 => "1 claim was".to_owned(),
                more => format!("{more} claims were"),
            }
        );
        let finding = match visit.is_busy() {
            true => Finding::info(AREA, format!("{what}, or drained at this moment")),
            false => Finding::warning(AREA, what),
        };
        finding.at(&visit.place.dir).remedy_is(visit.call.line("graph drain"))
    })
}

/// The ledger counts them for good.
fn counted(visit: &Visit<'_>) -> Option<Finding> {
    let bad_lines = &visit.facts()?.bad_lines;
    let lines: u64 = bad_lines.values().sum();
    (lines > 0).then(|| {
        let what = format!(
            "of all that was ever drained, {} no event: {}",
            lines_are(lines),
            by_reason(bad_lines)
        );
        Finding::info(AREA, what)
    })
}

fn lines_are(lines: u64) -> String {
    match lines {
        1 => "1 line is".to_owned(),
        more => format!("{more} lines are"),
    }
}

fn by_reason<'a, T: AsRef<str> + 'a>(counts: impl IntoIterator<Item = (&'a T, &'a u64)>) -> String {
    let counts = counts
        .into_iter()
        .map(|(reason, lines)| format!("{} {lines}", reason.as_ref()));
    counts.collect::<Vec<_>>().join(", ")
}
