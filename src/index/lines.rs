//! Terms as a text, a line each: what a document is searched by is given to the index in this form, so that
//! a turn that is searched alone and in its session is analysed once. No term holds white space.

use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer};

use super::analysis::analyzer;

/// The terms of a text.
pub(super) fn lines_of_terms(analyzer: &mut TextAnalyzer, text: &str) -> String {
    let mut lines = String::with_capacity(text.len());
    let mut terms = analyzer.token_stream(text);
    while terms.advance() {
        lines += &terms.token().text;
        lines.push('\n');
    }
    lines
}

/// How many terms a text has: what analysing it costs is measured with it.
pub fn count_terms(text: &str) -> usize {
    let mut analyzer = analyzer();
    let mut terms = analyzer.token_stream(text);
    let mut count = 0;
    while terms.advance() {
        count += 1;
    }
    count
}

/// What the index itself takes apart: terms, a line each.
pub(super) fn reader_of_lines() -> TextAnalyzer {
    TextAnalyzer::from(Lines)
}

#[derive(Clone)]
struct Lines;

struct LineStream<'a> {
    left: &'a str,
    token: Token,
}

impl Tokenizer for Lines {
    type TokenStream<'a> = LineStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> LineStream<'a> {
        // Positions are not kept, so all stand at the first one.
        let token = Token {
            position: 0,
            ..Token::default()
        };
        LineStream { left: text, token }
    }
}

impl TokenStream for LineStream<'_> {
    fn advance(&mut self) -> bool {
        let Some((line, left)) = self.left.split_once('\n') else {
            return false;
        };
        self.left = left;
        self.token.text.clear();
        self.token.text += line;
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_as_lines_is_read_as_terms() {
        let lines = lines_of_terms(&mut analyzer(), "Fix jwt_expiry,\ndying 缓存失效");
        assert_eq!(lines, "fix\njwt_expiri\njwt\nexpiri\ndie\n缓存\n存失\n失效\n");
        let mut reader = reader_of_lines();
        let mut stream = reader.token_stream(&lines);
        let mut read = Vec::new();
        while stream.advance() {
            read.push(stream.token().text.clone());
        }
        assert_eq!(
            read,
            ["fix", "jwt_expiri", "jwt", "expiri", "die", "缓存", "存失", "失效"]
        );
        assert_eq!(count_terms("Fix jwt_expiry,\ndying 缓存失效"), 8);
    }
}
