//! `FORMAT.md`, the golden files and the code say the same. Everything is read and written by hand
//! here, as a program in another language would do it.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rekal::redb::{Database, ReadOnlyDatabase, ReadableDatabase, ReadableTable, TableDefinition, TableHandle};
use rekal::{Graph, SessionId, Ulid};
use tempfile::TempDir;

/// Adds a line for each row of a table: its name, the key and the value as `$row` shows them.
macro_rules! table {
    ($txn:expr, $out:expr, $name:literal, $key:ty, $value:ty, $row:expr) => {
        let table = $txn
            .open_table(TableDefinition::<$key, $value>::new($name))
            .expect($name);
        for entry in table.iter().expect($name) {
            let (key, value) = entry.expect($name);
            let (key, value): (String, String) = $row(key.value(), value.value());
            $out.push_str(format!("{}  {key}  {value}", $name).trim_end());
            $out.push('\n');
        }
    };
}

#[cfg(feature = "cli")]
mod sessions;

const NOON: u64 = 1_796_040_000_123;
const CLAIM: &str = "recall-log.01M8P570KV0000000000000000.claim";

fn read(path: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn text(path: &str) -> String {
    String::from_utf8(read(path)).expect("UTF-8")
}

/// The code blocks of the document that have a name: ```` ```kind name ````.
fn blocks() -> BTreeMap<String, String> {
    let document = text("FORMAT.md");
    let mut parts = document.split("```");
    parts.next();
    let fenced = parts.step_by(2).filter_map(|block| {
        let (head, body) = block.split_once('\n')?;
        let (_, name) = head.split_once(' ')?;
        Some((name.to_owned(), body.to_owned()))
    });
    fenced.collect()
}

#[track_caller]
fn block(name: &str) -> String {
    blocks()
        .remove(name)
        .unwrap_or_else(|| panic!("FORMAT.md has no block {name}"))
}

/// A store into which the golden spool was drained, under the name of the golden claim.
fn drained() -> (TempDir, Graph) {
    let store = tempfile::tempdir().expect("a folder");
    fs::write(store.path().join(CLAIM), read("tests/golden/spool.ndjson")).expect("written");
    let graph = Graph::open(store.path()).expect("a graph");
    let report = graph.drain(NOON).expect("drained");
    let report = serde_json::to_string(&report).expect("JSON");
    assert_eq!(report, block("report").trim_end());
    (store, graph)
}

fn hex(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.join(" ")
}

fn fnv64(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}

fn fnv128(bytes: &[u8]) -> u128 {
    bytes
        .iter()
        .fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash, byte| {
            (hash ^ u128::from(*byte)).wrapping_mul((1 << 88) + 0x13b)
        })
}

#[test]
fn the_document_shows_every_golden_file() {
    let mut shown = blocks();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")).expect("a folder") {
        let name = entry.expect("a file").file_name().into_string().expect("UTF-8");
        let path = format!("tests/golden/{name}");
        let block = shown
            .remove(&path)
            .unwrap_or_else(|| panic!("FORMAT.md does not show {path}"));
        if !name.ends_with(".snap") {
            assert_eq!(block, text(&path), "{path}");
        }
    }
    let others: Vec<&str> = shown.keys().map(String::as_str).collect();
    assert_eq!(others, ["ids", "packed", "report"]);
}

#[test]
fn the_golden_spool_holds_the_golden_events() {
    let (_store, graph) = drained();
    let mut events = Vec::new();
    graph.export(&mut events).expect("exported");
    assert_eq!(
        String::from_utf8(events).expect("UTF-8"),
        text("tests/golden/events.ndjson")
    );
}

#[test]
fn a_line_without_an_id_gets_the_one_that_the_document_computes() {
    let events = text("tests/golden/events.ndjson");
    for row in block("ids").lines() {
        let (line, id) = row.split_once("  ").expect("two columns");
        let event = events.lines().find(|event| event.contains(id)).expect("a golden event");
        let bits = fnv128(format!("{CLAIM}\n{line}").as_bytes()) & ((1 << 80) - 1);
        let at: u64 = match line {
            "9" => NOON,
            _ => rekal::time::parse_rfc3339(&event[41..65]).expect("a time"),
        };
        assert_eq!(Ulid::from_parts(at, bits).to_string(), id, "line {line}");
    }
    assert_eq!(block("ids").lines().count(), 3);
}

