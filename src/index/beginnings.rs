//! Which terms a text may hold, told without analysing it: by how its words begin.

use super::irregular::forms_of;
use super::query::{Query, beginning};

/// Makes a small letter of a capital. What it makes of other bytes may fall together, which only finds too much.
const FOLD: u8 = 0x20;

/// How the words begin that become the terms of a query.
pub struct Beginnings {
    /// Ordered by their first byte.
    heads: Vec<Head>,
    /// Where those of each first byte begin, and behind the last where they end.
    from: [u16; 257],
}

/// Three bytes that a word begins with, and the bit of its term.
struct Head {
    bytes: u32,
    /// Which of the bytes count: some words are shorter.
    counted: u32,
    bit: u64,
}

impl Beginnings {
    /// Those of a query's terms, and of their irregular forms.
    pub fn new(query: &Query) -> Self {
        let mut heads = Vec::new();
        for (number, term) in query.terms().iter().enumerate() {
            let mut add = |word: &str| heads.push(Head::new(beginning(word), 1 << number));
            add(term);
            forms_of(beginning(term)).for_each(&mut add);
            if let Some(first) = term.chars().next().filter(|first| !first.is_ascii()) {
                add(&first.to_uppercase().chain(term.chars().skip(1)).collect::<String>());
            }
        }
        heads.sort_by_key(|head| head.bytes >> 16);
        let mut from = [0; 257];
        for (byte, from) in (0..).zip(&mut from) {
            *from = heads.partition_point(|head| head.bytes >> 16 < byte) as u16;
        }
        Self { heads, from }
    }

    /// Bit t is set when a word of the text begins like term t, or like an irregular form of it. Then it may hold
    /// that term; where the bit is not set it does not, but for an apostrophe or capitals beyond ASCII among the
    /// first letters (`d'accord`).
    pub fn in_text(&self, text: &str) -> u64 {
        let bytes = text.as_bytes();
        let mut found = 0;
        let mut is_in_word = false;
        for (at, byte) in bytes.iter().enumerate() {
            let goes_on = byte.is_ascii_lowercase() || byte.is_ascii_digit();
            let is_inside = is_in_word && goes_on;
            is_in_word = goes_on || byte.is_ascii_uppercase();
            if is_inside {
                continue;
            }
            let first = usize::from(byte | FOLD);
            let like = usize::from(self.from[first])..usize::from(self.from[first + 1]);
            if like.is_empty() {
                continue;
            }
            let word = packed(&bytes[at..]);
            for head in &self.heads[like] {
                if word & head.counted == head.bytes {
                    found |= head.bit;
                }
            }
        }
        found
    }
}

impl Head {
    fn new(beginning: &[u8], bit: u64) -> Self {
        let counted = u32::MAX << (8 * (4 - beginning.len().min(3))) >> 8;
        Self {
            bytes: packed(beginning) & counted,
            counted,
            bit,
        }
    }
}

/// The first three bytes, without regard to case.
fn packed(bytes: &[u8]) -> u32 {
    let byte = |at: usize| u32::from(bytes.get(at).map_or(0, |byte| byte | FOLD));
    byte(0) << 16 | byte(1) << 8 | byte(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_tells_by_its_beginnings_which_terms_it_may_hold() {
        let query = Query::new("write a token, dying caches, ärger 缓存");
        assert_eq!(query.terms(), ["write", "token", "die", "cach", "ärger", "缓存"]);
        let beginnings = Beginnings::new(&query);
        let may_hold = |text| {
            (0..6)
                .filter(|n| beginnings.in_text(text) >> n & 1 == 1)
                .collect::<Vec<_>>()
        };
        assert_eq!(may_hold("it wrote Tokens"), [0, 1]);
        assert_eq!(may_hold("parseToken is tokyo"), [1]);
        assert_eq!(may_hold("betoken; unwritten"), [0_usize; 0]);
        assert_eq!(may_hold("a die died, Dying"), [2]);
        assert_eq!(may_hold("Ärger mit dem缓存 CACHE"), [2, 3, 4, 5]);
        assert_eq!(may_hold(""), [0_usize; 0]);
    }
}
