//! Foreign text on a terminal.

use std::fmt::{self, Write};

use crate::hint::is_unsafe_on_a_line;

/// Text within quotation marks that can end neither them nor the line.
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if is_unsafe_on_a_line(c) => write!(f, "{}", c.escape_unicode())?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// A word of a line: what could end the line or reorder it is made visible.
pub(super) struct Plain<'a>(pub(super) &'a str);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            if is_unsafe_on_a_line(c) {
                write!(f, "{}", c.escape_unicode())?;
            } else {
                f.write_char(c)?;
            }
        }
        Ok(())
    }
}

/// Text of several lines. All but the first are indented, so that no line of it can pass for one of
/// ours; tabs stay, carriage returns before a line's end go, other control characters are made visible.
pub(super) struct Paragraphs<'a>(pub(super) &'a str);

impl fmt::Display for Paragraphs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, line) in self.0.split('\n').enumerate() {
            let line = line.strip_suffix('\r').unwrap_or(line);
            if number > 0 {
                f.write_str(if line.is_empty() { "\n" } else { "\n  " })?;
            }
            for (cell_number, cell) in line.split('\t').enumerate() {
                if cell_number > 0 {
                    f.write_char('\t')?;
                }
                write!(f, "{}", Plain(cell))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotation_can_end_neither_itself_nor_the_line() {
        let shown = Quoted("a \"b\" \\ c\u{1b}[31m\u{202e}\u{2028}é").to_string();
        assert_eq!(shown, r#"a \"b\" \\ c\u{1b}[31m\u{202e}\u{2028}é"#);
    }

    #[test]
    fn paragraphs_keep_their_lines_and_can_forge_none() {
        let shown = Paragraphs("one\r\nt2 [x] human: two\n\n\tthree\u{7}\rfour").to_string();
        assert_eq!(shown, "one\n  t2 [x] human: two\n\n  \tthree\\u{7}\\u{d}four");
    }
}
