//! What a host sees stays small: about a dozen names at the root, one module, one short example.

use super::files::{self, nothing_wrong};

/// The only module that is shown.
const SHOWN: [&str; 1] = ["boost"];

/// The most names at the root.
const MOST: usize = 16;

const LONGEST_EXAMPLE: usize = 60;

#[test]
fn the_root_shows_few_names() {
    nothing_wrong(too_much(&files::read("src/lib.rs")));
}

#[test]
fn the_example_is_short_and_the_build_runs_it() {
    let example = files::read("examples/embed.rs");
    assert!(example.lines().count() < LONGEST_EXAMPLE);
    let runs = "cargo run --no-default-features --example embed";
    assert!(files::read(".ci/run").lines().any(|line| line.trim() == runs));
}

fn too_much(lib: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut before = "";
    let mut names = SHOWN.len();
    for line in lib.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
        if let Some(module) = line.strip_prefix("pub mod ").and_then(|rest| rest.strip_suffix(';')) {
            if before != "#[doc(hidden)]" && !SHOWN.contains(&module) {
                wrong.push(format!("src/lib.rs shows the module {module}"));
            }
        } else if let Some(used) = line.strip_prefix("pub use ") {
            names += used.split(',').count();
        }
        if !line.starts_with("#[cfg") {
            before = line;
        }
    }
    if names > MOST {
        wrong.push(format!("src/lib.rs shows {names} names"));
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shown_module_and_a_crowd_of_names_are_found() {
        let fine = "pub mod boost;\n#[doc(hidden)]\n#[cfg(x)]\npub mod spool;\npub use a::{B, C};\n";
        assert_eq!(too_much(fine), [""; 0]);
        let shown = "#[doc(hidden)]\npub mod edge;\npub mod spool;\n";
        assert_eq!(too_much(shown), ["src/lib.rs shows the module spool"]);
        let crowd = format!("pub use a::{{{}B}};\n", "A, ".repeat(15));
        assert_eq!(too_much(&crowd), ["src/lib.rs shows 17 names"]);
    }
}
