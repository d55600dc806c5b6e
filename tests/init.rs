//! A repository is set up and cleaned: with the real program and real git.

mod edges;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::stage::{Run, Stage, claude_line, finished};

/// A home with a repository in it.
struct Yard {
    stage: Stage,
    home: PathBuf,
    repository: PathBuf,
}

/// Every file below a folder: its permissions, and what it holds or leads to.
type Files = BTreeMap<PathBuf, (u32, Vec<u8>)>;

fn files(folder: &Path) -> Files {
    let all = walkdir::WalkDir::new(folder).into_iter();
    let all = all.map(|entry| entry.expect("readable").into_path());
    let read = |path: PathBuf| {
        let found = fs::symlink_metadata(&path).expect("there");
        let bytes = match () {
            () if found.is_symlink() => fs::read_link(&path)
                .expect("a link")
                .into_os_string()
                .into_encoded_bytes(),
            () if found.is_dir() => Vec::new(),
            () => fs::read(&path).expect("readable"),
        };
        (path, (found.permissions().mode(), bytes))
    };
    all.map(read).collect()
}

#[track_caller]
fn same(before: &Files, now: &Files) {
    let differ = |path: &&PathBuf| before.get(*path) != now.get(*path);
    let paths: Vec<_> = before.keys().chain(now.keys()).filter(differ).collect();
    assert!(paths.is_empty(), "{paths:?}");
}

impl Yard {
    fn new() -> Self {
        let stage = Stage::new();
        let home = stage.home().canonicalize().expect("a path");
        let repository = home.join("shop");
        let yard = Self {
            stage,
            home,
            repository,
        };
        fs::create_dir_all(&yard.repository).expect("a folder");
        yard.git(&["init", "-q"]);
        yard.commit("first");
        yard
    }

    fn at(&self, name: &str) -> PathBuf {
        self.repository.join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, text).expect("written");
    }

    fn hook(&self, text: &str) {
        self.write(".git/hooks/post-commit", text);
        fs::set_permissions(self.at(".git/hooks/post-commit"), PermissionsExt::from_mode(0o755)).expect("executable");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap_or_default()
    }

    fn with_path(&self, command: &mut Command) {
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", self.home.join("bin").display()));
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.stage.command(words);
        command.env_remove("REKAL_STORE").current_dir(&self.repository);
        self.with_path(&mut command);
        command
    }

    fn rekal(&self, words: &[&str]) -> Run {
        finished(self.command(words).output().expect("it runs"))
    }

    #[track_caller]
    fn done(&self, words: &[&str]) -> String {
        let run = self.rekal(words);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{words:?}");
        run.stdout
    }

    fn git_in(&self, folder: &Path, words: &[&str], env: &[(&str, &str)]) -> String {
        let mut git = Command::new("git");
        git.current_dir(folder)
            .args(["-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"])
            .args(words)
            .env_clear()
            .env("HOME", &self.home)
            .envs([("GIT_AUTHOR_NAME", "n"), ("GIT_AUTHOR_EMAIL", "n@example.com")])
            .envs([("GIT_COMMITTER_NAME", "n"), ("GIT_COMMITTER_EMAIL", "n@example.com")])
            .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_EDITOR", "true")])
            .envs(env.iter().copied());
        self.with_path(&mut git);
        let run = finished(git.output().expect("git runs"));
        assert_eq!(run.code, Some(0), "{words:?}: {}", run.stderr);
        run.stdout
    }

    fn git(&self, words: &[&str]) -> String {
        self.git_in(&self.repository, words, &[])
    }

    fn commit(&self, subject: &str) {
        self.git(&["commit", "-q", "--allow-empty", "-m", subject]);
    }

    /// Puts a `rekal` on the path that notes how it was called, after `first`.
    fn fake(&self, first: &str) {
        let (bin, calls) = (self.home.join("bin"), self.calls_file());
        fs::create_dir_all(&bin).expect("a folder");
        let script = format!("#!/bin/sh\n{first}\necho \"$@\" >>'{}'\n", calls.display());
        fs::write(bin.join("rekal"), script).expect("written");
        fs::set_permissions(bin.join("rekal"), PermissionsExt::from_mode(0o755)).expect("executable");
    }

    fn calls_file(&self) -> PathBuf {
        self.home.join("calls")
    }

    /// How often the fake was called, once it was called so often at least.
    fn calls(&self, least: usize) -> Vec<String> {
        let calls = || fs::read_to_string(self.calls_file()).unwrap_or_default();
        until(|| calls().lines().count() >= least);
        calls().lines().map(str::to_owned).collect()
    }

    fn session(&self, id: &str, folder: &Path) {
        let line = claude_line(id, 0, "user", "find the copper lantern");
        let line = line.replace("/home/dev/app", folder.to_str().expect("UTF-8"));
        fs::write(self.stage.transcript(id), line).expect("written");
    }
}

