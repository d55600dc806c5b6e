//! The hooks of Claude Code in `.claude/settings.local.json`: the settings that are one user's own, as the
//! place of the program is. Agents delete their transcripts after a while; so a checkpoint runs when a
//! session ends and before it is compacted.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Value, json};

use super::json::Inside;
use super::mark::{self, Program, State};

/// When a checkpoint runs.
const EVENTS: [&str; 2] = ["SessionEnd", "PreCompact"];

const MARK: &str = " # rekal ";

/// In seconds, after which the agent would give up. The command answers at once.
const TIMEOUT: u32 = 5;

/// An element of an event's list, its members in the order in which they are usually written.
#[derive(Serialize)]
struct Entry {
    hooks: [Command; 1],
}

#[derive(Serialize)]
struct Command {
    r#type: &'static str,
    command: String,
    timeout: u32,
}

/// In what state the hooks are.
pub fn state(text: Option<&str>) -> State {
    let entries = entries(text.unwrap_or_default());
    let is_changed = |entry: &Value| !is_ours(entry) && entry.to_string().contains(MARK);
    match () {
        () if entries.iter().flatten().any(is_changed) => State::Changed,
        () if entries.iter().all(|entries| entries.iter().any(is_ours)) => State::Ours,
        () => State::Absent,
    }
}

/// The store that the hooks name.
pub fn store(text: &str) -> Option<PathBuf> {
    let entries = entries(text);
    let ours = entries.iter().flatten().filter(|entry| is_ours(entry));
    ours.filter_map(|entry| entry["hooks"][0]["command"].as_str())
        .find_map(mark::store_in)
}

/// The settings with the hooks. `None`: they are not what the agent reads.
pub fn put(text: Option<&str>, program: &Program) -> Option<String> {
    let new = entry(program);
    let is_new = |entry: &Value| serde_json::to_value(&new).is_ok_and(|new| new == *entry);
    if let Some(text) = text.filter(|text| entries(text).iter().all(|list| list.iter().any(is_new))) {
        return Some(text.to_owned());
    }
    let mut text = match text.filter(|text| !text.trim().is_empty()) {
        Some(text) => take(text).unwrap_or_else(|| "{}\n".to_owned()),
        None => "{}\n".to_owned(),
    };
    let settings: Value = serde_json::from_str(&text).ok()?;
    settings.as_object()?;
    for event in EVENTS {
        text = member(text, &[], "hooks", json!({}))?;
        text = member(text, &["hooks"], event, json!([]))?;
        let list = inside(&text, &["hooks", event])?;
        text = list.with(&text, 2, None, &new)?;
    }
    // A list where an object was expected, or the other way round.
    (state(Some(&text)) == State::Ours).then_some(text)
}

/// The settings without the hooks. `None`: nothing else is in them.
pub fn take(text: &str) -> Option<String> {
    if serde_json::from_str::<Value>(text).is_err() {
        return Some(text.to_owned());
    }
    let mut rest = text.to_owned();
    for event in EVENTS {
        while let Some(shorter) = without_one(&rest, event) {
            rest = shorter;
        }
    }
    (rest == text || rest.trim() != "{}").then_some(rest)
}

/// What stands in the list of each event.
fn entries(text: &str) -> [Vec<Value>; 2] {
    let settings: Value = serde_json::from_str(text).unwrap_or_default();
    EVENTS.map(|event| settings["hooks"][event].as_array().cloned().unwrap_or_default())
}

/// Takes out one entry, and the lists that it leaves empty.
fn without_one(text: &str, event: &str) -> Option<String> {
    let list = inside(text, &["hooks", event])?;
    let is_own = |value: &str| serde_json::from_str(value).is_ok_and(|entry| is_ours(&entry));
    let index = list.parts.iter().position(|part| is_own(&text[part.value.clone()]))?;
    if list.parts.len() > 1 {
        return Some(list.without(text, index));
    }
    let hooks = inside(text, &["hooks"])?;
    if hooks.parts.len() > 1 {
        return without_member(&hooks, text, event);
    }
    without_member(&Inside::root(text)?, text, "hooks")
}

fn without_member(object: &Inside, text: &str, key: &str) -> Option<String> {
    let index = object.parts.iter().position(|part| part.key.as_deref() == Some(key))?;
    Some(object.without(text, index))
}

