//! The doctor: each thing is damaged, found, mended by the remedy that was named, and found no more.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rekal::ledger::Ledger;
use serde_json::{Value, json};

use super::exactly_once::program::{append, recall, targets};
use super::stage::{Stage, claude_line};

/// What is wrong, in the doctor's words: level, area, message, remedy.
type Wrong = Vec<(String, String, String, String)>;

/// A store with sessions and openings, with which nothing is wrong.
fn stage() -> Stage {
    let stage = Stage::with_sessions();
    stage.run(&["recall", "jwt expiry"]);
    stage.run(&["query", "s1"]);
    stage.run(&["checkpoint"]);
    is_well(&stage);
    stage
}

fn all(stage: &Stage) -> (Option<i32>, Vec<Value>) {
    let run = stage.run(&["doctor", "-j"]);
    let findings = run.json()["findings"].as_array().expect("findings").clone();
    (run.code, findings)
}

fn wrong(stage: &Stage) -> Wrong {
    let (code, findings) = all(stage);
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let of = |f: &Value| (text(f, "level"), text(f, "area"), text(f, "message"), text(f, "remedy"));
    let wrong: Wrong = findings.iter().map(of).filter(|(level, ..)| level != "info").collect();
    assert_eq!(code, Some(i32::from(!wrong.is_empty())), "{wrong:?}");
    wrong
}

/// The message of the one finding about how things are that holds a text.
fn told(stage: &Stage, text: &str) -> String {
    let (_, findings) = all(stage);
    let messages = findings.iter().map(|f| f["message"].as_str().expect("a message"));
    let found: Vec<&str> = messages.filter(|message| message.contains(text)).collect();
    assert_eq!(found.len(), 1, "{text}: {findings:?}");
    found[0].to_owned()
}

#[track_caller]
fn is_well(stage: &Stage) {
    assert_eq!(wrong(stage), []);
}

/// Does what the remedy says, in a shell that knows the program.
fn shell(stage: &Stage, line: &str) {
    let program = Path::new(env!("CARGO_BIN_EXE_rekal")).parent().expect("a folder");
    let done = Command::new("sh")
        .args(["-c", line])
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", program.display()))
        .env("HOME", stage.home())
        .env("REKAL_STORE", stage.store())
        .current_dir(stage.home())
        .output()
        .expect("a shell");
    assert!(
        done.status.success(),
        "{line}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
}

/// One thing is wrong, this one, and its remedy is a line for a shell that makes it right.
#[track_caller]
fn is_mended(stage: &Stage, level: &str, area: &str, message: &str, remedy: &str) {
    let found = wrong(stage);
    let expected = (level.to_owned(), area.to_owned(), message.to_owned(), remedy.to_owned());
    assert_eq!(found, [expected]);
    shell(stage, remedy);
    is_well(stage);
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("changed");
}

/// A file of the index that holds what is said.
fn texts(stage: &Stage) -> PathBuf {
    let entries = fs::read_dir(stage.store().join("index")).expect("an index").flatten();
    let mut files = entries.map(|entry| entry.path());
    files
        .find(|path| path.extension().is_some_and(|extension| extension == "store"))
        .expect("texts")
}

fn copy_all(from: &Path, to: &Path) {
    _ = fs::remove_dir_all(to);
    fs::create_dir(to).expect("a folder");
    set_mode(to, 0o700);
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        fs::copy(entry.path(), to.join(entry.file_name())).expect("copied");
    }
}

#[test]
fn where_nothing_is_wrong_it_says_how_things_are() {
    let stage = stage();
    let run = stage.run(&["doctor"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), "rekal: nothing is wrong\n"));
    let store = stage.store();
    for line in [
        "info     store: the ledger opens, and every page of it is as it was written\n".to_owned(),
        "info     index: it holds what the ledger holds\n".into(),
        "info     reach: what is published says what the ledger says\n".into(),
        "info     agents: claude: 4 transcripts, 4 captured\n".into(),
        format!("info     store: {}, index ", store.display()),
    ] {
        assert!(run.stdout.contains(&line), "{line}{}", run.stdout);
    }
    let printed = stage.run(&["doctor", "-j"]).json();
    let second = json!({"level": "info", "area": "store", "path": store.join("store.redb"),
        "message": "the ledger opens, and every page of it is as it was written"});
    assert_eq!(
        (&printed["schema_version"], &printed["findings"][1]),
        (&json!(1), &second)
    );
}