#[track_caller]
fn until(is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(20), "it never came");
        sleep(Duration::from_millis(10));
    }
}

#[test]
fn init_and_clean_leave_everything_as_it_was() {
    let yard = Yard::new();
    yard.git(&["status"]);
    let before = files(&yard.home);
    for flags in [&["init"][..], &["init", "--agent-hooks"]] {
        yard.done(flags);
        assert_ne!(files(&yard.home), before);
        yard.done(&["clean", "--purge", "--yes"]);
        same(&before, &files(&yard.home));
    }
    assert_eq!(yard.git(&["status", "--short"]), "");
}

#[test]
fn what_was_there_stays_byte_for_byte() {
    let yard = Yard::new();
    yard.hook("#!/bin/bash -eu\n# mine\nexec true");
    yard.write("AGENTS.md", "");
    yard.write("CLAUDE.md", "# Rules\r\n\r\n- no end");
    yard.write(
        ".claude/settings.local.json",
        "{\n\t\"z\": 1,\n\t\"hooks\": { \"PreCompact\": [\n] }\n}",
    );
    fs::create_dir_all(yard.at(".claude/skills")).expect("an empty folder of the user's");
    fs::set_permissions(yard.at("CLAUDE.md"), PermissionsExt::from_mode(0o640)).expect("set");
    yard.git(&["add", "-A"]);
    yard.commit("second");
    yard.git(&["status"]);
    let before = files(&yard.home);
    yard.done(&["init", "--agent-hooks"]);
    yard.commit("the hook runs, and so does the user's");
    yard.git(&["reset", "-q", "--soft", "HEAD~1"]);
    assert!(yard.read("AGENTS.md").contains("rekal \""));
    assert!(
        yard.read("CLAUDE.md")
            .starts_with("# Rules\r\n\r\n- no end\r\n- Before")
    );
    let settings: Value = serde_json::from_str(&yard.read(".claude/settings.local.json")).expect("JSON");
    assert_eq!(settings["hooks"]["PreCompact"].as_array().map(Vec::len), Some(1));
    yard.done(&["clean"]);
    let mut now = files(&yard.home);
    assert!(yard.at(".rekal/store.redb").exists(), "the store stays");
    let is_gits = |path: &Path| {
        ["logs", "objects", "ORIG_HEAD", "COMMIT_EDITMSG"]
            .iter()
            .any(|name| path.starts_with(yard.at(".git").join(name)))
    };
    now.retain(|path, _| !path.starts_with(yard.at(".rekal")) && !is_gits(path));
    let mut before = before;
    before.retain(|path, _| !is_gits(path));
    same(&before, &now);
}

#[test]
fn a_second_run_changes_no_byte_and_says_so() {
    let yard = Yard::new();
    let first = yard.done(&["init", "--agent-hooks"]);
    let wrote = "wrote .git/hooks/post-commit: a checkpoint after each commit, in the background\n";
    assert!(first.starts_with(wrote), "{first}");
    let before = files(&yard.home);
    for flags in [&["init"][..], &["init", "--agent-hooks"]] {
        assert_eq!(yard.done(flags), "nothing to change: this repository is set up\n");
    }
    same(&before, &files(&yard.home));
    yard.done(&["clean"]);
    let cleaned = files(&yard.home);
    let again = "nothing to take out\nthe store stays: .rekal (rekal clean --purge --yes removes it)\n";
    assert_eq!(yard.done(&["clean"]), again);
    same(&cleaned, &files(&yard.home));
}

