//! The `post-commit` hook: a block of shell that starts a checkpoint in the background.
//!
//! The block stands first, behind the line that names the interpreter, because a hook may end with
//! `exec` or `exit`. What a commit waits for is the start of the shell, six looks at the git directory and
//! one fork; nothing of it can fail under `set -eu`. The streams are closed, so that nobody who reads the
//! commit's output waits for the checkpoint, and it is no child of the hook, which may `wait` for its own.

use std::ops::Range;
use std::path::PathBuf;

use super::mark::{self, Program, State};

const BEGIN: &str = "# >>> rekal ";
const END: &str = "# <<< rekal\n";

/// Shells that understand the block.
const SHELLS: [&str; 7] = ["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"];

/// In what state the hook is.
pub fn state(text: Option<&str>) -> State {
    let Some(text) = text else { return State::Absent };
    let rest = without(text);
    match () {
        () if rest.contains(BEGIN) => State::Changed,
        () if rest != text => State::Ours,
        () if runs_a_checkpoint(text) => State::ByHand,
        () => State::Absent,
    }
}

/// The store that the hook names.
pub fn store(text: &str) -> Option<PathBuf> {
    blocks(text).into_iter().find_map(|block| mark::store_in(&text[block]))
}

/// Whether the line that names the interpreter ends so that no system has one of that name.
pub fn has_carriage_return(text: &str) -> bool {
    let first = text.split('\n').next().unwrap_or_default();
    first.starts_with("#!") && first.ends_with('\r')
}

/// The hook with the block. `None`: its interpreter is no shell.
pub fn put(text: Option<&str>, program: &Program) -> Option<String> {
    let new = written(program);
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        return Some(format!("#!/bin/sh\n{new}"));
    };
    if let Some(first) = blocks(text).first() {
        let (head, rest) = (&text[..first.start], &text[first.end..]);
        return Some(format!("{head}{new}{}", without(rest)));
    }
    let at = behind_interpreter(text)?;
    let (head, rest) = text.split_at(at);
    let end = if head.is_empty() || head.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    Some(format!("{head}{end}{new}{rest}"))
}

/// The hook without the block. `None`: nothing else is in it.
pub fn take(text: &str) -> Option<String> {
    let rest = without(text);
    (rest == text || rest != "#!/bin/sh\n").then_some(rest)
}

/// The text without the blocks that nobody changed: a merge of two hooks may have brought several.
fn without(text: &str) -> String {
    let mut rest = text.to_owned();
    for block in blocks(text).into_iter().rev() {
        rest.replace_range(block, "");
    }
    rest
}

/// Whether the user's own lines run a checkpoint, as words of a shell or as strings of another language.
fn runs_a_checkpoint(text: &str) -> bool {
    let is_note = |line: &&str| ["#", "//"].iter().any(|begin| line.trim_start().starts_with(begin));
    let code: Vec<&str> = text.lines().filter(|line| !is_note(line)).collect();
    let code = code.join("\n");
    code.match_indices("rekal").any(|(at, name)| {
        let behind = &code[at + name.len()..];
        let same_line = behind.lines().next().unwrap_or_default();
        let next_word = behind.trim_start_matches(|c: char| !c.is_alphanumeric());
        let is_end = !behind.starts_with(|c: char| c.is_alphanumeric());
        is_end && (same_line.contains("checkpoint") || next_word.starts_with("checkpoint"))
    })
}

/// Where the block may stand. `None`: the interpreter is no shell that is known.
fn behind_interpreter(text: &str) -> Option<usize> {
    let Some(line) = text.strip_prefix("#!") else {
        // Git has a hook without such a line run by sh, and what cannot be text is no script.
        return (!text.contains('\0')).then_some(0);
    };
    let end = line.find('\n');
    let line = end.map_or(line, |end| &line[..end]);
    if line.ends_with('\r') {
        return None;
    }
    let mut words = line
        .split_whitespace()
        .map(|word| word.rsplit('/').next().unwrap_or(word));
    let mut name = words.next()?;
    if name == "env" || name == "busybox" {
        name = words.find(|word| !word.starts_with('-'))?;
    }
    SHELLS.contains(&name).then(|| end.map_or(text.len(), |end| end + 3))
}

/// The blocks as they were written, from the first to the last.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let mut from = 0;
    for (at, mark) in text.match_indices(END) {
        let end = at + mark.len();
        let start = text[from..at].rfind(BEGIN).map(|start| from + start);
        blocks.extend(
            start
                .map(|start| start..end)
                .filter(|block| is_ours(&text[block.clone()])),
        );
        from = end;
    }
    blocks
}

fn is_ours(block: &str) -> bool {
    let Some((first, rest)) = block.split_once('\n') else {
        return false;
    };
    let body = rest.strip_suffix(END).unwrap_or(rest);
    first
        .strip_prefix(BEGIN)
        .is_some_and(|mark| mark.starts_with(&mark::sum(body)))
}

fn written(program: &Program) -> String {
    let body = body(program);
    let sum = mark::sum(&body);
    format!("{BEGIN}{sum}: a checkpoint after each commit; taken out by: rekal clean\n{body}{END}")
}

