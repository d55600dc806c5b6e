//! The store's own files, and what they take.

use std::collections::BTreeMap;
use std::fs::DirEntry;
use std::path::Path;

use walkdir::WalkDir;

use crate::answer::Failure;

/// How the names of the store's own files begin.
const OWN: [&str; 4] = ["store.redb", "reach.", "recall-log.", "index"];

/// The store's own files and folders by name.
pub fn own(store: &Path) -> Result<BTreeMap<String, DirEntry>, Failure> {
    let failed = |error| Failure::io("list", store, &error);
    let mut own = BTreeMap::new();
    for entry in store.read_dir().map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if OWN.iter().any(|begin| name.starts_with(begin)) {
            own.insert(name, entry);
        }
    }
    Ok(own)
}

/// What each of them takes, in bytes.
pub fn sizes(store: &Path) -> Result<BTreeMap<String, u64>, Failure> {
    let own = own(store)?.into_iter();
    Ok(own.map(|(name, entry)| (name, size(&entry))).collect())
}

/// The bytes of a file, or of all files of a folder. What vanishes meanwhile has none.
fn size(entry: &DirEntry) -> u64 {
    let files = WalkDir::new(entry.path()).into_iter().filter_map(Result::ok);
    let lengths = files.filter_map(|file| file.metadata().ok());
    lengths.filter(|found| found.is_file()).map(|found| found.len()).sum()
}
