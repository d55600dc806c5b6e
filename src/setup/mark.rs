//! How a piece is known again: a mark with a sum of what it belongs to. A sum that is right means that
//! nobody changed it, whichever version wrote it.

use std::path::{Path, PathBuf};

use rekal::hash::fnv64;
use serde::Serialize;

/// In what state a piece is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It is not there.
    Absent,
    /// It is there as this version or an earlier one wrote it.
    Ours,
    /// It is there, and the user changed it or wrote it.
    Changed,
    /// The user's own hook runs a checkpoint.
    ByHand,
    /// What is there is no file of text that a piece could be in.
    Foreign,
}

/// What a hook runs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// Where the program is, for when it is not on the `PATH`.
    pub path: Option<PathBuf>,
    /// The store that was named, when it is not the one that would be found.
    pub store: Option<PathBuf>,
}

impl Program {
    /// The word for the shell that names the program where the `PATH` does not. `None`: it has no name
    /// that a shell could be told.
    pub fn fallback(&self) -> Option<String> {
        quoted(self.path.as_deref()?)
    }

    /// The words behind the program's name.
    pub fn words(&self) -> String {
        match self.store.as_deref().and_then(quoted) {
            Some(store) => format!("checkpoint --quiet --store {store}"),
            None => "checkpoint --quiet".to_owned(),
        }
    }
}

/// The store that was named in what a hook runs.
pub fn store_in(text: &str) -> Option<PathBuf> {
    let (_, quoted) = text.split_once("checkpoint --quiet --store '")?;
    let mut path = String::new();
    for (at, part) in quoted.split(r"'\''").enumerate() {
        path.push_str(if at > 0 { "'" } else { "" });
        let Some((last, _)) = part.split_once('\'') else {
            path.push_str(part);
            continue;
        };
        path.push_str(last);
        return Some(path.into());
    }
    None
}

/// The sum that a mark bears. Line ends do not count: git may change them.
pub fn sum(text: &str) -> String {
    let bytes: Vec<u8> = text.bytes().filter(|byte| *byte != b'\r').collect();
    format!("{:08x}", fnv64(&bytes) as u32)
}

/// A word of the shell that stands for itself.
fn quoted(path: &Path) -> Option<String> {
    let path = path.to_str().filter(|path| !path.contains('\n'))?;
    Some(format!("'{}'", path.replace('\'', r"'\''")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_for_the_shell() {
        let program = Program {
            path: Some("/it's here/rekal".into()),
            store: Some("/a b".into()),
        };
        assert_eq!(program.fallback().as_deref(), Some(r"'/it'\''s here/rekal'"));
        assert_eq!(program.words(), "checkpoint --quiet --store '/a b'");
    }

    #[test]
    fn a_store_is_read_as_it_was_written() {
        for store in ["/a b", "/it's here", "'", "/'' /x"] {
            let program = Program {
                path: None,
                store: Some(store.into()),
            };
            let line = format!("\"$rekal\" {} & '", program.words());
            assert_eq!(store_in(&line), Some(store.into()));
        }
        assert_eq!(store_in("checkpoint --quiet &"), None);
        assert_eq!(store_in("checkpoint --quiet --store 'no end"), None);
    }

    #[test]
    fn a_sum_does_not_depend_on_the_line_ends() {
        assert_eq!(sum("a\nb\n"), sum("a\r\nb\r\n"));
        assert_eq!(sum("a"), "8601ec8c");
        assert_ne!(sum("a"), sum("b"));
    }
}
