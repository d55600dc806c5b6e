//! What is searched of a session beside its turns.

use serde::{Deserialize, Serialize};

use crate::session::{Commit, Conversation, Record, ToolCall};
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

/// What was committed in a session under one subject.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Committed {
    /// The first line of the message.
    pub(super) subject: String,
    /// The ids of the commits that a checkpoint linked. None: only a command says that it was made.
    pub(super) shas: Vec<String>,
}

/// What was committed in a session, each subject once: by its commands in their order, then what a
/// checkpoint linked.
pub(super) fn committed(conversation: &Conversation) -> Vec<Committed> {
    let commands = conversation
        .tool_calls
        .iter()
        .filter_map(|call| call.command.as_deref());
    let mut committed: Vec<Committed> = Vec::new();
    for subject in commands.flat_map(commit_subjects) {
        add(&mut committed, subject, None);
    }
    for Commit { sha, subject } in &conversation.commits {
        add(&mut committed, subject.clone(), Some(sha.clone()));
    }
    committed
}

fn add(committed: &mut Vec<Committed>, subject: String, sha: Option<String>) {
    match committed.iter_mut().find(|known| known.subject == subject) {
        Some(known) => known.shas.extend(sha),
        None => committed.push(Committed {
            subject,
            shas: sha.into_iter().collect(),
        }),
    }
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
        let linked = |sha: &str, subject: &str| Commit {
            sha: sha.into(),
            subject: subject.into(),
        };
        conversation.commits = vec![
            linked("c1", "Draw a chart"),
            linked("c2", "Fix the expiry"),
            linked("c3", "Draw a chart"),
        ];
        let committed = committed(&conversation);
        let found: Vec<_> = committed
            .iter()
            .map(|c| (c.subject.as_str(), c.shas.join(" ")))
            .collect();
        assert_eq!(
            found,
            [("Fix the expiry", "c2".into()), ("Draw a chart", "c1 c3".into())]
        );
    }
}
