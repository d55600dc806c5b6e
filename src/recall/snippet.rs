//! The passage of a turn that shows why it was found.

use std::ops::Range;

use crate::index::{Matches, Query, idf};

/// The words of a snippet that the digest shows.
const SHOWN: usize = 15;

/// The bytes of a passage that are looked at together: about as many words.
const WINDOW: usize = 100;

/// The most words of a snippet.
const WORDS: usize = 60;

/// The most bytes of a turn that are searched for a passage.
const SEARCHED: usize = 64 * 1024;

/// A run without white space that is longer is taken for several words.
const LONG: usize = 24;

/// What stands for the text before or behind a snippet that begins or ends within a sentence.
const CUT: char = '…';

/// The words from the densest passage on, on one line, white space folded; `…` where a sentence was cut.
pub(super) fn snippet(text: &str, query: &Query, matches: &Matches) -> String {
    let text = &text[..text.floor_char_boundary(SEARCHED)];
    let weights: Vec<f32> = matches.counts.iter().map(|count| idf(matches.turns, *count)).collect();
    let begin = densest(text, &query.occurrences(text), &weights);
    let (before, from) = text.split_at(begin);
    match is_within(before) {
        true => format!("{CUT}{}", opening(from)),
        false => opening(from),
    }
}

/// Whether a sentence that is begun in this text goes on behind it.
fn is_within(before: &str) -> bool {
    let said = before.trim_end();
    let line_ended = before[said.len()..].contains('\n');
    !said.is_empty() && !line_ended && !said.ends_with(['.', '!', '?', ':', ';', '。', '！', '？'])
}

/// The first words of a text, on one line, white space folded; `…` where the last sentence goes on.
pub(super) fn opening(text: &str) -> String {
    // No word is longer than 24 characters of 4 bytes; white space may be.
    let text = text.trim_start();
    let head = &text[..text.floor_char_boundary(WORDS * LONG * 8)];
    let words = words(head);
    let last = words[..WORDS.min(words.len())].last();
    let (shown, behind) = text.split_at(last.map_or(0, |last| last.end));
    let mut shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let goes_on = behind.trim_start();
    let gap = &behind[..behind.len() - goes_on.len()];
    if !goes_on.is_empty() && is_within(&format!("{shown}{gap}")) {
        shown.push(CUT);
    }
    shown
}

/// The first words of a snippet, and whether there are more.
pub(super) fn first_words(snippet: &str) -> (&str, bool) {
    let end = words(snippet).get(SHOWN - 1).map_or(snippet.len(), |word| word.end);
    (&snippet[..end], end < snippet.len())
}

fn words(text: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut length = 0;
    let mut open = false;
    for (at, c) in text.char_indices() {
        if c.is_whitespace() {
            open = false;
            continue;
        }
        let end = at + c.len_utf8();
        match words.last_mut() {
            Some(word) if open && length < LONG => word.end = end,
            _ => {
                words.push(at..end);
                length = 0;
            }
        }
        length += 1;
        open = true;
    }
    words
}

/// The byte at which to begin: the window that holds the greatest idf of different terms, with what
/// room it leaves divided before and after. Ties go to the earliest.
fn densest(text: &str, occurrences: &[(Range<usize>, usize)], weights: &[f32]) -> usize {
    let (mut best, mut begin) = (0.0, 0);
    for (first, (start, _)) in occurrences.iter().enumerate() {
        let end = start.start + WINDOW;
        let (mut seen, mut weight, mut last) = (0u64, 0.0, start.end);
        for (bytes, term) in occurrences[first..].iter().take_while(|(bytes, _)| bytes.start < end) {
            if seen & (1 << term) == 0 {
                seen |= 1 << term;
                weight += weights.get(*term).copied().unwrap_or_default();
                last = bytes.end;
            }
        }
        if weight > best {
            best = weight;
            begin = lead_in(text, start.start, end.saturating_sub(last) / 2);
        }
    }
    begin
}

/// The start of the first word that begins at most `room` bytes before `at`.
fn lead_in(text: &str, at: usize, room: usize) -> usize {
    let from = text.floor_char_boundary(at.saturating_sub(room));
    if from == 0 {
        return 0;
    }
    let before = &text[from..at];
    match before.find(char::is_whitespace) {
        Some(space) => from + space,
        None if text[..at].ends_with(char::is_whitespace) => at,
        None => from,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, query: &str) -> String {
        let matches = Matches {
            hits: Vec::new(),
            counts: vec![1; 64],
            facts: Vec::new(),
            turns: 100,
        };
        let snippet = snippet(text, &Query::new(query), &matches);
        let (words, more) = first_words(&snippet);
        format!("{words}{}", if more { "…" } else { "" })
    }

    #[test]
    fn a_short_text_is_shown_whole_on_one_line() {
        assert_eq!(shown("  the token\n\n\texpires  ", "token"), "the token expires");
        assert_eq!(shown("", "token"), "");
        assert_eq!(shown(" \n ", "token"), "");
    }

    #[test]
    fn the_densest_passage_is_shown() {
        let filler = "lorem ipsum dolor sit amet ".repeat(20);
        let text = format!("token {filler} the jwt token has an expiry {filler}");
        assert_eq!(
            shown(&text, "jwt token expiry"),
            "…amet lorem ipsum dolor sit amet the jwt token has an expiry lorem ipsum dolor…"
        );
    }

    #[test]
    fn text_without_spaces_is_cut_as_well() {
        let text = format!("{}缓存失效{}", "一".repeat(5000), "二".repeat(5000));
        let shown = shown(&text, "缓存");
        assert!(shown.contains("缓存失效"), "{shown}");
        assert!(shown.chars().count() <= 15 * 24 + 1);
    }

    #[test]
    fn a_text_that_begins_late_is_opened_at_its_first_word() {
        assert_eq!(opening("\n\n  fix   the\tbug "), "fix the bug");
        assert_eq!(opening(""), "");
    }

    #[test]
    fn a_cut_sentence_bears_a_mark_and_a_whole_one_none() {
        let filler = "Lorem ipsum dolor sit amet. ".repeat(20);
        let whole = format!("{filler}\nThe jwt token has an expiry.");
        let text = |text: &str| shown(text, "jwt token expiry");
        assert_eq!(
            text("One.\nThe jwt token has an expiry."),
            "One. The jwt token has an expiry."
        );
        assert!(!text(&whole).starts_with('…'), "{}", text(&whole));
        assert!(
            text(&whole).ends_with("The jwt token has an expiry."),
            "{}",
            text(&whole)
        );
        let words = |n: usize| "word ".repeat(n);
        assert_eq!(opening(&words(61)).split(' ').next_back(), Some("word…"));
        assert_eq!(opening(&words(60)).split(' ').next_back(), Some("word"));
        assert!(opening(&format!("{}end. And more", words(59))).ends_with("end."));
    }
}
