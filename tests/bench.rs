//! Quality of recall, measured on a store whose right answers are known.

use std::fs;

use serde_json::{Value, json};

use super::stage::{Stage, claude_line};

const NOTE: &str = "rekal: these subjects are in the index themselves: the row without commits is the honest one \
    (weights.commit_boost 0); a commit made by a command is in the text of its session even so\n";

/// A store of four sessions, and labels of which the last is wrong on purpose.
fn labelled() -> (Stage, String) {
    let stage = Stage::with_sessions();
    let labels = json!([
        {"query": "jwt expiry auth.rs", "relevant_sessions": ["aaaa"], "commit": "ignored"},
        {"query": "export csv table", "relevant_sessions": ["dddd"]},
        {"query": "jwt expiry phone", "relevant_sessions": ["cccc", "nobody"]},
        {"query": "Export CSV table", "relevant_sessions": ["aaaa"]},
        {"query": "csv", "relevant_sessions": ["dddd"]},
        {"query": "jwt expiry longer", "relevant_sessions": ["dddd"]},
        {"query": "somebody else asked", "relevant_sessions": ["nobody"]},
    ]);
    let file = stage.home().join("labels.json");
    fs::write(&file, labels.to_string()).expect("written");
    let file = file.to_str().expect("UTF-8").to_owned();
    (stage, file)
}

#[test]
fn labels_of_a_file_are_measured_and_what_is_left_out_is_said() {
    let (stage, file) = labelled();
    let run = stage.run(&["bench", "--labels", &file]);
    let text = "\
ranking              n  MRR                  hit@1                hit@5                hit@10               silenced
turn only            4  0.750 (0.250-1.000)  0.750 (0.250-1.000)  0.750 (0.250-1.000)  0.750 (0.250-1.000)  0.000
session only         4  0.750 (0.250-1.000)  0.750 (0.250-1.000)  0.750 (0.250-1.000)  0.750 (0.250-1.000)  0.000
session + lsa        4  0.750 (0.250-1.000)  0.750 (0.250-1.000)  0.750 (0.250-1.000)  0.750 (0.250-1.000)  0.000
mix without commits  4  0.750 (0.250-1.000)  0.750 (0.250-1.000)  0.750 (0.250-1.000)  0.750 (0.250-1.000)  0.000
mix                  4  0.750 (0.250-1.000)  0.750 (0.250-1.000)  0.750 (0.250-1.000)  0.750 (0.250-1.000)  0.000
mix, graph on        4  0.750 (0.250-1.000)  0.750 (0.250-1.000)  0.750 (0.250-1.000)  0.750 (0.250-1.000)  0.000
";
    let told = "\
rekal: 1 query of a single word: left out
rekal: 1 query that came before: left out
rekal: 1 query that no session of this store answers: left out
rekal: 1 session that this store does not have: left out
";
    assert_eq!(
        (run.code, run.stdout.as_str(), run.stderr.as_str()),
        (Some(0), text, told)
    );
}

#[test]
fn the_same_is_data() {
    let (stage, file) = labelled();
    let object = stage.run(&["bench", "--labels", &file, "-j"]).json();
    let counts =
        ["schema_version", "short", "repeated", "unanswered", "unknown_sessions"].map(|key| object[key].clone());
    assert_eq!(counts, [1, 1, 1, 1, 1].map(Value::from));
    assert_eq!(object["source"], file.as_str());
    let figure = json!({"value": 0.75, "low": 0.25, "high": 1.0});
    let row = json!({
        "name": "mix", "n": 4, "mrr": figure, "hit_1": figure, "hit_5": figure, "hit_10": figure, "silenced": 0.0,
    });
    assert_eq!(object["rows"][4], row);
    assert_eq!(object["rows"].as_array().map(Vec::len), Some(6));
}

#[test]
fn openings_move_the_row_with_the_graph_on_alone() {
    let (stage, file) = labelled();
    let labels = json!([{"query": "jwt expiry", "relevant_sessions": ["cccc"]}]);
    fs::write(&file, labels.to_string()).expect("written");
    let ranks = |stage: &Stage| {
        let object = stage.run(&["bench", "--labels", &file, "-j"]).json();
        [4, 5].map(|row: usize| object["rows"][row]["mrr"]["value"].clone())
    };
    assert_eq!(ranks(&stage), [json!(0.3333), json!(0.3333)]);
    stage.run(&["query", "-s", "cccc"]);
    stage.run(&["checkpoint"]);
    assert_eq!(ranks(&stage), [json!(0.3333), json!(0.5)]);
}

#[test]
fn the_subjects_of_commits_are_labels_and_the_note_says_what_that_means() {
    let stage = Stage::new();
    for (id, subject) in [("aaaa", "Rotate the signing keys"), ("bbbb", "Draw the latency chart")] {
        let call = json!({
            "type": "assistant", "uuid": "x", "sessionId": id, "cwd": "/home/dev/app",
            "timestamp": "2026-11-02T10:05:00.000Z",
            "message": {"role": "assistant", "content": [
                {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": format!("git commit -m '{subject}'")}},
            ]},
        });
        let asked = claude_line(id, 0, "user", "please do it");
        fs::write(stage.transcript(id), format!("{asked}{call}\n")).expect("written");
    }
    stage.run(&["checkpoint"]);
    let run = stage.run(&["bench"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), NOTE));
    let rows: Vec<&str> = run.stdout.lines().map(|row| &row[..40]).collect();
    assert_eq!(rows[1], "turn only            2  0.000 (0.000-0.0");
    assert_eq!(rows[5], "mix                  2  1.000 (1.000-1.0");
}

