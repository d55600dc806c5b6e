//! The line in `AGENTS.md` or `CLAUDE.md`. It stands last, with the line ends of the file, and without
//! one when the file had none: so taking it out leaves every byte as it was.

use std::ops::Range;

use super::mark::{self, State};

const MARK: &str = " <!-- rekal ";

const TEXT: &str = "- Before you start a task, when an error looks familiar, and when you wonder why something is as it is: \
    ask earlier sessions with `rekal \"<a few words>\"`, and open one with `rekal query -s s5`. `SILENCE` means that \
    nothing is known.";

/// In what state the line is.
pub fn state(text: Option<&str>) -> State {
    let text = text.unwrap_or_default();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains(MARK)).collect();
    match lines.iter().all(|line| is_ours(line)) {
        true if lines.is_empty() => State::Absent,
        true => State::Ours,
        false => State::Changed,
    }
}

/// The file with the line.
pub fn put(text: Option<&str>) -> String {
    let new = format!("{TEXT}{MARK}{} -->", mark::sum(TEXT));
    let text = text.unwrap_or_default();
    if let Some(line) = find(text) {
        let end = text[line.clone()].trim_end_matches(['\r', '\n']).len() + line.start;
        return format!("{}{new}{}", &text[..line.start], without(&text[end..]));
    }
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    match text.is_empty() || text.ends_with('\n') {
        true => format!("{text}{new}{end}"),
        false => format!("{text}{end}{new}"),
    }
}

/// The file without the line. `None`: nothing else is in it.
pub fn take(text: &str) -> Option<String> {
    let rest = without(text);
    (rest == text || !rest.is_empty()).then_some(rest)
}

/// The text without the lines that nobody changed: a merge of two files may have brought several.
fn without(text: &str) -> String {
    let mut rest = text.to_owned();
    while let Some(line) = find(&rest) {
        let has_end = rest[line.clone()].ends_with('\n');
        rest.replace_range(line.clone(), "");
        if !has_end {
            // The end of the line before it was put there for it.
            let before = rest.strip_suffix('\n').unwrap_or(&rest);
            rest.truncate(before.strip_suffix('\r').unwrap_or(before).len());
        }
    }
    rest
}

/// The first marked line that nobody changed, with its end.
fn find(text: &str) -> Option<Range<usize>> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if is_ours(line.trim_end_matches(['\r', '\n'])) {
            return Some(start..start + line.len());
        }
        start += line.len();
    }
    None
}

fn is_ours(line: &str) -> bool {
    let marked = line.strip_suffix(" -->").and_then(|line| line.split_once(MARK));
    marked.is_some_and(|(text, sum)| mark::sum(text) == sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_and_goes_without_a_trace() {
        for text in [
            "# Rules\n",
            "# Rules\r\n\r\n- one\r\n",
            "no end",
            "# A\r\nno end",
            "\n\n",
        ] {
            let with = put(Some(text));
            assert_eq!(state(Some(&with)), State::Ours, "{text:?}");
            assert_eq!(with.lines().count(), text.lines().count() + 1, "{text:?}");
            assert_eq!(take(&with).as_deref(), Some(text));
            assert_eq!(put(Some(&with)), with);
        }
        assert_eq!(take(&put(None)), None);
    }

    #[test]
    fn what_the_user_wrote_around_it_stays() {
        let with = put(Some("one\n")) + "two\n";
        assert_eq!(take(&with).as_deref(), Some("one\ntwo\n"));
        let changed = with.replace("familiar", "odd");
        assert_eq!(state(Some(&changed)), State::Changed);
        assert_eq!(take(&changed), Some(changed));
        assert_eq!(state(Some("speaks of rekal\n")), State::Absent);
    }

    #[test]
    fn a_line_that_is_there_twice_goes_twice() {
        let one = put(Some("one\n"));
        let line = one.strip_prefix("one\n").expect("the line");
        let two = format!("{one}two\n{}", line.trim_end());
        assert_eq!((state(Some(&two)), put(Some(&two))), (State::Ours, format!("{one}two")));
        assert_eq!(take(&two).as_deref(), Some("one\ntwo"));
        let changed = format!("{one}{}", line.replace("familiar", "odd"));
        assert_eq!(state(Some(&changed)), State::Changed);
        assert_eq!(take(&changed), Some(changed.replacen(line, "", 1)));
    }
}
