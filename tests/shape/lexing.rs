//! Just enough of Rust's lexical grammar to read code by hand: what is a comment, a string or a
//! test is blanked out, so that line numbers stay true.

use std::ops::Range;

/// The code with comments, string and character literals replaced by spaces.
pub fn code_only(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let after_word = code.chars().next_back().is_some_and(is_word);
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => block_comment(rest),
            '"' => string(rest),
            'b' | 'c' | 'r' if !after_word => prefixed_string(rest),
            '\'' => character(rest),
            _ => 0,
        };
        if length == 0 {
            code.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            code.push_str(&blank(&rest[..length]));
            rest = &rest[length..];
        }
    }
    code
}

/// What is compiled for tests only: `#[cfg(test)]` and the item behind it. Takes what [`code_only`]
/// returns.
pub fn test_items(code: &str) -> Vec<Range<usize>> {
    let mut items: Vec<Range<usize>> = Vec::new();
    for (start, _) in code.match_indices("#[cfg(test)]") {
        if items.last().is_none_or(|last| last.end <= start) {
            items.push(start..start + item_end(&code[start..]));
        }
    }
    items
}

/// The code with its test items blanked.
pub fn without_tests(code: &str) -> String {
    let mut kept = code.to_owned();
    for item in test_items(code).into_iter().rev() {
        kept.replace_range(item.clone(), &blank(&code[item]));
    }
    kept
}

fn blank(text: &str) -> String {
    text.chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect()
}

/// The offset behind the brace that closes the one at `open`.
pub fn closing(code: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in code[open..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(open + at + 1);
        }
    }
    None
}

pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What an item or a statement begins with; anything else is a field, a variant or an argument.
const KEYWORDS: [&str; 18] = [
    "async", "const", "enum", "extern", "fn", "for", "if", "impl", "let", "match", "mod", "static", "struct", "trait",
    "type", "unsafe", "use", "while",
];

/// The end of what stands behind the attributes that `code` begins with: the semicolon or closing
/// brace of an item, the comma of a field.
fn item_end(code: &str) -> usize {
    let start = behind_attributes(code);
    let visibility = code[start..]
        .trim_start_matches("pub(crate) ")
        .trim_start_matches("pub(super) ");
    let first = visibility.trim_start_matches("pub ").split(|c| !is_word(c)).next();
    if first.is_some_and(|word| KEYWORDS.contains(&word)) {
        return match code[start..].find([';', '{']).map(|at| start + at) {
            Some(at) if code[at..].starts_with('{') => closing(code, at).unwrap_or(code.len()),
            Some(at) => at + 1,
            None => code.len(),
        };
    }
    let mut depth = 0;
    for (at, c) in code[start..].char_indices() {
        match c {
            ',' | ';' if depth == 0 => return start + at + 1,
            '}' if depth == 0 => return start + at,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    code.len()
}

fn behind_attributes(code: &str) -> usize {
    let mut at = 0;
    loop {
        at += code[at..].len() - code[at..].trim_start().len();
        match code[at..].strip_prefix('#').and_then(|rest| rest.find(']')) {
            Some(end) => at += end + 2,
            None => return at,
        }
    }
}

fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let step = match () {
            () if rest.starts_with("/*") => {
                depth += 1;
                2
            }
            () if rest.starts_with("*/") => {
                depth -= 1;
                2
            }
            () => rest.chars().next().map_or(1, char::len_utf8),
        };
        at += step;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// `b"…"`, `c"…"`, `r"…"`, `br#"…"#`, `b'…'`; 0 for a word that begins like one.
fn prefixed_string(text: &str) -> usize {
    let letters = text.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(text.len());
    let (prefix, rest) = text.split_at(letters);
    let hashes = rest.find(|c| c != '#').unwrap_or(rest.len());
    match prefix {
        "b" if rest.starts_with('\'') => letters + character(rest),
        "b" | "c" if rest.starts_with('"') => letters + string(rest),
        "r" | "br" | "cr" if rest[hashes..].starts_with('"') => {
            let end = format!("\"{}", "#".repeat(hashes));
            let body = letters + hashes + 1;
            text[body..].find(&end).map_or(text.len(), |at| body + at + end.len())
        }
        _ => 0,
    }
}

/// A character literal; 0 for a lifetime.
fn character(text: &str) -> usize {
    let mut inside = text.char_indices().skip(1);
    match inside.next() {
        Some((_, '\\')) => text[3..].find('\'').map_or(text.len(), |at| at + 4),
        Some(_) => match inside.next() {
            Some((at, '\'')) => at + 1,
            _ => 0,
        },
        None => 0,
    }
}

#[test]
fn comments_strings_and_characters_are_blanked() {
    let text = "a /* { /* \" */ } */ b // {\nc \"{\\\"{\" r#\"{\"{\"# b'{' '\\'' '{' d";
    let code = code_only(text);
    assert_eq!(code.chars().count(), text.chars().count());
    assert_eq!(code.split_whitespace().collect::<Vec<_>>(), ["a", "b", "c", "d"]);
    assert_eq!(code.lines().count(), 2);
}

#[test]
fn lifetimes_and_words_are_code() {
    let text = "fn f<'a>(r: &'a str, b: u8) -> bar { crate::x }";
    assert_eq!(code_only(text), text);
}

#[test]
fn what_is_only_for_tests_is_blanked() {
    let code = "a\n#[cfg(test)]\nmod tests {\n { b }\n}\nc\n#[cfg(test)]\nmod d;\ne";
    let kept = without_tests(code);
    assert_eq!(kept.split_whitespace().collect::<Vec<_>>(), ["a", "c", "e"]);
    assert_eq!(kept.lines().count(), 9);

    let fields = "struct S { a: A,\n#[cfg(test)]\nb: bool,\n}\nfn f() { S { a,\n#[cfg(test)]\nb: g(1, 2) } }";
    let kept = without_tests(fields);
    assert_eq!(
        kept.split_whitespace().collect::<Vec<_>>().join(" "),
        "struct S { a: A, } fn f() { S { a, } }"
    );
    assert_eq!(
        without_tests("#[cfg(test)]\n#[path = x]\npub(super) fn f<A, B>() { c }").trim(),
        ""
    );
}
