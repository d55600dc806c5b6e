//! Which transcripts there are: a walk over the agents' folders that opens no file.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use jiff::tz::TimeZone;
use walkdir::{DirEntry, WalkDir};

use super::{cline, gemini};
use crate::Error;
use crate::session::Harness;

/// Where the agents keep their files. `None`: the agent is not looked for.
#[derive(Clone, Debug, Default)]
pub struct Roots {
    /// Claude Code's folder, `~/.claude` mostly.
    pub claude: Option<PathBuf>,
    /// The folder of Codex, `~/.codex` mostly.
    pub codex: Option<PathBuf>,
    /// The folder of Gemini CLI, `~/.gemini` mostly.
    pub gemini: Option<PathBuf>,
    /// The folder of Copilot CLI, `~/.copilot` mostly.
    pub copilot: Option<PathBuf>,
    /// The folder of Cline in a terminal, `~/.cline/data` mostly.
    pub cline: Option<PathBuf>,
    /// Where editors keep what their extensions store, as Cline and Roo Code: `User/globalStorage` of each.
    pub editors: Vec<PathBuf>,
    /// Histories of Aider, each [`AIDER_HISTORY`](super::AIDER_HISTORY) of a folder mostly.
    pub aider: Vec<PathBuf>,
    /// Cursor's folder, `~/.cursor` mostly.
    pub cursor: Option<PathBuf>,
    /// The time zone of agents that write local times. `None`: UTC.
    pub zone: Option<TimeZone>,
}

/// A transcript, as a walk over the folders sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The file.
    pub path: PathBuf,
    /// Whose it is.
    pub harness: Harness,
    /// Bytes.
    pub size: u64,
    /// When it was last written: nanoseconds since 1970.
    pub modified: u64,
    /// The time zone of times that name none. `None`: UTC.
    pub zone: Option<TimeZone>,
}

/// What there is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Discovered {
    /// Ordered by path; the files of Claude Code's subagents come behind all others, so that a
    /// parent is read before its children.
    pub found: Vec<Found>,
    /// Files and folders that could not be looked at: the path of each, and why.
    pub unreadable: Vec<String>,
}

impl Roots {
    /// Where this agent keeps its files; none of it need be there.
    pub fn of(&self, agent: Harness) -> Vec<PathBuf> {
        let own = match agent {
            Harness::Claude => &self.claude,
            Harness::Codex => &self.codex,
            Harness::Gemini => &self.gemini,
            Harness::Copilot => &self.copilot,
            Harness::Cline => &self.cline,
            Harness::Roo => &None,
            Harness::Aider => return self.aider.clone(),
            Harness::Cursor => &self.cursor,
        };
        let extension = match agent {
            Harness::Cline => Some("saoudrizwan.claude-dev"),
            Harness::Roo => Some("rooveterinaryinc.roo-cline"),
            _ => None,
        };
        let stored = |name| self.editors.iter().map(move |storage| storage.join(name));
        own.iter()
            .cloned()
            .chain(extension.into_iter().flat_map(stored))
            .collect()
    }
}

/// Looks for transcripts. A root that does not exist has none.
pub fn discover(roots: &Roots) -> Discovered {
    let mut all = Discovered::default();
    for agent in Harness::ALL {
        for root in roots.of(agent) {
            match folders(agent) {
                [] => walk(&root, agent, &mut all),
                folders => folders
                    .iter()
                    .for_each(|folder| walk(&root.join(folder), agent, &mut all)),
            }
        }
    }
    all.found
        .iter_mut()
        .for_each(|found| found.zone.clone_from(&roots.zone));
    let plain: HashSet<PathBuf> = all.found.iter().map(|f| f.path.clone()).collect();
    all.found
        .retain(|f| !is_packed(&f.path) || !plain.contains(&f.path.with_extension("")));
    all.found.sort_by_cached_key(|f| (is_subagent(f), f.path.clone()));
    all
}

/// Whether the file is compressed.
pub(super) fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "zst")
}

/// Whether the file's place says that a subagent of Claude Code wrote it.
pub(super) fn is_subagent(found: &Found) -> bool {
    found.harness == Harness::Claude
        && (file_name(&found.path).starts_with("agent-")
            || found.path.components().any(|part| part.as_os_str() == "subagents"))
}

