//! The pieces, and how each is found.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use serde::Serialize;

use super::mark::{Program, State};
use super::site::Site;
use super::{agent, hook, line, skill};
use crate::answer::Failure;

/// What is put into a repository.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Piece {
    /// The `post-commit` hook of git.
    Hook,
    /// The skill that agents read.
    Skill,
    /// The line in `AGENTS.md` or `CLAUDE.md`.
    Instruction,
    /// The hooks of Claude Code.
    AgentHooks,
}

/// A piece as it is in a repository.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Found {
    /// Which.
    pub piece: Piece,
    /// Its file.
    pub path: PathBuf,
    /// Its state.
    pub state: State,
    /// What the file holds. `None`: it is not there, or is no text, which is the user's.
    #[serde(skip)]
    pub(super) text: Option<String>,
}

impl Found {
    /// The pieces of a worktree: each of them once, the line in every file that may hold it.
    pub fn all(site: &Site) -> Result<Vec<Self>, Failure> {
        let claude = site.root.join(".claude");
        let mut pieces = vec![
            (Piece::Hook, site.hooks.join("post-commit")),
            (Piece::Skill, claude.join("skills/rekal/SKILL.md")),
        ];
        pieces.extend(instructions(site).into_iter().map(|path| (Piece::Instruction, path)));
        pieces.push((Piece::AgentHooks, claude.join("settings.local.json")));
        let found = pieces.into_iter().map(|(piece, path)| Self::at(piece, path));
        found.collect()
    }

    fn at(piece: Piece, path: PathBuf) -> Result<Self, Failure> {
        // A link is followed, so that what is written replaces the file and not the link.
        let path = path.canonicalize().unwrap_or(path);
        let (text, state) = match fs::read_to_string(&path) {
            Ok(text) => (Some(text.clone()), piece.state(Some(&text))),
            Err(error) if error.kind() == ErrorKind::InvalidData => (None, State::Changed),
            Err(error) if is_missing(error.kind()) => (None, State::Absent),
            Err(error) => return Err(Failure::io("read", &path, &error)),
        };
        Ok(Self {
            piece,
            path,
            state,
            text,
        })
    }
}

impl Piece {
    fn state(self, text: Option<&str>) -> State {
        match self {
            Piece::Hook => hook::state(text),
            Piece::Skill => skill::state(text),
            Piece::Instruction => line::state(text),
            Piece::AgentHooks => agent::state(text),
        }
    }

    /// The file with the piece. `None`: the file is of another kind.
    pub(super) fn put(self, text: Option<&str>, program: &Program) -> Option<String> {
        match self {
            Piece::Hook => hook::put(text, program),
            Piece::Skill => Some(skill::put()),
            Piece::Instruction => Some(line::put(text)),
            Piece::AgentHooks => agent::put(text, program),
        }
    }

    /// The file without the piece. `None`: nothing else is in it.
    pub(super) fn take(self, text: &str) -> Option<String> {
        match self {
            Piece::Hook => hook::take(text),
            Piece::Skill => skill::take(text),
            Piece::Instruction => line::take(text),
            Piece::AgentHooks => agent::take(text),
        }
    }

    /// The permissions of a new file.
    pub(super) fn mode(self) -> u32 {
        match self {
            Piece::Hook => 0o777,
            _ => 0o666,
        }
    }
}

/// A file in the way of a folder means as well that nothing is there.
fn is_missing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// The files that hold the line: those that are there, each once if one is a link to the other; else
/// the one that most agents read. One that leads out of the repository is left alone.
fn instructions(site: &Site) -> Vec<PathBuf> {
    let named = ["AGENTS.md", "CLAUDE.md"].map(|name| site.root.join(name));
    let is_there = |path: &&PathBuf| fs::symlink_metadata(path).is_ok();
    if !named.iter().any(|path| is_there(&path)) {
        return named[..1].to_vec();
    }
    let real = named.iter().filter_map(|path| path.canonicalize().ok());
    let mut files: Vec<PathBuf> = real.filter(|path| site.holds(path)).collect();
    files.dedup();
    files
}
