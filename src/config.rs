//! `config.json` of the store, over that of the user, over the defaults, key by key.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rekal::recall::Weights;
use serde_json::{Map, Value};

use crate::out::one_line;

/// The name of the file, in the store and in the user's configuration directory.
const FILE: &str = "config.json";

/// No weight is larger: sums of weights must stay far from infinity.
const MAX: f64 = 1000.0;

/// How many characters of a bad value are shown.
const SHOWN: usize = 40;

/// Reads `config.json` in each of these folders, a later one over an earlier one. A missing file
/// says nothing; what cannot be used falls back alone and is complained of, one line each.
pub fn read(folders: impl IntoIterator<Item = PathBuf>) -> (Weights, Vec<String>) {
    let mut reading = Reading::default();
    for path in folders.into_iter().map(|folder| folder.join(FILE)) {
        match std::fs::read(&path) {
            Ok(bytes) => reading.take(&path, &bytes),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(error) => reading.complain(&path, error),
        }
    }
    reading.finish()
}

#[derive(Default)]
struct Reading {
    weights: Weights,
    intent_is_explicit: bool,
    complaints: Vec<String>,
}

impl Reading {
    fn take(&mut self, path: &Path, bytes: &[u8]) {
        match serde_json::from_slice::<Value>(bytes) {
            Ok(Value::Object(settings)) => self.take_settings(path, &settings),
            Ok(_) => self.complain(path, "not an object, so none of it is used"),
            Err(error) => self.complain(path, format!("not JSON, so none of it is used: {error}")),
        }
    }

    fn take_settings(&mut self, path: &Path, settings: &Map<String, Value>) {
        for (key, value) in settings {
            match (key.as_str(), value) {
                ("weights", Value::Object(weights)) => self.take_weights(path, weights),
                ("weights", _) => self.complain(path, "\"weights\" is not an object"),
                _ => self.complain(path, format!("{key:?} is no setting")),
            }
        }
    }

    fn take_weights(&mut self, path: &Path, weights: &Map<String, Value>) {
        for (key, value) in weights {
            let Some(slot) = slot(&mut self.weights, key) else {
                self.complain(path, format!("{:?} is no setting", format!("weights.{key}")));
                continue;
            };
            match value.as_f64().filter(|number| (0.0..=MAX).contains(number)) {
                Some(number) => {
                    *slot = number;
                    self.intent_is_explicit |= key == "intent_boost";
                }
                None => {
                    let kept = *slot;
                    let found = one_line(&value.to_string(), SHOWN);
                    self.complain(
                        path,
                        format!("weights.{key} is {found}, not a number from 0 to {MAX}: {kept} is used"),
                    );
                }
            }
        }
    }

    fn complain(&mut self, path: &Path, what: impl std::fmt::Display) {
        self.complaints.push(format!("{}: {what}", path.display()));
    }

    /// Who switches the look-up of openings off means all of it, unless he said otherwise.
    fn finish(mut self) -> (Weights, Vec<String>) {
        if self.weights.reach_boost == 0.0 && !self.intent_is_explicit {
            self.weights.intent_boost = 0.0;
        }
        (self.weights, self.complaints)
    }
}

