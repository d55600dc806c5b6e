//! Keys that are known by how they begin.

use std::ops::Range;

use super::{Shape, run};

/// How a provider's keys begin, and what follows.
struct Family {
    prefix: &'static str,
    body: Body,
}

/// What follows a prefix, with the fewest characters it may have.
enum Body {
    /// Letters and digits.
    Plain(usize),
    /// Letters, digits, `_` and `-`; a stretch of letters and digits among them looks random.
    Dashed(usize),
    /// The same, and `.`.
    Dotted(usize),
    /// Exactly so many capitals and digits, and then the word is over.
    Exact(usize),
}

use Body::{Dashed, Dotted, Exact, Plain};

const fn family(prefix: &'static str, body: Body) -> Family {
    Family { prefix, body }
}

const FAMILIES: &[Family] = &[
    family("sk-", Dashed(20)),
    family("sk_live_", Plain(12)),
    family("sk_test_", Plain(12)),
    family("rk_live_", Plain(12)),
    family("rk_test_", Plain(12)),
    family("whsec_", Plain(16)),
    family("ghp_", Plain(16)),
    family("gho_", Plain(16)),
    family("ghu_", Plain(16)),
    family("ghs_", Plain(16)),
    family("ghr_", Plain(16)),
    family("github_pat_", Dashed(20)),
    family("glpat-", Dashed(16)),
    family("gldt-", Dashed(16)),
    family("glrt-", Dashed(16)),
    family("glptt-", Dashed(16)),
    family("AKIA", Exact(16)),
    family("ASIA", Exact(16)),
    family("AIza", Dashed(30)),
    family("ya29.", Dotted(20)),
    family("xoxa-", Dashed(10)),
    family("xoxb-", Dashed(10)),
    family("xoxe-", Dashed(10)),
    family("xoxp-", Dashed(10)),
    family("xoxr-", Dashed(10)),
    family("xoxs-", Dashed(10)),
    family("xapp-", Dashed(10)),
    family("npm_", Plain(20)),
    family("pypi-", Dashed(16)),
    family("hf_", Plain(20)),
    family("gsk_", Plain(20)),
    family("xai-", Dashed(20)),
    family("SG.", Dotted(20)),
    family("hvs.", Dotted(20)),
    family("dop_v1_", Plain(32)),
    family("shpat_", Plain(24)),
    family("lin_api_", Plain(20)),
    family("dckr_pat_", Dashed(16)),
    family("glsa_", Dashed(20)),
];

/// Whether a word that begins with this byte may be a secret: a key, a JSON web token, `Bearer`.
pub(super) fn may_begin_with(first: u8) -> bool {
    matches!(
        first,
        b's' | b'r' | b'w' | b'g' | b'A' | b'y' | b'x' | b'n' | b'p' | b'h' | b'S' | b'd' | b'l' | b'e' | b'b' | b'B'
    )
}

/// The key of a known provider, or the JSON web token, that begins here.
pub(super) fn token(text: &str, start: usize) -> Option<Range<usize>> {
    let before = start.checked_sub(1).map(|at| text.as_bytes()[at]);
    // Inside a dashed or dotted run, which was looked at as a whole.
    if before == Some(b'-') {
        return None;
    }
    let rest = &text[start..];
    if let Some(end) = web_token(rest) {
        return Some(start..start + end);
    }
    FAMILIES.iter().find_map(|family| {
        let body = rest.strip_prefix(family.prefix)?;
        if matches!(family.body, Dotted(_)) && before == Some(b'.') {
            return None;
        }
        let end = family.body.end(body.as_bytes())?;
        Some(start..start + family.prefix.len() + end)
    })
}

impl Body {
    fn end(&self, body: &[u8]) -> Option<usize> {
        match *self {
            Plain(least) => Some(run(body, 0, |b| b.is_ascii_alphanumeric())).filter(|&end| end >= least),
            Dashed(least) => random(body, least, b"_-"),
            Dotted(least) => random(body, least, b"_-."),
            Exact(length) => {
                let end = run(body, 0, |b| b.is_ascii_uppercase() || b.is_ascii_digit());
                let over = body.get(end).is_none_or(|&b| !super::is_word(b));
                (end == length && over).then_some(end)
            }
        }
    }
}

fn random(body: &[u8], least: usize, marks: &[u8]) -> Option<usize> {
    let end = run(body, 0, |b| b.is_ascii_alphanumeric() || marks.contains(&b));
    let end = end - body[..end].iter().rev().take_while(|b| b"-.".contains(b)).count();
    let shape = Shape::of(&body[..end]);
    (end >= least && shape.digits + shape.inner_capitals > 0 && shape.stretch >= 10).then_some(end)
}

/// The length of three dotted base64 parts, of which the first is a JSON object.
fn web_token(rest: &str) -> Option<usize> {
    if !rest.starts_with("eyJ") {
        return None;
    }
    let bytes = rest.as_bytes();
    let part = |from| run(bytes, from, |b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    let header = part(0);
    let payload = (bytes.get(header) == Some(&b'.')).then(|| part(header + 1))?;
    let signature = (bytes.get(payload) == Some(&b'.')).then(|| part(payload + 1))?;
    (header >= 10 && payload - header > 4).then_some(signature)
}
