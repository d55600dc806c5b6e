//! Files and functions stay small, and files that gather modules hold no code.

use super::files::{self, TextFile, nothing_wrong};
use super::lexing::{closing, code_only, is_word, test_items, without_tests};

const LONGEST_FILE: usize = 300;
const LONGEST_FUNCTION: usize = 70;

/// Where the program and the library are written.
const FOLDERS: [&str; 3] = ["src", "migrations", "benches"];

fn sources() -> impl Iterator<Item = TextFile> {
    FOLDERS.into_iter().flat_map(files::rust_below)
}

#[test]
fn files_are_short() {
    nothing_wrong(sources().filter_map(|file| long_file(&file)).collect());
}

#[test]
fn functions_are_short() {
    nothing_wrong(sources().flat_map(|file| long_functions(&file)).collect());
}

#[test]
fn files_that_gather_modules_hold_no_code() {
    let gathers = |file: &TextFile| file.path.ends_with("/mod.rs") || file.path == "src/lib.rs";
    let files = files::rust_below("src").into_iter().filter(gathers);
    nothing_wrong(files.flat_map(|file| code_lines(&file)).collect());
}

fn long_file(file: &TextFile) -> Option<String> {
    let code = code_only(&file.text);
    let tests = test_items(&code).into_iter().map(|item| code[item].lines().count());
    let lines = code.lines().count() - tests.sum::<usize>();
    (lines > LONGEST_FILE).then(|| format!("{}: {lines} lines without its tests", file.path))
}

fn long_functions(file: &TextFile) -> Vec<String> {
    let code = without_tests(&code_only(&file.text));
    let mut wrong = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        let starts_word = !code[..at].chars().next_back().is_some_and(is_word);
        let name: String = code[at + 3..].chars().take_while(|c| is_word(*c)).collect();
        if !starts_word || name.is_empty() {
            continue;
        }
        let Some(open) = body(&code[at..]) else { continue };
        let end = closing(&code, at + open).unwrap_or(code.len());
        let lines = code[at..end].lines().count();
        if lines > LONGEST_FUNCTION {
            wrong.push(format!("{}: {name} has {lines} lines", file.path));
        }
    }
    wrong
}

/// The offset of the brace that opens the body. `None`: a declaration without one. An array type in
/// the signature holds a semicolon too, in brackets.
fn body(code: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in code.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '{' if depth == 0 => return Some(at),
            ';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

fn code_lines(file: &TextFile) -> Vec<String> {
    let code = code_only(&file.text);
    let mut wrong = Vec::new();
    let mut start = 0;
    for (end, _) in code.match_indices(';') {
        let item = without_attributes(code[start..end].trim());
        let is_fine = ["mod ", "pub mod ", "pub(crate) mod ", "pub(super) mod "]
            .iter()
            .chain(&["pub use ", "pub(crate) use ", "pub(super) use ", "use "])
            .any(|begin| item.starts_with(begin));
        if !is_fine || item.contains("fn ") {
            let line = code[..end].matches('\n').count() + 1;
            wrong.push(format!(
                "{}:{line}: {}",
                file.path,
                item.lines().next().unwrap_or_default()
            ));
        }
        start = end + 1;
    }
    if !code[start..].trim().is_empty() {
        wrong.push(format!("{}: {}", file.path, code[start..].trim()));
    }
    wrong
}

fn without_attributes(mut item: &str) -> &str {
    while item.starts_with('#') {
        let Some(end) = item.find(']') else { break };
        item = item[end + 1..].trim_start();
    }
    item
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: String) -> TextFile {
        TextFile {
            path: "src/x.rs".into(),
            text,
        }
    }

    #[test]
    fn a_long_file_is_found_and_its_tests_do_not_count() {
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "fn t() {}\n".repeat(400));
        let short = "// a\n".repeat(300) + &tests;
        let long = "// a\n".repeat(301) + &tests;
        assert_eq!(long_file(&file(short)), None);
        assert_eq!(
            long_file(&file(long)).as_deref(),
            Some("src/x.rs: 301 lines without its tests")
        );
    }

    #[test]
    fn a_long_function_is_found() {
        let function = |lines: usize| {
            format!(
                "fn long(x: [u8; 3]) {{\n{}}}\nfn next() {{}}\n",
                "a();\n".repeat(lines - 2)
            )
        };
        assert_eq!(long_functions(&file(function(70))), [""; 0]);
        assert_eq!(long_functions(&file(function(71))), ["src/x.rs: long has 71 lines"]);
        assert_eq!(long_functions(&file("trait T { fn f(&self); }".into())), [""; 0]);
    }

    #[test]
    fn code_among_modules_is_found() {
        let fine = "//! A.\n\n#[cfg(test)]\nmod a;\npub(crate) use b::{c, d};\n#[path = \"x\"]\nmod e;\n";
        assert_eq!(code_lines(&file(fine.into())), [""; 0]);
        let constant = "mod a;\npub const N: u8 = 1;\n";
        assert_eq!(code_lines(&file(constant.into())), ["src/x.rs:2: pub const N: u8 = 1"]);
        assert_eq!(code_lines(&file("mod a { }".into())), ["src/x.rs: mod a { }"]);
        assert_eq!(code_lines(&file("fn f() {}\nmod a;".into())).len(), 1);
    }
}
