//! What names promise of a value, and what a value looks like.

use super::{Shape, is_word};

/// What a name promises of its value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// A password, which may be any word.
    Password,
    /// A key or token, which is never a plain word.
    Token,
    /// `Authorization`, whose value is a scheme and a credential.
    Authorization,
}

/// How a value is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    /// `--token=x`, `?token=x`, `FOO_TOKEN=x`: nothing but a value.
    Explicit,
    /// `password=x`.
    Tight,
    /// `password: x`, `password = x`.
    Loose,
    /// `password = "x"`.
    Quoted,
}

/// What a name promises, by how it ends.
pub(super) fn name_of(key: &str) -> Option<Name> {
    let plain: String = key
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect::<String>()
        .to_ascii_lowercase();
    let ends = |names: &[&str]| names.iter().any(|name| plain.ends_with(name));
    let last_part = key.rsplit(['_', '-']).next().unwrap_or(key).to_ascii_lowercase();
    if ends(&["password", "passwd", "passphrase"]) || matches!(last_part.as_str(), "pwd" | "pass") {
        return (key != "PWD" && key != "OLDPWD").then_some(Name::Password);
    }
    if ends(&[
        "secret",
        "token",
        "apikey",
        "accesskey",
        "secretkey",
        "privatekey",
        "accountkey",
        "signingkey",
    ]) {
        return Some(Name::Token);
    }
    ends(&["authorization"]).then_some(Name::Authorization)
}

/// What stands for a value: `$X`, `<x>`, `***`, a keyword, a type, a path.
pub(super) fn is_placeholder(value: &str) -> bool {
    const WORDS: &[&str] = &[
        "none",
        "null",
        "nil",
        "true",
        "false",
        "undefined",
        "string",
        "required",
        "optional",
        "bearer",
        "basic",
        "uint32",
        "uint64",
        "int32",
        "int64",
        "float32",
        "float64",
        "sha256",
        "sha512",
        "base64",
        "oauth2",
        "rs256",
        "hs256",
        "es256",
        "ed25519",
    ];
    let path = value.contains('/') && {
        let shape = Shape::of(value.as_bytes());
        value.contains('.') || shape.length < 20 || shape.digits == 0 || shape.capitals == 0
    };
    value.starts_with([
        '$', '<', '{', '%', '*', '/', '~', '.', '[', '&', '@', '-', '}', ']', ',',
    ]) || path
        || WORDS.contains(&value.to_ascii_lowercase().as_str())
}

/// Whether a value looks like a secret, for its name and the way it is written.
pub(super) fn looks_secret(value: &str, name: Name, writing: Writing) -> bool {
    let shape = Shape::of(value.as_bytes());
    let numeric = shape.letters == 0 && value.bytes().all(|b| b.is_ascii_digit() || b".,:-^~".contains(&b));
    let mixed = shape.digits > 0 && shape.letters > 0 || value.contains(['!', '#', '@', '^', '%', '$', '+']);
    let dotted = value.contains('.')
        && value
            .split('.')
            .all(|part| part.starts_with(|c: char| c.is_ascii_alphabetic()));
    let names_itself = shape.digits == 0 && value.bytes().all(is_word) && name_of(value).is_some();
    match (writing, name) {
        (Writing::Explicit, _) => !(numeric && shape.length <= 6),
        _ if numeric || dotted || names_itself => {
            name == Name::Password && numeric && shape.length >= 4 && writing != Writing::Loose
        }
        (Writing::Quoted | Writing::Tight, Name::Password) => shape.length >= 3,
        (Writing::Quoted | Writing::Tight, _) => mixed && shape.length >= 6 || is_random_word(&shape),
        (Writing::Loose, Name::Password) => mixed && shape.length >= 6,
        (Writing::Loose, _) => mixed && shape.length >= 8 && shape.stretch >= 6 || is_random_word(&shape),
    }
}

/// Letters alone, and more of them than words have.
fn is_random_word(shape: &Shape) -> bool {
    shape.letters == shape.length && shape.length >= 20
}
