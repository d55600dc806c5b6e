//! Every mention of a text, in the real program.

use std::fs;

use serde_json::json;

use super::stage::{Stage, claude_line};

#[test]
fn every_mention_is_listed_oldest_first_and_nothing_is_recorded() {
    let stage = Stage::with_sessions();
    let run = stage.run(&["find", "JWT", "Expiry"]);
    let rows = [
        "s1 t1 [2026-11-02T10:00] human: Where is the jwt expiry set?",
        "s2 t1 [2026-11-02T10:00] human: Make the jwt expiry longer, please",
        "s3 t1 [2026-11-02T10:00] human: Why does jwt expiry matter on a phone?",
        "s1 t2 [2026-11-02T10:01] assistant: The jwt expiry is set in auth.rs.",
    ];
    let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
    assert_eq!((run.code, run.stdout, run.stderr.as_str()), (Some(0), text, ""));

    let run = stage.run(&["find", "jwt expiry", "-n", "1"]);
    assert_eq!(run.stdout, format!("{}\n(+3 more)\n", rows[0]));
    let run = stage.run(&["find", "-r", "assistant", "jwt"]);
    assert_eq!(run.stdout, format!("{}\n", rows[3]));
    assert_eq!(stage.spooled(), [json!(null); 0]);
}

#[test]
fn programs_get_an_object() {
    let stage = Stage::new();
    stage.claude("aaaa", &[("user", "Straße, STRASSE"), ("assistant", "Which?")]);
    stage.run(&["checkpoint"]);
    let run = stage.run(&["find", "strasse", "-j"]);
    let row = json!({"session_id": "aaaa", "sid": "s1", "turn": 1, "role": "human",
        "ts": "2026-11-02T10:00:00.000Z", "count": 2, "snippet": "Straße, STRASSE"});
    let found = json!({"schema_version": 1, "text": "strasse", "total": 1, "mentions": [row]});
    assert_eq!((run.code, run.json()), (Some(0), found));
    let none = stage.run(&["find", "avenue", "-j"]);
    let nothing = json!({"schema_version": 1, "text": "avenue", "total": 0, "mentions": []});
    assert_eq!((none.code, none.json()), (Some(1), nothing));
}

#[test]
fn where_there_is_nothing_it_says_why() {
    let stage = Stage::new();
    let said = |stage: &Stage| {
        let run = stage.run(&["find", "jwt"]);
        (run.code, run.stdout, run.stderr)
    };
    let advice = |text: &str| (Some(1), String::new(), format!("rekal: {text}\n"));
    assert_eq!(
        said(&stage),
        advice("there is no store here yet; run `rekal checkpoint`")
    );
    fs::create_dir(stage.store()).expect("a folder");
    assert_eq!(said(&stage), advice("nothing is published yet; run `rekal checkpoint`"));
    stage.claude("aaaa", &[("user", "Export the table")]);
    stage.run(&["checkpoint"]);
    assert_eq!(
        said(&stage),
        advice("no turn holds this very text; rekal recall looks for the words of it")
    );
    assert_eq!(stage.run(&["find", " "]).code, Some(2));
}

#[test]
fn it_needs_no_ledger() {
    let stage = Stage::with_sessions();
    fs::remove_file(stage.store().join("store.redb")).expect("a ledger");
    assert_eq!(stage.run(&["find", "csv"]).code, Some(0));
    assert!(!stage.store().join("store.redb").exists());
}

#[test]
fn five_thousand_turns_are_read_in_a_moment() {
    let stage = Stage::new();
    for session in 0..50 {
        let id = format!("session-{session}");
        let turn = |at: usize| {
            let text = format!(
                "{at} {} number {}",
                "lorem ipsum dolor sit amet ".repeat(20),
                at * session
            );
            claude_line(&id, at % 60, "user", &text).replace("-02T10", &format!("-02T1{}", at / 60))
        };
        fs::write(stage.transcript(&id), (0..100).map(turn).collect::<String>()).expect("written");
    }
    stage.run(&["checkpoint"]);
    let begun = std::time::Instant::now();
    let run = stage.run(&["find", "number 4851", "-j"]);
    // Without optimisation, on a busy machine.
    assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
    assert_eq!((run.json()["total"].clone(), run.code), (json!(1), Some(0)));
}
