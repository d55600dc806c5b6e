//! Forgetting without a trace: what is removed is also no longer in the bytes of any file.
//!
//! The spool is drained first, so that nothing of it waits in a claim. Removing leaves the bytes in
//! free pages of the ledger, so it is compacted; a mark in the ledger makes the next one who opens it
//! finish a compaction that was interrupted. The snapshot is withdrawn before the removal is
//! committed: at no time is published what was forgotten.

use redb::WriteTransaction;

use super::drain::{drain, generation, publish};
use crate::ledger::tables::Tables;
use crate::ledger::{self, Forget, Forgotten, Ledger};
use crate::snapshot::Snapshot;
use crate::spool::claim::unfinished;
use crate::time::Millis;
use crate::{Error, Result};

/// Forgets it, in the ledger and in everything published from it. Replayed, restored or imported
/// events of those forgotten stay so.
///
/// # Errors
/// When a claim of the spool cannot be had, because a writer holds it: then nothing was removed.
pub fn forget(ledger: &mut Ledger, what: &Forget, now: Millis) -> Result<Forgotten> {
    Ok(forget_with(ledger, what, now, |_| Ok(()))?.0)
}

/// Forgets it together with what `also` removes in the same transaction; it runs last before the
/// commit. So a kill finds all of it done or nothing, and the file is compacted once.
///
/// # Errors
/// As [`forget`], and what `also` says: then nothing was removed.
pub fn forget_with<T>(
    ledger: &mut Ledger,
    what: &Forget,
    now: Millis,
    also: impl FnOnce(&WriteTransaction) -> Result<T>,
) -> Result<(Forgotten, T)> {
    empty_the_spool(ledger, now)?;
    let report = remove(ledger, what, also)?;
    ledger.scrub()?;
    publish(ledger, generation(ledger)?, &Default::default())?;
    Ok(report)
}

fn empty_the_spool(ledger: &Ledger, now: Millis) -> Result<()> {
    let held = |remedy: &str| Error::invalid("forget: a writer holds a part of the spool:").remedy_is(remedy);
    if drain(ledger, now)?.left > 0 {
        return Err(held("run it again in a moment").on(ledger.store()));
    }
    match unfinished(ledger.store())? {
        None => Ok(()),
        Some(file) => {
            let remedy = "run it again in a moment; if no writer is at work, delete that file";
            Err(held(remedy).on(file))
        }
    }
}

/// Until it is committed nothing is gone; from then on the mark has every writer finish the rest.
fn remove<T>(
    ledger: &Ledger,
    what: &Forget,
    also: impl FnOnce(&WriteTransaction) -> Result<T>,
) -> Result<(Forgotten, T)> {
    Snapshot::withdraw(ledger.store())?;
    let txn = ledger.write()?;
    let mut tables = Tables::open(&txn)?;
    let report = ledger::forget(&mut tables, what)?;
    tables.write_numbers(true)?;
    drop(tables);
    ledger::mark_for_scrubbing(&txn)?;
    let also = also(&txn)?;
    txn.commit().map_err(|e| Error::store("commit what is forgotten", e))?;
    Ok((report, also))
}

/// What forgetting would remove; nothing is changed.
pub fn forget_dry(ledger: &Ledger, what: &Forget, now: Millis) -> Result<Forgotten> {
    Ok(forget_dry_with(ledger, what, now, |_| Ok(()))?.0)
}

