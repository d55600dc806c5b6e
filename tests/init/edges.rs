//! What is not as it usually is: files of another kind, copies, other stores, no repository.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::json;

use super::{Yard, files, same};
use crate::stage::finished;

#[test]
fn a_hook_that_runs_rekal_in_its_own_way_is_left_alone() {
    let yard = Yard::new();
    let hooks = yard.home.join("hooks");
    fs::create_dir_all(&hooks).expect("a folder");
    for (path, own) in [
        (
            ".git/hooks",
            "#!/usr/bin/env python3\nimport subprocess\nsubprocess.Popen(['rekal', 'checkpoint'])\n".as_bytes(),
        ),
        (
            ".git/hooks",
            b"#!/usr/bin/perl\n# caf\xe9\nsystem 'rekal checkpoint --quiet &';\n",
        ),
        ("../hooks", b"#!/bin/sh\nrekal checkpoint --quiet &\n"),
    ] {
        let hook = yard.at(path).join("post-commit");
        fs::write(&hook, own).expect("written");
        fs::set_permissions(&hook, PermissionsExt::from_mode(0o755)).expect("executable");
        yard.git(&["config", "core.hooksPath", yard.at(path).to_str().expect("UTF-8")]);
        yard.done(&["init"]);
        assert!(yard.at("AGENTS.md").exists());
        assert_eq!(yard.done(&["init"]), "nothing to change: this repository is set up\n");
        yard.done(&["clean"]);
        assert_eq!(fs::read(&hook).expect("there"), own);
        assert!(!yard.at("AGENTS.md").exists());
    }
}

#[test]
fn instructions_that_can_hold_no_line_are_named_and_the_rest_goes_on() {
    let utf_16: Vec<u8> = "\u{feff}# Rules\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let outside = "it is a link that leads out of the repository";
    for (kind, why) in [
        ("folder", "it is a folder"),
        ("pipe", "it is no ordinary file"),
        ("dangling", "it is a link that leads nowhere"),
        ("outside", outside),
        ("utf-16", "it is no text in UTF-8"),
    ] {
        let yard = Yard::new();
        let path = yard.at("AGENTS.md");
        match kind {
            "folder" => fs::create_dir(&path).expect("a folder"),
            "pipe" => assert!(
                std::process::Command::new("mkfifo")
                    .arg(&path)
                    .status()
                    .expect("it runs")
                    .success()
            ),
            "dangling" => symlink("nowhere.md", &path).expect("a link"),
            "outside" => {
                fs::write(yard.home.join("shared.md"), "# Mine\n").expect("written");
                symlink("../shared.md", &path).expect("a link");
            }
            _ => fs::write(&path, &utf_16).expect("written"),
        }
        yard.git(&["status"]);
        let kept = fs::symlink_metadata(&path).expect("there").file_type();
        let run = yard.rekal(&["init"]);
        let name = if kind == "outside" {
            yard.home.join("shared.md")
        } else {
            "AGENTS.md".into()
        };
        let told = format!(
            "rekal: {} is left out: {why}; init goes on without it\n",
            name.display()
        );
        assert_eq!((run.code, run.stderr), (Some(0), told), "{kind}");
        assert!(yard.at(".claude/skills/rekal/SKILL.md").exists() && yard.at(".git/hooks/post-commit").exists());
        let pieces = yard.rekal(&["init", "-j"]).json()["pieces"].clone();
        assert_eq!(
            (&pieces[2]["state"], &pieces[2]["obstacle"]),
            (&json!("foreign"), &json!(why)),
            "{kind}"
        );
        assert_eq!(yard.rekal(&["doctor"]).code, Some(0));
        yard.done(&["clean", "--purge", "--yes"]);
        assert!(!yard.at(".claude").exists());
        assert_eq!(fs::symlink_metadata(&path).expect("there").file_type(), kept, "{kind}");
    }
}

#[test]
fn a_line_goes_into_the_file_that_can_hold_it() {
    let yard = Yard::new();
    symlink("nowhere.md", yard.at("AGENTS.md")).expect("a link");
    yard.write("CLAUDE.md", "# Rules\n");
    let run = yard.rekal(&["init"]);
    assert_eq!(run.code, Some(0));
    assert!(
        run.stderr.starts_with("rekal: AGENTS.md is left out: "),
        "{}",
        run.stderr
    );
    assert!(yard.read("CLAUDE.md").contains("<!-- rekal "));
    assert!(!yard.at("nowhere.md").exists());
}

#[test]
fn what_a_merge_has_doubled_goes_twice() {
    let yard = Yard::new();
    yard.write("AGENTS.md", "# Rules\n");
    yard.hook("#!/bin/sh\necho\n");
    yard.done(&["init"]);
    let line = yard.read("AGENTS.md").lines().nth(1).expect("the line").to_owned();
    yard.write("AGENTS.md", &format!("# Rules\n{line}\n## More\n{line}\n"));
    let hook = yard.read(".git/hooks/post-commit");
    let block = hook.replace("#!/bin/sh\n", "").replace("echo\n", "");
    yard.hook(&format!("{hook}{block}{block}"));
    yard.done(&["clean"]);
    assert_eq!(yard.read("AGENTS.md"), "# Rules\n## More\n");
    assert_eq!(yard.read(".git/hooks/post-commit"), "#!/bin/sh\necho\n");
}

