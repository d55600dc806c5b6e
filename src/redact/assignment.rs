//! Values that are assigned to a name which says that they are secret.
//!
//! Such names are all over code and prose (`token = parse(x)`, "the password: field"), so what tells
//! is how the value is written. The more the writing says "this is a value" (`FOO_TOKEN=x`,
//! `--token=x`, `?token=x`, `password="x"`), the less the value must look random.

use std::ops::Range;

use super::value::{Name, Writing, is_placeholder, looks_secret, name_of};
use super::{REDACTED, is_word, run};

/// The most bytes of a secret that has several words.
const PHRASE: usize = 128;

/// The value assigned with the `=` or `:` at `sign`.
pub(super) fn assigned(text: &str, sign: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if bytes[sign] == b':' && (bytes.get(sign + 1) == Some(&b':') || bytes[sign - 1] == b':') {
        return None;
    }
    let key = key_before(bytes, sign)?;
    let name = name_of(&text[key.clone()]).or_else(|| signature(text, &key))?;
    let after = after_sign(bytes, sign)?;
    if name == Name::Authorization {
        return credential(text, after);
    }
    let explicit = bytes[sign] == b'=' && after == sign + 1 && key.end == sign && is_explicit(text, &key);
    let writing = match (explicit, bytes[sign]) {
        (true, _) => Writing::Explicit,
        (false, b'=') if after == sign + 1 && key.end == sign && !is_declared(text, key.start) => Writing::Tight,
        _ => Writing::Loose,
    };
    // A test that passed, and no password.
    if writing == Writing::Loose && text[key].eq_ignore_ascii_case("pass") && quoted(text, after).is_none() {
        return None;
    }
    value(text, after, name, writing)
}

/// The value of `--password x`, whose `--` is at `start`.
pub(super) fn flag(text: &str, start: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if start > 0 && (is_word(bytes[start - 1]) || bytes[start - 1] == b'-') {
        return None;
    }
    let key = start + 2..run(bytes, start + 2, |b| {
        b.is_ascii_alphanumeric() || b == b'-' || b == b'_'
    });
    if bytes.get(key.end) != Some(&b' ') {
        return None;
    }
    let name = name_of(&text[key.clone()]).filter(|&name| name != Name::Authorization)?;
    let after = key.end + 1;
    let word = &text[after..run(bytes, after, |b| !b.is_ascii_whitespace())];
    let prose = [
        "flag",
        "option",
        "argument",
        "parameter",
        "switch",
        "value",
        "and",
        "or",
        "is",
        "to",
        "for",
        "in",
    ];
    if word.starts_with(['-', '|', '&', '(', '>', ';', '`']) || prose.contains(&word.trim_matches(['.', ',', ')'])) {
        return None;
    }
    value(text, after, name, Writing::Explicit)
}

/// The name that ends before the sign, behind at most one quote and two spaces.
fn key_before(bytes: &[u8], sign: usize) -> Option<Range<usize>> {
    let mut end = sign;
    if bytes[sign] == b'=' && bytes[end - 1] == b':' {
        end -= 1;
    }
    for _ in 0..2 {
        end -= usize::from(end > 0 && bytes[end - 1] == b' ');
    }
    if end > 0 && matches!(bytes[end - 1], b'"' | b'\'' | b'`' | b']') {
        end -= 1;
        end -= usize::from(end > 0 && matches!(bytes[end - 1], b'\\' | b'"' | b'\''));
    }
    // What a name may end with, before more is looked at: most signs stand behind something else.
    let last = bytes.get(end.checked_sub(1)?)?.to_ascii_lowercase();
    if !matches!(last, b'd' | b'e' | b't' | b'n' | b'y' | b's' | b'g') {
        return None;
    }
    let floor = end.saturating_sub(64);
    let inside = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    let start = (floor..end)
        .rev()
        .find(|&at| !inside(bytes[at]))
        .map_or(floor, |at| at + 1);
    Some(start..end)
}

/// Where the value begins. `None`: the sign compares, or nothing follows.
fn after_sign(bytes: &[u8], sign: usize) -> Option<usize> {
    let mut at = sign + 1;
    match (bytes[sign], bytes.get(at)?) {
        (b'=', b'=' | b'~') => return None,
        (b'=', _) if matches!(bytes[sign - 1], b'=' | b'!' | b'<' | b'>') => return None,
        (b'=', b'>') => at += 1,
        (b':', b'=') => return None,
        _ => {}
    }
    let spaces = bytes[at..]
        .iter()
        .take(4)
        .take_while(|&&b| b == b' ' || b == b'\t')
        .count();
    (at + spaces < bytes.len()).then_some(at + spaces)
}

/// Whether the name stands where a shell or a URL puts values.
fn is_explicit(text: &str, key: &Range<usize>) -> bool {
    let before = &text.as_bytes()[..key.start];
    let name = &text[key.clone()];
    let shouted = name.len() > 3 && !name.contains(|c: char| c.is_ascii_lowercase());
    name.starts_with("--") || before.ends_with(b"?") || before.ends_with(b"&") || shouted
}

