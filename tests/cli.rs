//! The program as scripts and agents see it: streams and exit codes.

use std::io::Write;
use std::process::Stdio;

use crate::program::{on, out, program, rekal};
use crate::stage::Stage;

#[test]
fn without_a_word_it_prints_its_help_and_could_not_run() {
    let output = rekal(&[]);
    let (code, stdout, stderr) = out(&output);
    assert_eq!((code, stdout), (Some(2), ""));
    assert!(stderr.contains("Usage: rekal"), "{stderr}");
    assert_eq!(rekal(&["--help"]).status.code(), Some(0));
}

#[test]
fn the_version_is_data() {
    assert_eq!(out(&rekal(&["version"])), (Some(0), "rekal 0.1.0\n", ""));
    assert_eq!(out(&rekal(&["--version"])), (Some(0), "rekal 0.1.0\n", ""));
    let json = "{\"schema_version\":1,\"version\":\"0.1.0\"}\n";
    assert_eq!(out(&rekal(&["version", "-j"])), (Some(0), json, ""));
}

#[test]
fn the_demo_has_no_json_and_says_so() {
    let output = rekal(&["demo", "--json"]);
    let (code, stdout, stderr) = out(&output);
    assert_eq!((code, stderr), (Some(2), ""));
    assert!(
        stdout.contains("demo: it shows what a person sees and has no JSON"),
        "{stdout}"
    );
}

#[test]
fn a_mistake_is_told_on_stderr_or_as_json() {
    let output = rekal(&["version", "--unknown"]);
    let (code, stdout, stderr) = out(&output);
    assert_eq!((code, stdout), (Some(2), ""));
    assert!(
        stderr.starts_with("rekal: unexpected argument '--unknown' found\n"),
        "{stderr}"
    );

    let json = concat!(
        r#"{"schema_version":1,"error":{"kind":"usage","message":"unexpected argument '--unknown' found","#,
        r#""path":null,"remedy":"see rekal --help"}}"#,
        "\n"
    );
    assert_eq!(out(&rekal(&["version", "--json", "--unknown"])), (Some(2), json, ""));
    let output = rekal(&["recall", "x", "--actor", "robot", "-j"]);
    let values = "'robot' for '--actor <ACTOR>' [possible values: human, agent]\",";
    assert!(out(&output).1.contains(values), "{output:?}");
}

#[test]
fn a_reader_that_has_gone_is_no_failure() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let child = program(&["version"])
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(out(&output), (Some(0), "", ""));
}

#[test]
fn another_program_appends_drains_and_looks_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("store");
    let events = "{\"kind\":\"recall\",\"query\":\"jwt expiry\",\"targets\":[\"a\",\"b\"]}\n\
                  {\"kind\":\"drill\",\"targets\":[\"a\"]}\n";
    let json = "{\"schema_version\":1,\"events\":2,\"bad_lines\":{}}\n";
    assert_eq!(
        out(&on(&store, &["graph", "append", "-j"], events)),
        (Some(0), json, "")
    );

    let drained = concat!(
        r#"{"schema_version":1,"claims":1,"events":2,"edges_new":3,"edges_known":0,"bad_lines":{},"clamped":0}"#,
        "\n"
    );
    assert_eq!(out(&on(&store, &["graph", "drain"], "")), (Some(0), drained, ""));

    let reached = "a [reached 2× drilled 1×· \"jwt expiry\"]\nc never reached\n";
    assert_eq!(
        out(&on(&store, &["graph", "reach", "a", "c"], "")),
        (Some(0), reached, "")
    );
    let json = concat!(
        r#"{"schema_version":1,"sessions":[{"session_id":"b","reached":{"count":1,"query":"jwt expiry"}}]}"#,
        "\n"
    );
    assert_eq!(
        out(&on(&store, &["graph", "reach", "b", "-j"], "")),
        (Some(0), json, "")
    );
    let none = "{\"schema_version\":1,\"sessions\":[{\"session_id\":\"c\"}]}\n";
    assert_eq!(
        out(&on(&store, &["graph", "reach", "c", "-j"], "")),
        (Some(1), none, "")
    );
}

#[test]
fn verify_finds_what_rebuild_mends() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path();
    on(
        store,
        &["graph", "append"],
        "{\"kind\":\"drill\",\"targets\":[\"a\"]}\n",
    );
    on(store, &["graph", "drain"], "");
    let right = "{\"schema_version\":1,\"targets\":1,\"differing\":[],\"published\":true}\n";
    assert_eq!(out(&on(store, &["graph", "verify", "-j"], "")), (Some(0), right, ""));

    std::fs::remove_file(store.join("reach.snap")).expect("it was published");
    let wrong = "1 of 1 session agrees with its edges\nwhat is published differs from the ledger\n";
    let remedy = "rekal: rekal graph rebuild makes it right\n";
    assert_eq!(out(&on(store, &["graph", "verify"], "")), (Some(1), wrong, remedy));
    assert_eq!(
        out(&on(store, &["graph", "rebuild"], "")),
        (Some(0), "folded 1 session\n", "")
    );
    assert_eq!(on(store, &["graph", "verify"], "").status.code(), Some(0));
}

#[test]
fn a_bad_line_is_named_and_the_answer_is_no() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, stderr) = {
        let output = on(folder.path(), &["graph", "append"], "\nnonsense\n");
        (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
    };
    assert_eq!(code, Some(1));
    assert_eq!(stderr, "rekal: line 2 is no event: not_json\n");
}

#[test]
fn a_switched_off_capture_leaves_no_event() {
    let folder = tempfile::tempdir().expect("a folder");
    let event = "{\"kind\":\"drill\",\"targets\":[\"a\"]}\n";
    let mut child = program(&["graph", "append"])
        .env("REKAL_STORE", folder.path())
        .env("REKAL_BENCH", "1")
        .stdin(Stdio::piped())
        .spawn()
        .expect("the program runs");
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(event.as_bytes())
        .expect("it listens");
    assert!(child.wait().expect("it ends").success());
    assert!(!folder.path().join("recall-log.ndjson").exists());
}

#[test]
fn a_store_that_is_not_there_is_named_with_its_remedy() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("none");
    let told = format!(
        "rekal: open {}: there is no store yet\nrekal: run rekal checkpoint to make one\n",
        store.display()
    );
    assert_eq!(out(&on(&store, &["graph", "drain"], "")), (Some(2), "", told.as_str()));
    assert!(!store.exists());
}

#[test]
fn a_slip_in_a_verb_is_a_query_and_a_person_hears_of_it() {
    let stage = Stage::with_sessions();
    let silence = "SILENCE reason=no_results\n";
    let run = stage.run(&["chekpoint"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), silence));
    assert!(!run.stderr.contains("did you mean"), "{}", run.stderr);
    let Some(shown) = stage.on_terminal("chekpoint") else {
        return;
    };
    let told = "rekal: \"chekpoint\" is no verb, so it is looked for; did you mean `rekal checkpoint`?\r\nSILENCE ";
    assert!(shown.starts_with(told), "{shown}");
    for other in ["recall chekpoint", "chekpoint jwt", "-- clean", "-j chekpoint", "jwt"] {
        let shown = stage.on_terminal(other).expect("a terminal");
        assert!(!shown.contains("did you mean"), "{other}: {shown}");
    }
}
