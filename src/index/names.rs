//! Which words of a query name somebody or something: those with a capital that no sentence asks for.

/// The capitals of a text.
pub(super) struct Capitals<'a> {
    text: &'a str,
    mean_something: bool,
}

impl<'a> Capitals<'a> {
    /// Where every word is written with a capital, as in a title, capitals mean nothing.
    pub(super) fn of(text: &'a str) -> Self {
        let mut capitals = Self {
            text,
            mean_something: false,
        };
        let starts = text.split_whitespace().filter_map(|word| {
            let start = word.find(char::is_alphanumeric)?;
            Some(word.as_ptr() as usize - text.as_ptr() as usize + start)
        });
        let is_plain = |at: usize| capitals.letter(at).is_some_and(char::is_lowercase) && !capitals.begins_sentence(at);
        capitals.mean_something = starts.into_iter().any(is_plain);
        capitals
    }

    /// Whether the word that begins at this byte is a name.
    pub(super) fn name(&self, at: usize) -> bool {
        self.mean_something && self.letter(at).is_some_and(char::is_uppercase) && !self.begins_sentence(at)
    }

    fn letter(&self, at: usize) -> Option<char> {
        self.text[at..].chars().next()
    }

    fn begins_sentence(&self, at: usize) -> bool {
        let before = self.text[..at].trim_end_matches(|c: char| c.is_whitespace() || "\"'([{".contains(c));
        before.is_empty() || before.ends_with(['.', '?', '!', ':'])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<&str> {
        let capitals = Capitals::of(text);
        let words = text.split([' ', '\n', ',', '?', '"', '(']);
        let at = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
        words
            .filter(|word| !word.is_empty() && capitals.name(at(word)))
            .collect()
    }

    #[test]
    fn a_capital_inside_a_sentence_is_a_name() {
        assert_eq!(names("when did Rosa move to Porto? Ask Ben"), ["Rosa", "Porto", "Ben"]);
        assert_eq!(names("why does AuthService drop the JWT"), ["AuthService", "JWT"]);
        assert_eq!(names("the class \"Zürich\" (Örebro too)"), ["Zürich", "Örebro"]);
    }

    #[test]
    fn the_beginning_of_a_sentence_is_none() {
        assert_eq!(names("Fix the retry"), [""; 0]);
        assert_eq!(names("\"Fix the retry. Then: Test it"), [""; 0]);
    }

    #[test]
    fn in_a_title_capitals_mean_nothing() {
        assert_eq!(names("Update The Login Page"), [""; 0]);
        assert_eq!(names("FIX JWT"), [""; 0]);
        assert_eq!(names(""), [""; 0]);
    }
}
