//! The store: where it is, what it takes, whether its ledger answers, and whose else it is.

use super::finding::Finding;
use super::visit::{State, Visit};
use crate::call::quoted;
use crate::footprint::sizes;
use crate::place::FOLDER;

const AREA: &str = "store";

/// The files of another implementation that keeps its store in a folder of this name, and appends to
/// the same spool.
const NEIGHBOUR: [&str; 2] = ["data.db", "index.db"];

pub fn findings(visit: &Visit<'_>) -> Vec<Finding> {
    let dir = &visit.place.dir;
    if !dir.is_dir() {
        let missing = Finding::error(AREA, format!("there is no store at {}", dir.display())).at(dir);
        return vec![missing.remedy_is(visit.call.line("checkpoint"))];
    }
    let found = [footprint(visit), Some(ledger(visit)), neighbour(visit), ignored(visit)];
    found.into_iter().flatten().collect()
}

fn footprint(visit: &Visit<'_>) -> Option<Finding> {
    let dir = &visit.place.dir;
    let what = match sizes(dir) {
        Ok(sizes) => {
            let sizes = sizes.iter().map(|(name, bytes)| format!(", {name} {bytes} bytes"));
            format!("{}{}", dir.display(), sizes.collect::<String>())
        }
        Err(failure) => {
            return Some(
                Finding::error(AREA, failure.message())
                    .at(dir)
                    .remedy_is(format!("chmod 700 {}", quoted(dir))),
            );
        }
    };
    Some(Finding::info(AREA, what).at(dir))
}

fn ledger(visit: &Visit<'_>) -> Finding {
    let dir = &visit.place.dir;
    let file = dir.join("store.redb");
    let finding = match &visit.ledger {
        State::Answered(_) => Finding::info(AREA, "the ledger opens, and every page of it is as it was written"),
        State::Refused(error) if error.is_locked() => Finding::info(
            AREA,
            "another process holds the ledger, so what is held against it was left out",
        )
        .remedy_is(format!("wait for it to finish, then {}", visit.call.line("doctor"))),
        State::Refused(error) => {
            let path = error.path().unwrap_or(&file);
            let remedy = error.remedy().map(str::to_owned);
            let remedy = remedy.unwrap_or_else(|| format!("chmod -R u+rwX {}", quoted(path)));
            return Finding::error(AREA, error.to_string()).at(path).remedy_is(remedy);
        }
        State::Absent if dir.join("index").exists() || dir.join("reach.snap").exists() => {
            let remedy = format!("restore it from a backup, or {}", visit.call.line("checkpoint --all"));
            Finding::error(AREA, "the ledger is missing, although something was published from it").remedy_is(remedy)
        }
        State::Absent => Finding::warning(AREA, "nothing is captured yet").remedy_is(visit.call.line("checkpoint")),
    };
    finding.at(file)
}

fn neighbour(visit: &Visit<'_>) -> Option<Finding> {
    let dir = &visit.place.dir;
    let theirs: Vec<&str> = NEIGHBOUR.into_iter().filter(|name| dir.join(name).exists()).collect();
    if theirs.is_empty() {
        return None;
    }
    let what = format!(
        "another program keeps its store here ({}): two tools drain one spool, and each sees only a part of it",
        theirs.join(", ")
    );
    let remedy = "give this store a folder of its own: set REKAL_STORE to it and run rekal checkpoint; \
                  or move the other program's files away";
    Some(Finding::warning(AREA, what).at(dir.join(theirs[0])).remedy_is(remedy))
}

/// A store in a worktree must not get into a commit.
fn ignored(visit: &Visit<'_>) -> Option<Finding> {
    let dir = &visit.place.dir;
    let file = dir.join(".gitignore");
    let is_needed = dir.file_name().is_some_and(|name| name == FOLDER) && !file.exists();
    is_needed.then(|| {
        let what = "nothing keeps git from taking the store into a commit";
        Finding::warning(AREA, what)
            .at(file)
            .remedy_is(visit.call.line("checkpoint"))
    })
}
