//! The tables of the sessions.

use std::cell::LazyCell;
use std::fs;
use std::path::{Path, PathBuf};

use rekal::capture::{self, Asked, Checkpoint, Circumstances, Scope, checkpoint};
use rekal::ledger::{Forget, Ledger, Logged};
use rekal::redb::{ReadOnlyDatabase, ReadableDatabase, ReadableTable, TableDefinition};
use rekal::transcript::Roots;
use tempfile::TempDir;

use super::{NOON, fnv128, hex, names_every_table, read, string, text, varint};
use crate::stage::Stage;

const ID: &str = "0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";

/// A store into which the golden transcript was captured, and where that lies.
fn captured() -> (TempDir, PathBuf) {
    let store = tempfile::tempdir().expect("a folder");
    let project = store.path().join("claude/projects/-home-dev-app");
    fs::create_dir_all(&project).expect("folders");
    let transcript = project.join(format!("{ID}.jsonl"));
    fs::write(&transcript, read("tests/golden/transcript.jsonl")).expect("written");
    let asked = || Asked {
        branch: Some("main".into()),
        author: Some("ada@example.org".into()),
    };
    let work = Checkpoint {
        roots: Roots {
            claude: Some(store.path().join("claude")),
            ..Roots::default()
        },
        scope: Scope::Everything,
        circumstances: Circumstances {
            at: NOON,
            head: Some("c0ffee".into()),
            asked: LazyCell::new(Box::new(asked)),
        },
        noted: true,
        history: Box::new(|_| {
            vec![Logged {
                sha: "0123456789abcdef0123456789abcdef01234567".into(),
                subject: "Set it elsewhere".into(),
                at: NOON - 3_300_123,
            }]
        }),
    };
    let ledger = Ledger::open(store.path()).expect("a ledger");
    checkpoint(&ledger, &work, &mut |_| {}).expect("captured");
    (store, transcript)
}

