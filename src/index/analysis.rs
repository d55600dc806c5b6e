//! Text to terms, the same for a turn that is indexed and for a query that is asked.
//!
//! A *chunk* is a run of letters and digits, held together by what holds names together: `src/auth.rs`,
//! `pre-edit`, `jwt_expiry`, `a.b.c`, `user@host`, `C++`. It is kept whole and split: at path
//! separators into names, a name at `-`, `_` and `.` and where its case changes. All terms of a chunk
//! share its position, the whole first. Scripts written without spaces become bigrams, each with a
//! position of its own. Terms are lower case, stop words and single ASCII characters are left out, and
//! what is left is reduced to its base form when it is irregular, and to its stem (Snowball, English).

use std::collections::VecDeque;
use std::ops::Range;

use tantivy::tokenizer::{Language, Stemmer, TextAnalyzer, Token, TokenStream, Tokenizer};

use super::irregular::base_form;
use super::stop_words::is_stop_word;

/// The most bytes a term may have. Longer ones are encoded data, not words.
const MAX_TERM: usize = 64;

/// The analyzer of this index.
pub(super) fn analyzer() -> TextAnalyzer {
    TextAnalyzer::builder(Chunks)
        .filter(Stemmer::new(Language::English))
        .build()
}

#[derive(Clone)]
struct Chunks;

impl Tokenizer for Chunks {
    type TokenStream<'a> = ChunkStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> ChunkStream<'a> {
        ChunkStream {
            text,
            at: 0,
            position: 0,
            pending: VecDeque::new(),
            token: Token::default(),
        }
    }
}

struct ChunkStream<'a> {
    text: &'a str,
    at: usize,
    position: usize,
    pending: VecDeque<Token>,
    token: Token,
}

impl TokenStream for ChunkStream<'_> {
    fn advance(&mut self) -> bool {
        while self.pending.is_empty() {
            if !self.read_chunk() {
                return false;
            }
        }
        self.pending.pop_front().map(|token| self.token = token).is_some()
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

impl ChunkStream<'_> {
    /// Takes the next chunk apart. False at the end of the text.
    fn read_chunk(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let Some(skipped) = rest.find(char::is_alphanumeric) else {
            return false;
        };
        let start = self.at + skipped;
        let first = rest[skipped..].chars().next().unwrap_or_default();
        if is_unspaced(first) {
            let end = start + run(&self.text[start..], is_unspaced);
            self.push_bigrams(start..end);
            self.at = end;
        } else {
            let end = start + chunk_len(&self.text[start..]);
            self.push_chunk(start..end);
            self.at = end;
        }
        true
    }

    fn push_bigrams(&mut self, run: Range<usize>) {
        let starts: Vec<usize> = self.text[run.clone()]
            .char_indices()
            .map(|(at, _)| run.start + at)
            .chain([run.end])
            .collect();
        if let [start, end] = starts[..] {
            self.push(start..end);
            self.position += 1;
        }
        for bigram in starts.windows(3) {
            self.push(bigram[0]..bigram[2]);
            self.position += 1;
        }
    }

    /// A chunk that is too long to be kept whole falls apart into names with positions of their own.
    fn push_chunk(&mut self, chunk: Range<usize>) {
        let whole = self.push(chunk.clone());
        if is_simple(&self.text[chunk.clone()]) {
            self.position += 1;
            return;
        }
        for name in split(self.text, chunk.clone(), is_path_separator) {
            let named = whole || self.push(name.clone());
            if whole && name != chunk {
                self.push(name.clone());
            }
            for word in split(self.text, name.clone(), |c| matches!(c, '-' | '_' | '.')) {
                if word != name {
                    self.push(word.clone());
                }
                if word.len() <= MAX_TERM {
                    self.push_camel_parts(word);
                }
                self.position += usize::from(!named);
            }
            self.position += usize::from(!whole);
        }
        self.position += 1;
    }

    fn push_camel_parts(&mut self, word: Range<usize>) {
        for part in camel_parts(self.text, word.clone()) {
            if part != word {
                self.push(part);
            }
        }
    }

    /// False when the term is left out.
    fn push(&mut self, range: Range<usize>) -> bool {
        let text = lower_case(&self.text[range.clone()]);
        if text.len() <= 1 || text.len() > MAX_TERM || is_stop_word(&text) {
            return false;
        }
        self.pending.push_back(Token {
            offset_from: range.start,
            offset_to: range.end,
            position: self.position,
            text: base_form(&text).to_owned(),
            position_length: 1,
        });
        true
    }
}

fn lower_case(text: &str) -> String {
    if text.is_ascii() {
        let mut text = text.to_ascii_lowercase();
        text.retain(|c| c != '\'');
        return text;
    }
    let letters = text.chars().filter(|c| !is_apostrophe(*c));
    letters.flat_map(char::to_lowercase).collect()
}