#[test]
fn the_limits_are_those_of_the_code() {
    let limits: [(&str, &dyn Display); 8] = [
        ("bytes of a query", &rekal::edge::MAX_QUERY),
        ("targets of an event", &rekal::edge::MAX_TARGETS),
        ("bytes of a session id", &rekal::edge::MAX_ID),
        ("bytes of a line", &rekal::spool::line::MAX_LINE),
        (
            "bytes that are searched at the end of a longer one",
            &rekal::spool::line::TAIL,
        ),
        (
            "places in a torn line that turn out to begin no record",
            &rekal::spool::line::MAX_TRIES,
        ),
        ("times that the spool is opened again", &rekal::spool::writer::ROUNDS),
        (
            "milliseconds for which a recall is credited with a drill",
            &rekal::reach::WINDOW,
        ),
    ];
    let document = text("FORMAT.md");
    for (what, most) in limits {
        let row = format!("| {what} | {most} |");
        assert!(document.contains(&row), "{row}");
    }
    assert!(document.contains(&format!("`{}`", rekal::spool::writer::SPOOL)));
}

#[test]
fn the_numbers_in_the_text_are_right() {
    let document = text("FORMAT.md");
    let says = |text: String| assert!(document.contains(&text), "{text}");
    says(format!(
        "| 64 bits | `{:x}` | `{:x}` |",
        fnv64(b""),
        0x100_0000_01b3_u64
    ));
    says(format!(
        "| 128 bits | `{:x}` | `{:x}` |",
        fnv128(b""),
        (1u128 << 88) + 0x13b
    ));
    let at = varint(&mut &[0x80, 0xff, 0xd8, 0xe2, 0xa2, 0x34][..]);
    says(format!("`80 ff d8 e2 a2 34` = {at}"));
    says(rekal::time::format_rfc3339(at));
    assert_eq!(varint(&mut &[0xac, 0x02][..]), 300);
    let totals = "06 02 02 02 02 80 ff d8 e2 a2 34 ";
    says(format!("`{totals}…`"));
    let row = format!("rekal.session_reach  00 00 00 01 00 00 00 00  01 {totals}");
    assert!(text("tests/golden/tables.txt").contains(&row));
}

/// Steps 1 to 4 of the append protocol, without the fifth.
fn append(store: &Path, lines: &str) {
    let path = store.join("recall-log.ndjson");
    for _ in 0..=16 {
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .mode(0o600)
            .open(&path);
        let mut file = file.expect("opened");
        if file.try_lock_shared().is_err() {
            continue;
        }
        let (ours, there) = (file.metadata().expect("open"), fs::metadata(&path).expect("there"));
        if (ours.dev(), ours.ino()) != (there.dev(), there.ino()) {
            continue;
        }
        let batch = format!("\n{lines}");
        assert_eq!(file.write(batch.as_bytes()).expect("written"), batch.len());
        return;
    }
    panic!("the spool is locked");
}