/// The text with a member in the object at `path`; as it is when one of that name is there.
fn member(text: String, path: &[&str], key: &str, value: Value) -> Option<String> {
    let object = inside(&text, path)?;
    match object.member(key) {
        Some(_) => Some(text),
        None => object.with(&text, path.len(), Some(key), &value),
    }
}

fn inside(text: &str, path: &[&str]) -> Option<Inside> {
    let mut found = Inside::root(text)?;
    for key in path {
        found = Inside::of(text, found.member(key)?.value.start)?;
    }
    Some(found)
}

fn is_ours(entry: &Value) -> bool {
    let command = entry["hooks"][0]["command"].as_str();
    let Some((line, sum)) = command.and_then(|command| command.rsplit_once(MARK)) else {
        return false;
    };
    let own = serde_json::to_value(Entry::of(command.unwrap_or_default().to_owned()));
    mark::sum(line) == sum && own.is_ok_and(|own| own == *entry)
}

impl Entry {
    fn of(command: String) -> Self {
        Self {
            hooks: [Command {
                r#type: "command",
                command,
                timeout: TIMEOUT,
            }],
        }
    }
}

/// The agent waits for the shell alone: the checkpoint is in the background, and no stream of its is
/// open. What the agent says on stdin is not read, or one that never ends would be waited for.
fn entry(program: &Program) -> Entry {
    let fallback = match program.fallback() {
        Some(path) => format!("rekal={path}"),
        None => "exit 0".to_owned(),
    };
    let words = program.words();
    let line = format!(
        "(cd \"${{CLAUDE_PROJECT_DIR:-.}}\" || exit 0; trap '' HUP; rekal=rekal; command -v rekal || {fallback}; \
         detached=; ! command -v setsid || detached=setsid; $detached \"$rekal\" {words} &) \
         </dev/null >/dev/null 2>&1; exit 0"
    );
    let sum = mark::sum(&line);
    Entry::of(format!("{line}{MARK}{sum}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put_into(text: &str) -> Option<String> {
        put(Some(text), &Program::default())
    }

    #[test]
    fn they_come_and_go_without_a_trace() {
        for text in [
            "{\n  \"model\": \"x\"\n}\n",
            "{\"model\":\"x\"}",
            "{\n\t\"hooks\": {\n\t\t\"Stop\": [ {\"hooks\": []} ]\n\t},\n\t\"z\": 1, \"a\": 2\n}",
            "{\r\n    \"hooks\": {\r\n        \"SessionEnd\": [\r\n            {}\r\n        ]\r\n    }\r\n}\r\n",
        ] {
            let with = put_into(text).expect("settings");
            assert_eq!(state(Some(&with)), State::Ours, "{with}");
            assert_eq!(take(&with).as_deref(), Some(text));
            assert_eq!(put_into(&with), Some(with));
        }
        let new = put(None, &Program::default()).expect("written");
        let begin = "{\n  \"hooks\": {\n    \"SessionEnd\": [\n      {\n        \"hooks\": [\n          {\n            \
                     \"type\": \"command\",\n            \"command\": \"(cd ";
        assert!(new.starts_with(begin), "{new}");
        assert_eq!(take(&new), None);
    }

    #[test]
    fn what_the_user_added_stays() {
        let with = put_into("{}").expect("settings");
        let more = with.replacen("\"SessionEnd\": [", "\"SessionEnd\": [{\"hooks\": []},", 1);
        let rest = take(&more).expect("something is left");
        let value: Value = serde_json::from_str(&rest).expect("JSON");
        assert_eq!(value, json!({"hooks": {"SessionEnd": [{"hooks": []}]}}));
        let changed = with.replacen("HUP", "INT", 1);
        assert_eq!(state(Some(&changed)), State::Changed);
        assert!(take(&changed).expect("the changed one").contains("INT"));
    }

    #[test]
    fn settings_of_another_form_are_refused() {
        for text in [
            "// note\n{}",
            "[]",
            "{\"hooks\": []}",
            "{\"hooks\": {\"SessionEnd\": {}}}",
            "{",
        ] {
            assert_eq!(put_into(text), None, "{text}");
        }
    }
}
