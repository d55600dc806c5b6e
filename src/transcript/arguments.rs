//! What a tool is called with, under the names that most agents give it.

use serde::Deserialize;

use super::loose::{Text, Words};

/// Where a tool was used, and what it ran.
#[derive(Deserialize, Default, Debug)]
#[serde(default)]
pub(super) struct Arguments {
    file_path: Text,
    absolute_path: Text,
    path: Text,
    dir_path: Text,
    command: Words,
}

impl Arguments {
    /// The file or folder.
    pub(super) fn path(&self) -> Option<&str> {
        let paths = [&self.file_path, &self.absolute_path, &self.path, &self.dir_path];
        paths.into_iter().find_map(|path| path.0.as_deref())
    }

    /// The command line.
    pub(super) fn command(&self) -> Option<String> {
        Some(self.command.0.join(" ")).filter(|command| !command.is_empty())
    }
}