#[test]
fn the_first_checkpoint_says_how_many_sessions_there_are() {
    let yard = Yard::new();
    yard.session("one", &yard.repository);
    yard.session("two", &yard.at("src"));
    yard.session("three", Path::new("/home/dev/elsewhere"));
    let said = yard.done(&["init"]);
    assert!(
        said.ends_with("\ncaptured 2 of 3 sessions; the others: --all\n"),
        "{said}"
    );
    assert_eq!(
        yard.rekal(&["find the copper lantern"]).row("s1").split(' ').next(),
        Some("s1")
    );
    yard.done(&["clean"]);
    let json = yard.rekal(&["init", "-j"]).json();
    assert_eq!((&json["captured"], &json["sessions"]), (&json!(2), &json!(3)));
    let piece = |at: usize| (json["pieces"][at]["piece"].clone(), json["pieces"][at]["state"].clone());
    assert_eq!(piece(0), (json!("hook"), json!("ours")));
    assert_eq!(piece(3), (json!("agent_hooks"), json!("absent")));
}

#[test]
fn git_sees_what_agents_read_and_not_the_store() {
    let yard = Yard::new();
    yard.done(&["init"]);
    assert_eq!(
        yard.git(&["status", "--short", "-uall"]),
        "?? .claude/skills/rekal/SKILL.md\n?? AGENTS.md\n"
    );
}

#[test]
fn a_commit_is_followed_by_a_checkpoint_unless_it_is_switched_off() {
    let yard = Yard::new();
    yard.done(&["init"]);
    yard.git_in(
        &yard.repository,
        &["commit", "-q", "--allow-empty", "-m", "unseen"],
        &[("REKAL_SKIP_CHECKPOINT", "1")],
    );
    let unseen = yard.git(&["rev-parse", "HEAD"]);
    yard.commit("seen");
    let seen = yard.git(&["rev-parse", "HEAD"]);
    let log = || yard.rekal(&["log", "-j"]).stdout;
    until(|| log().contains(seen.trim()));
    assert!(!log().contains(unseen.trim()));
}

#[test]
fn a_commit_does_not_wait_and_does_not_fail() {
    let yard = Yard::new();
    yard.hook("#!/bin/sh -eu\n(echo mine >>mine) &\nwait\nexec true\n");
    yard.fake("echo noise; echo noise >&2; sleep 3");
    yard.done(&["init"]);
    let started = Instant::now();
    // Both streams of the commit are pipes, which are read to their ends.
    yard.commit("quick");
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    assert_eq!(yard.read("mine"), "mine\n");
    assert_eq!(yard.calls(1), ["checkpoint --quiet"]);

    fs::remove_dir_all(yard.home.join("bin")).expect("removed");
    yard.hook(
        &yard
            .read(".git/hooks/post-commit")
            .replace(env!("CARGO_BIN_EXE_rekal"), "/nowhere/rekal"),
    );
    yard.commit("without the program");
    assert_eq!(yard.read("mine"), "mine\nmine\n");
}

/// The number of calls, when those that should not be had their time.
fn settled(yard: &Yard, least: usize) -> usize {
    yard.calls(least);
    sleep(Duration::from_millis(300));
    yard.calls(least).len()
}

#[test]
fn nothing_runs_in_the_middle_of_a_sequence() {
    let yard = Yard::new();
    for (branch, name) in [("side", "a"), ("side", "b"), ("main", "c")] {
        if yard.git(&["branch", "--list", branch]).is_empty() {
            yard.git(&["branch", branch]);
        }
        yard.git(&["checkout", "-q", branch]);
        yard.write(name, name);
        yard.git(&["add", name]);
        yard.commit(name);
    }
    yard.fake("");
    yard.done(&["init"]);
    yard.git(&["checkout", "-q", "-b", "picked"]);
    yard.git(&["cherry-pick", "side~1", "side"]);
    yard.git(&["revert", "--no-edit", "HEAD~1..HEAD"]);
    yard.git(&["checkout", "-q", "side"]);
    yard.git(&["rebase", "-q", "main"]);
    yard.git(&[
        "rebase",
        "-q",
        "--exec",
        "git commit -q --allow-empty -m within",
        "HEAD~1",
    ]);
    yard.commit("at last");
    assert_eq!(settled(&yard, 1), 1);
    // A linked worktree has a file where the other has its git directory.
    yard.git(&["worktree", "add", "-q", "--detach", "../linked", "main~1"]);
    let linked = yard.home.join("linked");
    yard.git_in(&linked, &["cherry-pick", "main"], &[]);
    yard.git_in(&linked, &["commit", "-q", "--allow-empty", "-m", "there"], &[]);
    assert_eq!(settled(&yard, 2), 2);
}

