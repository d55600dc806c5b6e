//! `config.json` of the store, over that of the user, over the defaults, key by key.

use std::fmt;
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

/// Where in the weights a setting lies.
type Slot = fn(&mut Weights) -> &mut f64;

/// Every setting.
const SETTINGS: [(&str, Slot); 11] = [
    ("turn", |weights| &mut weights.turn),
    ("session", |weights| &mut weights.session),
    ("lsa", |weights| &mut weights.lsa),
    ("commit_boost", |weights| &mut weights.commit_boost),
    ("date_boost", |weights| &mut weights.date_boost),
    ("recency_boost", |weights| &mut weights.recency_boost),
    (REACH, |weights| &mut weights.reach_boost),
    (INTENT, |weights| &mut weights.intent_boost),
    ("steering_boost", |weights| &mut weights.steering_boost),
    ("summary_boost", |weights| &mut weights.summary_boost),
    ("subagent_discount", |weights| &mut weights.subagent_discount),
];

const REACH: &str = "reach_boost";
const INTENT: &str = "intent_boost";

/// What is set, and where.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// How results are ranked.
    pub weights: Weights,
    /// What cannot be used.
    pub complaints: Vec<Complaint>,
    origins: [Option<PathBuf>; SETTINGS.len()],
}

/// A value that cannot be used, and fell back alone; or a file, as a whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Complaint {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub what: String,
}

/// One value.
#[derive(Clone, PartialEq, Debug)]
pub struct Setting<'a> {
    /// Its name in the file: `weights.turn`.
    pub key: String,
    /// What is used.
    pub value: f64,
    /// The file that says so. `None`: the default.
    pub origin: Option<&'a Path>,
}

/// The files that are read, a later one over an earlier one: that of the user and that of the store.
pub fn files(user: Option<&Path>, store: &Path) -> Vec<PathBuf> {
    user.into_iter()
        .chain([store])
        .map(|folder| folder.join(FILE))
        .collect()
}

/// Reads these files. A missing one says nothing; what cannot be used falls back alone and is complained
/// of.
pub fn read(files: &[PathBuf]) -> Config {
    let mut config = Config::default();
    for path in files {
        match std::fs::read(path) {
            Ok(bytes) => config.take(path, &bytes),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(error) => config.complain(path, error),
        }
    }
    config.settle();
    config
}

impl Default for Config {
    fn default() -> Self {
        Self {
            weights: Weights::default(),
            complaints: Vec::new(),
            origins: [const { None }; SETTINGS.len()],
        }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.what)
    }
}

impl Config {
    /// Every setting, in the order in which they are documented.
    pub fn settings(&self) -> impl Iterator<Item = Setting<'_>> {
        let mut weights = self.weights;
        let settings = SETTINGS.iter().zip(&self.origins);
        settings.map(move |((name, slot), origin)| Setting {
            key: format!("weights.{name}"),
            value: *slot(&mut weights),
            origin: origin.as_deref(),
        })
    }

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
            let Some(at) = place_of(key) else {
                self.complain(path, format!("{:?} is no setting", format!("weights.{key}")));
                continue;
            };
            let slot = SETTINGS[at].1(&mut self.weights);
            match value.as_f64().filter(|number| (0.0..=MAX).contains(number)) {
                Some(number) => {
                    *slot = number;
                    self.origins[at] = Some(path.to_path_buf());
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

    fn complain(&mut self, path: &Path, what: impl fmt::Display) {
        self.complaints.push(Complaint {
            path: path.to_path_buf(),
            what: what.to_string(),
        });
    }

    /// Who switches the look-up of openings off means all of it, unless he said otherwise.
    fn settle(&mut self) {
        let (Some(reach), Some(intent)) = (place_of(REACH), place_of(INTENT)) else {
            return;
        };
        let is_off = self.weights.reach_boost == 0.0 && self.origins[intent].is_none();
        if is_off && self.weights.intent_boost != 0.0 {
            self.weights.intent_boost = 0.0;
            self.origins[intent] = self.origins[reach].clone();
        }
    }
}

fn place_of(key: &str) -> Option<usize> {
    SETTINGS.iter().position(|(name, _)| *name == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(files: &[&str]) -> Config {
        let mut config = Config::default();
        for (path, text) in ["/user/config.json", "/store/config.json"].iter().zip(files) {
            config.take(Path::new(path), text.as_bytes());
        }
        config.settle();
        config
    }

    fn read_all(files: &[&str]) -> (Weights, Vec<String>) {
        let config = config(files);
        let complaints = config.complaints.iter().map(Complaint::to_string).collect();
        (config.weights, complaints)
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
            let mut config = Config::default();
            config.weights.intent_boost = 0.4;
            files
                .iter()
                .for_each(|text| config.take(Path::new("c"), text.as_bytes()));
            config.settle();
            config.weights.intent_boost
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
        let config = read(&files(Some(&folder.path().join("none")), &store));
        assert_eq!((config.weights.lsa, config.complaints.len()), (0.0, 0));
    }

    #[test]
    fn every_value_says_where_it_is_from() {
        let user = r#"{"weights":{"turn":0.5,"lsa":0.2}}"#;
        let store = r#"{"weights":{"lsa":0,"session":-1,"reach_boost":0}}"#;
        let config = config(&[user, store]);
        let set: Vec<(String, f64, Option<&str>)> = config
            .settings()
            .map(|setting| (setting.key, setting.value, setting.origin.and_then(Path::to_str)))
            .filter(|(_, _, origin)| origin.is_some())
            .collect();
        let (user, store) = (Some("/user/config.json"), Some("/store/config.json"));
        assert_eq!(
            set,
            [
                ("weights.turn".into(), 0.5, user),
                ("weights.lsa".into(), 0.0, store),
                ("weights.reach_boost".into(), 0.0, store),
                // It needs the openings that are no longer looked up.
                ("weights.intent_boost".into(), 0.0, store),
            ]
        );
        assert_eq!(config.settings().count(), 11);
    }
}
