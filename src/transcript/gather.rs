//! Turns and tool calls in the one form in which they leave this layer: without secrets and NULs.

use serde::{Deserialize, Serialize};

use super::commit::shortened;
use super::own;
use crate::redact::redact;
use crate::session::{Role, ToolCall, Turn};
use crate::time::Millis;

/// The most characters of a command that are kept; the subject of a commit comes on top.
const COMMAND: usize = 200;

/// What is known of a session so far, whatever the agent.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct SoFar {
    pub(super) turns: u32,
    pub(super) cwd: Option<String>,
    pub(super) branch: Option<String>,
    pub(super) started_at: Option<Millis>,
}

/// What one reading of a file brings.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) so_far: SoFar,
    pub(super) turns: Vec<Turn>,
    pub(super) tool_calls: Vec<ToolCall>,
    /// Lines of somebody else in this file.
    pub(super) sidechain: u64,
    /// When the file was last written, for those that say no time.
    pub(super) written: Option<Millis>,
}

impl Gathered {
    /// Reads on where an earlier reading ended.
    pub(super) fn after(so_far: SoFar) -> Self {
        Self {
            so_far,
            ..Self::default()
        }
    }

    /// Adds a turn, unless it is blank.
    pub(super) fn say(&mut self, role: Role, text: &str, at: Option<Millis>) {
        let text = clean(text);
        if text.is_empty() {
            return;
        }
        self.so_far.turns += 1;
        self.so_far.started_at = self.so_far.started_at.or(at);
        self.turns.push(Turn { role, text, at });
    }

    /// Adds a tool call. One that invokes rekal keeps nothing but that.
    pub(super) fn call(&mut self, tool: &str, path: Option<&str>, command: Option<&str>) {
        let own = own::is_own_tool(tool) || command.is_some_and(own::invokes);
        let command = if own { Some("rekal") } else { command };
        let path = path.filter(|_| !own);
        self.tool_calls.push(ToolCall {
            turn: self.so_far.turns,
            tool: clean(tool),
            path: path.map(clean).filter(|path| !path.is_empty()),
            command: command.map(clean).filter(|c| !c.is_empty()).map(|c| head(&c)),
        });
    }

    /// Notes where the session is held: the folder that is named first, the branch that is named last.
    pub(super) fn held_in(&mut self, cwd: Option<String>, branch: Option<String>) {
        let filled = |text: &String| !text.is_empty();
        self.so_far.cwd = self.so_far.cwd.take().or(cwd.filter(filled));
        self.so_far.branch = branch.filter(filled).or(self.so_far.branch.take());
    }
}

/// Without NULs, secrets and surrounding white space.
pub(super) fn clean(text: &str) -> String {
    let text = text.trim();
    if text.contains('\0') {
        return clean(&text.replace('\0', ""));
    }
    redact(text).into_owned()
}

fn head(command: &str) -> String {
    if command.chars().count() <= COMMAND {
        return command.to_owned();
    }
    shortened(command, COMMAND).unwrap_or_else(|| command.chars().take(COMMAND).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_redacted_before_it_is_cut() {
        let mut gathered = Gathered::default();
        let command = format!("{} curl -H 'Authorization: Bearer abcdef1234567890'", "é".repeat(160));
        gathered.call("Bash", None, Some(&command));
        let kept = gathered.tool_calls[0].command.clone().expect("a command");
        assert_eq!(
            kept,
            format!("{} curl -H 'Authorization: Bearer [redacte", "é".repeat(160))
        );
        assert_eq!(kept.chars().count(), 200);
    }

    #[test]
    fn a_turn_has_no_nul_and_no_secret_and_is_not_blank() {
        let mut gathered = Gathered::default();
        gathered.say(Role::Human, " \0\n", Some(5));
        gathered.say(Role::Human, "a\0b pass\0word=hunter2 ", None);
        gathered.say(Role::Assistant, "yes", Some(7));
        assert_eq!(gathered.turns[0].text, "ab password=[redacted]");
        assert_eq!((gathered.so_far.turns, gathered.so_far.started_at), (2, Some(7)));
    }

    #[test]
    fn a_call_of_rekal_keeps_its_name_alone() {
        let mut gathered = Gathered::default();
        gathered.call("Bash", None, Some("cd x && rekal \"jwt expiry\""));
        gathered.call("mcp__rekal__recall", Some("/a"), None);
        let own: Vec<_> = gathered
            .tool_calls
            .iter()
            .map(|c| (c.path.as_deref(), c.command.as_deref()))
            .collect();
        assert_eq!(own, [(None, Some("rekal")), (None, Some("rekal"))]);
    }
}
