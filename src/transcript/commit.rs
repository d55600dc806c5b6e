//! The subjects of the commits that a shell command makes.

use std::ops::Range;

/// How many words may stand between `git` and `commit`: `git -C here -c a=b commit`.
const BETWEEN: usize = 6;

/// The most characters of a subject.
const SUBJECT: usize = 200;

/// The first line of each commit's message that the command gives, on the command line or in a
/// here-document. A message from a file or an editor is not known.
///
/// ```
/// use rekal::transcript::commit_subjects;
/// let command = "git add -A && git commit -q -m 'Fix the jwt expiry' -m 'It drifted.'";
/// assert_eq!(commit_subjects(command), ["Fix the jwt expiry"]);
/// assert!(commit_subjects("git log --grep commit").is_empty());
/// ```
pub fn commit_subjects(command: &str) -> Vec<String> {
    commits(command).into_iter().map(|(_, subject)| subject).collect()
}

/// What is kept of a command that is too long, when it makes a commit: what stands before it, and the
/// commits with their subjects alone. `None`: it makes none.
pub(super) fn shortened(command: &str, characters: usize) -> Option<String> {
    let commits = commits(command);
    let (first, _) = commits.first()?;
    let before = &command[..first.start];
    let mut kept: String = before.chars().take(characters).collect();
    if kept.len() < before.len() {
        kept += "… ";
    }
    for (at, (_, subject)) in commits.iter().enumerate() {
        let subject = subject.replace('\\', "\\\\").replace('"', "\\\"");
        kept += if at > 0 { " && " } else { "" };
        kept += &format!("git commit -m \"{subject}\"");
    }
    Some(kept)
}

/// Each commit: the bytes of `git … commit`, and the subject.
fn commits(command: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = command[from..].find("git ").map(|at| from + at) {
        from = at + 4;
        let begins = command[..at]
            .chars()
            .next_back()
            .is_none_or(|c| !c.is_alphanumeric() && c != '-' && c != '_');
        let Some(end) = commit_after(&command[from..]).filter(|_| begins) else {
            continue;
        };
        let end = from + end;
        if let Some(subject) = message(&command[end..]) {
            found.push((at..end, subject));
        }
        from = end;
    }
    found
}

/// Where the word `commit` ends, when options and their values alone stand before it.
fn commit_after(rest: &str) -> Option<usize> {
    let mut options = false;
    let mut at = 0;
    for word in rest.split_inclusive(char::is_whitespace).take(BETWEEN) {
        at += word.len();
        let trimmed = word.trim_end();
        if trimmed == "commit" {
            return Some(at - word.len() + trimmed.len());
        }
        if !trimmed.starts_with('-') && !options {
            return None;
        }
        options = trimmed.starts_with('-');
    }
    None
}

/// The first line of the message that `rest`, what follows `git commit`, gives.
fn message(rest: &str) -> Option<String> {
    let line = rest.lines().next()?;
    let end = end_of_command(rest);
    let flag = message_flag(&rest[..end]);
    let here = line
        .find("<<")
        .filter(|at| flag.is_none_or(|flag| rest[flag..].trim_start().starts_with("\"$(") && *at > flag));
    let text = match (here, flag) {
        (Some(_), _) => rest.lines().skip(1).find(|line| !line.trim().is_empty())?.to_owned(),
        (None, Some(flag)) => word(rest[flag..].trim_start_matches([' ', '\t', '=']))?,
        (None, None) => return None,
    };
    let subject = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(subject.chars().take(SUBJECT).collect())
}

/// Where the simple command ends, quotes aside.
fn end_of_command(rest: &str) -> usize {
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in rest.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some('"') | None, '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, ';' | '|' | '&' | '\n') => return at,
            _ => {}
        }
    }
    rest.len()
}

/// Behind the first `-m`, `-am` or `--message`.
fn message_flag(rest: &str) -> Option<usize> {
    let mut at = 0;
    for word in rest.split_inclusive(char::is_whitespace) {
        let flag = word.trim_end();
        if let Some(joined) = flag.strip_prefix("--message") {
            return (joined.is_empty() || joined.starts_with('=')).then_some(at + "--message".len());
        }
        let short = flag.starts_with('-') && !flag.starts_with("--");
        if let Some(m) = flag
            .find('m')
            .filter(|m| short && flag[1..*m].bytes().all(|b| b.is_ascii_lowercase()))
        {
            return Some(at + m + 1);
        }
        if flag.starts_with(['"', '\'']) {
            return None;
        }
        at += word.len();
    }
    None
}

/// The word of the shell that the text begins with, without its quotes.
fn word(text: &str) -> Option<String> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    let mut chars = text[quote.map_or(0, char::len_utf8)..].chars();
    let mut word = String::new();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some('"') | None, '\\') => word.extend(chars.next()),
            (Some(open), c) if c == open => break,
            (None, c) if c.is_whitespace() || matches!(c, ';' | '&' | '|' | ')') => break,
            (_, c) => word.push(c),
        }
    }
    (!word.trim().is_empty()).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_on_the_command_line_is_found() {
        for command in [
            "git commit -m \"Fix it\"",
            "git add . && git commit -am 'Fix it' && git push",
            "git -C ../x -c user.name=me commit --message=\"Fix it\" --no-verify",
            "cd x; git commit -q --amend -m \"Fix it\n\nbody\"",
            "git commit -m 'Fix it' -m 'and more'",
            "git commit --message 'Fix it'",
            "(git commit -m Fix\\ it)",
        ] {
            assert_eq!(commit_subjects(command), ["Fix it"], "{command}");
        }
        assert_eq!(
            commit_subjects("git commit -m \"Say \\\"no\\\" & stop\""),
            ["Say \"no\" & stop"]
        );
        assert_eq!(commit_subjects("git commit -m 'a' && git commit -m 'b'"), ["a", "b"]);
    }

    #[test]
    fn a_message_in_a_here_document_is_found() {
        for command in [
            "git add -A && git commit -m \"$(cat <<'EOF'\nFix it\n\nBody\nEOF\n)\"",
            "git commit -F - <<EOF\n\nFix it\nEOF",
            "git commit --file=- <<-'END'\n\tFix it\nEND\ngit push",
        ] {
            assert_eq!(commit_subjects(command), ["Fix it"], "{command}");
        }
    }

    #[test]
    fn what_makes_no_commit_or_hides_its_message_has_no_subject() {
        for command in [
            "git commit",
            "git commit --amend --no-edit",
            "git commit -F message.txt",
            "git log -m commit",
            "git show commit",
            "legit commit -m x",
            "git commit -m",
            "git commit -m \"",
            "git commit -m ''",
            "git ",
            "git commit && grep -m 1 x",
            "",
        ] {
            assert!(commit_subjects(command).is_empty(), "{command:?}");
        }
    }

    #[test]
    fn a_long_command_keeps_its_subject_and_can_be_read_again() {
        let files = "src/a.rs ".repeat(60);
        let command = format!("git add {files}&& git commit -m \"$(cat <<'EOF'\nSay \"no\" \\ stop\n\nbody\nEOF\n)\"");
        let kept = shortened(&command, 100).expect("a commit");
        assert!(kept.starts_with("git add src/a.rs src/a.rs"));
        assert!(kept.ends_with("git commit -m \"Say \\\"no\\\" \\\\ stop\""), "{kept}");
        assert_eq!(commit_subjects(&kept), ["Say \"no\" \\ stop"]);
        assert_eq!(shortened("ls", 100), None);
    }
}
