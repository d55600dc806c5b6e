//! Transcripts into the ledger, in transactions of bounded size: an interrupted capture keeps what it
//! has, and the next one goes on from there.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::HashSet;
use std::path::Path;

use super::Scope;
use crate::ledger::{Added, Ledger, Outcome, SessionReader, SessionRow, Sessions, TranscriptRow};
use crate::session::{Record, Session, ToolCall};
use crate::time::Millis;
use crate::transcript::{self, Found, Position, Reading};
use crate::{Error, Result};

/// Text that one transaction takes, in bytes: bounds both memory and what an interruption loses.
const PORTION: usize = 4 << 20;

/// What a new session's record gets from its surroundings.
pub struct Circumstances<'a> {
    /// The time of the checkpoint.
    pub at: Millis,
    /// The commit that is checked out.
    pub head: Option<String>,
    /// What is asked only when there is something new to note it with.
    pub asked: LazyCell<Asked, Box<dyn FnOnce() -> Asked + 'a>>,
}

/// What takes another process to find out.
#[derive(Clone, Default, Debug)]
pub struct Asked {
    /// The branch that is checked out.
    pub branch: Option<String>,
    /// The author's mail address.
    pub author: Option<String>,
}

/// What capturing did.
#[derive(Clone, Default, Debug)]
pub struct Captured {
    /// Transcripts that were there.
    pub files: u64,
    /// Transcripts that were read, because they were new or had changed.
    pub read: u64,
    /// Sessions captured for the first time.
    pub sessions_new: u64,
    /// Sessions that had more to say.
    pub sessions_grown: u64,
    /// Turns written.
    pub turns: u64,
    /// Tool calls written.
    pub tool_calls: u64,
    /// Lines that could not be read, in the transcripts that were read.
    pub skipped_lines: u64,
    /// Lines of subagents in the transcripts of others, where old versions of Claude Code wrote them. They
    /// are no session of their own and left out.
    pub sidechain_lines: u64,
    /// Transcripts of sessions that were held elsewhere.
    pub elsewhere: u64,
    /// Transcripts of sessions that the store holds.
    pub held: u64,
    /// Transcripts read of sessions that another transcript holds, which were left aside.
    pub copies: u64,
    /// Transcripts that could not be read, with the reason.
    pub unreadable: Vec<String>,
    /// Files and folders that could not be looked at, with the reason.
    pub unseen: Vec<String>,
    /// The numbers of the new and the grown sessions.
    pub numbers: Vec<u32>,
}

/// What decides how a session is written.
struct Surroundings<'a, 'c> {
    /// Every transcript that is there.
    paths: HashSet<String>,
    scope: &'a Scope,
    circumstances: &'a Circumstances<'c>,
}

/// A reading that waits for its transaction.
struct Waiting<'f> {
    found: &'f Found,
    path: String,
    reading: Reading,
    /// Lines that could not be read in what was read before and stays.
    skipped_before: u64,
}

/// Captures what is new in the transcripts found. `seen` is told the bytes of each as it is done.
pub(super) fn capture(
    ledger: &Ledger,
    found: &[Found],
    scope: &Scope,
    circumstances: &Circumstances<'_>,
    seen: &mut dyn FnMut(u64),
) -> Result<Captured> {
    let known = SessionReader::open(&ledger.read()?)?.transcripts()?;
    let mut report = Captured {
        files: found.len() as u64,
        ..Captured::default()
    };
    let surroundings = Surroundings {
        paths: found.iter().map(key_of).collect(),
        scope,
        circumstances,
    };
    let mut portion = Vec::new();
    let mut size = 0;
    for file in found {
        for waiting in read(file, known.get(&key_of(file)), scope, &mut report) {
            size += waiting.reading.turns.iter().map(|turn| turn.text.len()).sum::<usize>() + 1024;
            portion.push(waiting);
        }
        if size > PORTION {
            write(ledger, &mut portion, &surroundings, &mut report)?;
            size = 0;
        }
        seen(file.size);
    }
    write(ledger, &mut portion, &surroundings, &mut report)?;
    Ok(report)
}

/// The path as the ledger keeps it. One that is no UTF-8 is kept in its lossy form: at worst two
/// such files share a row and are read again each time.
pub(super) fn key_of(file: &Found) -> String {
    file.path.to_string_lossy().into_owned()
}

fn read<'f>(file: &'f Found, known: Option<&TranscriptRow>, scope: &Scope, report: &mut Captured) -> Vec<Waiting<'f>> {
    let path = key_of(file);
    let mut from = None;
    if let Some(row) = known {
        let unchanged = (row.size, row.modified) == (file.size, file.modified);
        match &row.outcome {
            // Where the folder was not known yet, what came since may name it.
            Outcome::Elsewhere(cwd) if !scope.holds(Some(cwd)) && (unchanged || !cwd.is_empty()) => {
                report.elsewhere += 1;
                return Vec::new();
            }
            Outcome::Elsewhere(_) => {}
            outcome if unchanged => {
                report.held += u64::from(matches!(outcome, Outcome::Session(_)));
                return Vec::new();
            }
            // A position that another version wrote is no position: the file is read anew.
            _ => from = postcard::from_bytes::<Position>(&row.position).ok(),
        }
    }
    match transcript::read(file, from.as_ref()) {
        Ok(readings) => {
            report.read += 1;
            let waiting = readings.into_iter().map(|reading| {
                report.skipped_lines += reading.skipped;
                report.sidechain_lines += reading.sidechain;
                let stays = known.filter(|_| !reading.fresh);
                Waiting {
                    found: file,
                    path: path.clone(),
                    skipped_before: stays.map_or(0, |row| row.skipped),
                    reading,
                }
            });
            waiting.collect()
        }
        Err(error) => {
            report.unreadable.push(error.to_string());
            Vec::new()
        }
    }
}

