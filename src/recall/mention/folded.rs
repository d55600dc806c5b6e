//! A text sought in others, whatever the case of either.

use std::ops::Range;

/// What is sought, folded once.
pub(super) struct Needle(String);

/// A text without its cases, and where in the text each byte of it comes from.
struct Folded {
    text: String,
    /// The first byte of the character that a byte was made from. `None`: at the same place.
    origins: Option<Vec<usize>>,
}

impl Needle {
    pub(super) fn new(text: &str) -> Self {
        Self(text.chars().flat_map(folded).collect())
    }

    /// Where a text holds it: whole characters, one behind the other.
    pub(super) fn hits(&self, text: &str) -> Vec<Range<usize>> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let folded = Folded::of(text);
        let found = folded.text.match_indices(&self.0);
        found
            .map(|(at, hit)| folded.origin(at)..end_of_char(text, folded.origin(at + hit.len() - 1)))
            .collect()
    }
}

impl Folded {
    fn of(text: &str) -> Self {
        if text.is_ascii() {
            return Self {
                text: text.to_ascii_lowercase(),
                origins: None,
            };
        }
        let mut all = String::with_capacity(text.len());
        let mut origins = Vec::with_capacity(text.len());
        for (at, c) in text.char_indices() {
            all.extend(folded(c));
            origins.resize(all.len(), at);
        }
        Self {
            text: all,
            origins: Some(origins),
        }
    }

    fn origin(&self, at: usize) -> usize {
        match &self.origins {
            Some(origins) => origins.get(at).copied().unwrap_or(at),
            None => at,
        }
    }
}

/// Upper case first: it takes `ß` to `SS`, and both forms of a small sigma to one.
fn folded(c: char) -> impl Iterator<Item = char> {
    c.to_uppercase().flat_map(char::to_lowercase)
}

fn end_of_char(text: &str, start: usize) -> usize {
    text[start..].chars().next().map_or(start, |c| start + c.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits<'a>(needle: &str, text: &'a str) -> Vec<&'a str> {
        let hits = Needle::new(needle).hits(text);
        hits.into_iter().map(|hit| &text[hit]).collect()
    }

    #[test]
    fn case_does_not_count_in_any_script() {
        assert_eq!(hits("jwt", "The JWT, a Jwt and jwt"), ["JWT", "Jwt", "jwt"]);
        assert_eq!(hits("ÜBER", "über Über uber"), ["über", "Über"]);
        assert_eq!(hits("straße", "STRASSE und Straße"), ["STRASSE", "Straße"]);
        assert_eq!(hits("οδος", "Η ΟΔΟΣ, η οδός, η οδος"), ["ΟΔΟΣ", "οδος"]);
        assert_eq!(hits("ключ", "Где КЛЮЧ?"), ["КЛЮЧ"]);
        assert_eq!(hits("缓存", "清除缓存失效"), ["缓存"]);
    }

    #[test]
    fn what_is_sought_is_taken_literally() {
        assert_eq!(hits("a.b*", "axb a.b* a.bb"), ["a.b*"]);
        assert_eq!(hits("a  b", "a b"), [""; 0]);
        assert_eq!(hits("aa", "aaaaa"), ["aa", "aa"]);
        assert_eq!(hits("", "a"), [""; 0]);
    }

    #[test]
    fn a_hit_within_a_folded_character_is_the_whole_of_it() {
        assert_eq!(hits("s", "aß"), ["ß", "ß"]);
        assert_eq!(hits("iz", "éİZ"), [""; 0]);
        assert_eq!(hits("i", "éİ"), ["İ"]);
    }
}