/// What forgetting would remove together with `also`; nothing is changed.
pub fn forget_dry_with<T>(
    ledger: &Ledger,
    what: &Forget,
    now: Millis,
    also: impl FnOnce(&WriteTransaction) -> Result<T>,
) -> Result<(Forgotten, T)> {
    drain(ledger, now)?;
    let txn = ledger.write()?;
    let mut tables = Tables::open(&txn)?;
    let report = ledger::forget(&mut tables, what)?;
    drop(tables);
    let also = also(&txn)?;
    txn.abort().map_err(|e| Error::store("leave everything as it is", e))?;
    Ok((report, also))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::graph::Graph;
    use crate::reach::Reached;

    const NOON: Millis = 1_796_040_000_123;
    const SECRET: &str = "swordfish of zanzibar";

    /// A store with 300 recalls, every third of which holds the secret; all reached `a`.
    fn store() -> tempfile::TempDir {
        let store = tempfile::tempdir().expect("a folder");
        let graph = Graph::open(store.path()).expect("a graph");
        let recorder = graph.recorder();
        for n in 0..300 {
            let secret = if n % 3 == 0 { SECRET } else { "nothing special" };
            let targets = ["a", "b"].map(|id| id.parse().expect("an id"));
            recorder.recalled(NOON + n, None, &format!("{n} {secret} {n}"), &targets);
        }
        drop(recorder);
        graph.drain(NOON).expect("drained");
        store
    }

    /// The files of the store that hold the secret.
    fn holding(store: &Path) -> Vec<String> {
        let files = fs::read_dir(store)
            .expect("a folder")
            .map(|entry| entry.expect("a file"));
        let holds = |bytes: &[u8]| bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
        let mut names: Vec<String> = files
            .filter(|file| holds(&fs::read(file.path()).expect("readable")))
            .map(|file| file.file_name().into_string().expect("UTF-8"))
            .collect();
        names.sort();
        names
    }

    fn count(store: &Path, id: &str) -> u32 {
        let reach = Snapshot::open(store).reach(&id.parse().expect("an id"));
        reach.map_or(0, |reach| reach.count)
    }

    #[test]
    fn a_removal_that_was_cut_short_is_finished_by_the_next_writer() {
        let store = store();
        let secret = Forget::Text(SECRET.into());
        let ledger = Ledger::open(store.path()).expect("opened");
        assert_eq!(remove(&ledger, &secret, |_| Ok(())).expect("committed").0.events, 100);
        drop(ledger);
        assert_eq!(holding(store.path()), ["store.redb"]);
        assert_eq!(count(store.path(), "a"), 0);

        Graph::open(store.path())
            .expect("a graph")
            .drain(NOON)
            .expect("drained");
        assert_eq!(holding(store.path()), [""; 0]);
        assert_eq!(count(store.path(), "a"), 200);
    }

    #[test]
    fn nothing_is_left_of_a_publication_that_was_cut_short() {
        let store = store();
        fs::write(store.path().join("reach.delta.tmp"), SECRET).expect("written");
        fs::write(store.path().join("reach.snap.tmp"), SECRET).expect("written");
        let mut ledger = Ledger::open(store.path()).expect("opened");
        forget(&mut ledger, &Forget::Text(SECRET.into()), NOON).expect("forgotten");
        assert_eq!(holding(store.path()), [""; 0]);
    }

    #[test]
    fn a_batch_that_is_being_written_is_not_passed_over() {
        let store = store();
        let unfinished = store.path().join("recall-log.01M8P570KV0000000000000000.tmp");
        fs::write(&unfinished, SECRET).expect("written");
        let mut ledger = Ledger::open(store.path()).expect("opened");
        let error = forget(&mut ledger, &Forget::Text(SECRET.into()), NOON).expect_err("not to be had");
        assert_eq!(error.path(), Some(unfinished.as_path()));
        assert_eq!(count(store.path(), "a"), 300);
    }

    #[test]
    fn a_query_is_found_as_it_was_typed_and_a_blank_text_is_in_none() {
        let store = store();
        let mut ledger = Ledger::open(store.path()).expect("opened");
        let mut events = |what: Forget| forget(&mut ledger, &what, NOON).expect("forgotten").events;
        assert_eq!(events(Forget::Query("  3 \n swordfish of\tzanzibar 3 ".into())), 1);
        assert_eq!(events(Forget::Text(" swordfish \n of zanzibar ".into())), 99);
        assert_eq!(events(Forget::Text(" \n".into())), 0);
        assert_eq!(events(Forget::Text(String::new())), 0);
        assert_eq!(count(store.path(), "a"), 200);
    }

    #[test]
    fn what_would_be_forgotten_is_still_there() {
        let store = store();
        let ledger = Ledger::open(store.path()).expect("opened");
        let secret = Forget::Text(SECRET.into());
        assert_eq!(forget_dry(&ledger, &secret, NOON).expect("looked").events, 100);
        assert_eq!(forget_dry(&ledger, &secret, NOON).expect("looked").events, 100);
        assert_eq!(count(store.path(), "a"), 300);
    }
}
