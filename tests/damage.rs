//! Damaged files: recall goes on with what is published, and whoever needs the ledger says which file
//! is damaged and what to do.

use std::fs;
use std::path::Path;

use redb::{ReadableDatabase, ReadableTable, ReadableTableMetadata, TableDefinition};
use rekal::graph::Graph;

use crate::exactly_once::party::runs_alone;
use crate::exactly_once::program::{THEN, append, drain, is_verified, reach, recall, rekal, targets};
use crate::stage::Stage;

const LEDGER: &str = "store.redb";
const BASE: &str = "reach.snap";
const DELTA: &str = "reach.delta";

/// A store whose ledger has some pages, and what of it is published.
fn store() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for round in 0..3 {
        let event = |n: u64| recall(round * 100 + n, 1, &format!("query {n} of {round}"), targets(20));
        append(folder.path(), &(0..100).map(event).collect::<Vec<_>>());
        drain(folder.path());
    }
    folder
}

fn names(store: &Path) -> Vec<String> {
    let entries = fs::read_dir(store).expect("a store").flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    names
}

/// What the program does with a ledger that holds these bytes.
#[track_caller]
fn is_told(store: &Path, bytes: &[u8], what: &str) {
    fs::write(store.join(LEDGER), bytes).expect("damaged");
    let before = names(store);
    let path = store.join(LEDGER);
    for verb in ["drain", "verify", "rebuild"] {
        let said = rekal(store, &["graph", verb], "");
        assert_eq!(
            (said.code, said.out.as_str()),
            (Some(2), ""),
            "{what}: {verb}: {said:?}"
        );
        assert!(said.err.contains(path.to_str().expect("UTF-8")), "{what}: {}", said.err);
        assert!(said.err.contains("restore it from a backup"), "{what}: {}", said.err);
        assert!(!said.err.contains("panicked"), "{what}: {}", said.err);
    }
    let said = rekal(store, &["graph", "drain", "--json"], "");
    let told: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(
        (&told["error"]["kind"], &told["error"]["path"]),
        (&"corrupt".into(), &path.to_str().into())
    );
    let said = rekal(store, &["graph", "reach", "session-7"], "");
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{what}");
    assert!(said.out.starts_with("session-7 [reached 300×"), "{what}: {}", said.out);
    assert_eq!(names(store), before, "{what}");
    assert!(fs::read(path).expect("the ledger") == bytes, "{what}: it was changed");
}

#[test]
fn a_ledger_that_is_empty_or_cut_or_something_else_is_named_and_left_alone() {
    let folder = store();
    let good = fs::read(folder.path().join(LEDGER)).expect("a ledger");
    is_told(folder.path(), b"", "empty");
    is_told(folder.path(), &good[..good.len() / 2], "cut in half");
    is_told(folder.path(), &good[..100], "cut in its header");
    is_told(folder.path(), &vec![0; good.len()], "zeros");
    let noise = (0..good.len() as u64).map(|n| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8);
    is_told(folder.path(), &noise.collect::<Vec<_>>(), "noise");

    // The remedy works: a new ledger takes its place.
    fs::rename(folder.path().join(LEDGER), folder.path().join("damaged")).expect("moved away");
    append(folder.path(), &[recall(900, 1, "jwt", targets(8))]);
    assert_eq!(drain(folder.path())["events"], 1);
    assert_eq!(reach(folder.path(), "session-7").map(|reach| reach.count), Some(1));
    is_verified(folder.path());
}

#[test]
fn a_flipped_byte_anywhere_never_makes_it_panic() {
    if runs_alone("damage::a_flipped_byte_anywhere_never_makes_it_panic") {
        return;
    }
    let folder = store();
    let store = folder.path();
    let good = fs::read(store.join(LEDGER)).expect("a ledger");
    let used: Vec<usize> = (0..good.len()).filter(|at| good[*at] != 0).collect();
    let mut noticed = 0;
    for n in 0..12 {
        let mut bad = good.clone();
        bad[used[used.len() * n / 12]] ^= 0x5a;
        fs::write(store.join(LEDGER), &bad).expect("damaged");
        for verb in ["verify", "drain"] {
            append(store, &[recall(900, 1, "jwt", targets(20))]);
            let said = rekal(store, &["graph", verb], "");
            assert!(matches!(said.code, Some(0..=2)), "{said:?}");
            assert!(!said.err.contains("panicked"), "{}", said.err);
            assert!(
                said.code != Some(2) || said.err.contains("restore it from a backup"),
                "{}",
                said.err
            );
        }
        assert_eq!(rekal(store, &["graph", "reach", "session-7"], "").code, Some(0));
        fs::write(store.join(LEDGER), &bad).expect("damaged");
        if let Err(error) = Graph::open(store).expect("a graph").verify() {
            assert!(error.is_corrupt() && error.remedy().is_some(), "{error:?}");
            noticed += 1;
        }
    }
    assert!(noticed > 3, "{noticed} of 12 were noticed");
}