/// Which folders of an agent's own hold transcripts. None: the root is one.
fn folders(agent: Harness) -> &'static [&'static str] {
    match agent {
        Harness::Claude | Harness::Cursor => &["projects"],
        Harness::Codex => &["sessions", "archived_sessions"],
        Harness::Gemini => &["tmp"],
        Harness::Copilot => &["session-state"],
        Harness::Cline => &["sessions", "tasks"],
        Harness::Roo => &["tasks"],
        Harness::Aider => &[],
    }
}

/// How far below such a folder they lie. Beside a task of Cline there may be a copy of all that it worked on.
fn depth(agent: Harness) -> usize {
    match agent {
        Harness::Cline | Harness::Roo => 2,
        _ => usize::MAX,
    }
}

/// Whether it may hold transcripts, or be one. Of a project Cursor keeps much else, what ran in terminals for one.
fn is_of_interest(entry: &DirEntry, agent: Harness) -> bool {
    agent != Harness::Cursor || entry.depth() != 2 || entry.file_name() == "agent-transcripts"
}

fn walk(root: &Path, harness: Harness, all: &mut Discovered) {
    if !root.exists() {
        return;
    }
    let first = all.found.len();
    let mut linked = false;
    let entries = WalkDir::new(root).max_depth(depth(harness)).follow_links(true);
    let entries = entries.into_iter();
    for entry in entries.filter_entry(|entry| is_of_interest(entry, harness)) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                all.unreadable.push(why(root, error));
                continue;
            }
        };
        linked |= entry.path_is_symlink();
        if !is_transcript(entry.path(), harness) {
            continue;
        }
        match entry.metadata() {
            Ok(meta) if meta.is_file() => all.found.push(Found {
                path: entry.into_path(),
                harness,
                size: meta.len(),
                modified: nanoseconds(&meta),
                zone: None,
            }),
            Ok(_) => {}
            Err(error) => all.unreadable.push(why(root, error)),
        }
    }
    if linked {
        name_each_once(&mut all.found, first);
    }
}

fn why(root: &Path, error: walkdir::Error) -> String {
    let path = error.path().unwrap_or(root).to_path_buf();
    match error.into_io_error() {
        Some(error) => Error::io("look at", path, error).to_string(),
        None => format!("look at {}: a link to a folder around it", path.display()),
    }
}

/// A file that is reached on two ways is one file, under the first name in order.
fn name_each_once(found: &mut Vec<Found>, first: usize) {
    let mut reached = found.split_off(first);
    reached.sort_by(|a, b| a.path.cmp(&b.path));
    let mut known = HashSet::new();
    reached.retain(|f| fs::canonicalize(&f.path).map_or(true, |real| known.insert(real)));
    found.extend(reached);
}

fn is_transcript(path: &Path, harness: Harness) -> bool {
    let name = file_name(path);
    match harness {
        Harness::Claude | Harness::Cursor => name.ends_with(".jsonl"),
        Harness::Codex => name.starts_with("rollout-") && (name.ends_with(".jsonl") || name.ends_with(".jsonl.zst")),
        Harness::Gemini => gemini::is_chat(path),
        Harness::Copilot => name == "events.jsonl",
        Harness::Cline | Harness::Roo => cline::is_conversation(name),
        Harness::Aider => true,
    }
}

