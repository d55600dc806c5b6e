//! What is asked, in terms of the index. A query is text, never a language of operators.

use std::ops::Range;

use tantivy::tokenizer::TokenStream;

use super::analysis::analyzer;
use super::names::Capitals;

/// The most different terms of a query that are looked up: one bit each in [`super::Hit::held`].
pub(super) const MAX_TERMS: usize = 64;

/// The different terms of a text, in order of first use, and the words that they come from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Query {
    pub(super) terms: Vec<String>,
    words: Vec<Word>,
}

/// A word of a query: numbers of its terms. A word that can be split (`jwt_expiry`) is looked for
/// whole and in its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word {
    /// The term of the whole word.
    pub whole: usize,
    /// The terms of its parts; none when it cannot be split.
    pub parts: Vec<usize>,
    /// It names somebody or something: it has a capital that no sentence asks for.
    pub is_name: bool,
}

impl Query {
    /// Analyses a query as a turn is analysed. Terms beyond the first 64 are left out.
    pub fn new(text: &str) -> Self {
        let mut query = Self::default();
        let mut analyzer = analyzer();
        let mut stream = analyzer.token_stream(text);
        let capitals = Capitals::of(text);
        let mut position = None;
        while stream.advance() {
            let token = stream.token();
            let Some(term) = query.number(&token.text) else {
                break;
            };
            match query.words.last_mut() {
                Some(word) if position == Some(token.position) => word.add_part(term),
                _ => query.words.push(Word {
                    whole: term,
                    parts: Vec::new(),
                    is_name: capitals.name(token.offset_from),
                }),
            }
            position = Some(token.position);
        }
        query.drop_repeated_words();
        query
    }

    /// Its different terms, in order of first use.
    pub fn terms(&self) -> &[String] {
        &self.terms
    }

    /// No term is left to look for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Its different words.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// Where a text holds its terms: the bytes, and the number of the term, in order of the text.
    ///
    /// Only words that begin like a term are analysed, which is some forty times faster than the whole
    /// text; the few whose stem begins otherwise (`wrote`, `write`) are missed.
    pub fn occurrences(&self, text: &str) -> Vec<(Range<usize>, usize)> {
        let beginnings: Vec<&[u8]> = self.terms.iter().map(|term| beginning(term)).collect();
        let first = first_bytes(&beginnings);
        let bytes = text.as_bytes();
        let mut found = Vec::new();
        let mut analyzer = analyzer();
        let mut at = 0;
        while at < bytes.len() {
            if !first[usize::from(bytes[at])] || !begins_like(bytes, at, &beginnings) {
                at += 1;
                continue;
            }
            let word = surrounding_word(text, at);
            let mut stream = analyzer.token_stream(&text[word.clone()]);
            while stream.advance() {
                let token = stream.token();
                if let Some(term) = self.position(&token.text) {
                    found.push((word.start + token.offset_from..word.start + token.offset_to, term));
                }
            }
            at = word.end.max(at + 1);
        }
        found
    }

    fn position(&self, term: &str) -> Option<usize> {
        self.terms.iter().position(|t| t == term)
    }

    fn number(&mut self, term: &str) -> Option<usize> {
        if let Some(known) = self.position(term) {
            return Some(known);
        }
        (self.terms.len() < MAX_TERMS).then(|| {
            self.terms.push(term.to_owned());
            self.terms.len() - 1
        })
    }

    fn drop_repeated_words(&mut self) {
        let mut seen = Vec::new();
        self.words.retain(|word| {
            let first = !seen.contains(&word.whole);
            seen.push(word.whole);
            first
        });
    }
}

/// What a word shares with its stem: not its end.
pub(super) fn beginning(term: &str) -> &[u8] {
    let shared = match term.len() {
        len @ ..=2 => len,
        // `dying` is `die`.
        3 if term.ends_with("ie") => 1,
        len => 3.min(len - 1),
    };
    // A character cut in two is looked for all the same: bytes are compared.
    &term.as_bytes()[..shared]
}

/// Which bytes a term begins with, in either case.
fn first_bytes(beginnings: &[&[u8]]) -> [bool; 256] {
    let mut first = [false; 256];
    for byte in beginnings.iter().filter_map(|beginning| beginning.first()) {
        first[usize::from(*byte)] = true;
        first[usize::from(byte.to_ascii_uppercase())] = true;
    }
    first
}

/// Whether a term may begin at this byte: after what is no letter, or where the case changes.
fn begins_like(text: &[u8], at: usize, beginnings: &[&[u8]]) -> bool {
    let rest = &text[at..];
    let goes_on = rest[0].is_ascii_lowercase() || rest[0].is_ascii_digit();
    let inside = at > 0 && text[at - 1].is_ascii_alphanumeric() && goes_on;
    let like = |beginning: &&[u8]| {
        let head = rest.get(..beginning.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(beginning))
    };
    !inside && beginnings.iter().any(like)
}

/// The run without white space around a byte.
fn surrounding_word(text: &str, at: usize) -> Range<usize> {
    let is_space = |byte: &u8| byte.is_ascii_whitespace();
    let bytes = text.as_bytes();
    let start = bytes[..at].iter().rposition(is_space).map_or(0, |space| space + 1);
    let end = bytes[at..]
        .iter()
        .position(is_space)
        .map_or(text.len(), |space| at + space);
    start..end
}

impl Word {
    fn add_part(&mut self, term: usize) {
        if term != self.whole && !self.parts.contains(&term) {
            self.parts.push(term);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_looked_for_whole_and_in_its_parts() {
        let query = Query::new("fix jwt_expiry, then fix the JWT");
        assert_eq!(query.terms, ["fix", "jwt_expiri", "jwt", "expiri"]);
        let word = |whole, parts: &[usize], is_name| Word {
            whole,
            parts: parts.into(),
            is_name,
        };
        let expected = [word(0, &[], false), word(1, &[2, 3], false), word(2, &[], true)];
        assert_eq!(query.words(), expected);
    }

    #[test]
    fn a_text_shows_where_it_holds_the_terms() {
        let query = Query::new("token expiry");
        let text = "The tokens in parseToken expire";
        assert_eq!(query.occurrences(text), [(4..10, 0), (19..24, 0)]);
        let query = Query::new("缓存 expiry");
        let text = "修复缓存。\nJWTExpiry, 缓存";
        assert_eq!(query.occurrences(text), [(6..12, 0), (19..25, 1), (27..33, 0)]);
        assert_eq!(query.occurrences(""), []);
    }

    #[test]
    fn a_query_of_any_length_has_few_terms() {
        let long: String = (0..5000).map(|n| format!("word{n} ")).collect();
        assert_eq!(Query::new(&long).terms.len(), 64);
    }

    #[test]
    fn blanks_stop_words_and_punctuation_are_no_query() {
        for text in ["", "  \n", "a", "?", "\"", "AND OR NOT", "( * )", "what did we do"] {
            assert!(Query::new(text).is_empty(), "{text:?}");
        }
    }
}
