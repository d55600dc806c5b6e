//! The git repository around a folder: found by reading files, because every recall looks for it,
//! and asked through a `git` process only at a checkpoint.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rekal::ledger::Logged;

/// How far back a first look at a repository goes.
const LATEST: &str = "--max-count=200";

/// How many commits are taken in since the last look.
const SINCE: &str = "--max-count=500";

/// A repository, shared by all of its worktrees.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repository {
    common: PathBuf,
    main: Option<PathBuf>,
    here: Option<PathBuf>,
}

/// What a checkpoint remembers of the worktree that it ran in. `None`: no git, no commit, not set.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Head {
    /// The branch checked out.
    pub branch: Option<String>,
    /// The mail address that commits are made with.
    pub author: Option<String>,
}

impl Repository {
    /// The repository that `folder` lies in: one of its worktrees, or its git directory.
    pub fn around(folder: &Path) -> Option<Self> {
        folder.ancestors().find_map(Self::at)
    }

    /// The main worktree. A bare repository has none, and one whose git directory was put elsewhere
    /// (`--separate-git-dir`) does not say where it is: then the git directory, which all of its
    /// worktrees agree on.
    pub fn root(&self) -> &Path {
        self.main.as_deref().unwrap_or(&self.common)
    }

    /// The worktree that was looked from. `None`: it was the git directory.
    pub fn here(&self) -> Option<&Path> {
        self.here.as_deref()
    }

    /// The git directory that all worktrees share.
    pub fn common(&self) -> &Path {
        &self.common
    }

    /// Where git looks for a hook of the worktree that was looked from.
    pub fn hook(&self, name: &str) -> PathBuf {
        let folder = self.here.as_deref().unwrap_or(&self.common);
        // The folder alone would not do: an empty `core.hooksPath` is "./", and the hook's path is "/post-commit".
        match ask(folder, &["rev-parse", "--git-path", &format!("hooks/{name}")]) {
            Some(path) => folder.join(path),
            None => self.common.join("hooks").join(name),
        }
    }

    /// The folders of all worktrees, the main one first.
    pub fn worktrees(&self) -> Vec<PathBuf> {
        let mut linked: Vec<PathBuf> = fs::read_dir(self.common.join("worktrees"))
            .into_iter()
            .flatten()
            .filter_map(|entry| linked_worktree(&entry.ok()?.path()))
            .collect();
        linked.sort();
        let mut all: Vec<PathBuf> = Vec::with_capacity(linked.len() + 1);
        for folder in self.main.iter().chain(&self.here).chain(&linked) {
            if !all.contains(folder) {
                all.push(folder.clone());
            }
        }
        all
    }

    /// The commit that is checked out in the worktree that was looked from: read from files, else asked
    /// of git. `None`: no git, or no commit yet.
    pub fn commit(&self) -> Option<String> {
        let folder = self.here.as_deref().unwrap_or(&self.common);
        let dir = self.here.as_ref().and_then(|here| git_dir(&here.join(".git")));
        let dir = dir.as_ref().unwrap_or(&self.common);
        read_commit(dir, &self.common).or_else(|| ask(folder, &["rev-parse", "--verify", "--quiet", "HEAD"]))
    }

    /// Asks git about the worktree that was looked from.
    pub fn head(&self) -> Head {
        let folder = self.here.as_deref().unwrap_or(&self.common);
        Head {
            branch: ask(folder, &["symbolic-ref", "--quiet", "--short", "HEAD"]),
            author: author(folder),
        }
    }

    /// The commits that HEAD has and `since` has not, the latest first, at most 500; without a `since`,
    /// or when it is no commit here any more, the latest 200. Merges say nothing of their own.
    pub fn history(&self, since: Option<&str>) -> Vec<Logged> {
        let folder = self.here.as_deref().unwrap_or(&self.common);
        let log = |most: &str, range: &str| {
            let form = "--format=%H %at %s";
            let log = [
                "log",
                "--no-merges",
                "--no-color",
                "--no-show-signature",
                "--encoding=UTF-8",
            ];
            run(folder, &[&log[..], &[most, form, range, "--"]].concat())
        };
        let new = since.and_then(|since| log(SINCE, &format!("{since}..HEAD")));
        let lines = new.or_else(|| log(LATEST, "HEAD")).unwrap_or_default();
        String::from_utf8_lossy(&lines).lines().filter_map(logged).collect()
    }

    fn at(folder: &Path) -> Option<Self> {
        let dot_git = folder.join(".git");
        let found = git_dir(&dot_git).and_then(|dir| Some((common_dir(&dir)?, Some(folder))));
        let (common, here) = found.or_else(|| Some((common_dir(folder)?, None)))?;
        Some(Self {
            main: main_worktree(&common),
            here: here.map(Path::to_path_buf),
            common,
        })
    }
}

/// The mail address that commits of this user in `folder` are made with.
pub fn author(folder: &Path) -> Option<String> {
    ask(folder, &["config", "--get", "user.email"])
}

/// A line of the log: id, seconds since 1970 at which it was written, subject.
fn logged(line: &str) -> Option<Logged> {
    let (sha, rest) = line.split_once(' ')?;
    let (seconds, subject) = rest.split_once(' ')?;
    Some(Logged {
        sha: a_commit(sha)?,
        subject: subject.trim().to_owned(),
        at: seconds.parse::<u64>().ok()?.checked_mul(1000)?,
    })
}