#[test]
fn a_store_that_is_not_there_is_found_and_not_made() {
    let stage = Stage::new();
    let message = format!("there is no store at {}", stage.store().display());
    assert_eq!(wrong(&stage)[0].2, message);
    assert!(!stage.store().exists());
    is_mended(&stage, "error", "store", &message, "rekal checkpoint");
}

#[test]
fn a_store_that_holds_nothing_yet_is_found() {
    let stage = Stage::new();
    fs::create_dir(stage.store()).expect("a folder");
    set_mode(&stage.store(), 0o700);
    is_mended(
        &stage,
        "warning",
        "store",
        "nothing is captured yet",
        "rekal checkpoint",
    );
}

#[test]
fn a_missing_and_a_damaged_ledger_are_found() {
    let stage = stage();
    let ledger = stage.store().join("store.redb");
    let whole = fs::read(&ledger).expect("a ledger");
    fs::remove_file(&ledger).expect("removed");
    let found = wrong(&stage);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (found[0].2.as_str(), found[0].3.as_str()),
        (
            "the ledger is missing, although something was published from it",
            "restore it from a backup, or rekal checkpoint --all"
        )
    );
    assert!(!ledger.exists());
    fs::write(&ledger, &whole).expect("restored");
    set_mode(&ledger, 0o600);
    is_well(&stage);
    fs::remove_file(&ledger).expect("removed");
    shell(&stage, "rekal checkpoint --all");
    is_well(&stage);

    fs::write(&ledger, &whole[..whole.len() / 2]).expect("damaged");
    let found = wrong(&stage);
    assert_eq!(
        (found.len(), found[0].0.as_str(), found[0].1.as_str()),
        (1, "error", "store")
    );
    assert!(
        found[0].3.contains("move it away and run rekal checkpoint --all"),
        "{found:?}"
    );
    fs::rename(&ledger, stage.home().join("damaged")).expect("moved away");
    shell(&stage, "rekal checkpoint --all");
    is_well(&stage);
}

#[test]
fn a_ledger_that_another_process_holds_is_no_fault() {
    let stage = stage();
    let held = Ledger::open(&stage.store()).expect("a ledger");
    is_well(&stage);
    let what = "another process holds the ledger, so what is held against it was left out";
    assert_eq!(told(&stage, "another process"), what);
    drop(held);
}

#[test]
fn files_and_folders_that_are_open_to_others_are_found() {
    let stage = stage();
    let (store, index) = (stage.store(), stage.store().join("index"));
    let (shown, file) = (store.display(), store.join("store.redb"));
    let remedy = format!("chmod 600 {}", file.display());
    let what = "store.redb is not for the owner alone";
    for mode in [0o644, 0o755] {
        set_mode(&file, mode);
        is_mended(&stage, "warning", "permissions", what, &remedy);
    }

    set_mode(&index, 0o755);
    set_mode(&texts(&stage), 0o705);
    let remedy = format!(
        "find {} -type d -exec chmod 700 {{}} + -o -exec chmod 600 {{}} +",
        index.display()
    );
    let what = "2 entries in index: not for the owner alone";
    is_mended(&stage, "warning", "permissions", what, &remedy);

    set_mode(&store, 0o755);
    let what = "the store's folder is open to others (mode 755)";
    is_mended(&stage, "warning", "permissions", what, &format!("chmod 700 {shown}"));
}

#[test]
fn what_waits_for_long_and_what_is_no_event_is_found() {
    let stage = stage();
    let spool = stage.store().join("recall-log.ndjson");
    stage.run(&["recall", "jwt expiry"]);
    assert!(told(&stage, "to be drained").starts_with("1 event waits to be drained, the oldest of 20"));
    is_well(&stage);
    stage.run(&["checkpoint"]);

    append(
        &stage.store(),
        &[recall(1, 1, "jwt", targets(3)), recall(2, 1, "jwt", targets(3))],
    );
    let what = "2 events wait to be drained, the oldest of 2023-11-14T22:13";
    is_mended(&stage, "warning", "spool", what, "rekal checkpoint");

    fs::write(&spool, "nonsense\n{\"kind\":\"drill\"}\n").expect("written");
    set_mode(&spool, 0o600);
    let what = "2 lines are no event: no_target 1, not_json 1";
    is_mended(&stage, "warning", "spool", what, "rekal graph drain");
    let counted = "of all that was ever drained, 2 lines are no event: no_target 1, not_json 1";
    assert_eq!(told(&stage, "ever drained"), counted);
}

