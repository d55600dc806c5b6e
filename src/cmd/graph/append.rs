use std::collections::BTreeMap;
use std::io::{self, BufRead, Read};
use std::path::Path;

use rekal::edge::Event;
use rekal::spool::Ids;
use rekal::spool::line::{MAX_LINE, accept};
use rekal::spool::report::Reason;
use rekal::spool::writer::{Batch, Writer};
use rekal::time::Millis;
use serde::Serialize;

use crate::answer::{Answer, Failure, Outcome};
use crate::call::Call;
use crate::handles::Handles;
use crate::{out, when};

/// Take events as NDJSON on stdin into the spool
///
/// An event has a "kind" (recall or drill), the "targets" that it reached (ids, or handles such as s5), and if they are
/// known the "query" of a recall, the "source" (the session that asked), an "id" (a ULID) and a "ts" (RFC 3339).
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: echo '{\"kind\":\"drill\",\"targets\":[\"s5\"]}' | rekal graph append")]
pub struct Append {}

/// Batches of this size are written whole; see the spool's append protocol.
const BATCH_BYTES: usize = 512 << 10;

/// What was taken, and what was not.
#[derive(PartialEq, Debug, Default, Serialize)]
struct Appended {
    events: u64,
    bad_lines: BTreeMap<&'static str, u64>,
}

impl Append {
    pub fn run(self, call: &Call) -> Outcome {
        let place = call.place()?;
        // Another program may be the first that has something to keep.
        place.create()?;
        let writer = Writer::new(&place.dir);
        let silent = call.env.capture_is_off();
        let write = |batch: &Batch| match silent {
            true => Ok(()),
            false => writer.append(batch),
        };
        let handles = Handles::of(&place.dir);
        let appended = append(io::stdin().lock(), when::now(), &handles, write)?;
        match call.json {
            true => out::print_json(&appended)?,
            false => out::print(&format!("appended {}\n", out::counted(appended.events, "event")))?,
        }
        Ok(Answer::from(appended.bad_lines.is_empty()))
    }
}

fn append(
    mut input: impl BufRead,
    now: Millis,
    handles: &Handles,
    write: impl Fn(&Batch) -> rekal::Result<()>,
) -> Result<Appended, Failure> {
    let mut appended = Appended::default();
    let mut batch = Batch::new();
    let mut ids = Ids::default();
    let mut number = 0;
    while let Some(line) = next_line(&mut input).map_err(unreadable)? {
        number += 1;
        match line.and_then(|line| event(&line, now, &mut ids, handles)) {
            Ok(Some(event)) => batch.push(&event),
            Ok(None) => {}
            Err(reason) => {
                out::say(format!("line {number} is no event: {reason}"));
                *appended.bad_lines.entry(reason.as_str()).or_default() += 1;
            }
        }
        if batch.bytes().len() > BATCH_BYTES {
            write(&batch)?;
            appended.events += batch.events();
            batch = Batch::new();
        }
    }
    write(&batch)?;
    appended.events += batch.events();
    Ok(appended)
}

/// `None`: a blank line.
fn event(line: &[u8], now: Millis, ids: &mut Ids, handles: &Handles) -> Result<Option<Event>, Reason> {
    let text = std::str::from_utf8(line).map_err(|_| Reason::NotJson)?.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let event = accept(text, now, ids)?.renamed(|name| handles.session(name));
    event.ok_or(Reason::NoTarget).map(Some)
}

/// The next line, however it ends. One above the limit is read over and not held.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Result<Vec<u8>, Reason>>> {
    let mut line = Vec::new();
    let most = MAX_LINE as u64 + 1;
    if input.by_ref().take(most).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() <= MAX_LINE || line.ends_with(b"\n") {
        return Ok(Some(Ok(line)));
    }
    input.skip_until(b'\n')?;
    Ok(Some(Err(Reason::TooLong)))
}

fn unreadable(error: io::Error) -> Failure {
    Failure::io("read", Path::new("stdin"), &error)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    const NOW: Millis = 1_796_040_000_123;

    fn appended(input: &[u8]) -> (Appended, Vec<String>) {
        let written = RefCell::new(Vec::new());
        let write = |batch: &Batch| {
            written.borrow_mut().extend_from_slice(batch.bytes());
            Ok(())
        };
        let appended = append(input, NOW, &Handles::of(Path::new("/nowhere")), write).expect("readable");
        let text = String::from_utf8(written.into_inner()).expect("UTF-8");
        let lines = text.lines().filter(|line| !line.is_empty()).map(str::to_owned);
        (appended, lines.collect())
    }

    #[test]
    fn events_are_taken_with_and_without_id_and_time() {
        let input = b"{\"kind\":\"drill\",\"targets\":[\"a\"]}\r\n\n\
            {\"id\":\"01KBB6Y80V0000000000000001\",\"kind\":\"recall\",\"query\":\" jwt  x \",\"targets\":[\"a\",\"a\"]}";
        let (appended, lines) = appended(input);
        assert_eq!((appended.events, appended.bad_lines.len()), (2, 0));
        assert!(
            lines[0].contains("\"ts\":\"2026-11-30T12:00:00.123Z\",\"kind\":\"drill\""),
            "{}",
            lines[0]
        );
        assert!(
            lines[1].starts_with("{\"id\":\"01KBB6Y80V0000000000000001\""),
            "{}",
            lines[1]
        );
        assert!(
            lines[1].ends_with("\"query\":\"jwt x\",\"targets\":[\"a\"]}"),
            "{}",
            lines[1]
        );
    }

    #[test]
    fn a_bad_line_is_counted_and_the_rest_is_taken() {
        let mut input = b"nothing\n\xff\n{\"kind\":\"drill\"}\n".to_vec();
        input.extend(vec![b'x'; MAX_LINE + 1]);
        input.extend(b"\n{\"kind\":\"drill\",\"targets\":[\"a\"]}\n");
        let (appended, lines) = appended(&input);
        assert_eq!(lines.len(), 1);
        let bad = [("no_target", 1), ("not_json", 2), ("too_long", 1)];
        assert_eq!(appended.bad_lines, BTreeMap::from(bad));
    }

    #[test]
    fn many_events_are_written_in_several_batches() {
        let line = format!(
            "{{\"kind\":\"recall\",\"query\":\"{}\",\"targets\":[\"a\"]}}\n",
            "q".repeat(1000)
        );
        let batches = RefCell::new(Vec::new());
        let write = |batch: &Batch| {
            batches.borrow_mut().push(batch.events());
            Ok(())
        };
        let appended = append(
            line.repeat(600).as_bytes(),
            NOW,
            &Handles::of(Path::new("/nowhere")),
            write,
        )
        .expect("readable");
        assert_eq!(appended.events, 600);
        assert_eq!(batches.into_inner().len(), 2);
    }
}