#[test]
fn what_another_program_appends_is_drained() {
    let store = tempfile::tempdir().expect("a folder");
    let golden = text("tests/golden/events.ndjson");
    append(store.path(), &golden);
    append(
        store.path(),
        "{\"ts\":\"2026-11-30T12:00:00Z\",\"kind\":\"drill\",\"target\":\"agent-a1\"}\n",
    );
    let graph = Graph::open(store.path()).expect("a graph");
    let report = graph.drain(NOON).expect("drained");
    assert_eq!((report.events, report.bad_lines.len()), (7, 0));
    let mode = |name: &str| {
        fs::metadata(store.path().join(name))
            .expect("a file")
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!((mode("store.redb"), mode("reach.snap")), (0o600, 0o600));
    assert!(File::open(store.path().join("recall-log.ndjson")).is_err_and(|e| e.kind() == ErrorKind::NotFound));
}

/// What the tables hold, a line a row, as the document shows it.
fn rows(path: &Path) -> String {
    let database = ReadOnlyDatabase::open(path).expect("a database");
    let txn = database.begin_read().expect("a transaction");
    let mut out = String::new();
    table!(txn, out, "rekal.meta", &str, &[u8], |key: &str, row: &[u8]| (
        key.to_owned(),
        if key == "ledger" {
            "(random)".to_owned()
        } else {
            hex(row)
        }
    ));
    table!(txn, out, "rekal.targets", u32, &[u8], |number: u32, id| (
        number.to_string(),
        hex(id)
    ));
    table!(txn, out, "rekal.target_ids", &[u8], u32, |id, number: u32| (
        hex(id),
        number.to_string()
    ));
    table!(txn, out, "rekal.queries", u32, &str, |number: u32, text: &str| (
        number.to_string(),
        text.to_owned()
    ));
    table!(txn, out, "rekal.query_ids", &[u8; 12], (), |key: &[u8; 12], ()| (
        hex(key),
        String::new()
    ));
    table!(txn, out, "rekal.events", &[u8; 16], &[u8], |key: &[u8; 16], row| (
        hex(key),
        hex(row)
    ));
    table!(txn, out, "rekal.query_events", &[u8; 20], (), |key: &[u8; 20], ()| (
        hex(key),
        String::new()
    ));
    table!(
        txn,
        out,
        "rekal.recall_edges",
        &[u8; 20],
        u8,
        |key: &[u8; 20], rank: u8| (hex(key), rank.to_string())
    );
    table!(
        txn,
        out,
        "rekal.session_reach",
        &[u8; 8],
        &[u8],
        |key: &[u8; 8], row| (hex(key), hex(row))
    );
    out
}

#[test]
fn the_tables_hold_the_golden_rows() {
    let (store, _) = drained();
    assert_eq!(rows(&store.path().join("store.redb")), text("tests/golden/tables.txt"));
}

#[test]
fn the_document_names_every_table() {
    let (store, _) = drained();
    names_every_table(store.path());
}

fn names_every_table(store: &Path) {
    let database = Database::open(store.join("store.redb")).expect("a database");
    let txn = database.begin_read().expect("a transaction");
    let tables = txn.list_tables().expect("the tables");
    let document = text("FORMAT.md");
    for table in tables {
        assert!(
            document.contains(&format!("| `{}` |", table.name())),
            "{}",
            table.name()
        );
    }
}

#[test]
fn ids_are_packed_as_the_document_says() {
    let table = text("tests/golden/tables.txt");
    let mut tags = Vec::new();
    for row in block("packed").lines() {
        let (id, packed) = row.split_once("  ").expect("two columns");
        let packed = packed.trim();
        tags.push(&packed[..2] == "00");
        assert!(table.contains(&format!("rekal.target_ids  {packed}  ")), "{row}");
        let by_hand = match id.len() {
            26 => hex(&[&[1], &Ulid::from_string(id).expect("a ULID").0.to_be_bytes()[..]].concat()),
            36 => format!("02 {}", pairs(&id.replace('-', ""))),
            _ => hex(&[&[0], id.as_bytes()].concat()),
        };
        assert_eq!(packed, by_hand);
    }
    assert_eq!(tags, [true, false, false, false]);
}

fn pairs(digits: &str) -> String {
    let pairs: Vec<&str> = (0..digits.len() / 2).map(|at| &digits[2 * at..2 * at + 2]).collect();
    pairs.join(" ")
}

/// The golden snapshot, with another ledger's id.
fn golden_with_id_of(snapshot: &[u8]) -> Vec<u8> {
    let mut golden = read("tests/golden/reach.snap");
    golden[16..32].copy_from_slice(&snapshot[16..32]);
    let sum = fnv64(&golden[..56]);
    golden[56..64].copy_from_slice(&sum.to_le_bytes());
    golden
}

#[test]
fn the_golden_snapshot_is_what_is_published_and_what_is_shown() {
    let (store, _) = drained();
    let published = fs::read(store.path().join("reach.snap")).expect("published");
    assert_eq!(hex(&published), hex(&golden_with_id_of(&published)));

    let golden = read("tests/golden/reach.snap");
    let mut shown = Vec::new();
    for line in block("tests/golden/reach.snap").lines() {
        assert_eq!(line[..4], format!("{:04x}", shown.len()));
        let bytes = &line[6..line.len().min(53)];
        shown.extend(
            bytes
                .split_whitespace()
                .map(|pair| u8::from_str_radix(pair, 16).expect("hex")),
        );
    }
    assert_eq!(hex(&shown), hex(&golden));
}

fn sum(bytes: &[u8]) -> u64 {
    let by_eights = bytes.chunks(8).map(|part| {
        let mut eight = [0; 8];
        eight[..part.len()].copy_from_slice(part);
        u64::from_le_bytes(eight)
    });
    by_eights.fold(0xcbf2_9ce4_8422_2325, |hash, eight| {
        let hash = (hash ^ eight).wrapping_mul(0x100_0000_01b3);
        hash ^ hash >> 32
    })
}

/// A session's reach as the document has it looked up: count, drills, query, what led to drills unless that
/// is as in the base.
type Found = (u64, u64, Option<String>, Option<Vec<(String, u64)>>);

fn look_up(file: &[u8], id: &str) -> Option<Found> {
    let number = |at: usize, len: usize| {
        file[at..at + len]
            .iter()
            .rev()
            .fold(0, |n: u64, byte| n << 8 | u64::from(*byte))
    };
    assert_eq!((&file[..8], number(8, 4)), (&b"rekalsnp"[..], 2));
    assert_eq!(number(56, 8), fnv64(&file[..56]));
    assert_eq!(number(52, 4), sum(&file[64..]) & 0xffff_ffff);
    let (hash, blocks) = (fnv64(id.as_bytes()), number(48, 4));
    for step in 0..blocks * 7 {
        let block = 64 + ((hash % blocks + step / 7) % blocks) as usize * 64;
        assert_eq!(number(block + 56, 8), sum(&file[block..block + 56]));
        let bucket = number(block + (step % 7) as usize * 8, 8);
        if bucket == 0 {
            return None;
        }
        let at = (bucket & 0xffff_ffff_ffff) as usize;
        if bucket >> 48 != hash >> 48 {
            continue;
        }
        let len = number(at, 4) as usize;
        let mut body = &file[at + 4..at + 4 + len];
        assert_eq!(number(at + 4 + len, 8), sum(body));
        let id_len = usize::from(body[0]);
        let found = &body[1..=id_len] == id.as_bytes();
        body = &body[1 + id_len..];
        if found {
            let (count, drills) = (varint(&mut body), varint(&mut body));
            let query = (varint(&mut body) == 1).then(|| string(&mut body));
            if body.is_empty() {
                return Some((count, drills, query, None));
            }
            let led = (0..varint(&mut body)).map(|_| (string(&mut body), varint(&mut body)));
            let found = (count, drills, query, Some(led.collect()));
            assert!(body.is_empty());
            return Some(found);
        }
    }
    None
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = bytes[0];
        *bytes = &bytes[1..];
        value |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            return value;
        }
    }
}

