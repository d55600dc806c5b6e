//! Putting a part into a JSON text, and taking it out, without touching any other byte of it. The text
//! has been parsed before: here its parts are only found.

use std::ops::Range;

use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};

/// One member of an object or element of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The name of a member.
    pub key: Option<String>,
    /// The value, and what names it.
    pub whole: Range<usize>,
    /// The value alone.
    pub value: Range<usize>,
}

/// What an object or array holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inside {
    open: usize,
    close: usize,
    /// In the order of the text.
    pub parts: Vec<Part>,
}

impl Inside {
    /// What the object or array that opens at `open` holds. `None`: none opens there.
    pub fn of(text: &str, open: usize) -> Option<Self> {
        let close_with = match text.as_bytes().get(open)? {
            b'{' => b'}',
            b'[' => b']',
            _ => return None,
        };
        let mut parts = Vec::new();
        let mut at = skip_blank(text, open + 1);
        while *text.as_bytes().get(at)? != close_with {
            let start = at;
            let mut key = None;
            if close_with == b'}' {
                let end = skip_value(text, at)?;
                key = serde_json::from_str(&text[at..end]).ok();
                // Behind the colon.
                at = skip_blank(text, skip_blank(text, end) + 1);
            }
            let end = skip_value(text, at)?;
            parts.push(Part {
                key,
                whole: start..end,
                value: at..end,
            });
            at = skip_blank(text, end);
            if text.as_bytes().get(at) == Some(&b',') {
                at = skip_blank(text, at + 1);
            }
        }
        Some(Self { open, close: at, parts })
    }

    /// What the whole text holds.
    pub fn root(text: &str) -> Option<Self> {
        Self::of(text, skip_blank(text, 0))
    }

    /// The member of this name.
    pub fn member(&self, key: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.key.as_deref() == Some(key))
    }

    /// The text with one more part at the end, `depth` levels below the root, indented like the rest.
    pub fn with(&self, text: &str, depth: usize, key: Option<&str>, value: &impl Serialize) -> Option<String> {
        let style = Style::of(text);
        let gap = style.gap(depth + 1);
        let name = match key {
            Some(key) => format!("{}: ", serde_json::to_string(key).ok()?),
            None => String::new(),
        };
        let Some((first, last)) = self.parts.first().zip(self.parts.last()) else {
            let part = format!("{gap}{name}{}{}", style.render(value, &gap)?, style.gap(depth));
            return Some([&text[..=self.open], &part, &text[self.close..]].concat());
        };
        let own = &text[self.open + 1..first.whole.start];
        let gap = match own.contains('\n') || !gap.is_empty() {
            true if !own.is_empty() => own,
            true => &gap,
            false => " ",
        };
        let part = format!(",{gap}{name}{}", style.render(value, gap)?);
        let end = last.whole.end;
        Some([&text[..end], &part, &text[end..]].concat())
    }

    /// The text without one of the parts.
    pub fn without(&self, text: &str, index: usize) -> String {
        let end = |at: usize| self.parts[at].whole.end;
        let gone = match index {
            0 if self.parts.len() == 1 => self.open + 1..self.close,
            0 => self.parts[0].whole.start..self.parts[1].whole.start,
            _ => end(index - 1)..end(index),
        };
        [&text[..gone.start], &text[gone.end..]].concat()
    }
}

/// How the text is laid out.
struct Style<'a> {
    /// What a level is indented by. `None`: everything is on one line.
    unit: Option<&'a str>,
    line_end: &'static str,
}

impl<'a> Style<'a> {
    fn of(text: &'a str) -> Self {
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let unit = match Inside::root(text).and_then(|root| Some((root.open, root.parts.first()?.whole.start))) {
            None => Some("  "),
            Some((open, first)) => text[open + 1..first].rsplit_once('\n').map(|(_, unit)| unit),
        };
        Self { unit, line_end }
    }

    fn gap(&self, depth: usize) -> String {
        self.unit
            .map_or(String::new(), |unit| format!("{}{}", self.line_end, unit.repeat(depth)))
    }

    /// The value, its further lines indented as `gap` is.
    fn render(&self, value: &impl Serialize, gap: &str) -> Option<String> {
        let Some(unit) = self.unit else {
            return serde_json::to_string(value).ok();
        };
        let mut bytes = Vec::new();
        let layout = PrettyFormatter::with_indent(unit.as_bytes());
        value
            .serialize(&mut Serializer::with_formatter(&mut bytes, layout))
            .ok()?;
        let line = gap.rsplit_once('\n').map_or("", |(_, line)| line);
        let text = String::from_utf8(bytes).ok()?;
        Some(text.replace('\n', &format!("{}{line}", self.line_end)))
    }
}

fn skip_blank(text: &str, at: usize) -> usize {
    let rest = &text.as_bytes()[at.min(text.len())..];
    at + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// The end of the value that begins at `at`.
fn skip_value(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (at, 0_usize);
    loop {
        match *bytes.get(at)? {
            b'"' => at = skip_string(bytes, at)?,
            b'{' | b'[' => (at, depth) = (at + 1, depth + 1),
            b'}' | b']' => (at, depth) = (at + 1, depth.checked_sub(1)?),
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => at += 1,
            _ => {
                let rest = bytes[at..].iter();
                at += rest.take_while(|byte| !b",:}] \t\r\n".contains(byte)).count();
            }
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

fn skip_string(bytes: &[u8], quote: usize) -> Option<usize> {
    let mut at = quote + 1;
    loop {
        match *bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(text: &str) -> String {
        let root = Inside::root(text).expect("an object");
        root.with(text, 0, Some("new"), &[1, 2]).expect("written")
    }

    #[test]
    fn a_member_follows_the_layout_of_the_others() {
        assert_eq!(with("{}\n"), "{\n  \"new\": [\n    1,\n    2\n  ]\n}\n");
        assert_eq!(with(r#"{"a":1}"#), r#"{"a":1, "new": [1,2]}"#);
        assert_eq!(
            with("{\n\t\"a\": {\"]\": \"}\\\"\"}\n}"),
            "{\n\t\"a\": {\"]\": \"}\\\"\"},\n\t\"new\": [\n\t\t1,\n\t\t2\n\t]\n}"
        );
        assert_eq!(
            with("{\r\n \"a\": null\r\n}"),
            "{\r\n \"a\": null,\r\n \"new\": [\r\n  1,\r\n  2\r\n ]\r\n}"
        );
    }

    #[test]
    fn a_part_goes_from_every_place() {
        let text = "[ 1, {\"a\": [2]} , \"3\"]";
        let root = Inside::root(text).expect("an array");
        assert_eq!(root.without(text, 0), "[ {\"a\": [2]} , \"3\"]");
        assert_eq!(root.without(text, 1), "[ 1 , \"3\"]");
        assert_eq!(root.without(text, 2), "[ 1, {\"a\": [2]}]");
        let alone = Inside::root("[ 1 ]").expect("an array");
        assert_eq!(alone.without("[ 1 ]", 0), "[]");
    }

    #[test]
    fn members_are_found_by_their_names() {
        let text = "{\"a\\u0062\" : -1.5e3 ,\"c\":[] }";
        let root = Inside::root(text).expect("an object");
        assert_eq!(&text[root.member("ab").expect("there").value.clone()], "-1.5e3");
        assert_eq!(&text[root.member("c").expect("there").whole.clone()], "\"c\":[]");
        assert_eq!(Inside::root("12"), None);
    }
}
