//! Tool calls of Codex.

use serde::Deserialize;

use super::super::gather::Gathered;
use super::super::loose::{Object, Text, Words};
use super::Entry;

/// What a tool is called with.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Arguments {
    cmd: Words,
    command: Words,
    input: Text,
    patch: Text,
    path: Text,
    file_path: Text,
}

/// Adds the tool call of an item; one of `apply_patch` for each file it touches.
pub(super) fn call(entry: &Entry, out: &mut Gathered) {
    let name = match entry.namespace.as_str() {
        "" if entry.name.0.is_none() => "local_shell".to_owned(),
        namespace => format!("{namespace}{}", entry.name.as_str()),
    };
    let raw = entry
        .arguments
        .0
        .as_deref()
        .or(entry.input.0.as_deref())
        .unwrap_or_default();
    let parsed = serde_json::from_str::<Object<Arguments>>(raw)
        .ok()
        .and_then(|object| object.0);
    let written = parsed.is_none() && entry.input.0.is_some();
    let none = Arguments::default();
    let arguments = parsed.as_ref().or(entry.action.0.as_ref()).unwrap_or(&none);
    let command = [&arguments.cmd, &arguments.command].into_iter().find_map(shell_script);
    let patch = [
        Some(raw).filter(|_| written),
        arguments.input.0.as_deref(),
        arguments.patch.0.as_deref(),
        command.as_deref(),
    ];
    if let Some(patch) = patch
        .into_iter()
        .flatten()
        .find(|text| text.contains("*** Begin Patch"))
    {
        return patched_files(patch).for_each(|path| out.call("apply_patch", Some(path), None));
    }
    let path = arguments.path.0.as_deref().or(arguments.file_path.0.as_deref());
    out.call(&name, path, command.as_deref().or(Some(raw).filter(|_| written)));
}

/// The command line; of `bash -lc script` the script.
fn shell_script(words: &Words) -> Option<String> {
    match words.0.as_slice() {
        [] => None,
        [shell, flag, script] if shell.ends_with("sh") && matches!(flag.as_str(), "-c" | "-lc") => Some(script.clone()),
        words => Some(words.join(" ")),
    }
}

fn patched_files(patch: &str) -> impl Iterator<Item = &str> {
    let heads = [
        "*** Add File: ",
        "*** Update File: ",
        "*** Delete File: ",
        "*** Move to: ",
    ];
    patch
        .lines()
        .filter_map(move |line| heads.iter().find_map(|head| line.strip_prefix(head)).map(str::trim))
}
