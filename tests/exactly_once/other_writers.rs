//! What others write into the spool, and what they keep in the folder.

use std::collections::BTreeMap;
use std::fs;
use std::time::SystemTime;

use rekal::graph;
use rekal::ledger::Ledger;

use super::party::runs_alone;
use super::program::{claims, drain, edges, id, is_verified, rekal};

#[test]
fn impossible_times_and_targets_do_not_poison_what_is_shown() {
    if runs_alone("exactly_once::other_writers::impossible_times_and_targets_do_not_poison_what_is_shown") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path();
    let long = "x".repeat(10 << 10);
    let line = |ts: &str, query: &str, target: &str| {
        format!("{{\"ts\":\"{ts}\",\"kind\":\"recall\",\"query\":\"{query}\",\"target\":\"{target}\"}}\n")
    };
    let lines = [
        line("2023-11-14T22:13:20Z", "good", "a"),
        line("2023-11-14T22:13:21Z", "good", "a"),
        line("9999-01-01T00:00:00Z", "far", "a"),
        line("9999-01-01T00:00:00Z", "far", "b"),
        line("0001-01-01T00:00:00Z", "ancient", "a"),
        line("58136-01-01T00:00:00Z", "further", "a"),
        line("2023-11-14T22:13:20Z", "nobody", ""),
        line("2023-11-14T22:13:20Z", "nobody", &long),
        "{\"kind\":\"recall\",\"query\":\"never\",\"target\":\"a\"}\n".into(),
        "{\"ts\":\"2023-11-14T22:13:20Z\",\"kind\":\"visit\",\"target\":\"a\"}\n".into(),
    ];
    fs::write(store.join("recall-log.ndjson"), lines.concat()).expect("a spool");
    let said = rekal(store, &["graph", "drain"], "");
    let drained: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!((&drained["events"], &drained["clamped"]), (&4.into(), &2.into()));
    let bad = serde_json::json!({"bad_time": 3, "bad_target": 2, "unknown_kind": 1});
    assert_eq!(drained["bad_lines"], bad);

    let ledger = Ledger::open(store).expect("a ledger");
    let shown = graph::show(&ledger, &id("a"), 10).expect("read").expect("reached");
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .expect("a time");
    let now = rekal::time::format_rfc3339(now.as_millis() as u64);
    assert!(shown.standing.last_at <= now, "{}", shown.standing.last_at);
    drop(ledger);

    // What happens now is later than what claimed to be of the year 9999.
    let later = "{\"kind\":\"recall\",\"query\":\"later\",\"targets\":[\"b\"]}\n";
    std::thread::sleep(std::time::Duration::from_millis(2));
    assert_eq!(rekal(store, &["graph", "append"], later).code, Some(0));
    drain(store);
    let reached = "a [reached 3×· \"good\"]\nb [reached 2×· \"later\"]\n";
    assert_eq!(rekal(store, &["graph", "reach", "a", "b"], "").out, reached);
    is_verified(store);
}

#[test]
fn files_of_another_tool_stay_as_they_are_and_its_lines_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path();
    let others = [
        "data.db",
        "index.db",
        "data.db-wal",
        "recall-log.ndjson.bak",
        "recall-log.draining",
    ];
    for name in others {
        fs::write(store.join(name), format!("{{\"of\":\"{name}\"}}\n")).expect("a file");
    }
    let state = || -> BTreeMap<_, _> {
        let look = |name: &&'static str| {
            let path = store.join(name);
            let changed = fs::metadata(&path).and_then(|found| found.modified()).expect("a time");
            (*name, (fs::read(&path).expect("its bytes"), changed))
        };
        others.iter().map(look).collect()
    };
    let before = state();
    let lines = concat!(
        r#"{"ts":"2023-11-14T22:13:20.123456789Z","kind":"recall","query":"jwt expiry","target":"a"}"#,
        "\n",
        r#"{"ts":"2023-11-14T22:13:20.123456789Z","kind":"recall","query":"jwt expiry","target":"b"}"#,
        "\n",
        r#"{"ts":"2023-11-14T22:13:29.5Z","kind":"drill","query":"","target":"a"}"#,
        "\n",
    );
    fs::write(store.join("recall-log.ndjson"), lines).expect("a spool");
    let drained = drain(store);
    assert_eq!((&drained["events"], &drained["edges_new"]), (&3.into(), &3.into()));
    assert_eq!(drain(store)["events"], 0);
    let reached = "a [reached 2× drilled 1×· \"jwt expiry\"]\n";
    assert_eq!(rekal(store, &["graph", "reach", "a"], "").out, reached);
    assert_eq!(rekal(store, &["graph", "rebuild"], "").code, Some(0));
    assert_eq!((edges(store), claims(store).len()), (3, 0));
    is_verified(store);
    assert!(state() == before);
}
