//! Runs the program, in an environment that holds nothing else.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

pub fn rekal(words: &[&str]) -> Output {
    program(words).output().expect("the program runs")
}

pub fn program(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rekal"));
    command.args(words).env_clear();
    command
}

/// Runs it on a store, with something on stdin.
pub fn on(store: &Path, words: &[&str], input: &str) -> Output {
    let mut child = program(words)
        .env("REKAL_STORE", store)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    // One that refuses its arguments ends without listening; its exit code says so.
    stdin.write_all(input.as_bytes()).ok();
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

pub fn out(output: &Output) -> (Option<i32>, &str, &str) {
    let text = |bytes| std::str::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}
