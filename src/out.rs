//! What the program says: data on stdout, everything else on stderr.

use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use rekal::hint::{is_unsafe_on_a_line, safe_json};
use serde::Serialize;

use crate::answer::Failure;

/// The version of every JSON object that is printed.
const SCHEMA: u32 = 1;

/// The exit code of a call that could not run.
const COULD_NOT_RUN: u8 = 2;

/// Writes data to stdout. A reader that has gone, as in `rekal … | head`, is no failure.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::io("write to", Path::new("stdout"), &error))
        }
        _ => Ok(()),
    }
}

/// Writes [`json`] and a line end to stdout.
pub fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    print(&format!("{}\n", json(value)?))
}

/// One compact JSON object: `schema_version`, then the keys of `value`.
pub fn json(value: &impl Serialize) -> Result<String, Failure> {
    #[derive(Serialize)]
    struct Versioned<'a, T> {
        schema_version: u32,
        #[serde(flatten)]
        value: &'a T,
    }
    let versioned = Versioned {
        schema_version: SCHEMA,
        value,
    };
    let text = serde_json::to_string(&versioned)
        .map_err(|error| Failure::io("write to", Path::new("stdout"), &error.into()))?;
    Ok(safe_json(&text))
}

/// Writes data to stdout as it is made. `None`: the reader has gone, which is no failure.
pub fn stream<T>(write: impl FnOnce(&mut dyn Write) -> rekal::Result<T>) -> Result<Option<T>, Failure> {
    let mut stdout = Stdout {
        buffer: BufWriter::new(io::stdout().lock()),
        has_reader: true,
    };
    let written = write(&mut stdout);
    let flushed = stdout.flush();
    match (written, flushed) {
        _ if !stdout.has_reader => Ok(None),
        (Ok(written), Ok(())) => Ok(Some(written)),
        (Err(error), _) => Err(error.into()),
        (_, Err(error)) => Err(Failure::io("write to", Path::new("stdout"), &error)),
    }
}

/// Remembers whether its reader has gone.
struct Stdout<'a> {
    buffer: BufWriter<io::StdoutLock<'a>>,
    has_reader: bool,
}

impl Stdout<'_> {
    fn note<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        let is_gone = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
        self.has_reader &= !done.as_ref().is_err_and(is_gone);
        done
    }
}

impl Write for Stdout<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.buffer.write(bytes);
        self.note(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.buffer.flush();
        self.note(done)
    }
}

/// Writes `rekal: …` to stderr. Nobody is left to tell when that fails.
pub fn say(message: impl Display) {
    _ = writeln!(io::stderr(), "rekal: {message}");
}

/// Tells why the call could not run: two lines on stderr, or with `--json` one object on stdout.
pub fn tell(failure: &Failure, json: bool) -> ExitCode {
    let told = json
        && failure_json(failure)
            .and_then(|text| print(&format!("{text}\n")))
            .is_ok();
    if !told {
        reasons(failure).for_each(say);
    }
    ExitCode::from(COULD_NOT_RUN)
}

/// A failure as the object that `--json` prints.
pub fn failure_json(failure: &Failure) -> Result<String, Failure> {
    #[derive(Serialize)]
    struct Told<'a> {
        error: &'a Failure,
    }
    json(&Told { error: failure })
}

/// What failed, and what to do about it.
pub fn reasons(failure: &Failure) -> impl Iterator<Item = String> {
    let remedy = failure.remedy().into_iter();
    std::iter::once(failure.message()).chain(remedy).map(harmless)
}

/// A number of things, whose name is that of one: `1 event`, `2 queries`.
pub fn counted(count: u64, one: &str) -> String {
    match one.strip_suffix('y') {
        _ if count == 1 => format!("1 {one}"),
        Some(stem) => format!("{count} {stem}ies"),
        None => format!("{count} {one}s"),
    }
}

/// The first `longest` characters of a text that may hold anything, on one line and safe to print.
pub fn one_line(text: &str, longest: usize) -> String {
    let mut shown = String::new();
    for c in text.chars().take(longest) {
        if is_unsafe_on_a_line(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    if text.chars().nth(longest).is_some() {
        shown.push('…');
    }
    shown
}

/// A message of several lines in which nothing else reaches the terminal raw.
fn harmless(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| one_line(line, usize::MAX)).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_no_plural() {
        assert_eq!(counted(1, "event"), "1 event");
        assert_eq!(counted(0, "session id"), "0 session ids");
        assert_eq!(
            (counted(1, "query"), counted(2, "query")),
            ("1 query".into(), "2 queries".into())
        );
    }

    #[test]
    fn a_hostile_text_is_one_harmless_line() {
        assert_eq!(one_line("a\n\u{1b}[31m\u{202e}é", 9), "a\\u{a}\\u{1b}[31m\\u{202e}é");
        assert_eq!(one_line("abc", 3), "abc");
        assert_eq!(one_line("abcd", 3), "abc…");
    }
}