#[test]
fn what_a_drain_or_a_writer_left_behind_is_found() {
    let stage = stage();
    let leave = |name: &str| {
        let path = stage.store().join(name);
        fs::write(&path, "").expect("written");
        set_mode(&path, 0o600);
    };
    leave("recall-log.01HF7YAT1V0000000000000000.claim");
    is_mended(
        &stage,
        "warning",
        "spool",
        "1 claim was left behind",
        "rekal graph drain",
    );
    leave("recall-log.01HF7YAT1V0000000000000000.tmp");
    let what = "1 writer died before a claim was finished";
    is_mended(&stage, "warning", "spool", what, "rekal graph drain");
}

#[test]
fn a_spool_that_takes_nothing_is_found() {
    let stage = stage();
    let spool = stage.store().join("recall-log.ndjson");
    _ = fs::remove_file(&spool);
    fs::create_dir(&spool).expect("a folder");
    set_mode(&spool, 0o700);
    let remedy = format!("mv {0}/recall-log.ndjson {0}/recall-log.away", stage.store().display());
    let what = "the spool is no regular file, so what is in it is never drained";
    is_mended(&stage, "error", "spool", what, &remedy);
}

#[test]
fn an_index_that_is_missing_damaged_old_or_anothers_is_found() {
    let stage = stage();
    let (index, kept) = (stage.store().join("index"), stage.home().join("kept"));
    fs::remove_dir_all(&index).expect("removed");
    let what = "there is none that this version can read, so recall is silent";
    is_mended(&stage, "error", "index", what, "rekal index");

    for file in [texts(&stage), index.join("lsa.bin")] {
        let mut bytes = fs::read(&file).expect("bytes");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&file, bytes).expect("damaged");
        let what = "it is damaged, or not complete";
        is_mended(&stage, "error", "index", what, "rekal index");
    }

    copy_all(&index, &kept);
    stage.claude("eeee", &[("user", "What is new?")]);
    stage.run(&["checkpoint"]);
    copy_all(&kept, &index);
    shell(&stage, "chmod -R u=rwX,go= store/index");
    let what = "it does not hold the latest sessions of the ledger";
    is_mended(&stage, "warning", "index", what, "rekal checkpoint");

    copy_all(&index, &kept);
    let ledger = fs::read(stage.store().join("store.redb")).expect("a ledger");
    stage.claude("ffff", &[("user", "And what now?")]);
    stage.run(&["checkpoint"]);
    fs::write(stage.store().join("store.redb"), ledger).expect("put back");
    let what = "it is of another ledger, or of a state that this one never had";
    is_mended(&stage, "error", "index", what, "rekal index");
}

#[test]
fn reach_that_is_missing_damaged_old_or_anothers_is_found() {
    let stage = stage();
    let at = |name: &str| stage.store().join(name);
    let (base, delta) = (at("reach.snap"), at("reach.delta"));
    stage.run(&["graph", "rebuild"]);
    let found = |what: &str| is_mended(&stage, "error", "reach", what, "rekal graph rebuild");
    fs::remove_file(&base).expect("removed");
    found("nothing is published, so recall shows no hints");

    let mut bytes = fs::read(&base).expect("published");
    bytes[100] ^= 1;
    fs::write(&base, &bytes).expect("damaged");
    found("what is published is damaged, so recall shows no hints");

    let old = fs::read(&base).expect("published");
    let ledger = fs::read(at("store.redb")).expect("a ledger");
    stage.run(&["recall", "jwt expiry"]);
    stage.run(&["graph", "drain"]);
    let (new, then) = (fs::read(&base).expect("published"), fs::read(&delta).ok());
    _ = fs::remove_file(&delta);
    fs::write(&base, &old).expect("put back");
    found("what is published is of an earlier state of the ledger");

    fs::write(&base, &new).expect("put back");
    if let Some(then) = then {
        fs::write(&delta, then).expect("put back");
        set_mode(&delta, 0o600);
    }
    fs::write(at("store.redb"), ledger).expect("put back");
    found("what is published is of another ledger, or of a state that this one never had");
}

#[test]
fn sums_that_the_edges_do_not_add_up_to_are_found() {
    let stage = stage();
    let database = redb::Database::open(stage.store().join("store.redb")).expect("a ledger");
    let table: redb::TableDefinition<&[u8; 8], &[u8]> = redb::TableDefinition::new("rekal.session_reach");
    let txn = database.begin_write().expect("a transaction");
    let mut reach = txn.open_table(table).expect("a table");
    reach.retain(|_, _| false).expect("emptied");
    drop(reach);
    txn.commit().expect("committed");
    drop(database);
    let found = wrong(&stage);
    let messages: Vec<&str> = found.iter().map(|(_, _, message, _)| message.as_str()).collect();
    let expected = [
        "the reach of 3 sessions is not what its edges add up to",
        "what is published says something else than the ledger",
    ];
    assert_eq!(messages, expected);
    shell(&stage, &found[0].3);
    is_well(&stage);
}

