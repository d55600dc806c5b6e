//! A home folder of as many turns as are asked for: the sessions of another home, repeated and varied, or
//! invented ones. Nothing is drawn by chance, so every run makes the same one.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufWriter, Write};
use std::path::Path;

use rekal::session::{Role, ToolCall, Turn};
use rekal::transcript::{Roots, discover, read};
use serde_json::{Value, json};

/// Of so many words one is exchanged for another of the same text in each repetition, and one for a new word.
const VARIED: u64 = 12;

/// The folder of every session.
const CWD: &str = "/home/dev/app";

/// What was said and done in a session.
pub(crate) struct Told {
    turns: Vec<Turn>,
    tool_calls: Vec<ToolCall>,
}

impl Told {
    /// A few words of a turn, to be looked for.
    pub(crate) fn question(&self) -> Option<String> {
        let turn = self.turns.get(self.turns.len() / 2)?;
        let words: Vec<&str> = turn.text.split_whitespace().take(6).collect();
        (words.len() > 2).then(|| words.join(" "))
    }
}

/// The sessions of a home.
pub(crate) fn told_in(home: &Path) -> Vec<Told> {
    let roots = Roots {
        claude: Some(home.join(".claude")),
        codex: Some(home.join(".codex")),
        ..Roots::default()
    };
    let found = discover(&roots).found;
    let read = found.iter().filter_map(|found| read(found, None).ok()).flatten();
    let told = read.map(|reading| Told {
        turns: reading.turns,
        tool_calls: reading.tool_calls,
    });
    told.filter(|told| !told.turns.is_empty()).collect()
}

/// Invented sessions of 50 turns, of words as common as they are in a language: the n-th is drawn as often
/// as 1/n.
pub(crate) fn invented(sessions: u64) -> Vec<Told> {
    let said = |session: u64, turn: u64| {
        let words = 20 + chance(&(session, turn)) % 60;
        let word = |at| {
            let drawn = chance(&(session, turn, at)) % 1_000_000;
            let rank = (drawn as f64 / 1e6 * 30_000f64.ln()).exp() as u64;
            new_word(rank)
        };
        Turn {
            role: [Role::Human, Role::Assistant][turn as usize % 2],
            text: (0..words).map(word).collect::<Vec<_>>().join(" "),
            at: None,
        }
    };
    let session = |session| Told {
        turns: (0..50).map(|turn| said(session, turn)).collect(),
        tool_calls: Vec::new(),
    };
    (0..sessions).map(session).collect()
}

/// Writes at least so many turns as transcripts of Claude Code; gives their number.
pub(crate) fn lay_out(home: &Path, told: &[Told], turns: usize) -> usize {
    let project = home.join(".claude/projects/-home-dev-app");
    fs::create_dir_all(&project).expect("folders");
    let (mut written, mut number) = (0, 0);
    for round in 0.. {
        for session in told {
            if written >= turns {
                return written;
            }
            let path = project.join(format!("s{number}.jsonl"));
            let file = BufWriter::new(File::create(path).expect("a transcript"));
            write(file, number, round, session).expect("written");
            written += session.turns.len();
            number += 1;
        }
    }
    written
}

fn write(mut file: impl Write, number: u64, round: u64, told: &Told) -> std::io::Result<()> {
    let mut calls = told.tool_calls.iter().peekable();
    for (at, turn) in (1..).zip(&told.turns) {
        let who = match turn.role {
            Role::Human | Role::Steering => "user",
            Role::Assistant | Role::Summary => "assistant",
        };
        let mut content = vec![json!({"type": "text", "text": varied(&turn.text, round)})];
        while let Some(call) = calls.next_if(|call| call.turn <= at) {
            if who == "assistant" {
                content.push(tool_use(call, round));
            }
        }
        let second = number * 97 + u64::from(at);
        let time = format!(
            "2026-{:02}-{:02}T{:02}:{:02}:{:02}.000Z",
            1 + number / 28 % 12,
            1 + number % 28,
            second / 3600 % 24,
            second / 60 % 60,
            second % 60
        );
        let line = json!({
            "type": who, "uuid": format!("{number}-{at}"), "sessionId": format!("s{number}"), "cwd": CWD,
            "gitBranch": format!("branch-{round}"), "timestamp": time, "isSidechain": false,
            "message": {"role": who, "content": content},
        });
        writeln!(file, "{line}")?;
    }
    file.flush()
}

fn tool_use(call: &ToolCall, round: u64) -> Value {
    let mut input = serde_json::Map::new();
    if let Some(command) = &call.command {
        input.insert("command".into(), varied(command, round).into());
    }
    if let Some(path) = &call.path {
        input.insert("file_path".into(), varied(path, round).into());
    }
    json!({"type": "tool_use", "id": "t", "name": call.tool, "input": input})
}

/// The text with some of its words exchanged; the same ones wherever they stand, so that a repetition is
/// another project, not noise. Repetition 0 is the text itself.
fn varied(text: &str, round: u64) -> String {
    if round == 0 {
        return text.to_owned();
    }
    let words: Vec<&str> = text.split(' ').collect();
    let exchanged = |word: &&str| {
        let is_plain = word.len() > 3 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
        match chance(&(word, round)) % VARIED {
            0 if is_plain => new_word(chance(&(word, round, "new")) % 1_000_000),
            1 if is_plain => words[chance(&(word, round, "other")) as usize % words.len()].to_owned(),
            _ => (*word).to_owned(),
        }
    };
    words.iter().map(exchanged).collect::<Vec<_>>().join(" ")
}

/// A word for a number.
fn new_word(number: u64) -> String {
    let mut word = String::new();
    let mut left = chance(&number) % 1_000_000 + 1000;
    while left > 0 {
        word.push(char::from(b"bcdfghklmnprstvz"[(left % 16) as usize]));
        word.push(char::from(b"aeiou"[(left / 16 % 5) as usize]));
        left /= 80;
    }
    word
}

fn chance(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}
