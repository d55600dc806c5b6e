//! What a conversation of a coding agent consists of: plain values, no I/O.

use serde::{Deserialize, Serialize};

use crate::edge::SessionId;
use crate::time::Millis;

/// The agent whose transcript a session was read from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Harness {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Copilot CLI.
    Copilot,
    /// Cline, in an editor or a terminal.
    Cline,
    /// Roo Code, which began as a copy of Cline.
    Roo,
    /// Aider.
    Aider,
    /// Cursor's agent, in the editor or a terminal.
    Cursor,
}

/// Who asked in a session.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Actor {
    /// A person.
    Human,
    /// Another session, of which this is a subagent.
    Agent,
}

/// Who speaks in a turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// What the person typed.
    Human,
    /// What the person typed while the agent was at work.
    Steering,
    /// What the agent answered.
    Assistant,
    /// What the agent wrote down when its context was compacted.
    Summary,
}

/// What is known of a session as a whole.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Session {
    /// The agent's own id.
    pub id: SessionId,
    /// The agent.
    pub harness: Harness,
    /// Who asked.
    pub actor: Actor,
    /// The session that started this one.
    pub parent: Option<SessionId>,
    /// The folder it was held in, as recorded.
    pub cwd: Option<String>,
    /// The git branch, as recorded last.
    pub branch: Option<String>,
    /// When the first turn was written.
    pub started_at: Option<Millis>,
}

/// One contribution to a conversation. Turns are numbered from 1 by their position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Turn {
    /// Who speaks.
    pub role: Role,
    /// What was said, without secrets.
    pub text: String,
    /// When, as recorded.
    pub at: Option<Millis>,
}

/// One use of a tool.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ToolCall {
    /// The number of the last turn before it (0: before the first).
    pub turn: u32,
    /// The tool's name.
    pub tool: String,
    /// The file it was used on.
    pub path: Option<String>,
    /// The first 200 characters of the command it ran, without secrets. A longer one that makes a commit
    /// keeps of it the subject alone.
    pub command: Option<String>,
}

/// A session as the ledger keeps it and the index publishes it, without its turns and tool calls.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The permanent handle: 5 is shown as `s5`.
    pub number: u32,
    /// What the transcript says of it.
    pub session: Session,
    /// Who captured it: the git author's mail address.
    pub author: Option<String>,
    /// When it was captured first.
    pub captured_at: Millis,
    /// HEAD of the repository at the checkpoint that captured it first.
    pub commit: Option<String>,
    /// How many turns it has.
    pub turn_count: u32,
    /// How many tool calls it has.
    pub tool_call_count: u32,
    /// The files its tools named, each once, in order of first use.
    pub files: Vec<String>,
}

/// A commit of a repository.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Commit {
    /// Its id in hexadecimal digits.
    pub sha: String,
    /// The first line of its message.
    pub subject: String,
}

/// A session with all that was said and done in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conversation {
    /// The session as a whole.
    pub record: Record,
    /// What was said; the first is turn 1.
    pub turns: Vec<Turn>,
    /// What was done, in order.
    pub tool_calls: Vec<ToolCall>,
    /// The commits that a checkpoint linked to it, in the order in which they were made.
    pub commits: Vec<Commit>,
}

impl Harness {
    /// All of them, in the order in which they came to be known.
    pub const ALL: [Harness; 8] = [
        Harness::Claude,
        Harness::Codex,
        Harness::Gemini,
        Harness::Copilot,
        Harness::Cline,
        Harness::Roo,
        Harness::Aider,
        Harness::Cursor,
    ];

    /// The name in filters and output.
    pub fn as_str(self) -> &'static str {
        match self {
            Harness::Claude => "claude",
            Harness::Codex => "codex",
            Harness::Gemini => "gemini",
            Harness::Copilot => "copilot",
            Harness::Cline => "cline",
            Harness::Roo => "roo",
            Harness::Aider => "aider",
            Harness::Cursor => "cursor",
        }
    }
}

impl Actor {
    /// The name in filters and output.
    pub fn as_str(self) -> &'static str {
        match self {
            Actor::Human => "human",
            Actor::Agent => "agent",
        }
    }
}

impl Role {
    /// The name in filters and output.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::Human => "human",
            Role::Steering => "steering",
            Role::Assistant => "assistant",
            Role::Summary => "summary",
        }
    }
}