#[test]
fn pages_that_make_no_sense_are_damage_and_not_a_panic() {
    if runs_alone("damage::pages_that_make_no_sense_are_damage_and_not_a_panic") {
        return;
    }
    let folder = store();
    let store = folder.path();
    let good = fs::read(store.join(LEDGER)).expect("a ledger");
    // The pages of a tree begin with 1 or 2, then the number of their entries.
    let pages: Vec<usize> = (4096..good.len())
        .step_by(4096)
        .filter(|at| matches!(good[*at], 1 | 2) && good[*at + 2..*at + 4] != [0, 0])
        .collect();
    let graph = Graph::open(store).expect("a graph");
    let mut told = 0;
    for page in pages.iter().step_by(pages.len().div_ceil(40)) {
        let mut bad = good.clone();
        bad[page + 2..page + 4].fill(0xff);
        fs::write(store.join(LEDGER), &bad).expect("damaged");
        append(store, &[recall(900, 1, "jwt", targets(20))]);
        if let Err(error) = graph.drain(THEN) {
            assert!(error.is_corrupt(), "{error}");
            assert!(
                error.remedy().is_some_and(|remedy| remedy.contains("backup")),
                "{error}"
            );
            assert_eq!(error.path(), Some(store.join(LEDGER).as_path()));
            told += 1;
        }
    }
    assert!(told > 3, "{told} of {} pages were missed", pages.len());
}

fn kinds_of_damage(good: &[u8]) -> Vec<Vec<u8>> {
    let other_version = [&good[..8], &[9], &good[9..]].concat();
    let longer = [good, b"more of it"].concat();
    let mut kinds = vec![vec![7; 300], other_version, longer];
    kinds.extend((0..good.len()).step_by(9).map(|at| good[..at].to_vec()));
    kinds.extend((0..good.len()).step_by(9).map(|at| {
        let mut flipped = good.to_vec();
        flipped[at] ^= 0x21;
        flipped
    }));
    kinds
}

#[test]
fn a_session_of_an_agent_that_only_a_newer_version_knows_is_left_to_that_version() {
    let stage = Stage::with_sessions();
    {
        let sessions: TableDefinition<u32, &[u8]> = TableDefinition::new("rekal.sessions");
        let database = redb::Database::open(stage.store().join(LEDGER)).expect("a database");
        let txn = database.begin_write().expect("a transaction");
        {
            let mut table = txn.open_table(sessions).expect("a table");
            let mut row = table.get(2).expect("readable").expect("s2").value().to_vec();
            // Version, number, length of the id, the id, and then the agent.
            assert_eq!(row[..8], *b"\x01\x02\x04bbbb\x00");
            row[7] = 99;
            table.insert(2, row.as_slice()).expect("written");
        }
        txn.commit().expect("committed");
    }
    stage.claude("eeee", &[("user", "One session more")]);
    let said = "rekal: read a session of an agent that this version does not know, in rekal.sessions";
    for words in [&["checkpoint"][..], &["index"]] {
        let run = stage.run(words);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{words:?}");
        assert!(run.stderr.starts_with(said), "{}", run.stderr);
        assert!(run.stderr.contains("install a newer rekal"), "{}", run.stderr);
    }
    assert_eq!(stage.run(&["csv table"]).code, Some(0), "what is published stays");
}

#[test]
fn damage_of_a_hosts_own_database_is_an_error_of_absorb() {
    if runs_alone("damage::damage_of_a_hosts_own_database_is_an_error_of_absorb") {
        return;
    }
    let folder = store();
    // A ledger is a database like that of a host.
    let (file, good) = (
        folder.path().join("host.redb"),
        fs::read(folder.path().join(LEDGER)).expect("a ledger"),
    );
    let host = tempfile::tempdir().expect("a folder");
    let graph = Graph::open(host.path()).expect("a graph");
    append(host.path(), &[recall(900, 1, "jwt", targets(20))]);
    let pages: Vec<usize> = (4096..good.len())
        .step_by(4096)
        .filter(|at| matches!(good[*at], 1 | 2) && good[*at + 2..*at + 4] != [0, 0])
        .collect();
    let mut told = 0;
    for page in pages.iter().step_by(pages.len().div_ceil(40)) {
        let mut bad = good.clone();
        bad[page + 2..page + 4].fill(0xff);
        fs::write(&file, &bad).expect("damaged");
        // What the host itself asks of the engine may panic, as may its end.
        let outside = std::panic::catch_unwind(|| {
            let database = redb::Database::open(&file).ok()?;
            let txn = database.begin_write().ok()?;
            let absorbed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                graph.absorb(&txn, THEN).map(|pending| pending.drained().events)
            }));
            txn.abort().ok();
            Some(absorbed)
        });
        let absorbed = outside
            .ok()
            .flatten()
            .map(|absorbed| absorbed.expect("absorb does not panic"));
        if let Some(Err(error)) = absorbed {
            assert!(error.is_corrupt() && error.remedy().is_some(), "{error:?}");
            told += 1;
        }
    }
    assert!(told > 3, "{told} of {} pages were missed", pages.len());
}

