//! What the program says of itself: completions and manual.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Output, Stdio};

use super::program::{out, rekal};
use super::stage::{Run, Stage, claude_line, finished};

const SHELLS: [&str; 6] = ["bash", "zsh", "fish", "powershell", "elvish", "nushell"];

/// The verbs that the program's help names in a line of their own.
const ALSO: [&str; 5] = ["clean", "config", "completions", "man", "version"];

/// The verbs that the help of these words names.
fn verbs(words: &[&str]) -> Vec<String> {
    let help = rekal(&[words, &["--help"]].concat());
    let help = String::from_utf8(help.stdout).expect("UTF-8");
    let (_, below) = help.split_once("Commands:\n").expect("verbs");
    let rows = below.lines().take_while(|line| !line.is_empty());
    let names = rows.filter_map(|row| row.strip_prefix("  ")?.split(' ').next());
    let mut verbs: Vec<String> = names
        .filter(|name| !["", "help"].contains(name))
        .map(str::to_owned)
        .collect();
    assert!(verbs.len() >= 8, "{help}");
    if words.is_empty() {
        assert!(help.contains(&format!("\nAlso: {}\n", ALSO.join(", "))), "{help}");
        verbs.extend(ALSO.map(str::to_owned));
    }
    verbs
}

/// Runs another program on a text. `None`: it is not there.
fn read_by(program: &str, words: &[&str], text: &[u8]) -> Option<Output> {
    let mut child = Command::new(program)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(text).expect("it listens");
    drop(stdin);
    Some(child.wait_with_output().expect("it ends"))
}

#[test]
fn every_shell_gets_every_verb() {
    let mut verbs_of_all = verbs(&[]);
    verbs_of_all.extend(verbs(&["graph"]));
    for shell in SHELLS {
        let output = rekal(&["completions", shell]);
        let (code, script, stderr) = out(&output);
        assert_eq!((code, stderr), (Some(0), ""), "{shell}");
        let words: Vec<&str> = script.split(|c: char| !c.is_alphanumeric()).collect();
        for verb in &verbs_of_all {
            assert!(words.contains(&verb.as_str()), "{shell} does not know {verb}");
        }
        // The other two complete no values.
        if !["powershell", "elvish"].contains(&shell) {
            assert!(words.contains(&"steering"), "{shell} does not know the roles");
        }
    }
    assert_eq!(rekal(&["completions", "sh"]).status.code(), Some(2));
    assert_eq!(rekal(&["completions", "bash", "-j"]).status.code(), Some(2));
}

#[test]
fn bash_takes_its_completions() {
    let script = rekal(&["completions", "bash"]).stdout;
    let Some(checked) = read_by("bash", &["-n"], &script) else {
        return;
    };
    assert_eq!((checked.status.code(), checked.stderr.as_slice()), (Some(0), &b""[..]));
    let mut asked = script;
    asked.extend(b"COMP_WORDS=(rekal fi); COMP_CWORD=1; _rekal rekal fi rekal; echo \"${COMPREPLY[*]}\"\n");
    let answered = read_by("bash", &["--norc"], &asked).expect("it was there");
    assert_eq!(String::from_utf8_lossy(&answered.stdout), "find\n");
}

#[test]
fn the_manual_names_every_verb_and_what_else_one_needs_to_know() {
    let output = rekal(&["man"]);
    let (code, page, stderr) = out(&output);
    assert_eq!((code, stderr), (Some(0), ""));
    let sections: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix(".SH ")).collect();
    let expected = [
        "NAME",
        "SYNOPSIS",
        "OPTIONS",
        "SUBCOMMANDS",
        "\"EXIT STATUS\"",
        "ENVIRONMENT",
        "FILES",
        "EXAMPLE",
    ];
    assert_eq!(sections, expected);
    let mut named = verbs(&[]);
    named.retain(|verb| verb != "graph");
    named.extend(verbs(&["graph"]).iter().map(|verb| format!("graph {verb}")));
    for verb in named {
        assert!(page.contains(&format!("\n\\fB{verb}\\fR\n")), "{verb} is not in {page}");
    }
}

#[test]
fn every_verb_has_a_page() {
    let mut all = verbs(&[]);
    all.extend(verbs(&["graph"]).iter().map(|verb| format!("graph {verb}")));
    for verb in all {
        let words: Vec<&str> = ["man"].into_iter().chain(verb.split(' ')).collect();
        let output = rekal(&words);
        let (code, page, _) = out(&output);
        assert_eq!(code, Some(0), "{verb}");
        let example = page.split_once(".SH EXAMPLE\n").map(|(_, example)| example);
        let begins = format!("rekal {verb}");
        assert!(
            example.is_some_and(|example| example.contains(&begins)),
            "{verb}: {page}"
        );
    }
    assert_eq!(rekal(&["man", "graph", "nonsense"]).status.code(), Some(2));
    assert_eq!(rekal(&["man", "-j"]).status.code(), Some(2));
}