/// Nothing to split: most words are.
fn is_simple(chunk: &str) -> bool {
    let (first, rest) = chunk.as_bytes().split_first().unwrap_or((&b'a', &[]));
    first.is_ascii_alphanumeric() && rest.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

/// The length in bytes of the chunk that `text` begins with.
fn chunk_len(text: &str) -> usize {
    let mut end = 0;
    for (at, c) in text.char_indices() {
        if is_word(c) {
            end = at + c.len_utf8();
        } else if at > end || !is_connector(c) {
            break;
        }
    }
    // `C++`, `C#` and `F#` are names.
    let after = &text[end..];
    let mark = ["++", "#"].into_iter().find(|mark| after.starts_with(mark));
    match mark {
        Some(mark) if end == 1 && !after[mark.len()..].starts_with(is_word) => end + mark.len(),
        _ => end,
    }
}

/// The length in bytes of the run of such characters that `text` begins with.
fn run(text: &str, belongs: fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

fn split(text: &str, range: Range<usize>, separates: fn(char) -> bool) -> Vec<Range<usize>> {
    let mut from = range.start;
    let mut parts = Vec::new();
    for part in text[range].split(separates) {
        let part_end = from + part.len();
        if !part.is_empty() {
            parts.push(from..part_end);
        }
        // Every separator is one ASCII character.
        from = part_end + 1;
    }
    parts
}

/// `getHTTPServer` is `get`, `HTTP` and `Server`.
fn camel_parts(text: &str, word: Range<usize>) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = word.start;
    let mut before: Option<char> = None;
    let mut chars = text[word.clone()].char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next_is_lower = chars.peek().is_some_and(|(_, next)| next.is_lowercase());
        let begins_part = c.is_uppercase() && before.is_some_and(|b| !b.is_uppercase() || next_is_lower);
        if begins_part {
            parts.push(start..word.start + at);
            start = word.start + at;
        }
        before = Some(c);
    }
    parts.push(start..word.end);
    parts
}

fn is_word(c: char) -> bool {
    (c.is_alphanumeric() && !is_unspaced(c)) || ('\u{300}'..='\u{36f}').contains(&c)
}

fn is_connector(c: char) -> bool {
    is_path_separator(c) || is_apostrophe(c) || matches!(c, '-' | '_' | '.')
}

fn is_path_separator(c: char) -> bool {
    matches!(c, '/' | '\\' | ':' | '@')
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

/// Letters of scripts that are written without spaces: Thai to Burmese, Hangul, Kana, Han.
fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30fa}' | '\u{30fc}'..='\u{312f}'
        | '\u{3131}'..='\u{318e}' | '\u{31a0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Terms of one position are joined by `+`.
    fn terms(text: &str) -> String {
        let mut analyzer = analyzer();
        let mut stream = analyzer.token_stream(text);
        let mut terms = String::new();
        let mut position = None;
        while stream.advance() {
            let same = position.replace(stream.token().position) == Some(stream.token().position);
            terms += if same { "+" } else { " " };
            terms += &stream.token().text;
        }
        terms.trim().to_owned()
    }

    #[test]
    fn words_are_lower_case_stems_without_stop_words() {
        assert_eq!(terms("What did we do about the Expiring tokens?"), "expir token");
        assert_eq!(terms("don't, we're; the server’s"), "server");
        assert_eq!(terms("AND OR NOT"), "");
        assert_eq!(
            terms("we chose, they wrote; choosing and writing"),
            "choos write choos write"
        );
    }

    #[test]
    fn an_identifier_is_kept_whole_and_split() {
        assert_eq!(terms("getHTTPServer"), "gethttpserv+get+http+server");
        assert_eq!(terms("jwt_expiry"), "jwt_expiri+jwt+expiri");
        assert_eq!(terms("pre-edit"), "pre-edit+pre+edit");
        assert_eq!(terms("utf8Decoder sha256"), "utf8decod+utf8+decod sha256");
        assert_eq!(terms("tool.uv.sources"), "tool.uv.sourc+tool+uv+sourc");
        assert_eq!(terms("__init__"), "init");
    }

    #[test]
    fn a_path_is_kept_whole_and_split_into_names_and_words() {
        assert_eq!(
            terms("(src/authGate.rs:42)."),
            "src/authgate.rs:42+src+authgate.r+authgat+auth+gate+rs+42"
        );
        assert_eq!(terms("a:b"), "a:b");
    }

    #[test]
    fn operators_are_punctuation() {
        assert_eq!(terms("\" ( * + - ~ ^ [x TO y] {} \\ ! ? || &&"), "");
        assert_eq!(terms("C++ and C# but a+b"), "c++ c#");
    }

    #[test]
    fn unspaced_scripts_are_bigrams_apart_from_what_they_are_glued_to() {
        assert_eq!(terms("缓存失效"), "缓存 存失 失效");
        assert_eq!(terms("修复parseToken函数"), "修复 parsetoken+pars+token 函数");
        assert_eq!(terms("猫"), "猫");
        assert_eq!(terms("キャッシュ、無効"), "キャ ャッ ッシ シュ 無効");
    }

    #[test]
    fn single_characters_and_encoded_data_are_left_out() {
        assert_eq!(terms("x 7 é"), "é");
        assert_eq!(terms(&"A1b2".repeat(17)), "");
        assert_eq!(terms(&"a".repeat(64)).len(), 64);
        assert_eq!(terms(&"a".repeat(65)), "");
        let long = "a".repeat(65);
        assert_eq!(
            terms(&format!("src/{long}/readTokens.go")),
            "src readtokens.go+readtoken+read+token+go"
        );
    }

    #[test]
    fn a_combining_mark_belongs_to_its_word() {
        assert_eq!(terms("cafe\u{301} cafe\u{301}s"), "cafe\u{301} cafe\u{301}");
    }
}
