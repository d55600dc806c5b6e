//! The verbs of the graph, one after the other on one store.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::{on, out};
use crate::stage::Stage;

const LINES: &str = concat!(
    r#"{"id":"01M8P571F80000000000000001","kind":"recall","query":"jwt expiry","targets":["a","b"],"source":"me"}"#,
    "\n",
    r#"{"id":"01M8P572EG0000000000000002","kind":"recall","query":"token refresh","targets":["b"]}"#,
    "\n",
    r#"{"id":"01M8P573DR0000000000000003","kind":"recall","query":"jwt expiry","targets":["b","a"],"source":"me"}"#,
    "\n",
    r#"{"id":"01M8P58V300000000000000004","kind":"drill","targets":["a"],"source":"me"}"#,
    "\n"
);

/// What `LINES` are exported as.
const EXPORTED: &str = concat!(
    r#"{"id":"01M8P571F80000000000000001","ts":"2026-11-30T12:00:01.000Z","kind":"recall","query":"jwt expiry","targets":["a","b"],"source":"me"}"#,
    "\n",
    r#"{"id":"01M8P572EG0000000000000002","ts":"2026-11-30T12:00:02.000Z","kind":"recall","query":"token refresh","targets":["b"]}"#,
    "\n",
    r#"{"id":"01M8P573DR0000000000000003","ts":"2026-11-30T12:00:03.000Z","kind":"recall","query":"jwt expiry","targets":["b","a"],"source":"me"}"#,
    "\n",
    r#"{"id":"01M8P58V300000000000000004","ts":"2026-11-30T12:01:00.000Z","kind":"drill","targets":["a"],"source":"me"}"#,
    "\n"
);

/// A store that `LINES` were drained into.
fn store() -> TempDir {
    let store = tempfile::tempdir().expect("a folder");
    assert_eq!(on(store.path(), &["graph", "append"], LINES).status.code(), Some(0));
    assert_eq!(on(store.path(), &["graph", "drain"], "").status.code(), Some(0));
    store
}

/// What it prints, exit code in front.
#[track_caller]
fn prints(store: &Path, words: &[&str], code: i32, stdout: &str, stderr: &str) {
    assert_eq!(out(&on(store, words, "")), (Some(code), stdout, stderr));
}

#[test]
fn top_lists_the_most_used_sessions() {
    let store = store();
    let text = "session  reached  drilled  last                      top query\n\
                a              3        1  2026-11-30T12:01:00.000Z  jwt expiry\n\
                b              3        0  2026-11-30T12:00:03.000Z  jwt expiry\n";
    prints(store.path(), &["graph", "top"], 0, text, "");
    let json = concat!(
        r#"{"schema_version":1,"sessions":[{"session_id":"a","count":3,"surfaced":2,"drills":1,"#,
        r#""top_query":"jwt expiry","last_at":"2026-11-30T12:01:00.000Z"}]}"#,
        "\n"
    );
    let words = ["graph", "top", "-n", "1", "--by", "recent", "-j"];
    prints(store.path(), &words, 0, json, "");
    assert_eq!(
        on(store.path(), &["graph", "top", "--by", "size"], "").status.code(),
        Some(2)
    );
}

