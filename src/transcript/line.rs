//! Lines of a file, one at a time, and the JSON objects in a line.

use std::io::{self, BufRead, Read};

use serde::de::DeserializeOwned;

/// A longer line is walked over without being held.
pub(super) const LONGEST: u64 = 256 << 20;

/// A buffer that one line made bigger than this is given back.
const ROOMY: usize = 8 << 20;

/// Splits bytes on `\n` alone, in one buffer.
pub(super) struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    offset: u64,
}

/// A line without its end.
pub(super) struct Line<'a> {
    pub(super) bytes: &'a [u8],
    /// Whether its end was there.
    pub(super) ended: bool,
    /// Where the next one begins.
    pub(super) next: u64,
}

impl<R: BufRead> Lines<R> {
    /// Reads on from `offset`, where the reader already stands.
    pub(super) fn new(reader: R, offset: u64) -> Self {
        Self {
            reader,
            buffer: Vec::new(),
            offset,
        }
    }

    /// The next line, or `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        let first = self.offset == 0;
        if self.buffer.capacity() > ROOMY {
            self.buffer = Vec::new();
        }
        let (mut taken, mut length) = (self.fill()?, 0);
        while taken == LONGEST && !self.buffer.ends_with(b"\n") {
            length += taken;
            taken = self.fill()?;
        }
        if length + taken == 0 {
            return Ok(None);
        }
        self.offset += length + taken;
        let ended = self.buffer.ends_with(b"\n");
        let mut bytes = self.buffer.strip_suffix(b"\n").unwrap_or(&self.buffer);
        if first {
            bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        }
        Ok(Some(Line {
            bytes,
            ended,
            next: self.offset,
        }))
    }

    fn fill(&mut self) -> io::Result<u64> {
        self.buffer.clear();
        let taken = (&mut self.reader).take(LONGEST).read_until(b'\n', &mut self.buffer)?;
        Ok(taken as u64)
    }
}

/// Whether the line holds nothing: white space, or the NULs that a crash leaves.
pub(super) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|b| b.is_ascii_whitespace() || *b == 0)
}

/// The objects of a line and whether all of it could be read. Two writers of one file, or one that
/// was killed, can leave several objects in a line. Invalid UTF-8, control characters and halves of
/// surrogate pairs are repaired in the line that has them.
fn objects<T: DeserializeOwned>(line: &[u8]) -> (Vec<T>, bool) {
    if let Ok(text) = std::str::from_utf8(line) {
        let (objects, whole) = parse(text);
        if whole {
            return (objects, true);
        }
    }
    parse(&mend(line))
}

/// A file that is one value. `None`: it is none, or something stands behind it.
pub(super) fn value<T: DeserializeOwned>(file: &[u8]) -> Option<T> {
    let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
    let read = serde_json::from_slice(file).ok();
    read.or_else(|| serde_json::from_str(&mend(file)).ok())
}

/// What is taken in of a line, and whether that is all of it. Of a `tail`, which may be completed later,
/// nothing unless all of it could be read.
pub(super) fn entries<T: DeserializeOwned>(line: &[u8], tail: bool) -> (Vec<T>, bool) {
    match objects(line) {
        (_, false) if tail => (Vec::new(), false),
        taken => taken,
    }
}

fn parse<T: DeserializeOwned>(text: &str) -> (Vec<T>, bool) {
    let mut objects = Vec::new();
    let mut stream = serde_json::Deserializer::from_str(text).into_iter();
    loop {
        // Anything but an object is a bad line, also where a list would fit the fields.
        let rest = text[stream.byte_offset()..].trim_start();
        if rest.is_empty() {
            return (objects, true);
        }
        match stream.next() {
            Some(Ok(object)) if rest.starts_with('{') => objects.push(object),
            _ => return (objects, false),
        }
    }
}

fn mend(line: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(line).into_owned();
    text.retain(|c| c != '\0');
    let mut text = text.replace(|c: char| c.is_ascii_control(), " ");
    let mut at = 0;
    while let Some(found) = text[at..].find("\\u") {
        let escape = at + found;
        let backslashes = text[..escape].bytes().rev().take_while(|b| *b == b'\\').count();
        at = escape + 2;
        if backslashes % 2 == 0 && is_surrogate(&text, escape, b"89ab") && is_surrogate(&text, escape + 6, b"cdef") {
            at = escape + 12;
        } else if backslashes % 2 == 0 && is_surrogate(&text, escape, b"89abcdef") {
            text.replace_range(escape..escape + 6, "\\ufffd");
        }
    }
    text
}

/// Whether `\ud…` with one of these third digits stands here.
fn is_surrogate(text: &str, at: usize, third: &[u8]) -> bool {
    let escape = text.as_bytes().get(at..at + 6);
    escape.is_some_and(|e| {
        e.starts_with(b"\\u")
            && e[2].eq_ignore_ascii_case(&b'd')
            && third.contains(&e[3].to_ascii_lowercase())
            && e[4..].iter().all(u8::is_ascii_hexdigit)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn lines(bytes: &[u8]) -> Vec<(String, bool, u64)> {
        let mut lines = Lines::new(bytes, 0);
        let mut all = Vec::new();
        while let Some(line) = lines.next().expect("memory") {
            all.push((String::from_utf8_lossy(line.bytes).into_owned(), line.ended, line.next));
        }
        all
    }

    fn texts(line: &[u8]) -> (Vec<String>, bool) {
        let (objects, whole) = objects::<Value>(line);
        (objects.iter().map(Value::to_string).collect(), whole)
    }

    #[test]
    fn lines_end_at_line_feeds_only() {
        assert_eq!(
            lines("\u{feff}a\r\nb\u{2028}c\n\nd".as_bytes()),
            [
                ("a\r".to_owned(), true, 6),
                ("b\u{2028}c".to_owned(), true, 12),
                (String::new(), true, 13),
                ("d".to_owned(), false, 14),
            ]
        );
        assert_eq!(lines(b""), []);
    }

    #[test]
    fn glued_objects_are_told_apart() {
        assert_eq!(
            texts(b"{\"a\":1}{\"a\":2}\r"),
            (vec!["{\"a\":1}".into(), "{\"a\":2}".into()], true)
        );
        assert_eq!(texts(b"{\"a\":1}{\"a\":"), (vec!["{\"a\":1}".into()], false));
        assert!(!texts(b"[1]").1);
        assert!(!texts(b"{\"a\":1} 7").1);
    }

    #[test]
    fn only_what_is_broken_is_repaired() {
        assert_eq!(
            texts(b"{\"a\":\"x\xffy\"}"),
            (vec!["{\"a\":\"x\u{fffd}y\"}".into()], true)
        );
        assert_eq!(texts(b"\0\0{\"a\":\"x\0\ty\"}"), (vec!["{\"a\":\"x y\"}".into()], true));
        let halves = br#"{"a":"\ud83d cut \ud83d\ude00 \\ud83d \ude00"}"#;
        assert_eq!(
            texts(halves),
            (
                vec!["{\"a\":\"\u{fffd} cut \u{1f600} \\\\ud83d \u{fffd}\"}".into()],
                true
            )
        );
    }

    #[test]
    fn nuls_and_white_space_are_no_line() {
        assert!(is_blank(b" \t\r\0\0"));
        assert!(!is_blank(b"{"));
    }
}