fn slot<'a>(weights: &'a mut Weights, key: &str) -> Option<&'a mut f64> {
    Some(match key {
        "turn" => &mut weights.turn,
        "session" => &mut weights.session,
        "lsa" => &mut weights.lsa,
        "commit_boost" => &mut weights.commit_boost,
        "date_boost" => &mut weights.date_boost,
        "recency_boost" => &mut weights.recency_boost,
        "reach_boost" => &mut weights.reach_boost,
        "intent_boost" => &mut weights.intent_boost,
        "steering_boost" => &mut weights.steering_boost,
        "summary_boost" => &mut weights.summary_boost,
        "subagent_discount" => &mut weights.subagent_discount,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(files: &[&str]) -> (Weights, Vec<String>) {
        let mut reading = Reading::default();
        for (n, text) in files.iter().enumerate() {
            reading.take(
                Path::new(["/user/config.json", "/store/config.json"][n]),
                text.as_bytes(),
            );
        }
        reading.finish()
    }

    #[test]
    fn the_store_goes_over_the_user_key_by_key() {
        let user = r#"{"weights":{"turn":0.5,"session":0.3}}"#;
        let store = r#"{"weights":{"session":0.6,"lsa":0}}"#;
        let (weights, complaints) = read_all(&[user, store]);
        assert_eq!((weights.turn, weights.session, weights.lsa), (0.5, 0.6, 0.0));
        assert_eq!(weights.subagent_discount, 1.0);
        assert_eq!(complaints, [""; 0]);
    }

    #[test]
    fn a_bad_value_is_named_and_falls_back_alone() {
        let user = r#"{"weights":{"lsa":0.25}}"#;
        let store = r#"{"weights":{"turn":-1,"session":"much","lsa":1001,"recency_boost":1}}"#;
        let (weights, complaints) = read_all(&[user, store]);
        assert_eq!((weights.turn, weights.session, weights.lsa), (0.45, 0.45, 0.25));
        assert_eq!(weights.recency_boost, 1.0);
        assert_eq!(
            complaints,
            [
                "/store/config.json: weights.lsa is 1001, not a number from 0 to 1000: 0.25 is used",
                "/store/config.json: weights.session is \"much\", not a number from 0 to 1000: 0.45 is used",
                "/store/config.json: weights.turn is -1, not a number from 0 to 1000: 0.45 is used",
            ]
        );
    }

    #[test]
    fn what_is_no_setting_is_named() {
        let (weights, complaints) = read_all(&[r#"{"colour":1,"weights":{"lsaa":1,"turn":null}}"#, r#"{"weights":3}"#]);
        assert_eq!(weights, Weights::default());
        assert_eq!(
            complaints,
            [
                "/user/config.json: \"colour\" is no setting",
                "/user/config.json: \"weights.lsaa\" is no setting",
                "/user/config.json: weights.turn is null, not a number from 0 to 1000: 0.45 is used",
                "/store/config.json: \"weights\" is not an object",
            ]
        );
    }

    #[test]
    fn a_broken_file_falls_back_as_a_whole() {
        let user = r#"{"weights":{"turn":0.5}}"#;
        for broken in [r#"{"weights":{"turn":NaN}}"#, r#"{"weights""#, "", "\u{0}"] {
            let (weights, complaints) = read_all(&[user, broken]);
            assert_eq!(weights.turn, 0.5, "{broken:?}");
            assert_eq!(complaints.len(), 1, "{broken:?}");
            assert!(
                complaints[0].starts_with("/store/config.json: not JSON"),
                "{complaints:?}"
            );
        }
        assert_eq!(
            read_all(&["[]"]).1,
            ["/user/config.json: not an object, so none of it is used"]
        );
    }

    #[test]
    fn a_hostile_value_stays_one_line() {
        let text = format!("{{\"weights\":{{\"turn\":\"\u{202e}{}\"}}}}", "x".repeat(99));
        let complaint = read_all(&[&text]).1.remove(0);
        assert!(complaint.contains("is \"\\u{202e}xxx"), "{complaint}");
        assert!(complaint.contains("x…, not a number"), "{complaint}");
    }

    #[test]
    fn switching_reach_off_switches_intent_off_unless_it_is_set() {
        let intent = |files: &[&str]| {
            let mut reading = Reading::default();
            reading.weights.intent_boost = 0.4;
            files
                .iter()
                .for_each(|text| reading.take(Path::new("c"), text.as_bytes()));
            reading.finish().0.intent_boost
        };
        let off = r#"{"weights":{"reach_boost":0}}"#;
        let set = r#"{"weights":{"intent_boost":0.3}}"#;
        assert_eq!(intent(&[r#"{"weights":{"turn":0.3}}"#]), 0.4);
        assert_eq!(intent(&[off]), 0.0);
        assert_eq!(intent(&[off, set]), 0.3);
        assert_eq!(intent(&[set, off]), 0.3);
    }

    #[test]
    fn files_are_read_in_order_and_may_be_missing() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = folder.path().join("store");
        std::fs::create_dir(&store).expect("a folder");
        std::fs::write(store.join(FILE), r#"{"weights":{"lsa":0}}"#).expect("written");
        let (weights, complaints) = read([folder.path().join("none"), store]);
        assert_eq!(weights.lsa, 0.0);
        assert_eq!(complaints, [""; 0]);
    }
}