/// Whether the name is just being declared, as in `let token=x`.
fn is_declared(text: &str, key: usize) -> bool {
    let before = text.as_bytes()[..key].trim_ascii_end();
    [b"let".as_slice(), b"const", b"var", b"val", b"mut"]
        .iter()
        .any(|word| before.ends_with(word))
}

/// `?sig=x` is what lets somebody in; a signature elsewhere is no secret.
fn signature(text: &str, key: &Range<usize>) -> Option<Name> {
    let name = text[key.clone()].to_ascii_lowercase();
    let in_url = text[..key.start].ends_with(['?', '&']);
    (in_url && matches!(name.as_str(), "sig" | "signature" | "x-amz-signature")).then_some(Name::Token)
}

fn credential(text: &str, after: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let scheme = run(bytes, after, |b| b.is_ascii_alphanumeric());
    let known = ["basic", "token", "apikey", "digest"].contains(&text[after..scheme].to_ascii_lowercase().as_str());
    if !known || bytes.get(scheme) != Some(&b' ') {
        return None;
    }
    let start = scheme + 1;
    let end = run(bytes, start, |b| b.is_ascii_alphanumeric() || b"._~+/=-".contains(&b));
    (end - start >= 6 && !matches!(bytes.get(end), Some(b'(' | b'['))).then_some(start..end)
}

fn value(text: &str, after: usize, name: Name, writing: Writing) -> Option<Range<usize>> {
    let (range, writing) = match quoted(text, after) {
        Some(inside) if writing == Writing::Explicit => (inside?, Writing::Explicit),
        Some(inside) => (inside?, Writing::Quoted),
        None => (bare(text, after, writing)?, writing),
    };
    let value = &text[range.clone()];
    if value.contains(REDACTED) || is_placeholder(value) {
        return None;
    }
    if !looks_secret(value, name, writing) {
        return None;
    }
    Some(range.start..through_equals(text.as_bytes(), range.end))
}

/// Inside quotes, also escaped ones. `Some(None)`: quotes that hold no value.
fn quoted(text: &str, after: usize) -> Option<Option<Range<usize>>> {
    let bytes = text.as_bytes();
    let escaped = usize::from(bytes.get(after) == Some(&b'\\'));
    let quote = *bytes
        .get(after + escaped)
        .filter(|b| matches!(b, b'"' | b'\'' | b'`'))?;
    let start = after + escaped + 1;
    let mut end = start;
    let mut words = false;
    while end < bytes.len() && bytes[end] != quote {
        words |= bytes[end] == b' ';
        let is_code = bytes[end].is_ascii_whitespace() && (bytes[end] != b' ' || end == start);
        if is_code || words && end - start > PHRASE {
            return Some(None);
        }
        end += if bytes[end] == b'\\' && escaped == 0 { 2 } else { 1 };
    }
    if words && !is_phrase(text.get(start..end).unwrap_or_default()) {
        return Some(None);
    }
    let closed = bytes.get(end) == Some(&quote);
    // What begins with an escaped quote may end with a plain one.
    let escaped = escaped > 0 && bytes[..end].ends_with(b"\\");
    let inside = || start..(end - usize::from(escaped)).max(start);
    Some(closed.then(inside).filter(|range| !range.is_empty()))
}

/// Whether words in quotes may be a secret, and are no text that speaks of one: "Enter your password".
fn is_phrase(words: &str) -> bool {
    let speaks = |word: &str| name_of(word.trim_matches(|c: char| !c.is_ascii_alphanumeric())).is_some();
    let is_mixed = |word: &str| {
        let has = |is_it: fn(&u8) -> bool| word.as_bytes().iter().any(is_it);
        has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
    };
    let mut all = words.split(' ');
    !words.ends_with(' ') && (!all.clone().any(speaks) || all.any(is_mixed))
}

/// Up to white space or punctuation. `None`: what follows shows that this is code.
fn bare(text: &str, after: usize, writing: Writing) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if text[after..].starts_with(REDACTED) {
        return None;
    }
    let stop: &[u8] = if writing == Writing::Loose { b":=" } else { b"=" };
    let end = run(bytes, after, |b| is_bare(b) && !stop.contains(&b));
    let called = matches!(bytes.get(end), Some(b'(' | b'[' | b'{' | b'<'));
    let listed = writing == Writing::Tight && matches!(bytes.get(end), Some(b',' | b')'));
    let end = after + text[after..end].trim_end_matches(['.', ':']).len();
    let word = &bytes[after..end];
    let is_name = word.iter().all(|b| b.is_ascii_alphabetic() || *b == b'_' || *b == b'.');
    (end > after && !called && !(listed && is_name)).then_some(after..end)
}

/// A bare value was looked at as far as its first `=`, so that signs in a row are not looked at
/// again and again. All of it goes.
fn through_equals(bytes: &[u8], end: usize) -> usize {
    if bytes.get(end) == Some(&b'=') {
        run(bytes, end, is_bare)
    } else {
        end
    }
}

fn is_bare(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !b"\"'`,;(){}[]<>&|\\".contains(&byte)
}