/// What `HEAD` stands for: a commit, or a name whose commit lies in a file or among the packed ones.
fn read_commit(git_dir: &Path, common: &Path) -> Option<String> {
    let head = fs::read_to_string(git_dir.join("HEAD")).ok()?;
    let Some(name) = head.trim().strip_prefix("ref:").map(str::trim) else {
        return a_commit(&head);
    };
    let loose = [git_dir, common]
        .iter()
        .find_map(|dir| fs::read_to_string(dir.join(name)).ok());
    loose.and_then(|text| a_commit(&text)).or_else(|| {
        let packed = fs::read_to_string(common.join("packed-refs")).ok()?;
        packed.lines().find_map(|line| match line.split_once(' ') {
            Some((commit, of)) if of == name => a_commit(commit),
            _ => None,
        })
    })
}

fn a_commit(text: &str) -> Option<String> {
    let text = text.trim();
    let fits = text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    fits.then(|| text.to_owned())
}

/// `.git` is the git directory, or a file that names it.
fn git_dir(dot_git: &Path) -> Option<PathBuf> {
    if dot_git.is_dir() {
        return Some(dot_git.to_path_buf());
    }
    let text = fs::read_to_string(dot_git).ok()?;
    let named = text.strip_prefix("gitdir:")?.trim();
    Some(dot_git.parent()?.join(named))
}

/// The git directory itself, or for a linked worktree the one that it shares. `None`: it is none.
fn common_dir(git_dir: &Path) -> Option<PathBuf> {
    let common = match fs::read_to_string(git_dir.join("commondir")) {
        Ok(text) => git_dir.join(text.trim_end_matches(['\n', '\r'])),
        Err(_) => git_dir.to_path_buf(),
    };
    // HEAD may be a symbolic link that leads nowhere yet.
    let has_head = fs::symlink_metadata(common.join("HEAD")).is_ok();
    let is_git_dir = has_head && common.join("objects").is_dir() && common.join("refs").is_dir();
    is_git_dir.then(|| real(common))
}

fn main_worktree(common: &Path) -> Option<PathBuf> {
    let core = Core::read(common);
    match core.worktree {
        _ if core.bare => None,
        Some(folder) => Some(real(common.join(folder))),
        None if common.file_name()? == ".git" => common.parent().map(Path::to_path_buf),
        None => None,
    }
}

/// `worktrees/<name>/gitdir` holds the path of the worktree's `.git` file.
fn linked_worktree(admin: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(admin.join("gitdir")).ok()?;
    let dot_git = admin.join(text.trim_end_matches(['\n', '\r']));
    // The folder may be gone while its sessions are still there.
    Some(real(dot_git.parent()?.to_path_buf()))
}

fn real(path: PathBuf) -> PathBuf {
    path.canonicalize().unwrap_or(path)
}

/// What the `[core]` section of a repository's configuration says of its worktree.
#[derive(PartialEq, Debug, Default)]
struct Core {
    bare: bool,
    worktree: Option<String>,
}

impl Core {
    fn read(common: &Path) -> Self {
        let mut core = Self::default();
        // With `extensions.worktreeConfig` both settings move to the second file.
        for name in ["config", "config.worktree"] {
            if let Ok(text) = fs::read_to_string(common.join(name)) {
                core.take(&text);
            }
        }
        core
    }

    fn take(&mut self, text: &str) {
        let mut in_core = false;
        for line in text.lines().map(str::trim) {
            let setting = match line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                Some((section, rest)) => {
                    in_core = section.trim().eq_ignore_ascii_case("core");
                    rest.trim()
                }
                None => line,
            };
            if !in_core || setting.starts_with(['#', ';']) {
                continue;
            }
            let (key, value) = setting.split_once('=').unwrap_or((setting, "true"));
            match key.trim().to_ascii_lowercase().as_str() {
                "bare" => self.bare = is_true(value.trim()),
                "worktree" => self.worktree = Some(unquoted(value.trim())),
                _ => {}
            }
        }
    }
}

fn is_true(value: &str) -> bool {
    ["true", "yes", "on", "1"]
        .iter()
        .any(|on| value.eq_ignore_ascii_case(on))
}

fn unquoted(value: &str) -> String {
    match value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => inner.replace("\\\"", "\"").replace("\\\\", "\\"),
        None => value.to_owned(),
    }
}

fn ask(folder: &Path, question: &[&str]) -> Option<String> {
    let text = String::from_utf8(run(folder, question)?).ok()?;
    let answer = text.trim();
    (!answer.is_empty()).then(|| answer.to_owned())
}

/// What git prints. `None`: it cannot be run, or fails.
fn run(folder: &Path, question: &[&str]) -> Option<Vec<u8>> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(question)
        // Inside a hook these name the repository of the hook, not that of the folder.
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_COMMON_DIR")
        .env_remove("GIT_INDEX_FILE")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output.status.success().then_some(output.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

    fn commit(files: &[(&str, &str)]) -> Option<String> {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            fs::write(path, text).expect("written");
        }
        read_commit(&folder.path().join("w"), &folder.path().join("c"))
    }

    #[test]
    fn head_is_a_commit_or_a_name_in_a_file_or_among_the_packed() {
        let found = Some(COMMIT.to_owned());
        let line = format!("{COMMIT}\n");
        assert_eq!(commit(&[("w/HEAD", &line)]), found);
        let named = ("w/HEAD", "ref: refs/heads/main\n");
        assert_eq!(commit(&[named, ("c/refs/heads/main", &line)]), found);
        let packed = format!("# pack-refs with: peeled\n{COMMIT} refs/heads/main\n");
        assert_eq!(commit(&[named, ("c/packed-refs", &packed)]), found);
        assert_eq!(commit(&[named]), None);
        assert_eq!(commit(&[("w/HEAD", "rubbish")]), None);
    }
}