#[test]
fn another_store_beside_ours_is_found() {
    let stage = stage();
    let theirs = stage.store().join("data.db");
    fs::write(&theirs, "theirs").expect("written");
    let found = wrong(&stage);
    assert_eq!(found.len(), 1, "{found:?}");
    let what = "another program keeps its store here (data.db): two tools drain one spool, and each sees only a part \
                of it";
    assert_eq!((found[0].0.as_str(), found[0].2.as_str()), ("warning", what));
    // Both ways out of it.
    let own = [("REKAL_STORE", "own")];
    stage.run_with(&own, &["checkpoint"]);
    assert_eq!(stage.run_with(&own, &["doctor"]).code, Some(0));
    assert_eq!(fs::read(&theirs).expect("untouched"), b"theirs");
    fs::rename(&theirs, stage.home().join("data.db")).expect("moved away");
    is_well(&stage);
}

#[test]
fn a_store_that_git_would_take_is_found_and_the_remedy_names_it() {
    let stage = stage();
    let store = stage.home().join("it's/.rekal");
    let name = store.to_str().expect("UTF-8");
    assert_eq!(stage.run(&["checkpoint", "--store", name]).code, Some(0));
    fs::remove_file(store.join(".gitignore")).expect("removed");
    let run = stage.run(&["doctor", "-j", "--store", name]);
    let findings = run.json()["findings"].as_array().expect("findings").clone();
    let wrong: Vec<&Value> = findings.iter().filter(|finding| finding["level"] != "info").collect();
    assert_eq!((run.code, wrong.len()), (Some(1), 1), "{findings:?}");
    assert_eq!(
        wrong[0]["message"],
        "nothing keeps git from taking the store into a commit"
    );
    shell(&stage, wrong[0]["remedy"].as_str().expect("a remedy"));
    assert_eq!(stage.run(&["doctor", "--store", name]).code, Some(0));
}

#[test]
fn a_setting_that_cannot_be_used_is_found() {
    let stage = stage();
    let file = stage.store().join("config.json");
    fs::write(&file, r#"{"weights":{"turn":-1}}"#).expect("written");
    let message = format!(
        "{}: weights.turn is -1, not a number from 0 to 1000: 0.45 is used",
        file.display()
    );
    let remedy = "edit it; rekal config shows what is used meanwhile".to_owned();
    assert_eq!(wrong(&stage), [("warning".into(), "config".into(), message, remedy)]);
    fs::write(&file, r#"{"weights":{"turn":1}}"#).expect("written");
    is_well(&stage);
}

#[test]
fn agents_are_counted_with_the_lines_that_could_not_be_read() {
    let stage = stage();
    let said = fs::read_to_string(stage.transcript("aaaa")).expect("a transcript");
    fs::write(stage.transcript("aaaa"), format!("{said}nonsense\n{{\"half\n")).expect("written");
    stage.claude("gggg", &[("user", "Not captured yet")]);
    let counts = "claude: 5 transcripts, 4 captured, 2 new or changed since the last checkpoint";
    assert_eq!(told(&stage, "5 transcripts"), counts);
    assert!(told(&stage, "codex").starts_with("codex: no transcript in "));
    stage.run(&["checkpoint"]);
    assert_eq!(told(&stage, "5 transcripts"), "claude: 5 transcripts, 5 captured");
    let skipped = |lines| {
        let file = stage.transcript("aaaa");
        format!(
            "claude: {lines} could not be read and were left out, most of them in {}",
            file.display()
        )
    };
    assert_eq!(told(&stage, "could not be read"), skipped("2 lines"));

    // What was skipped stays counted when the session goes on.
    let more = claude_line("aaaa", 3, "user", "It goes on");
    let said = fs::read_to_string(stage.transcript("aaaa")).expect("a transcript");
    fs::write(stage.transcript("aaaa"), format!("{said}{more}garbage\n")).expect("written");
    stage.run(&["checkpoint"]);
    assert_eq!(told(&stage, "could not be read"), skipped("3 lines"));
    is_well(&stage);
}
