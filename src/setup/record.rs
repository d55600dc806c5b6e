//! `init.json` in the store: what setting up made that its marks do not tell. It is gone when everything
//! is taken out.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::mark;

/// The name of the file.
pub const FILE: &str = "init.json";

/// What is noted. One that is missing or cannot be read says nothing: then folders stay.
#[derive(Clone, PartialEq, Serialize, Deserialize, Default)]
pub struct Record {
    /// The folders that were made.
    folders: Vec<PathBuf>,
    /// Files of the user's that taking out would not leave byte for byte as they were, such as an empty
    /// list that would go with what was put into it.
    originals: BTreeMap<PathBuf, Original>,
}

#[derive(Clone, PartialEq, Serialize, Deserialize)]
struct Original {
    /// The sum of the file as it was left. Another one: the user has changed it since.
    left: String,
    text: String,
}

impl Record {
    /// What is noted in a store.
    pub fn read(store: &Path) -> Self {
        let bytes = fs::read(store.join(FILE)).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// The file's text. `None`: there is nothing to note.
    pub fn text(&self) -> Option<String> {
        let text = serde_json::to_string_pretty(self).ok()?;
        (*self != Self::default()).then(|| text + "\n")
    }

    /// Takes in what another one notes.
    pub fn add(&mut self, other: &Self) {
        self.made(other.folders.clone());
        let originals = other
            .originals
            .iter()
            .map(|(path, original)| (path.clone(), original.clone()));
        self.originals.extend(originals);
    }

    /// What is noted of paths of another kind.
    pub fn without(&self, is_it: impl Fn(&Path) -> bool) -> Self {
        let mut rest = self.clone();
        rest.folders.retain(|path| !is_it(path));
        rest.originals.retain(|path, _| !is_it(path));
        rest
    }

    /// Notes folders that are made.
    pub fn made(&mut self, folders: Vec<PathBuf>) {
        for folder in folders {
            if !self.folders.contains(&folder) {
                self.folders.push(folder);
            }
        }
    }

    /// The folders that were made, the deepest first.
    pub fn folders(&self) -> Vec<PathBuf> {
        let mut folders = self.folders.clone();
        folders.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
        folders
    }

    /// Whether anything was made below this folder.
    pub fn is_about(&self, root: &Path) -> bool {
        let mut paths = self.folders.iter().chain(self.originals.keys());
        paths.any(|path| path.starts_with(root))
    }

    /// Notes what a file was before it was left as `left`, or that nothing needs to be noted of it.
    pub fn note(&mut self, path: &Path, left: &str, original: Option<String>) {
        self.originals.remove(path);
        if let Some(text) = original {
            let left = mark::sum(left);
            self.originals.insert(path.to_path_buf(), Original { left, text });
        }
    }

    /// What the file was, if it is still as it was left.
    pub fn original(&self, path: &Path, text: &str) -> Option<&str> {
        let original = self.originals.get(path)?;
        (original.left == mark::sum(text)).then_some(&original.text)
    }
}