fn file_name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn nanoseconds(meta: &fs::Metadata) -> u64 {
    let since = meta.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    since
        .and_then(|since| u64::try_from(since.as_nanos()).ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(root: &Path, found: &[Found]) -> Vec<String> {
        let relative = |f: &Found| f.path.strip_prefix(root).map(|p| p.display().to_string());
        found.iter().filter_map(|f| relative(f).ok()).collect()
    }

    fn home(files: &[&str]) -> (tempfile::TempDir, Roots) {
        let home = tempfile::tempdir().expect("a folder");
        for file in files {
            let path = home.path().join(file);
            fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            fs::write(path, "{}\n").expect("a file");
        }
        let roots = Roots {
            claude: Some(home.path().join("c")),
            codex: Some(home.path().join("x")),
            gemini: Some(home.path().join("g")),
            copilot: Some(home.path().join("p")),
            cline: Some(home.path().join("l")),
            editors: vec![home.path().join("e")],
            cursor: Some(home.path().join("r")),
            aider: vec![home.path().join("a/own.md"), home.path().join("b/none.md")],
            zone: Some(TimeZone::fixed(jiff::tz::Offset::constant(2))),
        };
        (home, roots)
    }

    #[test]
    fn parents_come_first_and_only_transcripts_are_found() {
        let (home, roots) = home(&[
            "c/projects/-p/b.jsonl",
            "c/projects/-p/b/subagents/agent-1.jsonl",
            "c/projects/-p/b/subagents/workflows/w/agent-2.jsonl",
            "c/projects/-p/agent-0.jsonl",
            "c/projects/-p/b/subagents/agent-1.meta.json",
            "c/projects/-p/memory/notes.md",
            "c/history.jsonl",
            "x/sessions/2026/01/02/rollout-1.jsonl",
            "x/archived_sessions/rollout-0.jsonl",
            "x/history.jsonl",
            "g/tmp/p/chats/session-1.jsonl",
            "g/tmp/p/chats/s0/sub.jsonl",
            "g/tmp/p/logs.json",
            "p/session-state/c/events.jsonl",
            "p/session-state/c/other.jsonl",
            "g/tmp/p/checkpoint-a.json",
            "l/sessions/a/a.messages.json",
            "l/sessions/a/a.json",
            "l/sessions/a/a.compaction.json",
            "e/saoudrizwan.claude-dev/tasks/1/api_conversation_history.json",
            "e/saoudrizwan.claude-dev/tasks/1/ui_messages.json",
            "e/saoudrizwan.claude-dev/tasks/1/copy/of/api_conversation_history.json",
            "e/rooveterinaryinc.roo-cline/tasks/2/api_conversation_history.json",
            "a/own.md",
            "a/other.md",
            "r/projects/p/agent-transcripts/1/1.jsonl",
            "r/projects/p/agent-transcripts/1/subagents/2.jsonl",
            "r/projects/p/agent-transcripts/0.jsonl",
            "r/projects/p/agent-transcripts/0.txt",
            "r/projects/p/terminals/3.jsonl",
            "e/somebody.else/tasks/2/api_conversation_history.json",
        ]);
        let all = discover(&roots);
        assert_eq!(
            names(home.path(), &all.found),
            [
                "a/own.md",
                "c/projects/-p/b.jsonl",
                "e/rooveterinaryinc.roo-cline/tasks/2/api_conversation_history.json",
                "e/saoudrizwan.claude-dev/tasks/1/api_conversation_history.json",
                "g/tmp/p/chats/s0/sub.jsonl",
                "g/tmp/p/chats/session-1.jsonl",
                "l/sessions/a/a.messages.json",
                "p/session-state/c/events.jsonl",
                "r/projects/p/agent-transcripts/0.jsonl",
                "r/projects/p/agent-transcripts/1/1.jsonl",
                "r/projects/p/agent-transcripts/1/subagents/2.jsonl",
                "x/archived_sessions/rollout-0.jsonl",
                "x/sessions/2026/01/02/rollout-1.jsonl",
                "c/projects/-p/agent-0.jsonl",
                "c/projects/-p/b/subagents/agent-1.jsonl",
                "c/projects/-p/b/subagents/workflows/w/agent-2.jsonl",
            ]
        );
        assert_eq!((all.found[0].size, all.unreadable.len()), (3, 0));
        assert!(all.found[0].modified > 1_600_000_000_000_000_000);
        assert_eq!(all.found[0].zone, roots.zone);
    }

    #[test]
    fn a_rollout_that_is_there_twice_is_found_once() {
        let (home, roots) = home(&[
            "x/sessions/rollout-1.jsonl",
            "x/sessions/rollout-1.jsonl.zst",
            "x/sessions/rollout-2.jsonl.zst",
        ]);
        let names = names(home.path(), &discover(&roots).found);
        assert_eq!(names, ["x/sessions/rollout-1.jsonl", "x/sessions/rollout-2.jsonl.zst"]);
    }

    #[test]
    fn missing_roots_have_nothing() {
        let none = Roots {
            claude: Some("/nowhere/at/all".into()),
            ..Roots::default()
        };
        assert_eq!(discover(&none), Discovered::default());
    }

    #[cfg(unix)]
    #[test]
    fn a_loop_of_links_is_survived_and_a_file_is_found_once() {
        let (home, roots) = home(&["c/projects/-p/b.jsonl"]);
        let projects = home.path().join("c/projects");
        std::os::unix::fs::symlink(&projects, projects.join("-p/loop")).expect("a link");
        std::os::unix::fs::symlink(projects.join("-p"), projects.join("-q")).expect("a link");
        let all = discover(&roots);
        assert_eq!(names(home.path(), &all.found), ["c/projects/-p/b.jsonl"]);
        let first = all.unreadable[0].strip_suffix("/loop: a link to a folder around it");
        assert!(
            first.is_some_and(|path| path.starts_with("look at /")),
            "{:?}",
            all.unreadable
        );
    }
}
