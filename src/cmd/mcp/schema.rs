//! The arguments of a verb as JSON: what they are, and back into the words of a command line.

use std::any::TypeId;

use clap::{Arg, ArgAction};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::tool::Tool;
use crate::answer::Failure;
use crate::out;

/// How many characters of what means nothing are shown.
pub const SHOWN: usize = 60;

/// The JSON schema of a tool's arguments.
pub fn of(tool: &Tool) -> JsonObject {
    let command = tool.command();
    let named = tool.arguments(&command);
    let properties: JsonObject = named
        .map(|arg| (name(arg).to_owned(), Value::Object(property(tool, arg))))
        .collect();
    let mut schema = JsonObject::new();
    schema.insert("type".into(), json!("object"));
    schema.insert("properties".into(), properties.into());
    if !tool.required.is_empty() {
        schema.insert("required".into(), json!(tool.required));
    }
    schema.insert("additionalProperties".into(), json!(false));
    schema
}

/// The words that say the same on the command line, the verb's name first.
pub fn words(tool: &Tool, arguments: &JsonObject) -> Result<Vec<String>, Failure> {
    let command = tool.command();
    let (mut options, mut positional) = (vec![tool.name.to_owned()], vec!["--".to_owned()]);
    for (key, value) in arguments {
        let Some(arg) = tool.arguments(&command).find(|arg| name(arg) == key) else {
            let known: Vec<&str> = tool.arguments(&command).map(name).collect();
            let message = format!("{}: there is no argument \"{}\"", tool.name, out::one_line(key, SHOWN));
            return Err(Failure::usage(message).remedy_is(format!("there are: {}", known.join(", "))));
        };
        let Some(said) = said(arg, value) else {
            let value = out::one_line(&value.to_string(), SHOWN);
            let message = format!("{}: {value} is no value of {key}", tool.name);
            return Err(Failure::usage(message).remedy_is("give a text, a number, true or false"));
        };
        match arg.is_positional() {
            true => positional.extend(said),
            false => options.extend(said),
        }
    }
    options.append(&mut positional);
    Ok(options)
}

/// What an argument is called.
fn name(arg: &Arg) -> &str {
    arg.get_long().unwrap_or(arg.get_id().as_str())
}

fn property(tool: &Tool, arg: &Arg) -> JsonObject {
    let mut property = JsonObject::new();
    if let Some(help) = arg.get_help() {
        property.insert("description".into(), json!(help.to_string()));
    }
    if tool.lists.contains(&name(arg)) {
        property.insert("type".into(), json!("array"));
        property.insert("items".into(), json!({"type": "string"}));
        property.insert("minItems".into(), json!(1));
    } else if is_flag(arg) {
        property.insert("type".into(), json!("boolean"));
    } else if is_count(arg) {
        property.insert("type".into(), json!("integer"));
    } else {
        property.insert("type".into(), json!("string"));
    }
    if is_flag(arg) {
        return property;
    }
    if let Some(default) = arg.get_default_values().first().and_then(|text| text.to_str()) {
        property.insert("default".into(), default.parse().unwrap_or_else(|_| json!(default)));
    }
    let values = arg.get_possible_values();
    if !values.is_empty() {
        let names: Vec<&str> = values.iter().map(|value| value.get_name()).collect();
        property.insert("enum".into(), json!(names));
    }
    property
}

fn is_flag(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::SetTrue)
}

fn is_count(arg: &Arg) -> bool {
    let id = arg.get_value_parser().type_id();
    id == TypeId::of::<u32>() || id == TypeId::of::<usize>()
}

/// An argument as it is typed. `None`: the value is nothing that could be.
fn said(arg: &Arg, value: &Value) -> Option<Vec<String>> {
    let typed = |text: &str| match arg.get_long() {
        Some(long) => format!("--{long}={text}"),
        None => text.to_owned(),
    };
    match value {
        Value::Null | Value::Bool(false) => Some(Vec::new()),
        Value::Bool(true) => arg.get_long().map(|long| vec![format!("--{long}")]),
        Value::String(text) => Some(vec![typed(text)]),
        Value::Number(number) => Some(vec![typed(&number.to_string())]),
        Value::Array(values) => values.iter().map(|value| value.as_str().map(typed)).collect(),
        Value::Object(_) => None,
    }
}
