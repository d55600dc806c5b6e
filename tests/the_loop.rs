//! The loop: what is surfaced and what is opened comes back as a hint.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::stage::Stage;

const QUERY: &str = "jwt expiry";

fn drain(stage: &Stage) -> Value {
    let run = stage.run(&["graph", "drain"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run.json()
}

fn reached<'a>(answer: &'a Value, sid: &str) -> &'a Value {
    let results = answer["results"].as_array().expect("results");
    let row = results
        .iter()
        .find(|row| row["sid"] == sid)
        .unwrap_or_else(|| panic!("{sid} in {answer}"));
    &row["reached"]
}

#[test]
fn nine_recalls_and_two_drills_are_the_hint_of_the_next_recall() {
    let stage = Stage::with_sessions();
    for asker in 1..=9 {
        let asker = format!("asker-{asker}");
        assert_eq!(stage.run_with(&[("REKAL_SESSION", &asker)], &[QUERY]).code, Some(0));
    }
    for asker in ["asker-1", "asker-2"] {
        assert_eq!(
            stage.run_with(&[("REKAL_SESSION", asker)], &["query", "-s", "s1"]).code,
            Some(0)
        );
    }
    assert_eq!(drain(&stage)["events"], 11);

    let recall = stage.run(&[QUERY]);
    assert!(
        recall
            .row("s1")
            .contains(" [reached 11× drilled 2×· \"jwt expiry\"] \""),
        "{}",
        recall.stdout
    );
    assert!(
        recall.row("s2").contains(" [reached 9×· \"jwt expiry\"] \""),
        "{}",
        recall.stdout
    );
    let answer = stage.run(&["-j", QUERY]).json();
    assert_eq!(
        reached(&answer, "s1"),
        &json!({"count": 11, "drills": 2, "query": "jwt expiry"})
    );
    assert_eq!(reached(&answer, "s2"), &json!({"count": 9, "query": "jwt expiry"}));
    let other = stage.run(&["export csv table"]);
    assert!(other.row("s4").contains(" t1 \"Export"), "{}", other.stdout);
}

