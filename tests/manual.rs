//! What the program says of itself: completions and manual.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use super::program::{out, rekal};

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