/// Where `.git` is a file, git names the folder in `GIT_DIR`.
fn body(program: &Program) -> String {
    let fallback = match program.fallback() {
        Some(path) => format!("rekal={path}"),
        None => "exit 0".to_owned(),
    };
    let words = program.words();
    format!(
        r#"rekal_dir=${{GIT_DIR:-.git}}
if ! {{
  [ -e "$rekal_dir/rebase-merge" ] || [ -e "$rekal_dir/rebase-apply" ] || [ -e "$rekal_dir/sequencer" ] ||
    [ -e "$rekal_dir/CHERRY_PICK_HEAD" ] || [ -e "$rekal_dir/REVERT_HEAD" ] || [ -e "$rekal_dir/MERGE_HEAD" ]
}}; then
  (
    trap '' HUP
    rekal=rekal
    command -v rekal || {fallback}
    detached=
    ! command -v setsid || detached=setsid
    $detached "$rekal" {words} &
  ) </dev/null >/dev/null 2>&1 &
fi
"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put_into(text: &str) -> Option<String> {
        put(Some(text), &Program::default())
    }

    #[test]
    fn the_block_stands_behind_the_interpreter_and_goes_without_a_trace() {
        for hook in [
            "#!/bin/sh\nexec ./run\n",
            "#!/usr/bin/env bash\nexit 3",
            "#!/usr/bin/env -S zsh -e\n\n",
            "#! /bin/busybox sh\necho\r\n",
            "echo no interpreter\n",
        ] {
            let with = put_into(hook).expect("a shell");
            assert_eq!(state(Some(&with)), State::Ours);
            assert_eq!(with.starts_with("#!"), hook.starts_with("#!"));
            assert_eq!(take(&with).as_deref(), Some(hook));
            assert_eq!(put_into(&with), Some(with));
        }
    }

    #[test]
    fn a_new_hook_is_gone_with_its_block() {
        let new = put(None, &Program::default()).expect("written");
        assert!(new.starts_with("#!/bin/sh\n# >>> rekal "));
        assert_eq!(take(&new), None);
    }

    #[test]
    fn another_interpreter_is_refused() {
        for hook in [
            "#!/usr/bin/env python3\nprint()\n",
            "#!/usr/bin/fish\n",
            "\u{7f}ELF\0",
            "#!/bin/sh\r\necho\r\n",
        ] {
            assert_eq!(put_into(hook), None, "{hook:?}");
            assert_eq!(state(Some(hook)), State::Absent);
        }
    }

    #[test]
    fn a_block_that_was_changed_stays() {
        let changed = put(None, &Program::default())
            .expect("written")
            .replace("sequencer", "x");
        assert_eq!(state(Some(&changed)), State::Changed);
        assert_eq!(take(&changed), Some(changed));
    }

    #[test]
    fn a_hook_of_ones_own_runs_it_in_any_language() {
        for own in [
            "#!/bin/sh\n(rekal checkpoint --quiet &)\n",
            "#!/bin/sh\n/opt/rekal --store \"$dir\" checkpoint &\n",
            "#!/usr/bin/env python3\nsubprocess.Popen([\"rekal\", \"checkpoint\"])\n",
            "#!/usr/bin/env node\nspawn('rekal',\n  ['checkpoint'])\n",
        ] {
            assert_eq!(state(Some(own)), State::ByHand, "{own}");
        }
        for other in [
            "#!/bin/sh\n# rekal checkpoint\n",
            "#!/usr/bin/env node\n  // rekal checkpoint\n",
            "#!/bin/sh\nrekal log\nmake checkpoint\n",
            "#!/bin/sh\nrekalx checkpoint\n",
        ] {
            assert_eq!(state(Some(other)), State::Absent, "{other}");
        }
    }

    #[test]
    fn a_block_that_is_there_twice_goes_twice() {
        let one = put_into("#!/bin/sh\necho\n").expect("a shell");
        let block = one
            .strip_prefix("#!/bin/sh\n")
            .and_then(|rest| rest.strip_suffix("echo\n"));
        let block = block.expect("a block");
        let two = format!("{one}{block}exit\n");
        assert_eq!(
            (state(Some(&two)), put_into(&two)),
            (State::Ours, Some(format!("{one}exit\n")))
        );
        assert_eq!(take(&two).as_deref(), Some("#!/bin/sh\necho\nexit\n"));
        let changed = format!("{one}{}", block.replace("sequencer", "x"));
        assert_eq!(state(Some(&changed)), State::Changed);
        assert_eq!(take(&changed), Some(changed.replacen(block, "", 1)));
        let torn = format!("#!/bin/sh\n{BEGIN}\n{block}");
        assert_eq!(
            (state(Some(&torn)), take(&torn)),
            (State::Changed, Some(format!("#!/bin/sh\n{BEGIN}\n")))
        );
    }

    #[test]
    fn another_place_of_the_program_replaces_the_block() {
        let old = put_into("#!/bin/sh\necho\n").expect("a shell");
        let program = Program {
            path: Some("/opt/rekal".into()),
            store: None,
        };
        let new = put(Some(&old), &program).expect("a shell");
        assert!(new.contains("|| rekal='/opt/rekal'\n"), "{new}");
        assert_eq!(new.matches(BEGIN).count(), 1);
        assert_eq!(take(&new).as_deref(), Some("#!/bin/sh\necho\n"));
    }
}