/// Writes the portion in one transaction.
fn write(
    ledger: &Ledger,
    portion: &mut Vec<Waiting<'_>>,
    surroundings: &Surroundings<'_, '_>,
    report: &mut Captured,
) -> Result<()> {
    if portion.is_empty() {
        return Ok(());
    }
    let txn = ledger.write()?;
    let mut sessions = Sessions::open(&txn)?;
    for mut waiting in portion.drain(..) {
        if let Some(outcome) = write_one(&mut sessions, &mut waiting, surroundings, report)? {
            note(&mut sessions, &waiting, outcome)?;
        }
    }
    sessions.close()?;
    txn.commit().map_err(|e| Error::store("commit captured sessions", e))
}

/// Notes how far the transcript was read; one whose note would hold a forgotten text is read anew
/// instead.
fn note(sessions: &mut Sessions<'_>, waiting: &Waiting<'_>, outcome: Outcome) -> Result<()> {
    let position = postcard::to_allocvec(&waiting.reading.position)
        .map_err(|e| Error::invalid(format!("encode a position: {e}")))?;
    let noted = format!("{}\n{}", waiting.path, String::from_utf8_lossy(&position));
    if matches!(sessions.forgotten().cut(&noted), Cow::Owned(_)) {
        return Ok(());
    }
    let row = TranscriptRow {
        size: waiting.found.size,
        modified: waiting.found.modified,
        outcome,
        skipped: waiting.skipped_before + waiting.reading.skipped,
        position,
    };
    sessions.put_transcript(&waiting.path, &row)
}

/// Writes what was read of a session. `None`: the session was forgotten, and nothing is noted of it.
fn write_one(
    sessions: &mut Sessions<'_>,
    waiting: &mut Waiting<'_>,
    surroundings: &Surroundings<'_, '_>,
    report: &mut Captured,
) -> Result<Option<Outcome>> {
    let reading = &mut waiting.reading;
    let Some(session) = &reading.session else {
        return Ok(Some(Outcome::Nothing));
    };
    if sessions.forgotten().holds(&session.id) {
        return Ok(None);
    }
    if !surroundings.scope.holds(session.cwd.as_deref()) {
        report.elsewhere += 1;
        return Ok(Some(Outcome::Elsewhere(session.cwd.clone().unwrap_or_default())));
    }
    let known = sessions.find(&session.id)?;
    let is_copy = |row: &SessionRow| {
        let other_is_there = row.transcript != waiting.path && surroundings.paths.contains(&row.transcript);
        // The file that bears the session's id is the session, whichever was read first.
        let is_named = |path: &str| {
            Path::new(path)
                .file_stem()
                .is_some_and(|stem| stem == session.id.as_str())
        };
        other_is_there && (is_named(&row.transcript) || !is_named(&waiting.path))
    };
    if known.as_ref().is_some_and(is_copy) {
        report.copies += 1;
        return Ok(Some(Outcome::Copy));
    }
    let is_new = known.is_none();
    let mut record = record(known, session, sessions.next_session(), surroundings.circumstances);
    if reading.fresh {
        record.files.clear();
    }
    add_files(&mut record.files, &reading.tool_calls);
    let (turns, tool_calls) = (&mut reading.turns, &mut reading.tool_calls);
    sessions.forgotten().cut_all(&mut record, turns, tool_calls);
    if is_new || reading.fresh || !turns.is_empty() || !tool_calls.is_empty() {
        let fresh = reading.fresh;
        let added = Added {
            fresh,
            turns,
            tool_calls,
        };
        sessions.write(&mut record, &waiting.path, &added)?;
        report.sessions_new += u64::from(is_new);
        report.sessions_grown += u64::from(!is_new);
        report.turns += turns.len() as u64;
        report.tool_calls += tool_calls.len() as u64;
        report.numbers.push(record.number);
    }
    report.held += 1;
    Ok(Some(Outcome::Session(record.number)))
}

/// The record of a session: what was known of it stays, what the transcript says of it is replaced.
fn record(known: Option<SessionRow>, session: &Session, number: u32, circumstances: &Circumstances<'_>) -> Record {
    let session = session.clone();
    match known {
        Some(row) => Record { session, ..row.record },
        None => Record {
            number,
            session,
            author: circumstances.asked.author.clone(),
            captured_at: circumstances.at,
            commit: circumstances.head.clone(),
            turn_count: 0,
            tool_call_count: 0,
            files: Vec::new(),
        },
    }
}

fn add_files(files: &mut Vec<String>, calls: &[ToolCall]) {
    let mut known: HashSet<String> = files.iter().cloned().collect();
    for path in calls.iter().filter_map(|call| call.path.as_deref()) {
        if known.insert(path.to_owned()) {
            files.push(path.to_owned());
        }
    }
}
