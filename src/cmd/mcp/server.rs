//! The protocol's side: which tools there are, and results in its form.

use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};

use super::schema;
use super::tool::{TOOLS, Tool};
use crate::answer::Failure;
use crate::call::Call;
use crate::reply::Reply;
use crate::{out, panics};

/// What an agent is told once, whatever it calls later.
const INSTRUCTIONS: &str = "\
Memory of earlier coding-agent sessions in this project. Before you work something out anew, call recall; open what \
looks right with open_session, because a snippet is no answer and only opening counts. SILENCE means that nothing \
earlier can be stood behind: go on without.";

/// Answers with what the verbs would print. Every call opens what is published anew, so a checkpoint is
/// seen by the next one.
pub struct Server {
    call: Call,
}

impl Server {
    /// One that answers as this call would.
    pub fn new(call: Call) -> Self {
        Self { call }
    }

    fn result(&self, tool: &Tool, arguments: &JsonObject) -> Result<CallToolResult, Failure> {
        let store = || self.call.place().ok().map(|place| place.dir);
        panics::caught(store, || {
            let reply = tool.answer(arguments, &self.call)?;
            let shown = shown(&*reply)?;
            reply.record(&self.call);
            Ok(shown)
        })
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("rekal", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(described).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == request.name) else {
            let message = format!("there is no tool {}", out::one_line(&request.name, schema::SHOWN));
            return Err(ErrorData::invalid_params(message, None));
        };
        let arguments = request.arguments.unwrap_or_default();
        let result = self.result(tool, &arguments);
        let mut result = result.unwrap_or_else(|failure| told(&failure));
        // Before this version a result had no such field.
        if context.protocol_version() < Some(ProtocolVersion::V_2025_06_18) {
            result.structured_content = None;
        }
        Ok(result.into())
    }
}

fn described(tool: &Tool) -> rmcp::model::Tool {
    // What is recorded is no part of an agent's surroundings, and what is searched lies on this machine.
    let annotations = ToolAnnotations::with_title(tool.title)
        .read_only(true)
        .open_world(false);
    rmcp::model::Tool::new(tool.name, tool.description, schema::of(tool)).with_annotations(annotations)
}

/// The text that the verb prints, what can be tried as a text of its own, and the object of `--json`.
fn shown(reply: &dyn Reply) -> Result<CallToolResult, Failure> {
    let texts = [Some(reply.text()), reply.advice()].into_iter().flatten();
    let content = texts.filter(|text| !text.is_empty()).map(ContentBlock::text).collect();
    let mut result = match reply.is_mistaken() {
        true => CallToolResult::error(content),
        false => CallToolResult::success(content),
    };
    result.structured_content = serde_json::from_str(&reply.json()?).ok();
    Ok(result)
}

/// A failure is a result too: an agent reads what to do about it, where an error of the protocol may
/// reach nobody.
fn told(failure: &Failure) -> CallToolResult {
    let lines: Vec<String> = out::reasons(failure).collect();
    let mut result = CallToolResult::error(vec![ContentBlock::text(lines.join("\n"))]);
    result.structured_content = out::failure_json(failure)
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok());
    result
}
