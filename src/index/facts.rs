//! What is searched of a session beside its turns.

use crate::session::{Conversation, Record, ToolCall};
use crate::time::{day, format_rfc3339};
use crate::transcript::commit_subjects;

/// Branch, date and files: what a question may name without any turn saying it.
pub(super) fn facts(record: &Record) -> String {
    let mut facts = record.session.branch.clone().unwrap_or_default();
    if let Some(at) = record.session.started_at {
        facts += &format!("\n{} {}", &format_rfc3339(at)[..10], day(at));
    }
    for file in &record.files {
        facts += "\n";
        facts += file;
    }
    facts
}

/// The commands of a session and the paths of its tools, each once. A call of rekal is none.
pub(super) fn deeds(tool_calls: &[ToolCall]) -> String {
    let mut seen = std::collections::HashSet::new();
    let mut deeds = String::new();
    for said in tool_calls.iter().flat_map(|call| [&call.command, &call.path]).flatten() {
        if said != "rekal" && seen.insert(said) {
            deeds += said;
            deeds += "\n";
        }
    }
    deeds
}

/// The subjects of the commits made in a session, each once, in order.
pub(super) fn subjects(conversation: &Conversation) -> Vec<String> {
    let commands = conversation
        .tool_calls
        .iter()
        .filter_map(|call| call.command.as_deref());
    let mut subjects: Vec<String> = Vec::new();
    for subject in commands.flat_map(commit_subjects) {
        if !subjects.contains(&subject) {
            subjects.push(subject);
        }
    }
    subjects
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::fixture::session;

    #[test]
    fn facts_are_branch_date_and_files() {
        assert_eq!(
            facts(&session(1, "a", &[]).record),
            "main\n2026-11-02 2 November 2026\nsrc/auth.rs"
        );
    }

    #[test]
    fn deeds_and_subjects_come_once_and_never_from_rekal() {
        let mut conversation = session(1, "a", &[]);
        let call = |command: &str| ToolCall {
            turn: 1,
            tool: "Bash".into(),
            path: None,
            command: Some(command.into()),
        };
        let commit = "git commit -m 'Fix the expiry'";
        conversation.tool_calls = vec![call("ls"), call("rekal"), call(commit), call("ls"), call(commit)];
        assert_eq!(deeds(&conversation.tool_calls), format!("ls\n{commit}\n"));
        assert_eq!(subjects(&conversation), ["Fix the expiry"]);
    }
}
