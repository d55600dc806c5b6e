//! Mentions as text: one line a turn.
//!
//! ```text
//! s5 t12 [2026-11-02T10:04] human: …the words around the hit… (3×)
//! (+4 more)
//! ```

use std::fmt::{self, Display, Formatter};

use super::scan::{Mention, Mentions};
use crate::recall::line::Plain;
use crate::time::format_rfc3339;

/// The text, each line ended.
pub fn text(mentions: &Mentions) -> String {
    mentions.to_string()
}

impl Display for Mentions {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for mention in &self.shown {
            writeln!(f, "{mention}")?;
        }
        match self.total - self.shown.len() {
            0 => Ok(()),
            more => writeln!(f, "(+{more} more)"),
        }
    }
}

impl Display for Mention {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "s{} t{}", self.number, self.turn)?;
        if let Some(at) = self.at {
            write!(f, " [{}]", &format_rfc3339(at)[..16])?;
        }
        write!(f, " {}: {}", self.role.as_str(), Plain(&self.snippet))?;
        match self.count {
            1 => Ok(()),
            count => write!(f, " ({count}×)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Role;

    #[test]
    fn a_mention_is_one_line_whatever_was_said() {
        let mention = Mention {
            session: "aa".parse().expect("an id"),
            number: 5,
            turn: 12,
            role: Role::Human,
            at: Some(1_793_613_840_000),
            count: 3,
            snippet: "a \u{1b}[31mhit".into(),
        };
        let timeless = Mention {
            at: None,
            count: 1,
            ..mention.clone()
        };
        let mentions = Mentions {
            text: "hit".into(),
            total: 6,
            shown: vec![mention, timeless],
        };
        let lines = [
            r"s5 t12 [2026-11-02T10:04] human: a \u{1b}[31mhit (3×)",
            r"s5 t12 human: a \u{1b}[31mhit",
            "(+4 more)",
        ];
        assert_eq!(text(&mentions), lines.map(|line| format!("{line}\n")).concat());
    }
}
