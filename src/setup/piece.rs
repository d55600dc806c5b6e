//! The pieces, and how each is found.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

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
    /// Why no piece can be in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<&'static str>,
    /// What the file holds. `None`: it is not there, or is no text, which is the user's.
    #[serde(skip)]
    pub(super) text: Option<String>,
}

impl Found {
    /// The pieces of a worktree: each of them once, the line in every file that may hold it.
    pub fn all(site: &Site) -> Result<Vec<Self>, Failure> {
        let claude = site.root.join(".claude");
        let mut pieces = vec![
            (Piece::Hook, site.hook.clone()),
            (Piece::Skill, claude.join("skills/rekal/SKILL.md")),
        ];
        pieces.extend(instructions(site).into_iter().map(|path| (Piece::Instruction, path)));
        pieces.push((Piece::AgentHooks, claude.join("settings.local.json")));
        let found = pieces.into_iter().map(|(piece, path)| Self::at(site, piece, path));
        found.collect()
    }

    fn at(site: &Site, piece: Piece, named: PathBuf) -> Result<Self, Failure> {
        // A link is followed, so that what is written replaces the file and not the link.
        let path = named.canonicalize().unwrap_or_else(|_| named.clone());
        let mut found = Self {
            piece,
            state: State::Absent,
            obstacle: obstacle(&named),
            text: None,
            path,
        };
        if piece == Piece::Instruction && !site.holds(&found.path) {
            found.obstacle = Some("it is a link that leads out of the repository");
        }
        if found.obstacle.is_some() {
            found.state = State::Foreign;
            return Ok(found);
        }
        match fs::read(&found.path).map(String::from_utf8) {
            Ok(Ok(text)) => {
                found.state = piece.state(Some(&text));
                found.text = Some(text);
            }
            Ok(Err(error)) => {
                let runs = piece.state(Some(&String::from_utf8_lossy(error.as_bytes()))) == State::ByHand;
                found.state = if runs { State::ByHand } else { State::Foreign };
                found.obstacle = (!runs).then_some("it is no text in UTF-8");
            }
            Err(error) if is_missing(error.kind()) => {}
            Err(error) => return Err(Failure::io("read", &found.path, &error)),
        }
        Ok(found)
    }

    /// The store that a hook of ours names.
    pub(super) fn store(&self) -> Option<PathBuf> {
        match self.piece {
            Piece::Hook => hook::store(self.text.as_deref()?),
            Piece::AgentHooks => agent::store(self.text.as_deref()?),
            Piece::Skill | Piece::Instruction => None,
        }
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

    /// How a user takes out by hand what was changed by hand.
    pub fn by_hand(self) -> &'static str {
        match self {
            Piece::Hook => "take out what stands from `# >>> rekal` to `# <<< rekal`, with these lines",
            Piece::Skill => "remove the file, or keep it as your own without its last line",
            Piece::Instruction => "take out the line that ends with `<!-- rekal … -->`",
            Piece::AgentHooks => "take out the entries of SessionEnd and PreCompact that end with `# rekal …`",
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

/// What is there instead of a file that could be read.
fn obstacle(path: &Path) -> Option<&'static str> {
    let is_there = fs::symlink_metadata(path).is_ok();
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Some("it is a folder"),
        Ok(found) if !found.is_file() => Some("it is no ordinary file"),
        Err(error) if is_there && is_missing(error.kind()) => Some("it is a link that leads nowhere"),
        _ => None,
    }
}

/// A file in the way of a folder means as well that nothing is there.
fn is_missing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// The files that hold the line: those that are there, each once if one is a link to the other; else
/// the one that most agents read.
fn instructions(site: &Site) -> Vec<PathBuf> {
    let named = ["AGENTS.md", "CLAUDE.md"].map(|name| site.root.join(name));
    let is_there = |path: &&PathBuf| fs::symlink_metadata(path).is_ok();
    if !named.iter().any(|path| is_there(&path)) {
        return named[..1].to_vec();
    }
    let mut files: Vec<PathBuf> = named.into_iter().filter(|path| is_there(&path)).collect();
    files.dedup_by_key(|path| path.canonicalize().unwrap_or_else(|_| path.clone()));
    files
}
