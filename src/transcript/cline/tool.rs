//! What an agent says and does in a message: tools are called in blocks of their own, or, in older versions,
//! by elements in the text.

use serde::Deserialize;

use super::super::loose::{Blocks, FromText, Text};
use super::super::tags::{inside, opening};
use super::Block;

/// The tools that are called by an element of this name.
const TOOLS: [&str; 24] = [
    "access_mcp_resource",
    "apply_diff",
    "ask_followup_question",
    "attempt_completion",
    "browser_action",
    "codebase_search",
    "condense",
    "execute_command",
    "fetch_instructions",
    "insert_content",
    "list_code_definition_names",
    "list_files",
    "load_mcp_documentation",
    "new_task",
    "plan_mode_respond",
    "plan_mode_response",
    "read_file",
    "replace_in_file",
    "search_and_replace",
    "search_files",
    "switch_mode",
    "update_todo_list",
    "use_mcp_tool",
    "write_to_file",
];

/// A use of a tool.
pub(super) struct Call {
    pub(super) tool: String,
    pub(super) path: Option<String>,
    pub(super) command: Option<String>,
}

/// What a message holds.
#[derive(Default)]
pub(super) struct Spoken {
    pub(super) text: String,
    pub(super) calls: Vec<Call>,
}

/// What a tool is called with.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Input {
    path: Text,
    command: Text,
    commands: Blocks<Target>,
    files: Blocks<Target>,
    server_name: Text,
    tool_name: Text,
    result: Text,
    question: Text,
    response: Text,
}

/// One of several files or commands.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Target {
    text: Text,
    path: Text,
    command: Text,
}

impl FromText for Target {
    fn from_text(text: String) -> Self {
        Self {
            text: Text(Some(text)),
            ..Self::default()
        }
    }
}

/// What is said and done in a message.
pub(super) fn spoken(blocks: &[Block]) -> Spoken {
    let mut spoken = Spoken::default();
    for block in blocks {
        match block.r#type.as_str() {
            "text" | "" => spoken.take(block.text.as_str()),
            "tool_use" if block.name.0.is_some() => {
                let none = Input::default();
                spoken.use_tool(block.name.as_str(), block.input.0.as_ref().unwrap_or(&none));
            }
            _ => {}
        }
    }
    spoken
}

impl Spoken {
    /// Takes in a text, element by element. Where a line only mentions one, it begins otherwise.
    fn take(&mut self, text: &str) {
        self.say("");
        let mut rest = text;
        while let Some(at) = rest.find('<') {
            let (before, tag) = rest.split_at(at);
            self.text.push_str(before);
            let begins_line = self.text.trim_end_matches([' ', '\t']).ends_with('\n') || self.text.is_empty();
            let element = opening(tag).filter(|(name, _)| begins_line && (*name == "thinking" || TOOLS.contains(name)));
            let Some((name, after)) = element else {
                self.text.push('<');
                rest = &tag[1..];
                continue;
            };
            let close = format!("</{name}>");
            let body;
            (body, rest) = after.split_once(&close).unwrap_or((after, ""));
            if name != "thinking" {
                self.use_tool(name, &Input::of_element(body));
            }
        }
        self.text.push_str(rest);
    }

    /// A few tools do nothing but speak.
    fn use_tool(&mut self, tool: &str, input: &Input) {
        let said = match tool {
            "attempt_completion" => &input.result,
            "ask_followup_question" | "ask_question" => &input.question,
            "plan_mode_respond" | "plan_mode_response" => &input.response,
            _ => return self.call(tool, input),
        };
        self.say(said.as_str());
    }

    fn call(&mut self, tool: &str, input: &Input) {
        let tool = match (&input.server_name.0, &input.tool_name.0) {
            (Some(server), Some(tool)) => format!("mcp__{server}__{tool}"),
            _ => tool.to_owned(),
        };
        let mut put = |path: &Text, command: &Text| {
            self.calls.push(Call {
                tool: tool.clone(),
                path: path.0.clone(),
                command: command.0.clone(),
            });
        };
        let first = |texts: [&Text; 2]| Text(texts.into_iter().find_map(|text| text.0.clone()));
        for Target { text, path, .. } in &input.files.0 {
            put(&first([path, text]), &Text(None));
        }
        for Target { text, command, .. } in &input.commands.0 {
            put(&Text(None), &first([command, text]));
        }
        if input.files.0.is_empty() && input.commands.0.is_empty() {
            put(&input.path, &input.command);
        }
    }

    /// Adds words on a line of their own.
    fn say(&mut self, words: &str) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.text.push_str(words.trim());
    }
}

impl Input {
    /// The parameters in an element; several files lie in elements of their own.
    fn of_element(body: &str) -> Self {
        let parameter = |name: &str| Text(inside(body, name).map(str::to_owned));
        let files = body.split("<file>").skip(1);
        let files = files.filter_map(|file| inside(file, "path"));
        Self {
            files: Blocks(files.map(|path| Target::from_text(path.to_owned())).collect()),
            path: parameter("path"),
            command: parameter("command"),
            server_name: parameter("server_name"),
            tool_name: parameter("tool_name"),
            result: parameter("result"),
            question: parameter("question"),
            response: parameter("response"),
            commands: Blocks::default(),
        }
    }
}
