//! Reads the repository.

use std::fs;
use std::path::{Path, PathBuf};

/// A text file: its path from the repository's root, with `/`, and what it holds.
pub struct TextFile {
    pub path: String,
    pub text: String,
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// One file of the repository.
pub fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All text files below `folder`, in order. A folder that is not there has none.
pub fn below(folder: &str) -> Vec<TextFile> {
    let mut found = Vec::new();
    collect(&root().join(folder), &mut found);
    found.sort();
    let file = |path: PathBuf| {
        let relative = path.strip_prefix(root()).expect("below the root");
        Some(TextFile {
            path: relative.to_str()?.replace('\\', "/"),
            // What is not UTF-8 is no text.
            text: fs::read_to_string(&path).ok()?,
        })
    };
    found.into_iter().filter_map(file).collect()
}

/// The Rust files below `folder`, without those that hold only tests.
pub fn rust_below(folder: &str) -> Vec<TextFile> {
    let mut files = below(folder);
    files.retain(|file| file.path.ends_with(".rs") && !file.path.ends_with("tests.rs"));
    files
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() {
            if name != "target" && name != ".git" && name != ".rekal" {
                collect(&path, found);
            }
        } else {
            found.push(path);
        }
    }
}

/// Panics with one line for each thing that is wrong.
#[track_caller]
pub fn nothing_wrong(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
