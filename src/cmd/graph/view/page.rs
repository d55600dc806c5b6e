//! The page: a template, and the data as text that the page's program reads.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

const HTML: &str = include_str!("page.html");
const CSS: &str = include_str!("page.css");

/// One program, in the order in which its parts need each other.
const JS: &str = concat!(
    include_str!("model.js"),
    include_str!("graph.js"),
    include_str!("table.js"),
    include_str!("days.js"),
    include_str!("page.js")
);

/// The page that shows this JSON. Only what carries the page's own nonce runs in it, and nothing is loaded.
pub fn page(json: &str) -> String {
    let nonce = format!("{:016x}{:016x}", random(), random());
    let data = escaped(json);
    let mut page = String::new();
    for (at, part) in HTML.split("@@").enumerate() {
        // Every second part names what stands in its place, so nothing that was filled in is read again.
        page.push_str(match (at % 2, part) {
            (1, "nonce") => &nonce,
            (1, "css") => CSS,
            (1, "js") => JS,
            (1, "data") => &data,
            (_, text) => text,
        });
    }
    page
}

/// JSON that ends no element and begins none. The letters stand in strings only, where JSON knows them
/// by their number.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => text.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => text.push(c),
        }
    }
    text
}

/// The keys of the standard library's hasher come from the system's randomness.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_letter_that_html_reads_is_left() {
        assert_eq!(
            escaped("{\"q\":\"</script>&\u{2028}\u{2029}é\"}"),
            r#"{"q":"\u003c/script\u003e\u0026\u2028\u2029é"}"#
        );
    }

    #[test]
    fn what_is_filled_in_is_not_filled_in_again() {
        let page = page(r#"{"q":"@@js@@ @@data@@"}"#);
        assert_eq!(page.matches("@@js@@ @@data@@").count(), 1);
        assert_eq!(page.matches("</script>").count(), 2);
    }

    #[test]
    fn every_page_has_a_nonce_of_its_own() {
        assert_ne!(page("{}"), page("{}"));
    }
}
