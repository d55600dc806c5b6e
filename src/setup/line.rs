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
    let Some((text, line)) = text.and_then(|text| Some((text, find(text)?))) else {
        return State::Absent;
    };
    match is_ours(text[line].trim_end_matches(['\r', '\n'])) {
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
        return format!("{}{new}{}", &text[..line.start], &text[end..]);
    }
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    match text.is_empty() || text.ends_with('\n') {
        true => format!("{text}{new}{end}"),
        false => format!("{text}{end}{new}"),
    }
}

/// The file without the line. `None`: nothing else is in it.
pub fn take(text: &str) -> Option<String> {
    if state(Some(text)) != State::Ours {
        return Some(text.to_owned());
    }
    let line = find(text)?;
    let (mut before, behind) = (&text[..line.start], &text[line.end..]);
    if !text[line].ends_with('\n') {
        before = before.strip_suffix('\n').unwrap_or(before);
        before = before.strip_suffix('\r').unwrap_or(before);
    }
    let rest = [before, behind].concat();
    (!rest.is_empty()).then_some(rest)
}

/// The marked line, with its end.
fn find(text: &str) -> Option<Range<usize>> {
    let mark = text.find(MARK)?;
    let start = text[..mark].rfind('\n').map_or(0, |end| end + 1);
    let end = text[mark..].find('\n').map_or(text.len(), |end| mark + end + 1);
    Some(start..end)
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
}
