//! Imports run strictly down the table.

use std::collections::BTreeMap;

use super::files::{self, TextFile, nothing_wrong};
use super::lexing::{code_only, is_word, without_tests};

/// The library, from the bottom to the top. A module imports from rows below its own and from
/// itself; modules of one row are strangers.
const LIBRARY: &[&[&str]] = &[
    &["error", "time", "redact", "hash"],
    &["edge"],
    &["reach", "session"],
    &["hint", "boost"],
    &["spool", "ledger", "snapshot"],
    &["graph"],
    &["transcript"],
    &["index"],
    &["recall", "capture"],
];

/// The program, which stands on the library.
const PROGRAM: &[&[&str]] = &[
    &["answer"],
    &["out", "env", "when", "git", "panics"],
    &["hold", "progress", "footprint"],
    &["place", "config", "columns", "handles"],
    &["setup"],
    &["call"],
    &["reply"],
    &["cmd"],
    &["verb"],
    &["args"],
    &["main"],
];

/// Who may name a crate that only some layers are meant to know.
const CRATES: &[(&str, &[&str])] = &[
    ("redb", &["error", "ledger", "graph", "capture"]),
    ("tantivy", &["index", "recall"]),
    ("crossbeam_channel", &["spool"]),
];

/// What the library leaves to its caller: the environment, the clock and the terminal.
const LEFT_TO_THE_CALLER: &[&str] = &[
    "std::env",
    "env::var",
    "SystemTime::now",
    "Timestamp::now",
    "println!",
    "eprintln!",
    "io::stdout",
    "io::stderr",
];

/// Names that `lib.rs` lifts to the crate's root, with the module each comes from.
type Lifted = BTreeMap<String, String>;

#[test]
fn the_library_imports_downwards() {
    let lifted = lifted(&files::read("src/lib.rs"));
    let library = library();
    let wrong = library.iter().flat_map(|file| upward(file, LIBRARY, &lifted));
    nothing_wrong(wrong.collect());
}

#[test]
fn the_program_imports_downwards() {
    let main = declared(&files::read("src/main.rs"));
    let is_program = |file: &TextFile| main.contains(&module_of(&file.path)) || file.path == "src/main.rs";
    let mut program = files::rust_below("src");
    program.retain(is_program);
    let wrong = program.iter().flat_map(|file| upward(file, PROGRAM, &Lifted::new()));
    nothing_wrong(wrong.collect());
}

#[test]
fn only_some_layers_know_the_storage_and_the_search_engine() {
    nothing_wrong(library().iter().flat_map(foreign).collect());
}

#[test]
fn the_library_leaves_environment_clock_and_terminal_alone() {
    nothing_wrong(library().iter().flat_map(impure).collect());
}

fn library() -> Vec<TextFile> {
    let declared = declared(&files::read("src/lib.rs"));
    let mut files = files::rust_below("src");
    files.retain(|file| declared.contains(&module_of(&file.path)));
    files
}

/// The modules that a root file declares, and that are not for tests only.
fn declared(root: &str) -> Vec<String> {
    let code = without_tests(&code_only(root));
    let names = code.lines().filter_map(|line| {
        let (_, name) = line.trim().strip_suffix(';')?.split_once("mod ")?;
        Some(name.to_owned())
    });
    names.collect()
}

fn lifted(lib: &str) -> Lifted {
    let code = without_tests(&code_only(lib));
    let uses = code.split(';').filter_map(|item| item.split_once("pub use "));
    let paths = uses.flat_map(|(_, tree)| use_tree(tree).0);
    paths
        .filter_map(|path| Some((path.last()?.clone(), path.first()?.clone())))
        .collect()
}

/// `src/ledger/rows.rs` belongs to `ledger`, `src/main.rs` to `main`.
fn module_of(path: &str) -> String {
    let below = path.strip_prefix("src/").unwrap_or(path);
    below
        .split('/')
        .next()
        .unwrap_or(below)
        .trim_end_matches(".rs")
        .to_owned()
}

/// The file's own place: `ledger::rows` for `src/ledger/rows.rs`, `ledger` for `src/ledger/mod.rs`.
fn place_of(path: &str) -> Vec<String> {
    let below = path.strip_prefix("src/").unwrap_or(path).trim_end_matches(".rs");
    let below = below.strip_suffix("/mod").unwrap_or(below);
    below.split('/').map(str::to_owned).collect()
}

fn upward(file: &TextFile, table: &[&[&str]], lifted: &Lifted) -> Vec<String> {
    let own = module_of(&file.path);
    let row = |module: &str| table.iter().position(|row| row.contains(&module));
    let Some(own_row) = row(&own) else {
        return vec![format!("{}: the module {own} has no place in the table", file.path)];
    };
    let mut wrong = Vec::new();
    for (line, path) in imports(file) {
        let Some(named) = path.first() else { continue };
        let module = lifted.get(named).unwrap_or(named);
        let fits = row(module).is_some_and(|row| module == &own || row < own_row);
        if !fits {
            wrong.push(format!("{}:{line}: {own} imports {}", file.path, path.join("::")));
        }
    }
    wrong
}

/// Every path of the crate that the file names, from the crate's root, with its line.
fn imports(file: &TextFile) -> Vec<(usize, Vec<String>)> {
    let code = without_tests(&code_only(&file.text));
    let mut found = Vec::new();
    for (at, _) in code.match_indices("::") {
        let before = &code[..at];
        let head = before.rfind(|c| !is_word(c)).map_or(0, |end| end + 1);
        // Only the first word of a path says where it begins.
        if before[..head].trim_end().ends_with("::") {
            continue;
        }
        let base = match &before[head..] {
            "crate" => Vec::new(),
            "super" => {
                let mut base = place_of(&file.path);
                base.pop();
                base
            }
            _ => continue,
        };
        let line = before.matches('\n').count() + 1;
        let paths = use_tree(&code[at + 2..]).0;
        found.extend(paths.into_iter().map(|path| (line, from_root(base.clone(), path))));
    }
    found
}

