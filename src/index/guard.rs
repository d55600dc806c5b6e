//! tantivy's errors and panics as ours.
//!
//! tantivy checks a file's end when it opens it, not its bytes: damage in the middle shows up as an
//! index out of range somewhere below. The files are read-only and nothing of ours is held across the
//! call, so such a panic is an answer like any other: damaged.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use tantivy::TantivyError;
use tantivy::directory::error::{OpenDirectoryError, OpenReadError, OpenWriteError};

use crate::{Error, Result};

/// Reads from the index in `dir`.
pub(super) fn reading<T>(dir: &Path, read: impl FnOnce() -> tantivy::Result<T>) -> Result<T> {
    guarded(read).map_err(|failure| failure.into_error("read from the index in", dir))
}

/// Writes to the index in `dir`.
pub(super) fn writing<T>(dir: &Path, write: impl FnOnce() -> tantivy::Result<T>) -> Result<T> {
    guarded(write).map_err(|failure| failure.into_error("write to the index in", dir))
}

/// Why a call of tantivy failed.
pub(super) enum Failure {
    /// By its own account.
    Returned(TantivyError),
    /// It met bytes that it did not expect.
    Panicked,
}

pub(super) fn guarded<T>(call: impl FnOnce() -> tantivy::Result<T>) -> std::result::Result<T, Failure> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(returned) => returned.map_err(Failure::Returned),
        Err(_) => Err(Failure::Panicked),
    }
}

/// A value that no version of this crate writes.
pub(super) fn damaged(what: &str) -> TantivyError {
    TantivyError::InternalError(what.into())
}

impl Failure {
    /// There is no index in the folder, or no folder.
    pub(super) fn is_missing(&self) -> bool {
        match self {
            Failure::Returned(TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(file))) => {
                file.ends_with("meta.json")
            }
            Failure::Returned(TantivyError::OpenDirectoryError(OpenDirectoryError::DoesNotExist(_))) => true,
            _ => false,
        }
    }

    /// A file was gone that a commit had just replaced. Of a segment without positions tantivy says that
    /// its fields do not fit.
    pub(super) fn is_overtaken(&self) -> bool {
        matches!(
            self,
            Failure::Returned(
                TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(_)) | TantivyError::DataCorruption(_)
            )
        )
    }

    pub(super) fn into_error(self, attempt: &str, dir: &Path) -> Error {
        let Failure::Returned(error) = self else {
            return corrupt(dir, "unexpected bytes");
        };
        if let Some(source) = io_source(&error) {
            return Error::io(attempt, dir, std::io::Error::new(source.kind(), source.to_string()));
        }
        match error {
            // A thread reports as text whatever stopped it, a full disk for one.
            TantivyError::ErrorInThread(what) | TantivyError::SystemError(what) => {
                Error::io(attempt, dir, std::io::Error::other(what))
            }
            error => corrupt(dir, error),
        }
    }
}

fn corrupt(dir: &Path, what: impl std::fmt::Display) -> Error {
    Error::corrupt(dir, what).remedy_is("run `rekal index`, which builds it anew from the ledger")
}

