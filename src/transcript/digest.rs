//! What rekal printed and somebody quoted, cut out of a text before the text is indexed: else the
//! session that asked a question becomes the best answer to it.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex_lite::Regex;

/// Stand in every digest, and hardly anywhere else.
const SIGNS: [&str; 6] = [
    "INJECT ",
    " conf=",
    "SILENCE reason=",
    "[reached ",
    "\"schema_version\":1,\"query\"",
    "\"schema_version\":1,\"session_id\"",
];

/// A line's quotation marks and bullets, as they may stand before a row.
const LEAD: &str = r"^[\s>`*|\-]*";

struct Patterns {
    head: Regex,
    row: Regex,
    more: Regex,
    object: Regex,
    inline: Regex,
}

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    let hint = r#"\[reached \d+×(?: drilled \d+×)?(?:· "(?:[^"\\\n]|\\.)*")?\]"#;
    let head = r"INJECT (?:top=\d+\.\d+ gap=\d+\.\d+ \d+ seeds?|\d+ sessions?)";
    let silence = r"SILENCE reason=[a-z_]+";
    let row = r"s\d+ (?:conf=\d+\.\d+|\d{4}-\d\d-\d\d t\d+)";
    Some(Patterns {
        head: Regex::new(&format!("{LEAD}(?:{head}|{silence})")).ok()?,
        row: Regex::new(&format!("{LEAD}{row}")).ok()?,
        more: Regex::new(&format!(r"{LEAD}\(\+\d+ more\)")).ok()?,
        object: Regex::new(&format!(r#"{LEAD}\{{"schema_version":1,"(?:query|session_id)""#)).ok()?,
        inline: Regex::new(&format!(
            r#"{head}|{silence}|{row}(?: t\d+)?(?: {hint})?(?: "[^"\n]*")?|{hint}"#
        ))
        .ok()?,
    })
});

/// The text without quoted digests, rows of them and hints; borrowed when there is none.
///
/// ```
/// use rekal::transcript::without_digest;
/// assert_eq!(without_digest("it says\nINJECT top=0.62 gap=0.05 1 seeds\n  s5 conf=0.50 t1 \"x\"\nso"), "it says\nso");
/// assert_eq!(without_digest("inject it at the top"), "inject it at the top");
/// ```
pub fn without_digest(text: &str) -> Cow<'_, str> {
    if !SIGNS.iter().any(|sign| text.contains(sign)) {
        return Cow::Borrowed(text);
    }
    let Some(patterns) = &*PATTERNS else {
        return Cow::Borrowed(text);
    };
    let mut out = String::with_capacity(text.len());
    // Whether the line before was part of a digest.
    let mut within = false;
    for line in text.split_inclusive('\n') {
        within = match (patterns.whole_line(line), patterns.more.is_match(line)) {
            (true, _) => true,
            (false, more) => within && more,
        };
        if !within {
            out.push_str(&patterns.inline.replace_all(line, ""));
        }
    }
    if out.len() == text.len() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(out)
    }
}

impl Patterns {
    /// Whether a line is a digest's first line or a row of it, and no sentence that mentions one.
    fn whole_line(&self, line: &str) -> bool {
        self.row.is_match(line)
            || self.object.is_match(line)
            || self.head.find(line).is_some_and(|head| {
                line[head.end()..]
                    .trim_matches(['`', '|', '*', ' ', '\n', '\r'])
                    .is_empty()
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "INJECT top=0.62 gap=0.05 12 seeds
  s5 conf=0.50 t12 [reached 9× drilled 2×· \"jwt \\\"x\\\" expiry\"] \"the token said \"no\" and…\"
  s6 conf=0.47 t3 [reached 4×· \"jwt expiry\"] \"snippet…\"
  s8 conf=0.44 t7 \"snippet…\"
  (+4 more)
";

    #[test]
    fn a_digest_is_cut_out_however_it_is_quoted() {
        assert_eq!(
            without_digest(&format!("I asked:\n\n{DIGEST}\nSo it is.")),
            "I asked:\n\n\nSo it is."
        );
        assert_eq!(without_digest(&format!("```\n{DIGEST}```\nso")), "```\n```\nso");
        let quoted: String = DIGEST.lines().map(|line| format!("> {line}\n")).collect();
        assert_eq!(without_digest(&format!("a\n{quoted}b")), "a\nb");
        let crlf = DIGEST.replace('\n', "\r\n");
        assert_eq!(without_digest(&format!("a\r\n{crlf}b")), "a\r\nb");
    }

    #[test]
    fn the_same_as_an_object_and_a_list_of_the_newest_go_too() {
        assert_eq!(
            without_digest("a\n{\"schema_version\":1,\"query\":\"jwt\",\"results\":[]}\nb"),
            "a\nb"
        );
        assert_eq!(
            without_digest("a\nINJECT 2 sessions\n  s3 2026-01-02 t1 \"x\"\nb"),
            "a\nb"
        );
    }

    #[test]
    fn single_rows_hints_and_silence_go() {
        assert_eq!(without_digest("- s5 conf=0.50 t12 \"x\"\nb"), "b");
        assert_eq!(without_digest("a\nSILENCE reason=below_gate\nb"), "a\nb");
        assert_eq!(
            without_digest("It said `INJECT top=0.62 gap=0.05 12 seeds`, and s5 [reached 4×· \"jwt\"] came first."),
            "It said ``, and s5  came first."
        );
        assert_eq!(
            without_digest("The best was s5 conf=0.50 t12 [reached 9×] \"the jwt\" as before."),
            "The best was  as before."
        );
        assert_eq!(without_digest("SILENCE reason=no_results, it says"), ", it says");
    }

    #[test]
    fn only_the_end_of_a_digest_is_cut_off_with_it() {
        assert_eq!(without_digest("a [reached 9×]\n(+4 more)\nb"), "a \n(+4 more)\nb");
    }

    #[test]
    fn prose_stays() {
        for text in [
            "set conf=0.5 and INJECT top=high",
            "(+4 more)\nafter that",
            "we reached 9× the load [reached the end]",
            "SILENCE reason=42",
            "s5 config=0.5",
        ] {
            assert!(matches!(without_digest(text), Cow::Borrowed(_)), "{text}");
        }
    }
}