#[test]
fn show_tells_what_each_query_led_to() {
    let store = store();
    let text = "session a\n\
        reached 3: surfaced 2, drilled 1; last 2026-11-30T12:01:00.000Z\n\
        \n\
        surfaced  led to a drill  last                      query\n       \
        2               1  2026-11-30T12:00:03.000Z  jwt expiry\n\
        \n\
        time                      event                       kind    rank  session  source  query\n\
        2026-11-30T12:01:00.000Z  01M8P58V300000000000000004  drill      -  a        me\n\
        2026-11-30T12:00:03.000Z  01M8P573DR0000000000000003  recall     2  a        me      jwt expiry\n\
        2026-11-30T12:00:01.000Z  01M8P571F80000000000000001  recall     1  a        me      jwt expiry\n";
    prints(store.path(), &["graph", "show", "a"], 0, text, "");
    let json = concat!(
        r#"{"schema_version":1,"session_id":"b","count":3,"surfaced":3,"drills":0,"top_query":"jwt expiry","#,
        r#""last_at":"2026-11-30T12:00:03.000Z","tallies":["#,
        r#"{"query":"jwt expiry","count":2,"led":0,"last_at":"2026-11-30T12:00:03.000Z"},"#,
        r#"{"query":"token refresh","count":1,"led":0,"last_at":"2026-11-30T12:00:02.000Z"}],"edges":["#,
        r#"{"id":"01M8P573DR0000000000000003","at":"2026-11-30T12:00:03.000Z","kind":"recall","session_id":"b","#,
        r#""query":"jwt expiry","rank":1,"source":"me"}]}"#,
        "\n"
    );
    prints(store.path(), &["graph", "show", "b", "-n", "1", "-j"], 0, json, "");
}

#[test]
fn log_lists_the_latest_edges() {
    let store = store();
    let text = "time                      event                       kind    rank  session  source  query\n\
        2026-11-30T12:01:00.000Z  01M8P58V300000000000000004  drill      -  a        me\n\
        2026-11-30T12:00:03.000Z  01M8P573DR0000000000000003  recall     1  b        me      jwt expiry\n";
    prints(store.path(), &["graph", "log", "-n", "2"], 0, text, "");
    let json = concat!(
        r#"{"schema_version":1,"edges":[{"id":"01M8P58V300000000000000004","at":"2026-11-30T12:01:00.000Z","#,
        r#""kind":"drill","session_id":"a","source":"me"}]}"#,
        "\n"
    );
    let since = ["graph", "log", "--since", "2026-11-30T12:00:04Z", "-j"];
    prints(store.path(), &since, 0, json, "");
    let none = "{\"schema_version\":1,\"edges\":[]}\n";
    prints(
        store.path(),
        &["graph", "log", "--since", "2026-11-30T12:01:00.001Z", "-j"],
        1,
        none,
        "",
    );
}