fn string(bytes: &mut &[u8]) -> String {
    let len = varint(bytes) as usize;
    let (text, rest) = bytes.split_at(len);
    *bytes = rest;
    String::from_utf8(text.to_vec()).expect("UTF-8")
}

#[test]
fn a_session_is_found_by_hand_and_by_the_code() {
    let jwt = || Some("jwt expiry".to_owned());
    let expected: [(&str, Option<Found>); 4] = [
        (
            "agent-a1",
            Some((6, 2, jwt(), Some(vec![("jwt expiry".to_owned(), 2)]))),
        ),
        (
            "0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
            Some((1, 0, jwt(), Some(vec![]))),
        ),
        ("01M8P4Z0000000000000000007", Some((1, 0, jwt(), Some(vec![])))),
        ("agent-a2", None),
    ];
    let store = tempfile::tempdir().expect("a folder");
    let golden = read("tests/golden/reach.snap");
    fs::write(store.path().join("reach.snap"), &golden).expect("written");
    let ids: Vec<SessionId> = expected.iter().map(|(id, _)| id.parse().expect("an id")).collect();
    let by_code = Graph::open(store.path()).expect("a graph").reach(&ids);
    for ((id, expected), by_code) in expected.into_iter().zip(by_code) {
        assert_eq!(look_up(&golden, id), expected, "{id}");
        let by_code = by_code.map(|reach| {
            let led = reach.led.into_iter().map(|(query, times)| (query, u64::from(times)));
            (
                u64::from(reach.count),
                u64::from(reach.drills),
                reach.query,
                Some(led.collect()),
            )
        });
        assert_eq!(by_code, expected, "{id}");
    }
}

#[test]
fn a_delta_names_its_base_and_holds_what_changed() {
    let (store, graph) = drained();
    append(
        store.path(),
        "{\"ts\":\"2026-11-30T12:05:00Z\",\"kind\":\"drill\",\"target\":\"new\"}\n\
         {\"ts\":\"2026-11-30T14:05:00Z\",\"kind\":\"drill\",\"target\":\"agent-a1\"}\n",
    );
    graph.drain(NOON + 9_000_000).expect("drained");
    let file = |name: &str| -> PathBuf { store.path().join(name) };
    let (base, delta) = (
        fs::read(file("reach.snap")).expect("a base"),
        fs::read(file("reach.delta")).expect("a delta"),
    );
    assert_eq!(delta[16..32], base[16..32]);
    assert_eq!((delta[32], delta[40], base[32], base[40]), (2, 1, 1, 1));
    assert_eq!(look_up(&delta, "new"), Some((1, 1, None, Some(vec![]))));
    assert_eq!(
        look_up(&delta, "agent-a1"),
        Some((7, 3, Some("jwt expiry".to_owned()), None))
    );
    assert_eq!(look_up(&delta, "agent-a2"), None);
}