#[test]
fn without_edges_the_digest_is_the_same_as_without_the_graph() {
    let stage = Stage::with_sessions();
    let with = stage.run(&[QUERY]);
    let without = stage.run_with(&[("REKAL_BENCH", "1")], &[QUERY]);
    assert_eq!((with.code, &with.stdout), (Some(0), &without.stdout));
    fs::write(stage.store().join("config.json"), r#"{"weights":{"reach_boost":0}}"#).expect("written");
    assert_eq!(stage.run(&[QUERY]).stdout, with.stdout);
}

#[test]
fn a_recall_does_not_change_the_number_it_shows() {
    let stage = Stage::with_sessions();
    let shown = |stage: &Stage| reached(&stage.run(&["-j", QUERY]).json(), "s1")["count"].clone();
    assert_eq!(shown(&stage), Value::Null);
    assert_eq!(shown(&stage), Value::Null);
    drain(&stage);
    assert_eq!(shown(&stage), 2);
    assert_eq!(shown(&stage), 2);
}

#[test]
fn a_drill_alone_counts_and_a_checkpoint_without_a_new_session_drains() {
    let stage = Stage::with_sessions();
    stage.run(&["query", "-s", "s1"]);
    let checkpoint = stage.run(&["checkpoint", "-j"]).json();
    assert_eq!(
        (&checkpoint["sessions_new"], &checkpoint["indexed"]),
        (&json!(0), &json!(0))
    );
    assert_eq!(checkpoint["drained"]["edges_new"], 1);
    let answer = stage.run(&["-j", QUERY]).json();
    assert_eq!(reached(&answer, "s1"), &json!({"count": 1, "drills": 1}));
}

#[test]
fn only_a_drill_lifts_and_only_when_the_weight_is_not_zero() {
    let stage = Stage::with_sessions();
    let first = |stage: &Stage| stage.run(&["-j", QUERY]).json()["results"][0]["sid"].clone();
    let best = first(&stage);
    let other = if best == "s2" { "s3" } else { "s2" };
    for _ in 0..3 {
        stage.run(&[QUERY]);
    }
    drain(&stage);
    assert_eq!(first(&stage), best, "surfacing must not lift");
    stage.run(&["query", "-s", other]);
    drain(&stage);
    assert_eq!(first(&stage), other);
    fs::write(stage.store().join("config.json"), r#"{"weights":{"reach_boost":0}}"#).expect("written");
    assert_eq!(first(&stage), best);
}

#[test]
fn what_returned_nothing_has_no_edge() {
    let stage = Stage::with_sessions();
    for words in [&[""][..], &["   "], &["a"], &["?"], &["sourdough hydration ratio"]] {
        let run = stage.run(words);
        assert_eq!(run.code, Some(1), "{words:?}");
        assert!(run.stdout.starts_with("SILENCE reason="), "{}", run.stdout);
        assert!(run.stderr.starts_with("rekal: "), "{}", run.stderr);
    }
    let listed = stage.run(&["--harness", "claude"]);
    assert_eq!(listed.code, Some(0));
    assert!(listed.stdout.contains("s4"), "{}", listed.stdout);
    assert_eq!(stage.spooled(), Vec::<Value>::new());
}

#[test]
fn silence_is_an_object_too() {
    let stage = Stage::with_sessions();
    let run = stage.run(&["-j", "sourdough hydration ratio"]);
    assert_eq!(run.code, Some(1));
    let answer = run.json();
    assert_eq!(
        (&answer["verdict"], &answer["results"]),
        (&json!("silence"), &json!([]))
    );
    assert!(answer["reason"].is_string());
}

#[test]
fn the_edges_are_the_rows_that_were_printed() {
    let stage = Stage::with_sessions();
    stage.run(&["-n", "1", QUERY]);
    stage.run(&["-n", "0", QUERY]);
    stage.run(&["-j", "-n", "1000000", QUERY]);
    let counts: Vec<usize> = stage
        .spooled()
        .iter()
        .map(|e| e["targets"].as_array().expect("targets").len())
        .collect();
    assert_eq!(counts, [1, 3]);
    assert_eq!(stage.run(&["-n", "-1", QUERY]).code, Some(2));
}

#[test]
fn the_asking_session_is_neither_an_answer_nor_an_edge() {
    let stage = Stage::with_sessions();
    let answer = stage
        .run_with(&[("CLAUDE_CODE_SESSION_ID", "aaaa")], &["-j", QUERY])
        .json();
    let ids: Vec<&Value> = answer["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|r| &r["session_id"])
        .collect();
    assert!(!ids.contains(&&json!("aaaa")) && ids.len() == 2, "{ids:?}");
    assert_eq!(stage.spooled()[0]["source"], "aaaa");
}

#[test]
fn a_session_read_in_ten_pages_is_one_drill() {
    let stage = Stage::with_sessions();
    let asker = [("REKAL_SESSION", "reader")];
    stage.run_with(&asker, &["query", "-s", "s1", "-n", "1"]);
    for turn in 0..4 {
        stage.run_with(&asker, &["query", "-s", "s1", "--after", &turn.to_string()]);
        stage.run_with(&asker, &["query", "-s", "s1", "--turn", &(turn + 1).to_string()]);
    }
    drain(&stage);
    let answer = stage.run(&["-j", QUERY]).json();
    assert_eq!(reached(&answer, "s1"), &json!({"count": 1, "drills": 1}));
}

#[test]
fn switched_off_capture_records_nothing_and_the_benchmark_switch_hides_the_graph() {
    let stage = Stage::with_sessions();
    stage.run(&["query", "-s", "s2"]);
    drain(&stage);
    for (name, hint) in [("REKAL_SKIP_CHECKPOINT", true), ("REKAL_BENCH", false)] {
        let on = [(name, "1")];
        assert_eq!(
            stage.run_with(&on, &[QUERY]).stdout.contains("[reached"),
            hint,
            "{name}"
        );
        stage.run_with(&on, &["query", "-s", "s1"]);
        assert_eq!(stage.run_with(&on, &["checkpoint"]).stdout, "");
        assert!(stage.spooled().is_empty(), "{name}");
        stage.run_with(&[(name, "off")], &["query", "-s", "s1"]);
        assert_eq!(stage.spooled().len(), 1, "{name}");
        drain(&stage);
    }
}

#[test]
fn without_a_store_or_an_index_it_says_what_to_run() {
    let stage = Stage::new();
    let run = stage.run(&[QUERY]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), "SILENCE reason=no_store\n"));
    assert!(run.stderr.contains("rekal checkpoint"), "{}", run.stderr);
    assert!(!stage.store().exists(), "asking makes no store");
    fs::create_dir(stage.store()).expect("a folder");
    let run = stage.run(&[QUERY]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), "SILENCE reason=no_index\n"));
    assert_eq!(stage.run(&["query", "-s", "s1"]).code, Some(2));
    assert_eq!(stage.run(&["checkpoint"]).code, Some(0));
    assert_eq!(stage.run(&[QUERY]).stdout, "SILENCE reason=no_results\n");
}

#[test]
fn recall_and_drill_never_wait_for_the_ledger() {
    let stage = Stage::with_sessions();
    let before = stage.run(&[QUERY]);
    let held = rekal::ledger::Ledger::open(&stage.store()).expect("held");
    let started = Instant::now();
    for _ in 0..5 {
        let recall = stage.run(&[QUERY]);
        assert_eq!(
            (recall.code, &recall.stdout, recall.stderr.as_str()),
            (Some(0), &before.stdout, "")
        );
        assert_eq!(stage.run(&["query", "-s", "s1"]).code, Some(0));
    }
    assert!(
        started.elapsed() < Duration::from_secs(30),
        "nothing waited for the ledger"
    );
    let hook = stage.run(&["checkpoint", "--quiet"]);
    assert_eq!(
        (hook.code, hook.stdout.as_str(), hook.stderr.as_str()),
        (Some(0), "", "")
    );
    drop(held);
    assert_eq!(drain(&stage)["events"], 11);
}