#[test]
fn man_reads_it_without_a_warning() {
    let page = rekal(&["man"]).stdout;
    // Where there is no man, or one that reads no file of its caller's, nothing can be seen.
    let Some(shown) = read_by("man", &["--warnings", "-l", "-"], &page).filter(|shown| shown.status.success()) else {
        return;
    };
    let text = String::from_utf8_lossy(&shown.stdout);
    assert!(text.contains("EXIT STATUS") && text.contains("graph reach"), "{text}");
    assert_eq!(String::from_utf8_lossy(&shown.stderr), "");
}

/// A repository with ten sessions, the fifth a long one, and what the examples name: files, and other programs.
fn set() -> Stage {
    let stage = Stage::new();
    let yesterday = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(24);
    let yesterday = yesterday.strftime("%Y-%m-%d").to_string();
    for at in 0..10 {
        let topic = if at < 7 {
            "Where is the jwt expiry set"
        } else {
            "Export the table as csv"
        };
        let turns = if at == 4 { 16 } else { 2 };
        let turn = |turn| {
            let said = format!("{topic}, number {at}{turn}? The job ended with exit code 137 and hunter-{at}");
            let who = if turn % 2 == 0 { "user" } else { "assistant" };
            claude_line(&format!("session-{at}"), turn, who, &said).replace("2026-11-02", &yesterday)
        };
        let lines: String = (0..turns).map(turn).collect();
        fs::write(stage.transcript(&format!("session-{at}")), lines).expect("written");
    }
    let bin = stage.home().join("bin");
    fs::create_dir_all(&bin).expect("a folder");
    symlink(env!("CARGO_BIN_EXE_rekal"), bin.join("rekal")).expect("a link");
    // What a reader of manuals and an agent would do with what they are given.
    for (name, script) in [
        ("man", "#!/bin/sh\ngrep -q '[.]TH'\n"),
        ("claude", "#!/bin/sh\nshift 4\nexec \"$@\"\n"),
    ] {
        fs::write(bin.join(name), script).expect("written");
        fs::set_permissions(bin.join(name), PermissionsExt::from_mode(0o755)).expect("executable");
    }
    fs::write(stage.home().join("secret.txt"), "hunter-3\n").expect("written");
    let labels = "[{\"query\":\"jwt expiry\",\"relevant_sessions\":[\"session-4\"]}]";
    fs::write(stage.home().join("questions.json"), labels).expect("written");
    stage
}

/// Runs a line of a shell where the store is.
fn by_shell(stage: &Stage, line: &str) -> Run {
    let path = format!(
        "{}:{}",
        stage.home().join("bin").display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let mut shell = Command::new("sh");
    shell
        .args(["-c", line])
        .env_clear()
        .env("PATH", path)
        .env("HOME", stage.home());
    shell
        .env("REKAL_STORE", stage.store())
        .current_dir(stage.home())
        .stdin(Stdio::null());
    finished(shell.output().expect("a shell"))
}

#[test]
fn every_example_runs_as_it_is_printed() {
    let stage = set();
    for line in [
        "git init -q",
        "rekal checkpoint --all",
        "rekal 'jwt expiry'",
        "rekal query s5",
        "rekal checkpoint",
    ] {
        let run = by_shell(&stage, line);
        assert_eq!(run.code, Some(0), "{line}: {}", run.stderr);
    }
    let mut all = vec![String::new(), "graph".to_owned()];
    all.extend(verbs(&[]).into_iter().filter(|verb| verb != "graph"));
    all.extend(verbs(&["graph"]).iter().map(|verb| format!("graph {verb}")));
    for verb in all {
        let help = by_shell(&stage, &format!("rekal {verb} --help")).stdout;
        let example = help.lines().find_map(|line| line.strip_prefix("Example: "));
        let example = example.unwrap_or_else(|| panic!("{verb}: {help}"));
        // What follows in brackets is about it.
        let line = example.split(" (").next().unwrap_or(example);
        assert!(line.contains(format!("rekal {verb}").trim_end()), "{line}");
        let run = by_shell(&stage, line);
        assert_eq!(run.code, Some(0), "{line}: {}{}", run.stdout, run.stderr);
        assert!(!run.stderr.contains("panicked"), "{line}: {}", run.stderr);
    }
}