fn from_root(mut base: Vec<String>, path: Vec<String>) -> Vec<String> {
    for word in path {
        match word.as_str() {
            "super" => _ = base.pop(),
            "self" => {}
            _ => base.push(word),
        }
    }
    base
}

/// Reads `a::{b, c::d}` into its paths, with what stands behind it.
fn use_tree(text: &str) -> (Vec<Vec<String>>, &str) {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        let mut paths = Vec::new();
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
            if let Some(behind) = rest.strip_prefix('}') {
                return (paths, behind);
            }
            let (more, behind) = use_tree(rest);
            if behind.len() == rest.len() {
                return (paths, "");
            }
            paths.extend(more);
            rest = behind;
        }
    }
    let end = text.find(|c| !is_word(c) && c != '*').unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    if let Some(behind) = rest.strip_prefix("::") {
        let (tails, behind) = use_tree(behind);
        let paths = tails.into_iter().map(|tail| [vec![word.to_owned()], tail].concat());
        return (paths.collect(), behind);
    }
    let renamed = rest.trim_start().strip_prefix("as ");
    let behind = renamed.map_or(rest, |name| name.trim_start_matches(is_word));
    (vec![vec![word.to_owned()]], behind)
}

fn foreign(file: &TextFile) -> Vec<String> {
    let code = without_tests(&code_only(&file.text));
    let own = module_of(&file.path);
    let mut wrong = Vec::new();
    for (name, knowing) in CRATES {
        let named = code.match_indices(&format!("{name}::")).any(|(at, _)| {
            let before = code[..at].chars().next_back();
            !before.is_some_and(|c| is_word(c) || c == ':')
        });
        if named && !knowing.contains(&own.as_str()) {
            wrong.push(format!("{}: {own} names {name}", file.path));
        }
    }
    wrong
}

fn impure(file: &TextFile) -> Vec<String> {
    let code = without_tests(&code_only(&file.text));
    let named = LEFT_TO_THE_CALLER.iter().filter(|name| code.contains(**name));
    named.map(|name| format!("{}: {name}", file.path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> TextFile {
        TextFile {
            path: path.into(),
            text: text.into(),
        }
    }

    fn wrong(path: &str, text: &str) -> Vec<String> {
        let lifted = lifted("pub use error::{Error, Result};\npub use graph::Graph;");
        upward(&file(path, text), LIBRARY, &lifted)
    }

    #[test]
    fn an_upward_import_is_found_in_every_spelling() {
        let up = ["src/edge.rs:1: edge imports graph::Graph"];
        assert_eq!(wrong("src/edge.rs", "use crate::graph::Graph;"), up);
        assert_eq!(wrong("src/edge.rs", "use crate::{time::Millis, graph::{Graph}};"), up);
        assert_eq!(
            wrong("src/edge.rs", "fn f() { crate::graph::Graph::open() }")[0],
            format!("{}::open", up[0])
        );
        assert_eq!(wrong("src/edge.rs", "use super::graph::Graph;"), up);
        assert_eq!(
            wrong("src/edge.rs", "use crate::Graph;"),
            ["src/edge.rs:1: edge imports Graph"]
        );
        assert_eq!(
            wrong("src/ledger/rows.rs", "\nuse super::super::graph::Graph as G;"),
            ["src/ledger/rows.rs:2: ledger imports graph::Graph"]
        );
    }

    #[test]
    fn modules_of_one_row_are_strangers() {
        assert_eq!(
            wrong("src/spool/mod.rs", "use crate::ledger::Ledger;"),
            ["src/spool/mod.rs:1: spool imports ledger::Ledger"]
        );
    }

    #[test]
    fn downward_imports_tests_and_texts_are_fine() {
        let text = "use crate::{Error, Result, edge::*};\nuse super::tables;\n// crate::graph::x\n\
                    const S: &str = \"crate::graph\";\n#[cfg(test)]\nmod tests { use crate::graph::Graph; }";
        assert_eq!(wrong("src/ledger/rows.rs", text), [""; 0]);
    }

    #[test]
    fn a_module_that_the_table_does_not_know_is_found() {
        assert_eq!(
            wrong("src/util.rs", ""),
            ["src/util.rs: the module util has no place in the table"]
        );
        assert_eq!(
            wrong("src/edge.rs", "use crate::util::x;"),
            ["src/edge.rs:1: edge imports util::x"]
        );
    }

    #[test]
    fn a_crate_in_the_wrong_layer_is_found() {
        let wrong = foreign(&file("src/spool/writer.rs", "use redb::Database;"));
        assert_eq!(wrong, ["src/spool/writer.rs: spool names redb"]);
        assert_eq!(foreign(&file("src/ledger/open.rs", "use redb::Database;")), [""; 0]);
    }

    #[test]
    fn a_clock_in_the_library_is_found() {
        let wrong = impure(&file("src/edge.rs", "let now = SystemTime::now();"));
        assert_eq!(wrong, ["src/edge.rs: SystemTime::now"]);
    }

    #[test]
    fn the_root_declares_its_modules() {
        let root = "//! mod no;\npub mod a;\nmod b;\n#[cfg(feature = \"x\")]\npub mod c;\n#[cfg(test)]\nmod t;";
        assert_eq!(declared(root), ["a", "b", "c"]);
    }
}
