//! What agents wrap into tags and hand to the model in the user's name.

use std::borrow::Cow;

/// The text behind its leading `<tag>…</tag>` elements, as long as `is_plumbing` says so of the
/// tag's name. One that never ends takes all of the text.
pub(super) fn behind(text: &str, is_plumbing: impl Fn(&str) -> bool) -> &str {
    let mut rest = text.trim_start();
    while let Some((name, after)) = opening(rest).filter(|(name, _)| is_plumbing(name)) {
        rest = match find_closing(after, name) {
            Some((_, end)) => after[end..].trim_start(),
            None => "",
        };
    }
    rest
}

/// The text without any `<name>…</name>`, wherever it stands.
pub(super) fn without<'a>(text: &'a str, name: &str) -> Cow<'a, str> {
    let open = format!("<{name}>");
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(&open) {
        let Some((_, end)) = find_closing(&rest[start..], name) else {
            break;
        };
        out.push_str(&rest[..start]);
        rest = &rest[start + end..];
    }
    if rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// What stands in the first `<name>…</name>`.
pub(super) fn inside<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let open = format!("<{name}>");
    let after = &text[text.find(&open)? + open.len()..];
    find_closing(after, name).map(|(start, _)| after[..start].trim())
}

/// The name of the tag that the text begins with, and the text behind the tag.
pub(super) fn opening(text: &str) -> Option<(&str, &str)> {
    let tag = text.strip_prefix('<')?;
    let name_end = tag.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'))?;
    // Attributes may follow the name, a line break may not.
    let close = tag[name_end..].find(['>', '\n'])? + name_end;
    let opens = name_end > 0 && tag[close..].starts_with('>') && tag[name_end..].starts_with(['>', ' ']);
    opens.then(|| (&tag[..name_end], &tag[close + 1..]))
}

fn find_closing(text: &str, name: &str) -> Option<(usize, usize)> {
    let close = format!("</{name}>");
    text.find(&close).map(|start| (start, start + close.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_elements_are_cut_off() {
        let is_plumbing = |name: &str| name == "ide_selection" || name == "permissions";
        assert_eq!(
            behind(" <ide_selection>a\n</ide_selection>\nb <c>", is_plumbing),
            "b <c>"
        );
        assert_eq!(behind("<permissions instructions>a", is_plumbing), "");
        assert_eq!(behind("<b>bold</b> move", is_plumbing), "<b>bold</b> move");
        assert_eq!(behind("<\n", is_plumbing), "<\n");
    }

    #[test]
    fn elements_are_cut_out_wherever_they_stand() {
        assert_eq!(without("a<x>1</x>b<x>2</x>c", "x"), "abc");
        assert!(matches!(without("say <x> out loud", "x"), Cow::Borrowed(_)));
        assert_eq!(inside("<a>1</a><b> two words </b>", "b"), Some("two words"));
    }
}
