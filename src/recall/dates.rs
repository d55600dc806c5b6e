//! The months that a query names: `in August`, `5 May 2026`, `2026-11-02`.

use crate::time::{Millis, format_rfc3339};

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Behind these, `may` and `march` are months; they also are where a number stands beside them.
const BEFORE_A_MONTH: [&str; 9] = ["in", "of", "last", "since", "during", "until", "from", "early", "late"];

/// Months, each of one year or of any.
#[derive(PartialEq, Debug)]
pub(super) struct Months(Vec<(Option<String>, usize)>);

impl Months {
    /// Those that a text names.
    pub(super) fn of(text: &str) -> Self {
        let text = text.to_lowercase();
        let words: Vec<&str> = text
            .split(|c: char| !c.is_alphanumeric() && c != '-')
            .filter(|word| !word.is_empty())
            .collect();
        let at = |at: usize| named(&words, at).or_else(|| written_in_digits(words[at]));
        Self((0..words.len()).filter_map(at).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a time lies in one of them, in UTC.
    pub(super) fn hold(&self, time: Millis) -> bool {
        let date = format_rfc3339(time);
        self.0.iter().any(|(year, month)| {
            let same_year = year.as_ref().is_none_or(|year| date.starts_with(year));
            same_year && date[4..].starts_with(&format!("-{month:02}-"))
        })
    }
}

fn named(words: &[&str], at: usize) -> Option<(Option<String>, usize)> {
    let month = MONTHS.iter().position(|month| *month == words[at])? + 1;
    let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    let is_sure = before.is_some_and(|word| BEFORE_A_MONTH.contains(word) || is_number(word))
        || words.get(at + 1).is_some_and(is_number);
    if matches!(words[at], "may" | "march") && !is_sure {
        return None;
    }
    let behind = words.iter().skip(at + 1).take(2).take_while(|word| is_number(word));
    let year = behind
        .filter(|word| word.len() == 4)
        .map(|year| (*year).to_owned())
        .next();
    Some((year, month))
}

/// `2026-11-02` or `2026-11`.
fn written_in_digits(word: &str) -> Option<(Option<String>, usize)> {
    let (year, rest) = word.split_once('-')?;
    let month = rest.split('-').next()?;
    let is_date = year.len() == 4 && month.len() == 2 && year.bytes().all(|byte| byte.is_ascii_digit());
    let month = month.parse().ok().filter(|month| (1..=12).contains(month))?;
    is_date.then(|| (Some(year.to_owned()), month))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn names(text: &str, expected: &[(Option<&str>, usize)]) {
        let expected = expected
            .iter()
            .map(|(year, month)| (year.map(String::from), *month))
            .collect();
        assert_eq!(Months::of(text), Months(expected), "{text}");
    }

    #[test]
    fn months_are_read_with_their_year_if_they_have_one() {
        names("what did we fix in August?", &[(None, 8)]);
        names("the outage of 5 May, 2026", &[(Some("2026"), 5)]);
        names("November 2, 2026 or December", &[(Some("2026"), 11), (None, 12)]);
        names("retries since 2026-11-02", &[(Some("2026"), 11)]);
    }

    #[test]
    fn what_only_looks_like_a_month_is_none() {
        names("may the retry march on", &[]);
        names("version 2026-13, 12-2026 and 2026", &[]);
        names("", &[]);
    }

    #[test]
    fn a_time_lies_in_them_or_not() {
        const SECOND_OF_NOVEMBER_2026: Millis = 1_793_620_800_000;
        assert!(Months::of("in November").hold(SECOND_OF_NOVEMBER_2026));
        assert!(Months::of("November 2026").hold(SECOND_OF_NOVEMBER_2026));
        assert!(!Months::of("November 2025").hold(SECOND_OF_NOVEMBER_2026));
        assert!(!Months::of("in October").hold(SECOND_OF_NOVEMBER_2026));
    }
}
