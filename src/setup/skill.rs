//! The skill that tells an agent when to ask, and how to read the answer.

use super::mark::{self, State};

const TEXT: &str = include_str!("skill.md");

/// In what state the skill is.
pub fn state(text: Option<&str>) -> State {
    match text.map(is_ours) {
        None => State::Absent,
        Some(true) => State::Ours,
        Some(false) => State::Changed,
    }
}

/// The file.
pub fn put() -> String {
    format!("{TEXT}\n<!-- rekal {} -->\n", mark::sum(TEXT))
}

/// What is left of the file: all of it when it was changed.
pub fn take(text: &str) -> Option<String> {
    (!is_ours(text)).then(|| text.to_owned())
}

fn is_ours(text: &str) -> bool {
    let text = text.replace('\r', "");
    let marked = text
        .strip_suffix(" -->\n")
        .and_then(|text| text.rsplit_once("\n<!-- rekal "));
    marked.is_some_and(|(body, sum)| mark::sum(body) == sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_that_was_changed_is_not_ours() {
        let text = put();
        assert_eq!((state(Some(&text)), take(&text)), (State::Ours, None));
        assert_eq!(state(Some(&text.replace('\n', "\r\n"))), State::Ours);
        let changed = text.replace("milliseconds", "ages");
        assert_eq!((state(Some(&changed)), take(&changed)), (State::Changed, Some(changed)));
        assert_eq!(state(None), State::Absent);
    }

    #[test]
    fn its_front_matter_is_what_agents_read() {
        let mut lines = TEXT.lines();
        assert_eq!((lines.next(), lines.next()), (Some("---"), Some("name: rekal")));
        let description = lines.next().and_then(|line| line.strip_prefix("description: "));
        let description = description.expect("a description");
        assert_eq!(lines.next(), Some("---"));
        // An agent cuts a longer one; these would end a plain value of YAML.
        assert!(description.len() <= 1024, "{}", description.len());
        assert!(!description.contains(": ") && !description.contains(" #"));
    }
}