#[test]
fn a_store_without_labels_answers_no_and_says_what_helps() {
    let stage = Stage::with_sessions();
    let run = stage.run(&["bench"]);
    let told = "rekal: the store knows of no commit to measure with\n\
        rekal: run rekal checkpoint in a repository, or give questions with --labels FILE\n";
    assert_eq!(
        (run.code, run.stdout.as_str(), run.stderr.as_str()),
        (Some(1), "", told)
    );
    let object = stage.run(&["bench", "-j"]).json();
    assert_eq!(object["rows"], json!([]));
    let empty = Stage::new();
    let run = empty.run(&["bench"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr
            .contains("there is no store yet\nrekal: run rekal checkpoint"),
        "{}",
        run.stderr
    );
    empty.run(&["checkpoint"]);
    assert_eq!(empty.run(&["bench"]).code, Some(1));
}

#[test]
fn a_file_that_holds_no_labels_cannot_be_measured() {
    let (stage, file) = labelled();
    for broken in ["", "{}", "[{\"query\":1}]", "[{\"query\":\"a b\"}]", "[\"a b\"]"] {
        fs::write(&file, broken).expect("written");
        let run = stage.run(&["bench", "--labels", &file]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{broken:?}");
        assert!(
            run.stderr
                .starts_with(&format!("rekal: read {file}: it holds no labels: ")),
            "{}",
            run.stderr
        );
        assert!(
            run.stderr
                .ends_with("write an array of {\"query\": text, \"relevant_sessions\": [ids]}\n")
        );
    }
    assert_eq!(stage.run(&["bench", "--labels", "none.json"]).code, Some(2));
    assert_eq!(stage.run(&["bench", "--labels", &file, "--replay"]).code, Some(2));
}

#[test]
fn a_replay_says_where_what_was_opened_would_stand() {
    let stage = Stage::with_sessions();
    let none = stage.run(&["bench", "--replay"]);
    let told = "rekal: no recall has led to an opening yet; the spool is counted by rekal checkpoint\n";
    assert_eq!(
        (none.code, none.stdout.as_str(), none.stderr.as_str()),
        (Some(1), "", told)
    );

    assert!(stage.run(&["jwt expiry"]).stdout.contains("3 seeds"));
    stage.run(&["query", "-s", "cccc"]);
    stage.run(&["checkpoint"]);
    let run = stage.run(&["bench", "--replay"]);
    let text = "\
ranking          n  median rank  at 1   within 5  within 20
as it was shown  1            3  0.000  1.000     1.000
turn only        1            3  0.000  1.000     1.000
session only     1            3  0.000  1.000     1.000
mix              1            3  0.000  1.000     1.000
mix, graph on    1            1  1.000  1.000     1.000
";
    let told = "rekal: the graph has learned from these very openings, so the row with the graph on is flattered\n";
    assert_eq!(
        (run.code, run.stdout.as_str(), run.stderr.as_str()),
        (Some(0), text, told)
    );
    let object = stage.run(&["bench", "--replay", "-j"]).json();
    let row = json!({
        "name": "mix, graph on", "n": 1, "median_rank": 1, "at_1": 1.0, "within_5": 1.0, "within_20": 1.0,
    });
    assert_eq!((&object["unknown"], &object["rows"][4]), (&json!(0), &row));

    // A rank that another writer did not note is none of those that were shown.
    let foreign = concat!(
        "{\"ts\":\"2026-11-03T10:00:00Z\",\"kind\":\"recall\",\"query\":\"export csv\",\"target\":\"dddd\"}\n",
        "{\"ts\":\"2026-11-03T10:00:09Z\",\"kind\":\"drill\",\"target\":\"dddd\"}\n",
    );
    let rows = stage.home().join("rows.ndjson");
    fs::write(&rows, foreign).expect("written");
    let imported = stage.run(&["graph", "import", rows.to_str().expect("UTF-8")]);
    assert_eq!(imported.code, Some(0), "{}", imported.stderr);
    let object = stage.run(&["bench", "--replay", "-j"]).json();
    assert_eq!(
        (&object["rows"][0]["n"], &object["rows"][3]["n"]),
        (&json!(1), &json!(2))
    );

    // The session that asked is left out now as it was then.
    stage.run_with(&[("REKAL_SESSION", "aaaa")], &["jwt expiry"]);
    stage.run_with(&[("REKAL_SESSION", "aaaa")], &["query", "-s", "bbbb"]);
    stage.run(&["checkpoint"]);
    let object = stage.run(&["bench", "--replay", "-j"]).json();
    assert_eq!(
        (&object["rows"][3]["n"], &object["rows"][3]["at_1"]),
        (&json!(3), &json!(0.6667))
    );
}
