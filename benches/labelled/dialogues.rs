//! Long dialogues with questions, in the form of LoCoMo's `locomo10.json`: one store a dialogue.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::Path;

use rekal::time::parse_rfc3339;
use serde_json::Value;

use super::store::{Question, Store, Talk, one_line};

/// Questions of this category have no answer in the dialogue.
const UNANSWERABLE: u64 = 5;

/// One store for every dialogue of the file.
pub(crate) fn stores(file: &Path) -> Vec<Store> {
    let bytes = fs::read(file).unwrap_or_else(|error| panic!("read {}: {error}", file.display()));
    let dialogues: Vec<Value> = serde_json::from_slice(&bytes).expect("an array of dialogues");
    let store = |dialogue: &Value| {
        let name = text(&dialogue["sample_id"]);
        Store::of_talks(&talks(&name, &dialogue["conversation"]), questions(&name, dialogue))
    };
    dialogues.iter().map(store).collect()
}

fn talks(name: &str, conversation: &Value) -> Vec<Talk> {
    let first = text(&conversation["speaker_a"]);
    let talk = |number: usize| {
        let said = conversation[format!("session_{number}")].as_array()?;
        let date = text(&conversation[format!("session_{number}_date_time")]);
        let turn = |turn: &Value| {
            let speaker = text(&turn["speaker"]);
            let picture = turn["blip_caption"].as_str();
            let picture = picture.map_or(String::new(), |caption| format!(" [{caption}]"));
            (speaker == first, format!("{speaker}: {}{picture}", text(&turn["text"])))
        };
        Some(Talk {
            id: id(name, &number.to_string()),
            at: date_of(&date).unwrap_or_else(|| panic!("no date: {date}")),
            turns: said.iter().map(turn).collect(),
        })
    };
    (1..=50).filter_map(talk).collect()
}

fn questions(name: &str, dialogue: &Value) -> Vec<Question> {
    let observed = observed(&dialogue["observation"]);
    let asked = dialogue["qa"].as_array().expect("questions").iter();
    let answerable = asked.filter(|question| question["category"] != UNANSWERABLE);
    let question = |question: &Value| {
        let evidence = evidence(&question["evidence"]);
        let session = |turn: &String| {
            let (session, _) = turn.split_once(':')?;
            id(name, session).parse().ok()
        };
        let right: HashSet<_> = evidence.iter().filter_map(session).collect();
        (!right.is_empty()).then(|| Question {
            text: one_line(&text(&question["question"])),
            right,
            otherwise: observed.get(&evidence).cloned().unwrap_or_default(),
            need: Some(Vec::from_iter(evidence).join(" ")),
        })
    };
    answerable.filter_map(question).collect()
}

/// What an observer noted of each passage, who did not know the questions.
fn observed(observations: &Value) -> HashMap<BTreeSet<String>, Vec<String>> {
    let mut observed: HashMap<_, Vec<String>> = HashMap::new();
    let sessions = observations.as_object().into_iter().flat_map(|all| all.values());
    let speakers = sessions.filter_map(Value::as_object).flat_map(|all| all.values());
    for note in speakers.filter_map(Value::as_array).flatten() {
        let about = evidence(&Value::Array(match &note[1] {
            Value::Array(turns) => turns.clone(),
            turn => vec![turn.clone()],
        }));
        observed.entry(about).or_default().push(one_line(&text(&note[0])));
    }
    observed
}

/// The turns that are named, as `7:12`; some rows hold several in one text, or none.
fn evidence(named: &Value) -> BTreeSet<String> {
    let named = named.as_array().map_or(&[][..], Vec::as_slice).iter().map(text);
    let all: String = named.map(|name| name + " ").collect();
    let names = all.split(|c: char| !c.is_ascii_alphanumeric() && c != ':');
    let turns = names.filter_map(|name| name.strip_prefix('D'));
    let is_turn = |turn: &&str| turn.starts_with(|c: char| c.is_ascii_digit()) && turn.contains(':');
    turns.filter(is_turn).map(String::from).collect()
}

fn id(name: &str, session: &str) -> String {
    format!("{name}-session-{session}")
}

/// `1:56 pm on 8 May, 2023`.
fn date_of(date: &str) -> Option<u64> {
    const MONTHS: &str = "January February March April May June July August September October November December";
    let words: Vec<&str> = date.split([' ', ',', ':']).filter(|word| !word.is_empty()).collect();
    let [hour, minute, half, "on", day, month, year] = words[..] else {
        return None;
    };
    let hour = hour.parse::<u32>().ok()? % 12 + if half == "pm" { 12 } else { 0 };
    let month = MONTHS.split(' ').position(|name| name == month)? + 1;
    parse_rfc3339(&format!("{year}-{month:02}-{day:0>2}T{hour:02}:{minute}:00Z"))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
