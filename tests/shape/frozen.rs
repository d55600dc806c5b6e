//! A migration step that has landed never changes: ledgers in the world were brought to the next
//! format by exactly these bytes.

use super::files::{self, TextFile, nothing_wrong};
use super::lexing::{code_only, is_word};

/// Every step that has landed, with its hash. A new step is added here; none is changed.
const FROZEN: &[(&str, u64)] = &[("migrations/m0001_initial.rs", 0xa82a_b235_f2da_4346)];

#[test]
fn migrations_are_frozen() {
    nothing_wrong(thawed(&steps(), FROZEN));
}

#[test]
fn migrations_stand_alone() {
    nothing_wrong(steps().iter().flat_map(dependent).collect());
}

fn steps() -> Vec<TextFile> {
    let mut steps = files::rust_below("migrations");
    steps.retain(|file| !file.path.ends_with("/mod.rs"));
    steps
}

fn thawed(steps: &[TextFile], frozen: &[(&str, u64)]) -> Vec<String> {
    let mut wrong = Vec::new();
    for step in steps {
        let hash = fnv(step.text.as_bytes());
        match frozen.iter().find(|(path, _)| *path == step.path) {
            None => wrong.push(format!("{} is not listed; its hash is {hash:#018x}", step.path)),
            Some((_, known)) if *known != hash => wrong.push(format!("{} has changed to {hash:#018x}", step.path)),
            Some(_) => {}
        }
    }
    let gone = frozen
        .iter()
        .filter(|(path, _)| !steps.iter().any(|step| step.path == *path));
    wrong.extend(gone.map(|(path, _)| format!("{path} is gone")));
    wrong
}

/// A step that says `crate`, `super` or `rekal` would change with the code that it names.
fn dependent(step: &TextFile) -> Vec<String> {
    let code = code_only(&step.text)
        .replace("pub(crate)", "")
        .replace("pub(super)", "");
    let words = code.split(|c| !is_word(c));
    words
        .filter(|word| matches!(*word, "crate" | "super" | "rekal" | "include"))
        .map(|word| format!("{}: says {word}", step.path))
        .collect()
}

/// FNV-1a, 64 bits.
fn fnv(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(text: &str) -> TextFile {
        TextFile {
            path: "migrations/m0001_a.rs".into(),
            text: text.into(),
        }
    }

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(fnv(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv(b"a"), 0xaf63_dc4c_8601_ec8c);
    }

    #[test]
    fn a_changed_a_new_and_a_missing_step_are_found() {
        let frozen = [("migrations/m0001_a.rs", 0xaf63_dc4c_8601_ec8c)];
        assert_eq!(thawed(&[step("a")], &frozen), [""; 0]);
        assert_eq!(
            thawed(&[step("")], &frozen),
            ["migrations/m0001_a.rs has changed to 0xcbf29ce484222325"]
        );
        assert_eq!(
            thawed(&[step("a")], &[]),
            ["migrations/m0001_a.rs is not listed; its hash is 0xaf63dc4c8601ec8c"]
        );
        assert_eq!(thawed(&[], &frozen), ["migrations/m0001_a.rs is gone"]);
    }

    #[test]
    fn a_step_that_names_the_crate_is_found() {
        let fine = "// of this crate\npub(crate) fn run() { open(\"rekal.events\") }";
        assert_eq!(dependent(&step(fine)), [""; 0]);
        assert_eq!(
            dependent(&step("use crate::ledger::Row;")),
            ["migrations/m0001_a.rs: says crate"]
        );
    }
}