#[test]
fn each_piece_that_was_changed_is_named_with_what_to_do_by_hand() {
    let yard = Yard::new();
    yard.done(&["init", "--agent-hooks"]);
    let (hook, settings) = (".git/hooks/post-commit", ".claude/settings.local.json");
    for (name, word) in [(hook, "sequencer"), ("AGENTS.md", "familiar"), (settings, "HUP")] {
        let text = yard.read(name);
        assert!(text.contains(word), "{name}");
        fs::write(yard.at(name), text.replace(word, "INT")).expect("written");
    }
    let before = (yard.read(hook), yard.read("AGENTS.md"), yard.read(settings));
    let run = yard.rekal(&["clean"]);
    let told = "\
rekal: .claude/settings.local.json was changed by hand and stays: \
take out the entries of SessionEnd and PreCompact that end with `# rekal …`
rekal: .git/hooks/post-commit was changed by hand and stays: \
take out what stands from `# >>> rekal` to `# <<< rekal`, with these lines
rekal: AGENTS.md was changed by hand and stays: take out the line that ends with `<!-- rekal … -->`
";
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), told));
    assert_eq!((yard.read(hook), yard.read("AGENTS.md"), yard.read(settings)), before);
}

#[test]
fn a_store_that_was_named_is_found_again_through_the_hook() {
    let yard = Yard::new();
    let named = yard.home.join("it's elsewhere");
    yard.git(&["status"]);
    let before = files(&yard.repository);
    let run = yard.rekal(&["init", "--store", "../it's elsewhere"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(named.join("init.json").exists() && !yard.at(".rekal").exists());
    let said = yard.done(&["clean"]);
    let line = format!("'{}/it'\\''s elsewhere'", yard.home.display());
    let stays = format!(
        "the store that the hooks named stays: {} (rekal clean --purge --yes --store {line} removes it)",
        named.display()
    );
    assert_eq!(said.lines().last(), Some(stays.as_str()));
    same(&before, &files(&yard.repository));
    assert!(!named.join("init.json").exists());
    assert!(named.join("store.redb").exists());

    // Named again by another spelling it is one store, and goes once.
    assert_eq!(yard.rekal(&["init", "--store", "../it's elsewhere"]).code, Some(0));
    fs::create_dir(yard.at("src")).expect("a folder");
    let words = ["clean", "--purge", "--yes", "--store", "src/../../it's elsewhere"];
    let run = yard.rekal(&words);
    assert_eq!(
        (run.code, run.stdout.lines().count()),
        (Some(0), 4),
        "{}{}",
        run.stdout,
        run.stderr
    );
    fs::remove_dir(yard.at("src")).expect("removed");
    assert!(!named.exists());
    same(&before, &files(&yard.repository));
}

#[test]
fn outside_of_a_repository_the_store_alone_is_removed() {
    let yard = Yard::new();
    let data = yard.home.join(".local/share/rekal");
    let run = |words: &[&str]| finished(yard.command(words).current_dir(&yard.home).output().expect("it runs"));
    assert_eq!(run(&["checkpoint"]).code, Some(0));
    assert!(data.join("store.redb").exists());
    let before = files(&yard.home);
    let refused = run(&["clean"]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("it lies in no git repository"),
        "{}",
        refused.stderr
    );
    let asked = run(&["clean", "--purge"]);
    let told = format!(
        "rekal: remove {}: it cannot be undone, so it is asked for twice\nrekal: rekal clean --purge --yes\n",
        data.display()
    );
    assert_eq!((asked.code, asked.stderr), (Some(2), told));
    same(&before, &files(&yard.home));

    let removed = run(&["clean", "--purge", "--yes"]);
    let told = format!("removed {}\n", data.display());
    assert_eq!(
        (removed.code, removed.stdout, removed.stderr),
        (Some(0), told, String::new())
    );
    assert!(!data.exists());
    let again = run(&["clean", "--purge", "--yes", "-j"]);
    assert_eq!(
        again.stdout,
        "{\"schema_version\":1,\"changed\":[],\"kept\":[],\"purged\":false}\n"
    );
    assert_eq!(
        run(&["clean", "--purge", "--yes"]).stdout,
        format!("there is no store in {}\n", data.display())
    );

    // A folder of the user's is no store because it was named.
    let mine = yard.home.join("mine");
    fs::create_dir_all(mine.join("index")).expect("a folder");
    fs::write(mine.join("index/page.html"), "mine").expect("written");
    fs::write(mine.join("config.json"), "{}").expect("written");
    let before = files(&mine);
    let run = run(&["--store", "mine", "clean", "--purge", "--yes"]);
    assert_eq!(
        (run.code, run.stdout),
        (Some(0), format!("there is no store in {}\n", mine.display()))
    );
    same(&before, &files(&mine));
}

#[test]
fn two_repositories_with_one_store_are_cleaned_each_by_itself() {
    let yard = Yard::new();
    let other = yard.home.join("other");
    fs::create_dir(&other).expect("a folder");
    yard.git_in(&other, &["init", "-q"], &[]);
    let on = |folder, words: &[&str]| {
        let words = [words, &["--store", "../common"]].concat();
        let run = finished(yard.command(&words).current_dir(folder).output().expect("it runs"));
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{words:?}");
    };
    // An empty file is one whose original is noted.
    for folder in [&other, &yard.repository] {
        fs::write(folder.join("AGENTS.md"), "").expect("written");
    }
    let before = (files(&other), files(&yard.repository));
    on(&other, &["init"]);
    on(&yard.repository, &["init"]);
    on(&yard.repository, &["clean"]);
    same(&before.1, &files(&yard.repository));
    assert!(other.join(".claude/skills/rekal/SKILL.md").exists());
    assert!(yard.home.join("common/init.json").exists());
    on(&other, &["clean"]);
    same(&before.0, &files(&other));
    assert!(!yard.home.join("common/init.json").exists());
}
