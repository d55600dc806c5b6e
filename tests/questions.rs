//! What may be asked, of what, and while what goes on: the real program on invented sessions.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::stage::{Stage, claude_line, finished};

const QUERY: &str = "jwt expiry";

fn ids(answer: &Value) -> Vec<&str> {
    let rows = answer["results"].as_array().expect("results").iter();
    rows.map(|row| row["session_id"].as_str().expect("an id")).collect()
}

/// The answer without what the graph knows: that may have been drained meanwhile.
fn found(mut answer: Value) -> Value {
    for row in answer["results"].as_array_mut().expect("results") {
        row.as_object_mut().expect("a row").remove("reached");
    }
    answer
}

/// The answer without scores, in the order of the handles: the latent vectors are published after the index, so
/// that for a moment that layer speaks of the state before. What is found, and how sure, it does not move.
fn evidence(answer: Value) -> Value {
    let mut answer = found(answer);
    let rows = answer["results"].as_array_mut().expect("results");
    for row in rows.iter_mut() {
        row.as_object_mut().expect("a row").remove("score");
    }
    rows.sort_by_key(|row| row["sid"].to_string());
    answer
}

#[test]
fn every_query_is_text() {
    let stage = Stage::with_sessions();
    let plain = found(stage.run(&["recall", "-j", QUERY]).json())["results"].take();
    for query in [
        "\"jwt\" expiry",
        "jwt AND expiry",
        "+jwt -expiry",
        "jwt\nexpiry",
        "(jwt* expiry",
        "body:jwt^2 expiry~",
        "jwt/expiry",
    ] {
        let run = stage.run(&["recall", "-j", "--", query]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{query:?}");
        assert_eq!(ids(&run.json()).len(), 3, "{query:?}");
    }
    let quoted = stage.run(&["recall", "-j", "--", "\"jwt\" (expiry)"]).json();
    assert_eq!(found(quoted)["results"], plain);
    for query in [
        "\"",
        "don't",
        "a/b",
        "C++",
        "pre-edit",
        "a:b",
        "AND OR NOT",
        "(",
        "*",
        "\\",
        "\n",
    ] {
        let run = stage.run(&["recall", "--", query]);
        assert_eq!(run.code, Some(1), "{query:?}: {}", run.stderr);
        assert!(run.stdout.starts_with("SILENCE reason="), "{query:?}: {}", run.stdout);
    }
}

#[test]
fn two_chinese_characters_are_found_and_so_is_a_name_glued_to_some() {
    let stage = Stage::new();
    stage.claude("cache", &[("user", "修复缓存失效的问题"), ("assistant", "已经完成")]);
    stage.claude(
        "parse",
        &[("user", "请检查parseToken函数的返回值"), ("assistant", "没有错误")],
    );
    stage.claude("chart", &[("user", "draw a chart"), ("assistant", "drawn")]);
    assert_eq!(stage.run(&["checkpoint"]).code, Some(0));
    for (query, session) in [
        ("缓存", "cache"),
        ("函数", "parse"),
        ("parseToken", "parse"),
        ("parseToken函数", "parse"),
    ] {
        let run = stage.run(&["recall", "-j", query]);
        assert_eq!((run.code, ids(&run.json())), (Some(0), vec![session]), "{query}");
    }
}

#[test]
fn a_question_of_another_field_is_silence_even_where_one_of_its_words_is_known() {
    let stage = Stage::new();
    for (number, text) in [
        "The compression ratio of the packfile is poor",
        "go vet complains about the goroutine that leaks",
        "Why does the ratio of cache hits fall after go build?",
        "Make the channel buffered and close it in the sender",
        "The defer in the loop keeps the file handles open",
    ]
    .iter()
    .enumerate()
    {
        stage.claude(
            &format!("go{number}"),
            &[("user", text), ("assistant", "I look into it.")],
        );
    }
    assert_eq!(stage.run(&["checkpoint"]).code, Some(0));
    let run = stage.run(&["recall", "sourdough hydration ratio"]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (Some(1), "SILENCE reason=below_gate\n")
    );
    assert_eq!(
        stage.run(&["recall", "compression ratio of the packfile"]).code,
        Some(0)
    );
}

#[test]
fn thirty_two_recalls_during_a_checkpoint_answer_as_alone() {
    let stage = Stage::with_sessions();
    let alone = || evidence(stage.run(&["recall", "-j", QUERY]).json());
    let before = alone();
    for number in 0..150 {
        let text = |turn| {
            format!(
                "Step {turn} of chart {number}: draw the legend of column {}",
                turn * number
            )
        };
        let mut said: Vec<String> = (0..20).map(text).collect();
        if number < 2 {
            said.push(format!("Log the jwt expiry as well, in column {number}"));
        }
        let said: Vec<(&str, &str)> = said.iter().map(|text| ("user", text.as_str())).collect();
        stage.claude(&format!("new-{number}"), &said);
    }
    let piped = |words: &[&str]| {
        let mut command = stage.command(words);
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("it runs")
    };
    let mut checkpoint = piped(&["checkpoint", "--quiet"]);
    let recalls: Vec<_> = (0..32).map(|_| piped(&["recall", "-j", QUERY])).collect();
    let is_running = checkpoint.try_wait().expect("a child").is_none();
    assert!(is_running, "the checkpoint must go on while the recalls begin");
    let runs = recalls
        .into_iter()
        .map(|child| finished(child.wait_with_output().expect("it ends")));
    let mut runs: Vec<_> = runs.collect();
    while checkpoint.try_wait().expect("a child").is_none() {
        runs.push(stage.run(&["recall", "-j", QUERY]));
    }
    assert_eq!(checkpoint.wait().expect("it ends").code(), Some(0));
    let after = alone();
    assert_eq!((ids(&before).len(), ids(&after).len()), (3, 5));
    let asked = runs.len() + 2;
    for run in runs {
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        let answer = evidence(run.json());
        assert!(answer == before || answer == after, "{answer}");
    }
    stage.run(&["graph", "drain"]);
    let stats = stage.run(&["graph", "stats", "-j"]).json();
    assert_eq!(stats["recalls"], asked, "{stats}");
}

#[test]
fn a_weight_of_zero_is_off_and_a_bad_one_is_named_and_falls_back_alone() {
    let stage = Stage::new();
    stage.claude("turn", &[("user", "jwt expiry jwt expiry"), ("assistant", "done")]);
    let said = [("user", "the jwt of the phone"), ("assistant", "its expiry is an hour")];
    stage.claude("whole", &said.repeat(6));
    stage.claude("other", &[("user", "draw a chart"), ("assistant", "drawn")]);
    assert_eq!(stage.run(&["checkpoint"]).code, Some(0));
    let path = stage.store().join("config.json");
    let with = |config: &str| {
        fs::write(&path, config).expect("written");
        let run = stage.run(&["recall", "-j", "-e", QUERY]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let complaints = run.stderr.replace(&path.display().to_string(), "config.json");
        (found(run.json()), complaints)
    };
    let (default, complaints) = with("{}");
    assert_eq!(complaints, "");
    let score = |answer: &Value, at: usize| (answer["results"][at]["score"].as_f64().expect("a score") * 100.0).round();

    let (whole, complaints) = with(r#"{"weights":{"turn":0,"lsa":0}}"#);
    assert_eq!((ids(&whole), complaints.as_str()), (vec!["whole", "turn"], ""));
    assert_eq!(whole["results"][0]["layers"]["lsa"], json!(0.0));
    let (turn, _) = with(r#"{"weights":{"session":0,"lsa":0}}"#);
    assert_eq!(ids(&turn), ["turn", "whole"]);
    assert_eq!((score(&whole, 0), score(&turn, 0)), (100.0, 100.0));

    for (config, complaint) in [
        (
            r#"{"weights":{"turn":-1}}"#,
            "config.json: weights.turn is -1, not a number",
        ),
        (
            r#"{"weights":{"lsa":"much"}}"#,
            "config.json: weights.lsa is \"much\", not a number",
        ),
        (r#"{"weights":{"turn":"#, "config.json: not JSON"),
    ] {
        let (answer, complaints) = with(config);
        assert_eq!(answer, default, "{config}");
        assert!(complaints.starts_with(&format!("rekal: {complaint}")), "{complaints}");
        assert_eq!(complaints.lines().count(), 1, "{complaints}");
    }
    let (alone, complaints) = with(r#"{"weights":{"turn":-1,"session":0,"lsa":0}}"#);
    assert_eq!(alone, turn, "{complaints}");
}

#[test]
fn what_a_fork_copied_is_shown_once_and_what_it_says_itself_is_found() {
    let stage = Stage::new();
    let (trunk_id, fork_id) = (
        "11111111-2222-4333-8444-555555555555",
        "99999999-2222-4333-8444-555555555555",
    );
    let line = |id: &str, at: usize, text: &str| claude_line(id, at, ["user", "assistant"][at % 2], text);
    let text = |at: usize| format!("step {at} of the jwt expiry drift on the phone");
    let trunk: String = (0..50).map(|at| line(trunk_id, at, &text(at))).collect();
    let own = line(fork_id, 50, "now the cookie lifetime of the login form");
    fs::write(stage.transcript(fork_id), format!("{trunk}{own}")).expect("written");
    fs::write(stage.transcript(trunk_id), &trunk).expect("written");
    stage.claude(
        "other",
        &[("user", "the jwt expiry again, on a desk"), ("assistant", "done")],
    );
    assert_eq!(stage.run(&["checkpoint"]).code, Some(0));
    let answer = stage.run(&["recall", "-j", "jwt expiry drift step 7"]).json();
    let both: Vec<&str> = ids(&answer)
        .into_iter()
        .filter(|id| [trunk_id, fork_id].contains(id))
        .collect();
    assert_eq!(both.len(), 1, "{answer}");
    let own = stage.run(&["recall", "-j", "cookie lifetime of the login form"]).json();
    assert_eq!(ids(&own)[..1], [fork_id], "{own}");
}
