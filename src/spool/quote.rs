//! A text as JSON has it.

/// Adds the text in quotes, with what must be escaped escaped.
pub(super) fn quote(text: &str, out: &mut String) {
    out.push('"');
    let mut plain = 0;
    // All bytes are looked at, because that is done many at a time; most texts need no more.
    let any = text.bytes().fold(false, |any, byte| any | must_be_escaped(byte));
    let odd = if any { text } else { "" };
    for (at, byte) in odd.bytes().enumerate().filter(|(_, byte)| must_be_escaped(*byte)) {
        out.push_str(&text[plain..at]);
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            control => out.push_str(&format!("\\u{control:04x}")),
        }
        plain = at + 1;
    }
    out.push_str(&text[plain..]);
    out.push('"');
}

fn must_be_escaped(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}
