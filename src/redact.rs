//! Secrets are taken out of text before it is written anywhere.
//!
//! One pass over the bytes. Each rule has an anchor that is cheap to see: the first letters of a
//! known key at the start of a word, `=` or `:` behind a word such as `password`, `--`, `://`. Only
//! at an anchor is a rule tried. What a rule walks over ends where the next anchor of its kind may
//! stand, so no byte is walked over more than a few times, whatever the text holds.

mod assignment;
mod token;
mod value;

use std::borrow::Cow;
use std::ops::Range;

/// What stands in the place of a secret. It is never taken for one itself.
const REDACTED: &str = "[redacted]";

/// The text with every recognised secret replaced by `[redacted]`; borrowed when there is none.
///
/// Recognised are keys of known providers, JSON web tokens, PEM private keys, bearer credentials,
/// values assigned to names such as `password` or `api_key`, and passwords in URLs. Doing it again
/// changes nothing.
///
/// ```
/// use rekal::redact::redact;
/// assert_eq!(redact("DB_PASSWORD=hunter2 make"), "DB_PASSWORD=[redacted] make");
/// assert_eq!(redact("the password: field"), "the password: field");
/// ```
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    // No rule looks back across what was redacted before: the next time it could not either.
    let (mut rest, mut at) = (text, 0);
    while let Some(anchor) = next_anchor(rest.as_bytes(), at) {
        match secret_at(rest, anchor) {
            Some(secret) => {
                out.push_str(&rest[..secret.start]);
                out.push_str(REDACTED);
                (rest, at) = (&rest[secret.end..], 0);
            }
            None => at = anchor + 1,
        }
    }
    if out.is_empty() {
        return Cow::Borrowed(text);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn next_anchor(bytes: &[u8], from: usize) -> Option<usize> {
    (from..bytes.len()).find(|&at| match bytes[at] {
        b'=' | b':' => at > 0,
        b'-' => bytes.get(at + 1) == Some(&b'-'),
        first => token::may_begin_with(first) && starts_word(bytes, at),
    })
}

fn secret_at(text: &str, anchor: usize) -> Option<Range<usize>> {
    match text.as_bytes()[anchor] {
        b'=' => assignment::assigned(text, anchor),
        b':' => url_password(text, anchor).or_else(|| assignment::assigned(text, anchor)),
        b'-' => private_key(text, anchor).or_else(|| assignment::flag(text, anchor)),
        _ => token::token(text, anchor).or_else(|| bearer(text, anchor)),
    }
}

/// The password of `scheme://user:password@host`.
fn url_password(text: &str, colon: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if !bytes[colon..].starts_with(b"://") || !bytes[colon.checked_sub(1)?].is_ascii_alphanumeric() {
        return None;
    }
    let start = colon + 3;
    let authority = run(bytes, start, |b| {
        !b.is_ascii_whitespace() && !matches!(b, b'/' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'>' | b'`')
    });
    let at = bytes[start..authority].iter().rposition(|&b| b == b'@')? + start;
    let password = bytes[start..at].iter().position(|&b| b == b':')? + start + 1;
    let value = &text[password..at];
    let kept = value.is_empty() || value.contains(REDACTED) || value.starts_with(['$', '{', '%', '*']);
    (!kept).then_some(password..at)
}

/// A whole PEM private key block; when its end is missing, as far as the base64 goes.
fn private_key(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = text[start..].strip_prefix("-----BEGIN ")?;
    let label = &rest[..run(rest.as_bytes(), 0, |b| {
        b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' '
    })];
    if !(label.ends_with("PRIVATE KEY") || label.ends_with("PRIVATE KEY BLOCK")) {
        return None;
    }
    let body = start + "-----BEGIN ".len() + label.len() + "-----".len();
    let body_text = text.get(body..)?;
    let is_base64 = |b: &u8| b.is_ascii_alphanumeric() || b"+/=\\ \r\n\t".contains(b);
    let base64 = body + body_text.bytes().take_while(|b| is_base64(b)).count();
    // The next dashes end the block, or another begins: each is looked for once.
    let dashes = body_text.find("-----").map(|found| body + found);
    match dashes.filter(|&at| text[at..].starts_with("-----END ")) {
        Some(end) if text[body..end].contains(REDACTED) => None,
        Some(end) => {
            let label_end = run(text.as_bytes(), end + 5, |b| b != b'-' && b != b'\n');
            let closed = text[label_end..].starts_with("-----");
            Some(start..if closed { label_end + 5 } else { end })
        }
        None => (base64 - body >= 40).then_some(start..base64),
    }
}

/// What follows `Bearer `.
fn bearer(text: &str, start: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let word = bytes.get(start..start + 7)?;
    if !word.eq_ignore_ascii_case(b"bearer ") {
        return None;
    }
    let value = start + 7;
    let end = run(bytes, value, |b| b.is_ascii_alphanumeric() || b"._~+/=-".contains(&b));
    // Text in front of what was redacted was looked at together with it before.
    if text[end..].starts_with(REDACTED) {
        return None;
    }
    let end = value + text[value..end].trim_end_matches('.').len();
    let shape = Shape::of(&bytes[value..end]);
    let random = shape.length >= 6 && shape.digits > 0 && shape.letters > 0
        || shape.length >= 16 && shape.letters == shape.length
        || shape.length >= 8 && shape.inner_capitals > 0 && shape.letters == shape.length;
    random.then_some(value..end)
}

/// The end of the bytes from `start` on that fit. A rule fits all bytes beyond ASCII or none, so
/// this is the boundary of a character.
fn run(bytes: &[u8], start: usize, fits: impl Fn(u8) -> bool) -> usize {
    bytes[start..]
        .iter()
        .position(|&b| !fits(b))
        .map_or(bytes.len(), |length| start + length)
}

/// Whether no word reaches into this place from the left.
fn starts_word(bytes: &[u8], at: usize) -> bool {
    at == 0 || !is_word(bytes[at - 1])
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// What a value is made of, by which a random one is told from a word.
struct Shape {
    length: usize,
    letters: usize,
    digits: usize,
    capitals: usize,
    inner_capitals: usize,
    /// The longest stretch without punctuation.
    stretch: usize,
}

impl Shape {
    fn of(value: &[u8]) -> Self {
        let count = |is: fn(&u8) -> bool| value.iter().filter(|b| is(b)).count();
        let inner = value
            .windows(2)
            .filter(|w| w[0].is_ascii_lowercase() && w[1].is_ascii_uppercase());
        Self {
            length: value.len(),
            letters: count(u8::is_ascii_alphabetic),
            digits: count(u8::is_ascii_digit),
            capitals: count(u8::is_ascii_uppercase),
            inner_capitals: inner.count(),
            stretch: value
                .split(|b| !b.is_ascii_alphanumeric())
                .map(<[u8]>::len)
                .max()
                .unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;

    const ALNUM36: &str = "0123456789abcdefghijKLMNOPQRSTUVWXYZ";

    #[test]
    fn keys_of_known_providers_go() {
        let long = format!("{ALNUM36}{ALNUM36}");
        for prefix in [
            "sk-",
            "sk-ant-api03-",
            "sk-proj-",
            "ghp_",
            "gho_",
            "ghs_",
            "github_pat_11AB_",
            "glpat-",
            "AIza",
            "xoxb-",
            "npm_",
            "pypi-",
            "hf_",
            "sk_live_",
            "whsec_",
            "SG.abc.",
        ] {
            let text = format!("use \"{prefix}{long}\", then go on");
            assert_eq!(redact(&text), "use \"[redacted]\", then go on", "{prefix}");
        }
        assert_eq!(
            redact("AKIAIOSFODNN7EXAMPLE and ASIAIOSFODNN7EXAMPLE."),
            "[redacted] and [redacted]."
        );
        assert_eq!(redact("xoxb-123456789012-abcdefghij"), "[redacted]");
    }

    #[test]
    fn web_tokens_private_keys_and_bearer_credentials_go() {
        let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P";
        assert_eq!(redact(&format!("cookie={jwt}; path=/")), "cookie=[redacted]; path=/");
        assert_eq!(
            redact("Authorization: Bearer abc.def123 -v"),
            "Authorization: Bearer [redacted] -v"
        );
        assert_eq!(
            redact("authorization: Basic dXNlcjpwYXNz"),
            "authorization: Basic [redacted]"
        );
        let pem = "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n+/=\n-----END RSA PRIVATE KEY-----\nb";
        assert_eq!(redact(pem), "a\n[redacted]\nb");
        let cut = format!("x -----BEGIN PRIVATE KEY-----\n{}", "MIIEpAIBAAKCAQEA\n".repeat(4));
        assert_eq!(redact(&cut), "x [redacted]");
    }

    #[test]
    fn assigned_values_go() {
        for (text, safe) in [
            ("password=hunter2", "password=[redacted]"),
            ("password=swordfish", "password=[redacted]"),
            ("Password: hunter2", "Password: [redacted]"),
            ("passwd=abc", "passwd=[redacted]"),
            ("password=tok=en&x", "password=[redacted]&x"),
            ("https://h/?sig=a%2Bb%3D&se=1", "https://h/?sig=[redacted]&se=1"),
            (
                "{user: \"alice\", pass: \"s3cret\"}",
                "{user: \"alice\", pass: \"[redacted]\"}",
            ),
            ("\"password\": \"correcthorse\"", "\"password\": \"[redacted]\""),
            (
                "{\\\"password\\\":\\\"hunter2\\\"}",
                "{\\\"password\\\":\\\"[redacted]\\\"}",
            ),
            ("'client_secret' => 'a1b2c3d4'", "'client_secret' => '[redacted]'"),
            ("FOO_API_KEY=abc make", "FOO_API_KEY=[redacted] make"),
            (
                "export AWS_SECRET_ACCESS_KEY='wJalrXUtnFEMI/K7MDENG'",
                "export AWS_SECRET_ACCESS_KEY='[redacted]'",
            ),
            (
                "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                "aws_secret_access_key = [redacted]",
            ),
            ("curl --token=abc -v", "curl --token=[redacted] -v"),
            ("mysql --password hunter2 db", "mysql --password [redacted] db"),
            ("curl --api-key swordfish", "curl --api-key [redacted]"),
            ("https://h/x?token=abcdef&page=2", "https://h/x?token=[redacted]&page=2"),
            (
                "https://h/x?page=2&access_token=abc",
                "https://h/x?page=2&access_token=[redacted]",
            ),
            ("postgres://me:password@db/x", "postgres://me:[redacted]@db/x"),
            (
                "https://x-access-token:v1.0@github.com/a.git",
                "https://x-access-token:[redacted]@github.com/a.git",
            ),
            ("password: \"two words\"", "password: \"[redacted]\""),
            ("password=\"hunter22 secret\"", "password=\"[redacted]\""),
            ("passphrase = 'correct horse battery'", "passphrase = '[redacted]'"),
            (
                "{\\\"password\\\":\\\"two words\\\"}",
                "{\\\"password\\\":\\\"[redacted]\\\"}",
            ),
            ("DB_PASSWORD=\"two words\" make", "DB_PASSWORD=\"[redacted]\" make"),
            ("mysql --password 'two words' db", "mysql --password '[redacted]' db"),
            ("client_secret: \"a1b2 c3d4\"", "client_secret: \"[redacted]\""),
            ("apiKey: \"Zx81kkPq\"", "apiKey: \"[redacted]\""),
            ("MYSQL_PWD=root ls", "MYSQL_PWD=[redacted] ls"),
            ("pässword token: abcd1234efgh", "pässword token: [redacted]"),
        ] {
            assert_eq!(redact(text), safe);
        }
    }

    #[test]
    fn prose_code_hashes_and_paths_stay() {
        for text in [
            "the password: field",
            "token expiry",
            "token_count = 5",
            "max_tokens: 4096",
            "MAX_TOKEN=4096",
            "\"jsonwebtoken\": \"^9.0.2\"",
            "Authorization: Basic base64(user:token)",
            "--- PASS: TestOverHttpV2 (0.43s)",
            "\"signature\": \"EqkCCmMIDhgCKkCcr4+ufcRRvy0ZpCoyOhaAX6Iv\"",
            "password = getenv(\"X\")",
            "password=os.environ[\"DB\"]",
            "let token = parse(x)",
            "let token=parser.next;",
            "let password=prompted;",
            "password=getenv(\"X\")",
            "connect(user=user, password=password)",
            "connect(token=tok, x)",
            "if token == other1234567 {",
            "token := next()",
            "fn f(token: String, secret: &str, password: Option<String>)",
            "pub token: Token::Kind1234,",
            "self.token = self.tokens[1234]",
            "secret: base64 encoded",
            "password: required",
            "\"password\": \"Enter your password\"",
            "token: \"string.quoted.double\"",
            "GITHUB_TOKEN=$TOKEN make",
            "token: ${{ secrets.GITHUB_TOKEN }}",
            "password=<your password>",
            "PWD=/home/me/project",
            "token: src/auth2/token9.rs",
            "secret: config2/production9",
            "commit 61ba091e5a6b6e8c789a1234567890abcdef1234",
            "id 019d6d29-8cf7-7fe3-adc9-8c3e4d9d5603",
            "sk-learn-pipeline-for-large-classification",
            "npm_config_registry_url_for_this_project",
            "AKIAN is no key, nor is ghp_short",
            "bearer authentication/authorization and bearer tokens",
            "pass the --password flag, or --token option",
            "https://example.com:8080/a@b?x=1",
            "ssh://git@github.com/a/b.git",
            "postgres://me:$PASS@db/x",
            "starts with -----BEGIN PRIVATE KEY----- usually",
            "-----BEGIN CERTIFICATE-----\nMIIEpAIBAAKCAQEA\n-----END CERTIFICATE-----",
            "the secret = that nobody knows it",
            "eyJ is how a token begins. eyJabc.def.ghi",
        ] {
            assert_eq!(redact(text), text);
            assert!(matches!(redact(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn what_is_redacted_stays_as_it_is() {
        for text in [
            "password=[redacted]",
            "token: \"[redacted]\"",
            "a://u:[redacted]@h",
            "--token [redacted] x",
            "Bearer abc123def456.[redacted]",
            "-----BEGIN PRIVATE KEY-----\n[redacted]\n-----END PRIVATE KEY-----",
        ] {
            assert_eq!(redact(text), text);
        }
    }

    #[test]
    fn text_that_ends_before_the_value_is_survived() {
        for text in [
            "--password ",
            "password=",
            "token: ",
            "a://u:",
            "Bearer ",
            "token=\"",
            "token=\\",
            "-----BEGIN ",
        ] {
            assert_eq!(redact(text), text);
        }
    }

    #[test]
    fn hostile_text_takes_linear_time() {
        let started = Instant::now();
        for unit in [
            "sk-",
            "eyJ-",
            "eyJaaaaaaa.",
            "SG.",
            "a_token=",
            "token:",
            "token='",
            "token=\"\\\"",
            "-",
            "--a",
            "a://u:",
            "-----BEGIN PRIVATE KEY-----",
            "Bearer ",
            "password: ",
            "=",
            ":",
            "\"token\":\"",
            "--token .",
            "é=",
        ] {
            let text = unit.repeat(400_000 / unit.len());
            assert!(redact(&text).len() <= 2 * text.len() + 16, "{unit}");
        }
        // Quadratic work would take hours.
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    }

    fn fragment() -> impl Strategy<Value = String> {
        prop_oneof![
            proptest::sample::select(vec![
                "password",
                "token",
                "API_KEY",
                "secret",
                "=",
                ":",
                " ",
                "\"",
                "'",
                "--",
                "&",
                "?",
                "://",
                "@",
                "ghp_",
                "sk-",
                "AKIA",
                "eyJ",
                ".",
                "-",
                "_",
                "Bearer ",
                "[redacted]",
                "-----BEGIN PRIVATE KEY-----",
                "-----END PRIVATE KEY-----",
                "authorization",
                "Basic ",
                "é",
                "\\",
                "(",
                "\n",
                "=>",
            ])
            .prop_map(str::to_owned),
            "[a-zA-Z0-9]{1,24}",
            "[A-Z0-9]{16}",
        ]
    }

    #[test]
    fn an_escaped_quote_that_a_plain_one_closes_is_no_reason_to_leave_a_part() {
        for (text, redacted) in [
            (r#"password: \"hunter2é" a"#, r#"password: \"[redacted]" a"#),
            (r#"password: \"hunter2x" a"#, r#"password: \"[redacted]" a"#),
            (r#"password: \"hunter2x\" a"#, r#"password: \"[redacted]\" a"#),
            (r#"password: \"" a"#, r#"password: \"" a"#),
            (r#"password: \"\" a"#, r#"password: \"\" a"#),
        ] {
            assert_eq!(redact(text), redacted);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn redacting_again_changes_nothing(parts in proptest::collection::vec(fragment(), 0..14)) {
            let once = redact(&parts.concat()).into_owned();
            prop_assert_eq!(redact(&once), once.as_str());
        }

        #[test]
        fn any_text_is_survived(text in any::<String>()) {
            let once = redact(&text).into_owned();
            prop_assert_eq!(redact(&once), once.as_str());
        }
    }
}