#[test]
fn a_hook_that_cannot_be_added_to_is_refused_and_nothing_is_done() {
    let yard = Yard::new();
    let refused = |why: &str, remedy: &str| {
        let before = files(&yard.home);
        let run = yard.rekal(&["init"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
        assert!(run.stderr.contains(why), "{}", run.stderr);
        assert!(run.stderr.contains(&format!("\nrekal: {remedy}")), "{}", run.stderr);
        same(&before, &files(&yard.home));
    };
    let own = "let your hook start `rekal checkpoint --quiet`";
    yard.hook("#!/usr/bin/env python3\nprint('mine')\n");
    refused("it is no shell script", own);
    fs::write(yard.at(".git/hooks/post-commit"), b"#!/bin/sh\n# caf\xe9\n").expect("written");
    refused("it is no shell script", own);
    yard.hook("#!/bin/sh\r\necho\r\n");
    refused("a carriage return, so git cannot run it", "end its lines as Unix does");
    yard.hook("#!/bin/sh\n");
    fs::set_permissions(yard.at(".git/hooks/post-commit"), PermissionsExt::from_mode(0o644)).expect("set");
    refused("it is not executable", "make it so (chmod +x)");
    yard.write(".git/hooks/post-commit", "#!/bin/sh\nrekal checkpoint &\n");
    refused("it is not executable", "make it so (chmod +x)");
    fs::remove_file(yard.at(".git/hooks/post-commit")).expect("removed");
    yard.write("tools/hook", "#!/bin/sh\n");
    symlink("../../tools/hook", yard.at(".git/hooks/post-commit")).expect("a link");
    refused("it is a link", own);
    fs::create_dir_all(yard.home.join("hooks")).expect("a folder");
    yard.git(&[
        "config",
        "core.hooksPath",
        yard.home.join("hooks").to_str().expect("UTF-8"),
    ]);
    refused("it lies outside of the repository (core.hooksPath)", own);
    // Git looks for the hook in the root of the file system then.
    yard.git(&["config", "core.hooksPath", ""]);
    refused("set up the hook /post-commit: it lies outside of the repository", own);
}

#[test]
fn the_hook_goes_where_git_looks_for_it() {
    let yard = Yard::new();
    yard.fake("");
    yard.git(&["config", "core.hooksPath", ".githooks"]);
    yard.done(&["init"]);
    yard.commit("second");
    assert_eq!(yard.calls(1), ["checkpoint --quiet"]);
    assert!(yard.at(".githooks/post-commit").exists());
    assert!(!yard.at(".git/hooks/post-commit").exists());
    yard.done(&["clean"]);
    assert!(!yard.at(".githooks").exists());
}

#[test]
fn worktrees_share_the_store_and_the_hook() {
    let yard = Yard::new();
    yard.git(&["worktree", "add", "-q", "../linked"]);
    let linked = yard.home.join("linked");
    let before = (files(&linked), files(&yard.repository));
    let run = finished(yard.command(&["init"]).current_dir(&linked).output().expect("it runs"));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(yard.at(".git/hooks/post-commit").exists() && yard.at(".rekal/store.redb").exists());
    assert!(linked.join("AGENTS.md").exists() && !yard.at("AGENTS.md").exists());
    assert!(yard.done(&["init"]).starts_with("wrote .claude/skills/rekal/SKILL.md"));
    yard.done(&["clean", "--purge", "--yes"]);
    same(&before.0, &files(&linked));
    same(&before.1, &files(&yard.repository));
}

#[test]
fn what_the_user_changed_stays_and_is_named() {
    let yard = Yard::new();
    yard.done(&["init"]);
    let skill = ".claude/skills/rekal/SKILL.md";
    let changed = yard.read(skill).replace("milliseconds", "a moment");
    yard.write(skill, &changed);
    let hook = yard.read(".git/hooks/post-commit") + "echo mine\n";
    yard.write(".git/hooks/post-commit", &hook);
    let run = yard.rekal(&["init"]);
    assert_eq!((run.code, yard.read(skill)), (Some(0), changed.clone()));
    assert!(
        run.stderr.starts_with(&format!("rekal: {skill} was changed by hand")),
        "{}",
        run.stderr
    );
    let run = yard.rekal(&["clean"]);
    let how = "remove the file, or keep it as your own without its last line";
    assert_eq!(
        run.stderr,
        format!("rekal: {skill} was changed by hand and stays: {how}\n")
    );
    assert_eq!(yard.read(skill), changed);
    assert_eq!(yard.read(".git/hooks/post-commit"), "#!/bin/sh\necho mine\n");
    assert!(!yard.at("AGENTS.md").exists());
    fs::remove_file(yard.at(skill)).expect("removed");
    yard.done(&["clean"]);
    assert!(!yard.at(".claude").exists(), "the folders are still known");
}

#[test]
fn one_line_serves_a_file_and_a_link_to_it() {
    let yard = Yard::new();
    yard.write("CLAUDE.md", "# Rules\n");
    symlink("CLAUDE.md", yard.at("AGENTS.md")).expect("a link");
    yard.done(&["init"]);
    assert_eq!(yard.read("CLAUDE.md").matches("<!-- rekal ").count(), 1);
    assert!(yard.at("AGENTS.md").is_symlink());
    yard.done(&["clean"]);
    assert_eq!(yard.read("AGENTS.md"), "# Rules\n");
}

#[test]
fn the_hooks_of_agents_answer_at_once_and_silently() {
    let yard = Yard::new();
    yard.fake("echo noise; echo noise >&2; sleep 2");
    yard.done(&["init", "--agent-hooks"]);
    let settings: Value = serde_json::from_str(&yard.read(".claude/settings.local.json")).expect("JSON");
    let run = |event: &str, from: &str, to: &str| {
        let line = settings["hooks"][event][0]["hooks"][0]["command"]
            .as_str()
            .expect("a command");
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(line.replace(from, to)).env_clear();
        yard.with_path(&mut shell);
        // The agent's end of the pipe stays open.
        let (_agent, stdin) = std::io::pipe()
            .map(|(reader, writer)| (writer, reader))
            .expect("a pipe");
        shell.env("CLAUDE_PROJECT_DIR", &yard.repository).current_dir("/");
        let started = Instant::now();
        let run = finished(shell.stdin(stdin).output().expect("it runs"));
        assert!(
            started.elapsed() < Duration::from_millis(300),
            "{:?}",
            started.elapsed()
        );
        assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""));
    };
    run("SessionEnd", "", "");
    run("PreCompact", "", "");
    assert_eq!(yard.calls(2), ["checkpoint --quiet", "checkpoint --quiet"]);
    run("SessionEnd", "$CLAUDE_PROJECT_DIR", "/nowhere");
    fs::remove_dir_all(yard.home.join("bin")).expect("removed");
    run("PreCompact", env!("CARGO_BIN_EXE_rekal"), "/nowhere/rekal");
    run("SessionEnd", "", "");
}

