//! The worktree that is set up.

use std::path::{Path, PathBuf};

use crate::answer::Failure;
use crate::git::Repository;

/// A worktree of a repository.
pub struct Site {
    /// Its folder.
    pub root: PathBuf,
    /// Where git looks for its `post-commit` hook.
    pub hook: PathBuf,
    repository: Repository,
}

impl Site {
    /// The worktree around a folder. `attempt` is "set up", "clean".
    pub fn around(folder: Option<&Path>, attempt: &str) -> Result<Self, Failure> {
        let here = folder.unwrap_or(Path::new("."));
        let repository = Repository::around(here).ok_or_else(|| {
            Failure::usage(format!("{attempt} {}: it lies in no git repository", here.display()))
                .remedy_is("go to a repository, or make one with git init; rekal checkpoint works without one too")
        })?;
        let root = repository.here().ok_or_else(|| {
            let common = repository.common().display();
            Failure::usage(format!(
                "{attempt} {common}: it is a git directory without a working tree"
            ))
            .remedy_is("run it in a worktree of this repository (git worktree add)")
        })?;
        Ok(Self {
            root: root.to_path_buf(),
            hook: repository.hook("post-commit"),
            repository,
        })
    }

    /// The other worktrees of the repository that are still there.
    pub fn others(&self) -> Vec<Site> {
        let others = self
            .repository
            .worktrees()
            .into_iter()
            .filter(|root| *root != self.root);
        others
            .filter_map(|root| Site::around(Some(&root), "look at").ok())
            .collect()
    }

    /// Whether a path that need not be there yet lies in the repository, whatever links lead to it.
    pub fn holds(&self, path: &Path) -> bool {
        let existing = path.ancestors().find_map(|folder| folder.canonicalize().ok());
        let folders = [self.root.as_path(), self.repository.root(), self.repository.common()];
        existing.is_some_and(|path| {
            let mut real = folders.iter().filter_map(|folder| folder.canonicalize().ok());
            real.any(|folder| path.starts_with(folder))
        })
    }

    /// The path as a user reads it.
    pub fn short(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }
}
