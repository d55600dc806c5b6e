//! Whether the store's own files are for their owner, and for nobody else.

use std::fs::Metadata;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use walkdir::WalkDir;

use super::finding::Finding;
use super::visit::Visit;
use crate::call::quoted;
use crate::footprint::own;
use crate::out;

const AREA: &str = "permissions";

pub fn findings(visit: &Visit<'_>) -> Vec<Finding> {
    let dir = &visit.place.dir;
    let Ok(own) = own(dir) else {
        // The store says so.
        return Vec::new();
    };
    let folder = dir.metadata().ok().filter(|found| !is_private(found)).map(|found| {
        let what = format!("the store's folder is open to others (mode {:03o})", mode(&found));
        Finding::warning(AREA, what)
            .at(dir)
            .remedy_is(format!("chmod 700 {}", quoted(dir)))
    });
    let inside = own.values().filter_map(|entry| below(&entry.path()));
    folder.into_iter().chain(inside).collect()
}

/// What is wrong with a file, or with a folder and what is in it.
fn below(path: &Path) -> Option<Finding> {
    let all = WalkDir::new(path).into_iter().filter_map(Result::ok);
    let wrong = all.filter(|entry| entry.metadata().is_ok_and(|found| !is_private(&found)));
    let wrong = wrong.count() as u64;
    if wrong == 0 {
        return None;
    }
    let name = path.file_name().unwrap_or_default().display();
    let (what, remedy) = match path.is_dir() {
        true => (
            format!("{} in {name}: not for the owner alone", out::counted(wrong, "entry")),
            format!(
                "find {} -type d -exec chmod 700 {{}} + -o -exec chmod 600 {{}} +",
                quoted(path)
            ),
        ),
        false => (
            format!("{name} is not for the owner alone"),
            format!("chmod 600 {}", quoted(path)),
        ),
    };
    Some(Finding::warning(AREA, what).at(path).remedy_is(remedy))
}

fn is_private(found: &Metadata) -> bool {
    match found.is_dir() {
        true => mode(found) == 0o700,
        false => mode(found) == 0o600 || found.is_symlink(),
    }
}

fn mode(found: &Metadata) -> u32 {
    found.permissions().mode() & 0o777
}