#[test]
fn a_damaged_snapshot_hides_hints_and_is_published_again() {
    if runs_alone("damage::a_damaged_snapshot_hides_hints_and_is_published_again") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path();
    append(store, &[recall(0, 1, "first", targets(4))]);
    drain(store);
    append(store, &[recall(1, 1, "second", targets(2))]);
    drain(store);
    let graph = Graph::open(store).expect("a graph");
    let right = graph.reach(&targets(4));
    let good = [BASE, DELTA].map(|name| fs::read(store.join(name)).expect("published"));
    for (name, whole) in [BASE, DELTA].into_iter().zip(&good) {
        for (n, damaged) in kinds_of_damage(whole).into_iter().enumerate() {
            fs::write(store.join(BASE), &good[0]).expect("put back");
            fs::write(store.join(DELTA), &good[1]).expect("put back");
            assert_eq!(graph.reach(&targets(4)), right);
            fs::write(store.join(name), damaged).expect("damaged");
            for (shown, right) in graph.reach(&targets(4)).iter().zip(&right) {
                // Nor what it was before the changes.
                assert!(shown.is_none() || shown == right, "{name}, kind {n}: {shown:?}");
            }
            graph.drain(THEN).expect("drained");
            assert_eq!(graph.reach(&targets(4)), right, "{name}, kind {n}");
        }
        assert!(graph.verify().expect("verified").is_right(), "{name}");
    }
    fs::remove_file(store.join(BASE)).expect("removed");
    assert_eq!(rekal(store, &["graph", "reach", "session-0"], "").code, Some(1));
    drain(store);
    assert_eq!(rekal(store, &["graph", "reach", "session-0"], "").code, Some(0));
    is_verified(store);
}

#[test]
fn a_ledger_of_a_newer_format_is_refused_and_stays_as_it_is() {
    if runs_alone("damage::a_ledger_of_a_newer_format_is_refused_and_stays_as_it_is") {
        return;
    }
    const META: TableDefinition<&str, &[u8]> = TableDefinition::new("rekal.meta");
    const EVENTS: TableDefinition<&[u8; 16], &[u8]> = TableDefinition::new("rekal.events");
    type Rows = (Vec<(String, Vec<u8>)>, u64);
    let folder = store();
    let store = folder.path();
    let open = || redb::Database::create(store.join(LEDGER)).expect("a database");
    let rows = || -> Rows {
        let database = open();
        let txn = database.begin_read().expect("a transaction");
        let meta = txn.open_table(META).expect("meta");
        let rows = meta.iter().expect("rows").map(|row| {
            let (name, value) = row.expect("a row");
            (name.value().to_owned(), value.value().to_owned())
        });
        (
            rows.collect(),
            txn.open_table(EVENTS).expect("events").len().expect("a number"),
        )
    };
    let database = open();
    let txn = database.begin_write().expect("a transaction");
    txn.open_table(META)
        .expect("meta")
        .insert("format", [1, 42].as_slice())
        .expect("a row");
    txn.commit().expect("committed");
    drop(database);
    let before = rows();
    assert_eq!(before.1, 300);

    append(store, &[recall(900, 1, "jwt", targets(2))]);
    for verb in ["drain", "verify", "rebuild"] {
        let said = rekal(store, &["graph", verb], "");
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{verb}");
        let numbers = "its format is 42, this version knows formats up to 1: ";
        assert!(said.err.contains(numbers) && said.err.contains(LEDGER), "{}", said.err);
        assert!(said.err.ends_with("rekal: install a newer rekal\n"), "{}", said.err);
    }
    assert!(rows() == before);
    assert_eq!(rekal(store, &["graph", "reach", "session-7"], "").code, Some(0));
    assert!(store.join("recall-log.ndjson").exists());
}
