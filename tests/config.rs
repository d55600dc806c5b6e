//! What is set, and where.

use std::fs;

use serde_json::json;

use super::stage::Stage;

/// A user who sets two values and a store that sets one of them anew and another one wrongly.
fn stage() -> Stage {
    let stage = Stage::new();
    let user = stage.home().join(".config/rekal");
    fs::create_dir_all(&user).expect("folders");
    fs::create_dir(stage.store()).expect("a folder");
    fs::write(user.join("config.json"), r#"{"weights":{"turn":0.5,"lsa":0.2}}"#).expect("written");
    let store = r#"{"colour":1,"weights":{"lsa":0,"session":"much"}}"#;
    fs::write(stage.store().join("config.json"), store).expect("written");
    stage
}

#[test]
fn every_setting_is_shown_with_its_file() {
    let stage = stage();
    let run = stage.run(&["config"]);
    let home = stage.home().display();
    let rows = [
        "setting                    value  from".to_owned(),
        format!("weights.turn               0.5    {home}/.config/rekal/config.json"),
        "weights.session            0.45   default".into(),
        format!("weights.lsa                0      {home}/store/config.json"),
        "weights.commit_boost       0.3    default".into(),
        "weights.date_boost         0.3    default".into(),
        "weights.recency_boost      0      default".into(),
        "weights.reach_boost        0.2    default".into(),
        "weights.intent_boost       0.3    default".into(),
        "weights.steering_boost     1.3    default".into(),
        "weights.summary_boost      1.15   default".into(),
        "weights.subagent_discount  1      default".into(),
    ];
    let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
    assert_eq!((run.code, run.stdout), (Some(0), text));
    let bad = [
        "\"colour\" is no setting",
        "weights.session is \"much\", not a number from 0 to 1000: 0.45 is used",
    ];
    let told = bad.map(|what| format!("rekal: {home}/store/config.json: {what}\n"));
    assert_eq!(run.stderr, told.concat());
}

#[test]
fn programs_get_an_object() {
    let stage = stage();
    let printed = stage.run(&["config", "-j"]).json();
    let (user, store) = (
        stage.home().join(".config/rekal/config.json"),
        stage.store().join("config.json"),
    );
    let files = json!([{"path": user, "found": true}, {"path": store, "found": true}]);
    assert_eq!((&printed["schema_version"], &printed["files"]), (&json!(1), &files));
    let first = [
        json!({"key": "weights.turn", "value": 0.5, "path": user}),
        json!({"key": "weights.session", "value": 0.45}),
        json!({"key": "weights.lsa", "value": 0.0, "path": store}),
    ];
    assert_eq!(printed["settings"].as_array().map(|all| &all[..3]), Some(&first[..]));
    let bad = json!({"path": store, "message": "\"colour\" is no setting"});
    assert_eq!(
        (&printed["bad"][0], printed["bad"].as_array().map(Vec::len)),
        (&bad, Some(2))
    );
}

#[test]
fn a_store_need_not_be_there() {
    let stage = Stage::new();
    let printed = stage.run(&["config", "-j"]).json();
    let found: Vec<_> = printed["files"]
        .as_array()
        .expect("files")
        .iter()
        .map(|file| &file["found"])
        .collect();
    assert_eq!(found, [false, false]);
    assert!(!stage.store().exists());
}
