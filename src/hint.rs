//! The hint beside a result: `[reached 9× drilled 2×· "jwt expiry"]`.

use std::fmt;

use crate::reach::Reach;

/// The most characters of the query that a hint shows.
const SHOWN: usize = 30;

/// Shows a [`Reach`] on one line, whatever its query holds. Nothing when there is no edge.
///
/// ```
/// use rekal::{Hint, Reach};
///
/// let reach = Reach { count: 9, drills: 2, query: Some("jwt expiry".into()), led: vec![] };
/// assert_eq!(Hint(&reach).to_string(), r#"[reached 9× drilled 2×· "jwt expiry"]"#);
/// assert_eq!(Hint(&Reach::default()).to_string(), "");
/// ```
pub struct Hint<'a>(pub &'a Reach);

impl fmt::Display for Hint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reach { count, drills, .. } = self.0;
        if *count == 0 {
            return Ok(());
        }
        // Piece by piece, and a format only where one is needed: every row of a recall shows one.
        f.write_str("[reached ")?;
        count.fmt(f)?;
        f.write_str("×")?;
        if *drills > 0 {
            f.write_str(" drilled ")?;
            drills.fmt(f)?;
            f.write_str("×")?;
        }
        if let Some(query) = self.0.query.as_deref().map(str::trim).filter(|q| !q.is_empty()) {
            f.write_str("· \"")?;
            Quoted(query).fmt(f)?;
            f.write_str("\"")?;
        }
        f.write_str("]")
    }
}

/// A query cut to what is shown and escaped so that it can end neither the quotation nor the line,
/// nor change how the terminal shows what follows.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = match self.0.is_ascii() {
            true => self.0.len().min(SHOWN),
            false => self.0.char_indices().nth(SHOWN).map_or(self.0.len(), |(at, _)| at),
        };
        let (shown, rest) = self.0.split_at(end);
        let mut plain = 0;
        // All bytes are looked at, because that is done many at a time.
        let all_plain = shown.bytes().fold(true, |plain, byte| plain & is_plain_byte(byte));
        let odd = if all_plain { "" } else { shown };
        for (at, c) in odd.char_indices().filter(|(_, c)| !is_plain(*c)) {
            f.write_str(&shown[plain..at])?;
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c => write!(f, "{}", c.escape_unicode())?,
            }
            plain = at + c.len_utf8();
        }
        f.write_str(&shown[plain..])?;
        if rest.is_empty() { Ok(()) } else { f.write_str("…") }
    }
}

fn is_plain(c: char) -> bool {
    !matches!(c, '"' | '\\') && !is_unsafe_on_a_line(c)
}

/// Such a byte needs no look at its character.
fn is_plain_byte(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\')
}

/// Control characters, line and paragraph separators, and the characters that reorder text.
pub fn is_unsafe_on_a_line(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{feff}'
        )
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c)
}

/// JSON in which what is unsafe on a terminal is escaped; such characters occur only inside strings.
#[doc(hidden)]
pub fn safe_json(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        if is_unsafe_on_a_line(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                safe += &format!("\\u{unit:04x}");
            }
        } else {
            safe.push(c);
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(count: u32, drills: u32, query: Option<&str>) -> String {
        let query = query.map(str::to_owned);
        let led = Vec::new();
        Hint(&Reach {
            count,
            drills,
            query,
            led,
        })
        .to_string()
    }

    #[test]
    fn says_what_was_surfaced_and_what_was_opened() {
        assert_eq!(
            shown(9, 2, Some("jwt expiry")),
            "[reached 9× drilled 2×· \"jwt expiry\"]"
        );
        assert_eq!(shown(4, 0, Some("jwt expiry")), "[reached 4×· \"jwt expiry\"]");
        assert_eq!(shown(1, 1, None), "[reached 1× drilled 1×]");
        assert_eq!(shown(3, 0, Some("  ")), "[reached 3×]");
        assert_eq!(shown(0, 0, Some("jwt")), "");
    }

    #[test]
    fn a_hostile_query_stays_one_quoted_line() {
        assert_eq!(
            shown(1, 0, Some("a\"]\n\u{1b}[31m\u{202e}")),
            "[reached 1×· \"a\\\"]\\u{a}\\u{1b}[31m\\u{202e}\"]"
        );
    }

    #[test]
    fn a_long_query_is_cut_after_thirty_characters() {
        let long = format!("{}e\u{301}tail", "x".repeat(29));
        assert_eq!(
            shown(1, 0, Some(&long)),
            format!("[reached 1×· \"{}e…\"]", "x".repeat(29))
        );
    }

    #[test]
    fn json_stays_json() {
        assert_eq!(safe_json("{\"a\":\"\u{202e}\u{7f}é\"}"), r#"{"a":"\u202e\u007fé"}"#);
    }
}