#[test]
fn a_handle_is_a_session_wherever_one_is_named_and_is_shown() {
    let stage = Stage::with_sessions();
    let append = |line: &str| assert_eq!(on(&stage.store(), &["graph", "append"], line).status.code(), Some(0));
    append(r#"{"ts":"2026-11-30T12:00:00Z","kind":"recall","query":"jwt","targets":["s2","s99"],"source":"s1"}"#);
    let line = &stage.spooled()[0];
    assert_eq!(
        (&line["targets"], &line["source"]),
        (&json!(["bbbb", "s99"]), &json!("aaaa"))
    );
    assert_eq!(stage.run(&["graph", "drain"]).code, Some(0));

    let log = stage.run(&["graph", "log", "-j"]).json();
    let names = |row: &Value| ["session_id", "handle", "source", "source_handle"].map(|key| row[key].clone());
    let expected = [json!("bbbb"), json!("s2"), json!("aaaa"), json!("s1")];
    assert_eq!(names(&log["edges"][0]), expected);
    assert_eq!(
        names(&log["edges"][1]),
        [json!("s99"), Value::Null, json!("aaaa"), json!("s1")]
    );
    let log = stage.run(&["graph", "log"]).stdout;
    assert!(
        log.lines()
            .nth(1)
            .is_some_and(|row| row.contains("     1  s2       s1      jwt")),
        "{log}"
    );

    let show = stage.run(&["graph", "show", "s2"]).stdout;
    assert!(show.starts_with("session s2 bbbb\nreached 1:"), "{show}");
    let show = stage.run(&["graph", "show", "bb", "-j"]).json();
    let edge = &show["edges"][0];
    assert_eq!(
        (&show["handle"], &edge["handle"], &show["count"]),
        (&json!("s2"), &json!("s2"), &json!(1))
    );
    let top = stage.run(&["graph", "top"]).stdout;
    assert!(top.lines().nth(1).is_some_and(|row| row.starts_with("s2 ")), "{top}");
    let top = stage.run(&["graph", "top", "-j"]).json();
    assert_eq!(
        (&top["sessions"][0]["handle"], top["sessions"][1].get("handle")),
        (&json!("s2"), None)
    );
    let reach = stage.run(&["graph", "reach", "s2", "-j"]).json();
    assert_eq!(
        (&reach["sessions"][0]["session_id"], &reach["sessions"][0]["handle"]),
        (&json!("bbbb"), &json!("s2"))
    );
}

#[test]
fn a_rank_that_nobody_noted_is_in_no_figure_of_ranks() {
    let store = tempfile::tempdir().expect("a folder");
    let lines = concat!(
        r#"{"id":"01M8P571F80000000000000001","kind":"recall","query":"jwt","target_session_id":"a","source":"me"}"#,
        "\n",
        r#"{"id":"01M8P58V300000000000000004","kind":"drill","target_session_id":"a","source":"me"}"#,
        "\n"
    );
    assert_eq!(
        on(store.path(), &["graph", "import", "-"], lines).status.code(),
        Some(0)
    );
    let stats = on(store.path(), &["graph", "stats", "-j"], "");
    let stats: Value = serde_json::from_slice(&stats.stdout).expect("JSON");
    assert_eq!((&stats["drills"], &stats["recalls_opened"]), (&json!(1), &json!(1)));
    assert_eq!(
        (&stats["openings_by_rank"], &stats["openings_of_unknown_rank"]),
        (&json!({}), &json!(1))
    );
    assert_eq!(stats.get("median_opened_rank"), None);
    let log = on(store.path(), &["graph", "log", "-j"], "");
    assert!(!out(&log).1.contains("\"rank\""), "{}", out(&log).1);

    let export = on(store.path(), &["graph", "export"], "");
    assert!(
        out(&export).1.contains(r#""query":"jwt","target":"a","source":"me"}"#),
        "{}",
        out(&export).1
    );
    let other = tempfile::tempdir().expect("a folder");
    on(other.path(), &["graph", "import", "-"], out(&export).1);
    let again = on(other.path(), &["graph", "export"], "");
    assert_eq!(out(&again), out(&export));
}

#[test]
fn stats_say_what_was_opened_and_what_waits() {
    let store = store();
    let claim = store.path().join("recall-log.01M8P570KV0000000000000000.claim");
    fs::write(&claim, "\nnonsense\n").expect("written");
    on(
        store.path(),
        &["graph", "append"],
        &LINES[..LINES.find('\n').expect("a line")],
    );
    let output = on(store.path(), &["graph", "stats", "-j"], "");
    let (code, json, stderr) = out(&output);
    assert_eq!((code, stderr), (Some(0), ""));
    let (figures, sizes) = json.split_once(",\"sizes\":").expect("sizes");
    assert_eq!(
        figures,
        concat!(
            r#"{"schema_version":1,"edges":6,"targets":2,"queries":2,"recalls":3,"drills":1,"recalls_opened":1,"#,
            r#""opened_share":0.3333333333333333,"openings_by_rank":{"2":1},"median_opened_rank":2,"#,
            r#""openings_of_unknown_rank":0,"openings_without_recall":0,"bad_lines":{},"never_opened":[],"#,
            r#""waiting":{"bytes":150,"lines":2,"events":1,"bad_lines":{"not_json":1},"claims":1}"#
        )
    );
    let spool = "\"recall-log.01M8P570KV0000000000000000.claim\":10,\"recall-log.ndjson\":140,\"store.redb\":";
    assert!(
        sizes.contains(spool) && sizes.starts_with("{\"reach.snap\":"),
        "{sizes}"
    );

    let output = on(store.path(), &["graph", "stats", "--since", "2026-11-30T12:00:03Z"], "");
    let (_, text, _) = out(&output);
    let rows: Vec<&str> = text.lines().take(9).map(str::trim_end).collect();
    assert!(rows[1].starts_with("edges ") && rows[1].ends_with("  3"), "{text}");
    assert!(
        rows[5].starts_with("  that led to a drill ") && rows[5].ends_with("  1"),
        "{text}"
    );
    assert!(
        rows[6].starts_with("  in percent ") && rows[6].ends_with("  100"),
        "{text}"
    );
    assert!(claim.exists());

    on(store.path(), &["graph", "drain"], "");
    fs::write(&claim, "\nnonsense\n").expect("put back");
    on(store.path(), &["graph", "drain"], "");
    on(store.path(), &["graph", "import", "-"], "nonsense\n");
    let output = on(store.path(), &["graph", "stats"], "");
    let (_, text, _) = out(&output);
    let counted = text
        .lines()
        .find(|line| line.starts_with("bad lines drained: not_json "));
    assert!(counted.is_some_and(|line| line.ends_with(" 1")), "{text}");
}

#[test]
fn an_export_moves_into_another_store_and_adds_nothing_a_second_time() {
    let (store, fresh) = (store(), tempfile::tempdir().expect("a folder"));
    prints(store.path(), &["graph", "export"], 0, EXPORTED, "");
    prints(store.path(), &["graph", "export", "--json"], 0, EXPORTED, "");
    let file = store.path().join("edges.ndjson");
    fs::write(&file, EXPORTED).expect("written");
    let file = file.to_str().expect("UTF-8");

    let first = "4 events are new, with 6 edges; 0 edges were known\n";
    prints(fresh.path(), &["graph", "import", file], 0, first, "");
    prints(fresh.path(), &["graph", "export"], 0, EXPORTED, "");
    prints(
        fresh.path(),
        &["graph", "verify"],
        0,
        "2 of 2 sessions agree with their edges\nwhat is published agrees with the ledger\n",
        "",
    );
    let second = concat!(
        r#"{"schema_version":1,"claims":1,"events":0,"edges_new":0,"edges_known":6,"bad_lines":{},"clamped":0}"#,
        "\n"
    );
    prints(fresh.path(), &["graph", "import", file, "-j"], 0, second, "");
    assert_eq!(
        out(&on(fresh.path(), &["graph", "import", "-", "-j"], EXPORTED)),
        (Some(0), second, "")
    );
    prints(fresh.path(), &["graph", "export"], 0, EXPORTED, "");
    assert!(Path::new(file).exists());
}

#[test]
fn rows_of_an_sql_based_store_move_in_with_their_ids() {
    let store = tempfile::tempdir().expect("a folder");
    let rows = concat!(
        r#"{"id":"01M8P571F80000000000000001","ts":"2026-11-30T12:00:01.123456789Z","kind":"recall","query":"jwt","target_session_id":"a"}"#,
        "\n",
        r#"{"id":"01M8P58V300000000000000004","ts":"2026-11-30T12:01:00Z","kind":"drill","query":"","target_session_id":"a"}"#,
        "\n"
    );
    let moved = "2 events are new, with 2 edges; 0 edges were known\n";
    assert_eq!(
        out(&on(store.path(), &["graph", "import", "-"], rows)),
        (Some(0), moved, "")
    );
    let again = "0 events are new, with 0 edges; 2 edges were known\n";
    assert_eq!(
        out(&on(store.path(), &["graph", "import", "-"], rows)),
        (Some(0), again, "")
    );
    let exported = concat!(
        r#"{"id":"01M8P571F80000000000000001","ts":"2026-11-30T12:00:01.000Z","kind":"recall","query":"jwt","target":"a"}"#,
        "\n",
        r#"{"id":"01M8P58V300000000000000004","ts":"2026-11-30T12:01:00.000Z","kind":"drill","targets":["a"]}"#,
        "\n"
    );
    prints(store.path(), &["graph", "export"], 0, exported, "");
    prints(
        store.path(),
        &["graph", "reach", "a"],
        0,
        "a [reached 2× drilled 1×· \"jwt\"]\n",
        "",
    );
}

#[test]
fn rows_without_an_id_get_the_same_one_again() {
    let store = tempfile::tempdir().expect("a folder");
    let rows = "{\"ts\":\"2026-11-30T12:00:01Z\",\"kind\":\"drill\",\"query\":\"\",\"target\":\"a\"}\n";
    for (code, text) in [
        (0, "1 event is new, with 1 edge; 0 edges were known\n"),
        (0, "0 events are new, with 0 edges; 1 edge was known\n"),
    ] {
        assert_eq!(
            out(&on(store.path(), &["graph", "import", "-"], rows)),
            (Some(code), text, "")
        );
    }
}

#[test]
fn what_is_no_event_is_named_by_an_import() {
    let store = tempfile::tempdir().expect("a folder");
    let output = on(
        store.path(),
        &["graph", "import", "-"],
        &format!("{LINES}\u{1b}[31mno\n"),
    );
    let (code, stdout, stderr) = out(&output);
    assert_eq!(
        (code, stdout),
        (Some(1), "4 events are new, with 6 edges; 0 edges were known\n")
    );
    assert_eq!(stderr, "rekal: line 5 is no event: not_json: \\u{1b}[31mno\n");
    let none = "0 events are new, with 0 edges; 0 edges were known\n";
    assert_eq!(
        out(&on(store.path(), &["graph", "import", "-"], "")),
        (Some(1), none, "")
    );
    let output = on(store.path(), &["graph", "import", "/nowhere.ndjson"], "");
    let told = "rekal: read /nowhere.ndjson: No such file or directory (os error 2)\n";
    assert_eq!(out(&output), (Some(2), "", told));
}

#[test]
fn nothing_found_is_a_no_and_says_what_waits() {
    let store = tempfile::tempdir().expect("a folder");
    on(store.path(), &["graph", "append"], LINES);
    let waits = "rekal: 4 lines wait in the spool: rekal graph drain takes them in\n";
    let told = |what: &str| format!("rekal: {what}\n{waits}");
    prints(
        store.path(),
        &["graph", "top"],
        1,
        "",
        &told("no session was reached yet"),
    );
    prints(store.path(), &["graph", "log"], 1, "", &told("no edge was found"));
    prints(
        store.path(),
        &["graph", "show", "a"],
        1,
        "",
        &told("this session was never reached"),
    );
    prints(
        store.path(),
        &["graph", "export"],
        1,
        "",
        &told("there is no event to export"),
    );
    prints(
        store.path(),
        &["graph", "top", "-j"],
        1,
        "{\"schema_version\":1,\"sessions\":[]}\n",
        "",
    );
    let unreached = concat!(
        r#"{"schema_version":1,"session_id":"a","count":0,"surfaced":0,"drills":0,"tallies":[],"edges":[]}"#,
        "\n"
    );
    prints(store.path(), &["graph", "show", "a", "-j"], 1, unreached, "");
    let output = on(store.path(), &["graph", "show", ""], "");
    let told = "rekal: \"\" is no session: a session id has 1 to 128 bytes and no control characters\n";
    assert_eq!(out(&output), (Some(2), "", told));
}

#[test]
fn nothing_of_a_hostile_store_reaches_the_terminal() {
    let store = tempfile::tempdir().expect("a folder");
    let line = r#"{"kind":"recall","query":"a\u001b[31m\u202e]\u2028b","targets":["x\u202e\u2066y"]}"#;
    on(store.path(), &["graph", "append"], line);
    on(store.path(), &["graph", "drain"], "");
    for words in [
        &["graph", "top"][..],
        &["graph", "log"],
        &["graph", "show", "x\u{202e}\u{2066}y"],
    ] {
        let output = on(store.path(), words, "");
        let (code, text, _) = out(&output);
        assert_eq!(code, Some(0));
        assert!(
            text.contains("x\\u{202e}\\u{2066}y") && text.contains("a[31m\\u{202e}]"),
            "{text}"
        );
        assert!(
            text.chars().all(|c| c == '\n' || c == ' ' || c.is_ascii_graphic()),
            "{text:?}"
        );
    }
}