/// The refusal of the operating system behind an error. Ends of files and invalid bytes are not the
/// operating system's: they are damage.
fn io_source(error: &TantivyError) -> Option<Arc<std::io::Error>> {
    use std::io::ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof};
    let source = match error {
        TantivyError::IoError(source)
        | TantivyError::OpenReadError(OpenReadError::IoError { io_error: source, .. })
        | TantivyError::OpenWriteError(OpenWriteError::IoError { io_error: source, .. })
        | TantivyError::OpenDirectoryError(OpenDirectoryError::IoError { io_error: source, .. }) => source,
        _ => return None,
    };
    let refused = !matches!(source.kind(), InvalidData | InvalidInput | Other | UnexpectedEof);
    refused.then(|| source.clone())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;
    use crate::index::fixture::{FORMULAS, LEDGER, publish, session};
    use crate::index::{Index, Publisher, Query};

    /// Reads whatever there is to read.
    fn read_all(dir: &Path) -> Result<()> {
        let Some(index) = Index::open(dir)? else {
            return Ok(());
        };
        index.matches(&Query::new("token expiry of 3"), FORMULAS, |_| 1.0)?;
        index.find("i")?;
        index.likeness(&Query::new("token"));
        for number in index.sessions().collect::<Vec<_>>() {
            index.conversation(number)?;
            index.ids(number)?;
        }
        Ok(())
    }

    fn files(dir: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(dir).expect("a folder");
        let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        files.sort();
        files
    }

    fn store() -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a folder");
        let sessions: Vec<_> = (1..6)
            .map(|n| session(n, &format!("{n}-id"), &["token expiry", "of 3 tokens"]))
            .collect();
        publish(dir.path(), &sessions);
        dir
    }

    /// Calls `try_it` with every file of tantivy's damaged in turn.
    fn with_each_damaged(damage: impl Fn(&[u8]) -> Vec<u8>, try_it: impl Fn(&Path, &Path)) {
        damage_each(&store(), damage, |dir, file| {
            if !file.ends_with("lsa.bin") {
                try_it(dir, file);
            }
        });
    }

    fn damage_each(dir: &tempfile::TempDir, damage: impl Fn(&[u8]) -> Vec<u8>, try_it: impl Fn(&Path, &Path)) {
        for file in files(dir.path()) {
            let whole = fs::read(&file).expect("bytes");
            // A file may be mapped: it is replaced, not overwritten.
            let replace = |bytes: &[u8]| {
                let new = dir.path().join("new");
                fs::write(&new, bytes).expect("written");
                fs::rename(&new, &file).expect("renamed");
            };
            replace(&damage(&whole));
            try_it(dir.path(), &file);
            replace(&whole);
        }
        read_all(dir.path()).expect("whole again");
    }

    #[test]
    fn an_empty_file_is_damage_and_the_message_says_what_to_do() {
        with_each_damaged(
            |_| Vec::new(),
            |dir, file| {
                let error = read_all(dir).expect_err("damaged");
                assert!(error.is_corrupt(), "{}: {error}", file.display());
                assert_eq!(
                    error.remedy(),
                    Some("run `rekal index`, which builds it anew from the ledger")
                );
                assert_eq!(error.path(), Some(dir));
            },
        );
    }

    #[test]
    fn a_file_cut_in_half_is_damage() {
        with_each_damaged(
            |whole| whole[..whole.len() / 2].to_vec(),
            |dir, file| {
                let error = read_all(dir).expect_err("damaged");
                assert!(error.is_corrupt(), "{}: {error}", file.display());
            },
        );
    }

    #[test]
    fn random_bytes_are_damage() {
        with_each_damaged(
            |whole| random(whole.len() as u64).take(whole.len().max(64)).collect(),
            |dir, file| {
                let error = read_all(dir).expect_err("damaged");
                assert!(error.is_corrupt(), "{}: {error}", file.display());
            },
        );
    }

    #[test]
    fn flipped_bytes_anywhere_are_an_answer_never_a_panic() {
        let dir = store();
        for seed in 1..40 {
            let flip = |whole: &[u8]| {
                let mut bytes = whole.to_vec();
                let at = random(seed)
                    .take(8)
                    .fold(0usize, |at, byte| at << 8 | usize::from(byte));
                let at = at % bytes.len();
                bytes[at] ^= 1 << (seed % 8);
                bytes
            };
            damage_each(&dir, flip, |dir, _| drop(read_all(dir)));
        }
    }

    #[test]
    fn what_is_damaged_is_built_anew() {
        with_each_damaged(
            |whole| whole[..whole.len() / 2].to_vec(),
            |dir, file| {
                let publisher = Publisher::open(dir, LEDGER).expect("a publisher");
                assert_eq!(publisher.published(), None, "{}", file.display());
            },
        );
    }

    fn random(seed: u64) -> impl Iterator<Item = u8> {
        let mut state = seed | 1;
        std::iter::repeat_with(move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        })
    }
}
