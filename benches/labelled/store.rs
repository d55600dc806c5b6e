//! A store that was captured from transcripts, by the checkpoint of the program.

use std::cell::LazyCell;
use std::collections::HashSet;
use std::fs;
use std::path::Path;

use rekal::SessionId;
use rekal::capture::{Asked, Checkpoint, Circumstances, Scope, checkpoint, index_of};
use rekal::index::Index;
use rekal::ledger::Ledger;
use rekal::recall::bench::{Label, Labels};
use rekal::time::format_rfc3339;
use rekal::transcript::Roots;
use serde_json::json;
use tempfile::TempDir;

/// When everything is captured: 2026-12-01.
const CAPTURED: u64 = 1_796_083_200_000;

/// A question and the sessions that answer it.
pub(crate) struct Question {
    pub(crate) text: String,
    pub(crate) right: HashSet<SessionId>,
    /// What is wanted, where more is known than the sessions: questions of one need want the same passage.
    pub(crate) need: Option<String>,
    /// What somebody might ask who wants the same and does not know the question.
    pub(crate) otherwise: Vec<String>,
}

/// A published store with its questions.
pub(crate) struct Store {
    pub(crate) index: Index,
    pub(crate) questions: Vec<Question>,
    _folder: TempDir,
}

/// A session to be made: its id, when it began, and its turns by turns of a person and an agent.
pub(crate) struct Talk {
    pub(crate) id: String,
    pub(crate) at: u64,
    /// Whether a person says it, and what.
    pub(crate) turns: Vec<(bool, String)>,
}

impl Store {
    /// The sessions in a home folder, with the labels that `rekal bench --labels` takes.
    pub(crate) fn of_home(home: &Path, labels: &Path) -> Self {
        let (folder, index) = captured(&home.join(".claude"), &home.join(".codex"));
        let bytes = fs::read(labels).unwrap_or_else(|error| panic!("read {}: {error}", labels.display()));
        let labels: Vec<Label> = serde_json::from_slice(&bytes).expect("an array of labels");
        let labels = Labels::new(&index, labels).expect("a readable index");
        let question = |(text, right)| Question {
            text,
            right,
            need: None,
            otherwise: Vec::new(),
        };
        Self {
            questions: labels.usable.into_iter().map(question).collect(),
            index,
            _folder: folder,
        }
    }

    /// Sessions that are written as transcripts first.
    pub(crate) fn of_talks(talks: &[Talk], questions: Vec<Question>) -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let claude = home.path().join(".claude");
        let project = claude.join("projects/-home-dev-app");
        fs::create_dir_all(&project).expect("folders");
        for talk in talks {
            let transcript = project.join(format!("{}.jsonl", talk.id));
            fs::write(transcript, lines(talk)).expect("written");
        }
        let (folder, index) = captured(&claude, &home.path().join(".codex"));
        Self {
            index,
            questions,
            _folder: folder,
        }
    }
}

fn captured(claude: &Path, codex: &Path) -> (TempDir, Index) {
    let store = tempfile::tempdir().expect("a folder");
    let ledger = Ledger::open(store.path()).expect("a new ledger");
    let work = Checkpoint {
        roots: Roots {
            claude: Some(claude.into()),
            codex: Some(codex.into()),
            ..Roots::default()
        },
        scope: Scope::Everything,
        circumstances: Circumstances {
            at: CAPTURED,
            head: None,
            asked: LazyCell::new(Box::new(Asked::default)),
        },
        noted: false,
        history: Box::new(|_| Vec::new()),
    };
    checkpoint(&ledger, &work, &mut |_| ()).expect("captured");
    let index = Index::open(&index_of(store.path())).expect("readable");
    (store, index.expect("published"))
}

fn lines(talk: &Talk) -> String {
    let mut lines = String::new();
    for (minute, (is_person, text)) in (0..).zip(&talk.turns) {
        let who = if *is_person { "user" } else { "assistant" };
        let line = json!({
            "type": who,
            "uuid": format!("{}-{minute}", talk.id),
            "sessionId": talk.id,
            "cwd": "/home/dev/app",
            "timestamp": format_rfc3339(talk.at + minute * 60_000),
            "message": { "role": who, "content": text },
        });
        lines.push_str(&line.to_string());
        lines.push('\n');
    }
    lines
}

/// A text as the spool writes it: white space is one blank.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
