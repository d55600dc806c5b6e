//! Whether every byte that is published is as it was written: for whoever looks for damage. Reading
//! checks only what it meets.

use std::path::Path;

use super::folder::Folder;
use super::guard::guarded;
use super::lsa;
use super::read::Index;

impl Index {
    /// Compares every file with its checksum, and the vectors with what they are made of.
    pub fn is_whole(&self) -> bool {
        let files = guarded(|| are_as_written(&self.dir));
        files.unwrap_or(false) && lsa::is_up_to(&self.dir, self.ledger(), self.change())
    }
}

fn are_as_written(dir: &Path) -> tantivy::Result<bool> {
    let index = tantivy::Index::open(Folder::open(dir)?)?;
    Ok(index.validate_checksum()?.is_empty())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::index::fixture::{open, publish, session};

    #[test]
    fn one_changed_bit_in_any_file_is_noticed() {
        let dir = tempfile::tempdir().expect("a folder");
        let sessions: Vec<_> = (1..9)
            .map(|n| session(n, &format!("{n}-id"), &["token expiry", "of 3 tokens"]))
            .collect();
        publish(dir.path(), &sessions);
        assert!(open(dir.path()).is_whole());
        let mut noticed = 0;
        for entry in fs::read_dir(dir.path()).expect("a folder") {
            let path = entry.expect("an entry").path();
            let whole = fs::read(&path).expect("bytes");
            let mut flipped = whole.clone();
            flipped[whole.len() / 3] ^= 1;
            // A file may be mapped: it is replaced, not overwritten.
            let replace = |bytes: &[u8]| {
                let new = dir.path().join("new");
                fs::write(&new, bytes).expect("written");
                fs::rename(&new, &path).expect("renamed");
            };
            replace(&flipped);
            let is_noticed = match crate::index::Index::open(dir.path()) {
                Ok(Some(index)) => !index.is_whole(),
                _ => true,
            };
            // These two are JSON, and have no sum.
            let is_json = path.extension().is_some_and(|extension| extension == "json");
            assert!(is_noticed || is_json, "{}", path.display());
            noticed += u32::from(is_noticed);
            replace(&whole);
        }
        assert!(noticed > 5, "{noticed}");
        assert!(open(dir.path()).is_whole());
    }
}