/// What is different each time stands in parentheses: the path of the transcript, and in its row the
/// time at which it was written and the bytes of its reader.
fn rows(store: &Path, transcript: &Path) -> String {
    let path = transcript.to_str().expect("UTF-8");
    let mut length = Vec::new();
    let mut rest = path.len();
    while rest > 0x7f {
        length.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    length.push(rest as u8);
    let path_bytes = hex(&[length, path.into()].concat());
    let database = ReadOnlyDatabase::open(store.join("store.redb")).expect("a database");
    let txn = database.begin_read().expect("a transaction");
    let mut out = String::new();
    table!(txn, out, "rekal.sessions", u32, &[u8], |handle: u32, row| (
        handle.to_string(),
        hex(row).replace(&path_bytes, "(path)")
    ));
    table!(txn, out, "rekal.session_ids", &[u8], u32, |id, handle: u32| (
        hex(id),
        handle.to_string()
    ));
    table!(txn, out, "rekal.turns", &[u8; 8], &[u8], |key: &[u8; 8], row| (
        hex(key),
        hex(row)
    ));
    table!(txn, out, "rekal.tool_calls", &[u8; 8], &[u8], |key: &[u8; 8], row| (
        hex(key),
        hex(row)
    ));
    table!(txn, out, "rekal.transcripts", &str, &[u8], |key: &str, row| (
        key.replace(path, "(path)"),
        transcript_row(row)
    ));
    table!(txn, out, "rekal.checkpoints", u32, &[u8], |number: u32, row| (
        number.to_string(),
        hex(row)
    ));
    table!(txn, out, "rekal.commits", &str, &[u8], |sha: &str, row| (
        sha.to_owned(),
        hex(row)
    ));
    table!(
        txn,
        out,
        "rekal.forgotten_sessions",
        &[u8; 16],
        (),
        |key: &[u8; 16], ()| (hex(key), String::new())
    );
    table!(
        txn,
        out,
        "rekal.forgotten_texts",
        &[u8; 24],
        (),
        |key: &[u8; 24], ()| (hex(key), String::new())
    );
    let mut meta = String::new();
    table!(txn, meta, "rekal.meta", &str, &[u8], |name: &str, row| (
        name.to_owned(),
        hex(row)
    ));
    let of_sessions = meta.lines().find(|row| row.starts_with("rekal.meta  sessions"));
    out.push_str(of_sessions.expect("a row"));
    out.push('\n');
    out
}

fn transcript_row(mut row: &[u8]) -> String {
    let all = row;
    row = &row[1..];
    varint(&mut row);
    let size = hex(&all[..all.len() - row.len()]);
    varint(&mut row);
    let behind = row;
    let outcome = varint(&mut row);
    let named = (outcome == 0).then(|| varint(&mut row));
    let skipped = varint(&mut row);
    let fields = hex(&behind[..behind.len() - row.len()]);
    assert_eq!((outcome, named, skipped), (0, Some(1), 0));
    let bytes = varint(&mut row);
    assert_eq!(bytes, row.len() as u64);
    format!("{size} (modified) {fields} (position)")
}

#[test]
fn the_tables_hold_the_golden_sessions() {
    let (store, transcript) = captured();
    assert_eq!(rows(store.path(), &transcript), text("tests/golden/sessions.txt"));
    names_every_table(store.path());
}

#[test]
fn what_was_forgotten_is_known_by_the_hashes_that_the_document_names() {
    let (store, transcript) = captured();
    let mut ledger = Ledger::open(store.path()).expect("a ledger");
    for what in [
        Forget::Text("auth.rs".into()),
        Forget::Session(ID.parse().expect("an id")),
    ] {
        capture::forget(&mut ledger, &what, NOON).expect("forgotten");
    }
    drop(ledger);
    let session = hex(&fnv128(ID.as_bytes()).to_be_bytes());
    let forgotten = hex(&[&7u64.to_be_bytes()[..], &fnv128(b"auth.rs").to_be_bytes()].concat());
    let rows = rows(store.path(), &transcript);
    let found: Vec<&str> = rows.lines().filter(|row| row.starts_with("rekal.forgotten_")).collect();
    assert_eq!(
        found,
        [
            format!("rekal.forgotten_sessions  {session}"),
            format!("rekal.forgotten_texts  {forgotten}")
        ]
    );
}

/// The bytes of the golden row whose line begins so.
fn golden(begin: &str) -> Vec<u8> {
    let sessions = text("tests/golden/sessions.txt");
    let row = sessions.lines().find_map(|line| line.strip_prefix(begin)).expect(begin);
    let bytes = row.split(' ').filter(|byte| byte.len() == 2);
    bytes
        .map(|byte| u8::from_str_radix(byte, 16).expect("a byte"))
        .collect()
}

fn optional<T>(row: &mut &[u8], value: impl Fn(&mut &[u8]) -> T) -> Option<T> {
    (varint(row) == 1).then(|| value(row))
}

#[test]
fn a_session_is_read_by_hand() {
    let row = golden("rekal.sessions  1  ");
    let mut row = &row[..];
    assert_eq!(
        (varint(&mut row), varint(&mut row)),
        (1, 1),
        "the version and the handle"
    );
    assert_eq!(string(&mut row), ID);
    assert_eq!((varint(&mut row), varint(&mut row)), (0, 0), "Claude Code, a person");
    assert_eq!(optional(&mut row, string), None);
    assert_eq!(optional(&mut row, string).as_deref(), Some("/home/dev/app"));
    assert_eq!(optional(&mut row, string).as_deref(), Some("main"));
    assert_eq!(optional(&mut row, varint), Some(NOON - 3_600_123));
    assert_eq!(optional(&mut row, string).as_deref(), Some("ada@example.org"));
    assert_eq!(varint(&mut row), NOON);
    assert_eq!(optional(&mut row, string).as_deref(), Some("c0ffee"));
    assert_eq!((varint(&mut row), varint(&mut row)), (2, 2), "turns and tool calls");
    assert_eq!((varint(&mut row), string(&mut row).as_str()), (1, "src/auth.rs"));
    assert_eq!(
        (varint(&mut row), row.len()),
        (2, 0),
        "the change; the path is left out"
    );
}

#[test]
fn a_turn_a_tool_call_a_checkpoint_and_a_commit_are_read_by_hand() {
    let row = golden("rekal.turns  00 00 00 01 00 00 00 02  ");
    let mut row = &row[..];
    assert_eq!((varint(&mut row), varint(&mut row)), (1, 2), "an assistant");
    assert_eq!(string(&mut row), "In auth.rs.");
    assert_eq!((optional(&mut row, varint), row.len()), (Some(NOON - 3_591_123), 0));

    let row = golden("rekal.tool_calls  00 00 00 01 00 00 00 02  ");
    let mut row = &row[..];
    assert_eq!((varint(&mut row), varint(&mut row)), (1, 2), "behind turn 2");
    assert_eq!(string(&mut row), "Bash");
    assert_eq!(optional(&mut row, string), None);
    assert_eq!(optional(&mut row, string).as_deref(), Some("make test"));
    assert!(row.is_empty());

    let row = golden("rekal.checkpoints  1  ");
    let mut row = &row[..];
    assert_eq!((varint(&mut row), varint(&mut row)), (1, NOON));
    assert_eq!(optional(&mut row, string).as_deref(), Some("c0ffee"));
    assert_eq!(optional(&mut row, string).as_deref(), Some("main"));
    assert_eq!(optional(&mut row, string).as_deref(), Some("ada@example.org"));
    assert_eq!(
        (varint(&mut row), varint(&mut row), row.len()),
        (1, 1, 0),
        "one session, s1"
    );

    let row = golden("rekal.commits  0123456789abcdef0123456789abcdef01234567  ");
    let mut row = &row[..];
    assert_eq!((varint(&mut row), string(&mut row).as_str()), (1, "Set it elsewhere"));
    assert_eq!(varint(&mut row), NOON - 3_300_123);
    assert_eq!(
        (varint(&mut row), varint(&mut row), row.len()),
        (1, 1, 0),
        "linked to s1"
    );
}

/// By the offsets of the table: what the header counts is what the file holds.
#[test]
fn the_vectors_are_as_long_as_the_document_says() {
    let stage = Stage::with_sessions();
    let bytes = fs::read(stage.store().join("index/lsa.bin")).expect("vectors");
    let document = text("FORMAT.md");
    let number = |at: usize, what: &str| {
        assert!(document.contains(&format!("| {at} | 4 | {what}")), "{what}");
        u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize
    };
    let dims = number(12, "k, the number of dimensions");
    let (terms, sessions) = (number(44, "number of terms"), number(48, "number of sessions"));
    assert_eq!((&bytes[..8], sessions), (&b"rekallsa"[..], 4));
    assert_eq!(bytes.len(), 72 + terms * 8 + terms * (8 + dims) + sessions * (8 + dims));
    let first = 72 + terms * 8 + terms * (8 + dims);
    assert_eq!(bytes[first..first + 4], [1, 0, 0, 0]);
}