#[test]
fn where_nothing_can_be_set_up_it_says_why() {
    let yard = Yard::new();
    let bare = yard.home.join("bare.git");
    yard.git(&["init", "-q", "--bare", bare.to_str().expect("UTF-8")]);
    let before = files(&yard.home);
    for (verb, attempt) in [("init", "set up"), ("clean", "clean")] {
        for (folder, why) in [
            (&yard.home, "it lies in no git repository"),
            (&bare, "it is a git directory without a working tree"),
        ] {
            let output = yard
                .command(&[verb, "-j"])
                .current_dir(folder)
                .output()
                .expect("it runs");
            let run = finished(output);
            let error = run.json()["error"].clone();
            assert_eq!((run.code, &error["kind"]), (Some(2), &json!("usage")));
            assert_eq!(error["message"], format!("{attempt} {}: {why}", folder.display()));
            assert!(error["remedy"].is_string());
        }
    }
    same(&before, &files(&yard.home));
}

#[test]
fn a_failure_in_the_middle_leaves_nothing_half_done() {
    let yard = Yard::new();
    yard.write(".claude", "a file in the way of a folder");
    let before = files(&yard.home);
    let run = yard.rekal(&["init"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(
        run.stderr.contains("write to ") && run.stderr.contains("nothing was changed"),
        "{}",
        run.stderr
    );
    same(&before, &files(&yard.home));
}

#[test]
fn settings_that_are_no_json_are_left_alone() {
    let yard = Yard::new();
    yard.write(".claude/settings.local.json", "{ // mine\n}\n");
    let before = files(&yard.home);
    let run = yard.rekal(&["init", "--agent-hooks"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(
        run.stderr.contains("it holds no settings as Claude Code reads them"),
        "{}",
        run.stderr
    );
    same(&before, &files(&yard.home));
}

#[test]
fn the_store_goes_only_when_it_is_asked_for_twice() {
    let yard = Yard::new();
    yard.done(&["init"]);
    let before = files(&yard.home);
    let run = yard.rekal(&["clean", "--purge"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.ends_with("rekal: rekal clean --purge --yes\n"),
        "{}",
        run.stderr
    );
    same(&before, &files(&yard.home));

    // A store in a folder that is not its own.
    let named = yard.home.join("shared-folder");
    fs::create_dir_all(&named).expect("a folder");
    fs::write(named.join("mine"), "mine").expect("written");
    let on = |words: &[&str]| yard.rekal(&[&["--store", named.to_str().expect("UTF-8")], words].concat());
    assert_eq!(on(&["init"]).code, Some(0));
    let words = format!("checkpoint --quiet --store '{}'", named.display());
    assert!(yard.read(".git/hooks/post-commit").contains(&words));
    let run = on(&["clean", "--purge", "--yes"]);
    assert_eq!(
        run.stderr,
        "rekal: the folder of the store holds something else too and stays\n"
    );
    let left: Vec<_> = files(&named).into_keys().collect();
    assert_eq!(left, [named.clone(), named.join("mine")]);
    assert!(yard.at(".rekal/store.redb").exists());
}

#[test]
fn the_doctor_says_which_piece_is_missing_and_init_mends_it() {
    let yard = Yard::new();
    let found = || {
        let run = yard.rekal(&["doctor", "-j"]);
        let findings = run.json()["findings"].as_array().expect("findings").clone();
        let of_it = findings.into_iter().filter(|finding| finding["area"] == "repository");
        let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        let told: Vec<_> = of_it
            .map(|f| (text(&f, "level"), text(&f, "message"), text(&f, "remedy")))
            .collect();
        (run.code, told)
    };
    let not_set_up = "not set up: checkpoints are run by hand, and agents are told nothing";
    let info = |message: &str, remedy: &str| ("info".to_owned(), message.to_owned(), remedy.to_owned());
    assert_eq!(found().1, [info(not_set_up, "rekal init")]);
    yard.done(&["init"]);
    let all = [
        info(".git/hooks/post-commit: the hook is as rekal init wrote it", ""),
        info(".claude/skills/rekal/SKILL.md: the skill is as rekal init wrote it", ""),
        info("AGENTS.md: the line for agents is as rekal init wrote it", ""),
    ];
    assert_eq!(found().1, all);
    fs::remove_file(yard.at(".claude/skills/rekal/SKILL.md")).expect("removed");
    let (code, told) = found();
    let missing = ".claude/skills/rekal/SKILL.md: the skill is missing, although others of rekal init are there";
    assert_eq!(code, Some(1));
    assert_eq!(
        told[1],
        ("warning".to_owned(), missing.to_owned(), "rekal init".to_owned())
    );
    yard.done(&["init"]);
    assert_eq!(found(), (Some(0), all.to_vec()));
}

#[test]
fn what_another_tool_keeps_beside_the_store_stays() {
    let yard = Yard::new();
    yard.write(".rekal/data.db", "theirs");
    yard.done(&["init"]);
    let run = yard.rekal(&["clean", "--purge", "--yes"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(
        run.stderr,
        "rekal: the folder of the store holds something else too and stays\n"
    );
    assert_eq!(run.stdout.lines().last(), Some("removed the store in .rekal"));
    assert_eq!(yard.read(".rekal/data.db"), "theirs");
    assert!(!yard.at(".rekal/store.redb").exists());
}
