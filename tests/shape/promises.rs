//! What one file says of another is true: the README of the build script, the manifest of the
//! benches, the list of tests of the tests.

use super::files::{self, TextFile, nothing_wrong};
use super::lexing::is_word;

/// The two commands that the README promises.
const COMMANDS: [&str; 2] = ["cargo run --release -- demo", "cargo test"];

#[test]
fn the_readme_gives_the_commands_that_the_build_runs() {
    let (readme, build) = (files::read("README.md"), files::read(".ci/run"));
    nothing_wrong(broken_commands(&readme, &build));
}

#[test]
fn every_test_file_is_compiled() {
    let tests = files::rust_below("tests");
    nothing_wrong(unlisted_tests(
        &names_in("tests", &tests),
        &files::read("tests/main.rs"),
    ));
}

#[test]
fn every_bench_is_registered() {
    let benches = files::rust_below("benches");
    nothing_wrong(unregistered(&names_in("benches", &benches), &files::read("Cargo.toml")));
}

#[test]
fn no_file_speaks_of_a_folder_of_one_machine() {
    let mut all = files::below(".");
    all.retain(|file| !file.path.starts_with(".ci/"));
    nothing_wrong(all.iter().flat_map(private).collect());
}

/// A command counts in the README where it is a line of a code block, and in the script where it
/// begins a line.
fn broken_commands(readme: &str, build: &str) -> Vec<String> {
    let mut fenced = false;
    let mut promised: Vec<&str> = Vec::new();
    for line in readme.lines().map(str::trim) {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if fenced {
            promised.push(line.split(" #").next().unwrap_or(line).trim());
        }
    }
    let is_run = |command: &str| {
        let mut lines = build.lines().map(str::trim);
        lines.any(|line| line == command || line.starts_with(&format!("{command} 2>&1 |")))
    };
    let mut wrong = Vec::new();
    for command in COMMANDS {
        if !promised.contains(&command) {
            wrong.push(format!("README.md does not give `{command}`"));
        }
        if !is_run(command) {
            wrong.push(format!(".ci/run does not run `{command}`"));
        }
    }
    wrong
}

/// The names of the files that lie directly in `folder`.
fn names_in(folder: &str, files: &[TextFile]) -> Vec<String> {
    let names = files.iter().filter_map(|file| {
        let name = file.path.strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(".rs")?;
        (!name.contains('/')).then(|| name.to_owned())
    });
    names.collect()
}

fn unlisted_tests(names: &[String], main: &str) -> Vec<String> {
    let is_listed = |name: &String| main.lines().any(|line| line.trim() == format!("mod {name};"));
    let others = names.iter().filter(|name| *name != "main" && !is_listed(name));
    others
        .map(|name| format!("tests/{name}.rs is not named in tests/main.rs"))
        .collect()
}

fn unregistered(names: &[String], manifest: &str) -> Vec<String> {
    let is_registered = |name: &String| {
        let mut tables = manifest.split("[[bench]]").skip(1);
        tables.any(|table| {
            let own = table.split("\n[").next().unwrap_or(table);
            own.lines().any(|line| line.trim() == format!("name = \"{name}\""))
        })
    };
    let missing = names.iter().filter(|name| !is_registered(name));
    missing
        .map(|name| format!("benches/{name}.rs is not registered in Cargo.toml"))
        .collect()
}

/// Paths into folders that only one machine has. Their names are written apart, so that this file
/// does not find itself.
fn private(file: &TextFile) -> Vec<String> {
    let begins_path = |c: Option<char>| !c.is_some_and(|c| is_word(c) || "/.-~".contains(c));
    let ends_name = |c: Option<char>| !c.is_some_and(|c| is_word(c) || c == '-');
    let mut wrong = Vec::new();
    for (n, line) in file.text.lines().enumerate() {
        for name in [concat!("/", "work"), concat!("shared", "/")] {
            let found = line.match_indices(name).any(|(at, _)| {
                let (before, behind) = (&line[..at], &line[at + name.len()..]);
                let ends = name.ends_with('/') || ends_name(behind.chars().next());
                begins_path(before.chars().next_back()) && ends
            });
            if found {
                wrong.push(format!("{}:{}: {name}", file.path, n + 1));
            }
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_is_not_given_or_not_run_is_found() {
        let readme = "text\n```\ncargo run --release -- demo\ncargo test    # all of them\n```\n";
        let build = "cargo run --release -- demo\n  cargo test 2>&1 | tee log\n";
        assert_eq!(broken_commands(readme, build), [""; 0]);
        assert_eq!(
            broken_commands("cargo test\n```\ncargo run --release -- demo\n```", "cargo test --lib"),
            [
                ".ci/run does not run `cargo run --release -- demo`",
                "README.md does not give `cargo test`",
                ".ci/run does not run `cargo test`",
            ]
        );
    }

    #[test]
    fn a_test_or_bench_that_nobody_runs_is_found() {
        let names = ["main".to_owned(), "drain".to_owned()];
        assert_eq!(unlisted_tests(&names, "mod drain;\n"), [""; 0]);
        assert_eq!(
            unlisted_tests(&names, "// mod drain;\n"),
            ["tests/drain.rs is not named in tests/main.rs"]
        );
        let manifest = "[[bench]]\nname = \"append\"\n[lints]\nname = \"drain\"\n";
        assert_eq!(
            unregistered(&["append".to_owned(), "drain".to_owned()], manifest),
            ["benches/drain.rs is not registered in Cargo.toml"]
        );
    }

    #[test]
    fn a_private_path_is_found_and_a_like_word_is_not() {
        let file = |text: String| TextFile { path: "x".into(), text };
        let root = concat!("/", "work");
        let wrong = private(&file(format!("a\nsee {root}/notes and `{root}`")));
        assert_eq!(wrong, [format!("x:2: {root}")]);
        assert_eq!(private(&file(format!("`{}`", concat!("shared", "/data")))).len(), 1);
        let fine = format!(
            "{root}space .git{root}trees a{root}/b {root}-force un{}",
            concat!("shared", "/x")
        );
        assert_eq!(private(&file(fine)), [""; 0]);
    }
}
