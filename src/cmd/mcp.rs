mod schema;
mod server;
mod tool;

use std::io::{self, IsTerminal};

use rmcp::ServiceExt;
use rmcp::service::{QuitReason, ServerInitializeError};
use server::Server;

use crate::answer::{Answer, Failure, Outcome};
use crate::call::Call;
use crate::out;

/// Serve recall, open_session and reach to an agent: MCP on stdin and stdout
#[derive(clap::Args, Debug)]
#[command(
    after_help = "It ends when stdin is closed. Each agent registers it in its own way, most like this:\n\n\
    Example: claude mcp add rekal -- rekal mcp"
)]
pub struct Mcp {}

impl Mcp {
    /// Serves until stdin is closed. Every call was recorded before its result is sent, so there is
    /// nothing left to write at the end, and an interrupt may end it at any time.
    pub fn run(self, call: &Call) -> Outcome {
        if call.json {
            return Err(
                Failure::usage("mcp: it speaks the protocol on stdout and has no JSON of its own")
                    .remedy_is("run it without --json"),
            );
        }
        if io::stdin().is_terminal() {
            out::say("an agent is expected on stdin; see rekal mcp --help");
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let runtime = runtime.map_err(|error| Failure::usage(format!("serve on stdin: {error}")))?;
        let ended = runtime.block_on(serve(Server::new(call.clone())));
        // A thread that still waits for stdin is not waited for.
        runtime.shutdown_background();
        ended.map(|()| Answer::Yes)
    }
}

async fn serve(server: Server) -> Result<(), Failure> {
    let transport = (tokio::io::stdin(), tokio::io::stdout());
    let running = match server.serve(transport).await {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(not_begun(&error)),
    };
    match running.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(Failure::fault(&error.to_string(), "serving MCP")),
        Ok(_) => Ok(()),
    }
}

fn not_begun(error: &ServerInitializeError) -> Failure {
    let why = match error {
        ServerInitializeError::ExpectedInitializeRequest(_) => "the client did not begin with initialize".to_owned(),
        _ => error.to_string(),
    };
    Failure::usage(format!("serve on stdin: {why}")).remedy_is("see rekal mcp --help")
}
