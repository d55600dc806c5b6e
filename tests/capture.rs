//! Capture through the real program: incremental, complete, and once.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use super::stage::{Run, Stage, claude_line, finished};

/// The files of the store that hold a text.
fn holding(stage: &Stage, text: &str) -> Vec<String> {
    let files = walkdir::WalkDir::new(stage.store()).into_iter().flatten();
    let holds = |bytes: &[u8]| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    files
        .filter(|file| file.file_type().is_file() && holds(&fs::read(file.path()).expect("readable")))
        .map(|file| file.path().display().to_string())
        .collect()
}

fn turns(stage: &Stage, sid: &str) -> Vec<String> {
    let page = stage.run(&["query", "-s", sid, "-n", "100", "-j"]).json();
    let turns = page["turns"].as_array().expect("turns").clone();
    turns
        .iter()
        .map(|turn| turn["text"].as_str().expect("a text").to_owned())
        .collect()
}

#[test]
fn a_transcript_that_grows_is_one_session_with_each_turn_once() {
    let stage = Stage::new();
    let whole: String = (0..4)
        .map(|at| claude_line("grows", at, "user", &format!("question number {at}")))
        .collect();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let cut = lines[0].len() + lines[1].len() + 40;
    for (end, turns_then) in [(lines[0].len(), 1), (cut, 2), (whole.len(), 4)] {
        fs::write(stage.transcript("grows"), &whole[..end]).expect("written");
        stage.run(&["checkpoint"]);
        assert_eq!(turns(&stage, "s1").len(), turns_then, "after {end} bytes");
    }
    let expected: Vec<String> = (0..4).map(|at| format!("question number {at}")).collect();
    assert_eq!(turns(&stage, "s1"), expected);
    assert_eq!(stage.run(&["query", "-s", "s2"]).code, Some(1));
}

#[test]
fn what_a_subagent_says_in_the_transcript_of_another_is_left_out_and_told() {
    let stage = Stage::new();
    let aside =
        |at, text| claude_line("trunk", at, "user", text).replace("\"isSidechain\":false", "\"isSidechain\":true");
    let lines = [
        claude_line("trunk", 0, "user", "Look around"),
        aside(1, "I look"),
        aside(2, "I am done"),
    ];
    fs::write(stage.transcript("trunk"), lines.concat()).expect("written");
    let run = stage.run(&["checkpoint"]);
    let told = "rekal: 2 lines of subagents in the transcripts of other sessions were left out\n";
    assert_eq!(run.stderr, told);
    assert_eq!(turns(&stage, "s1"), ["Look around"]);
    assert_eq!(stage.run(&["checkpoint", "-j"]).json()["sidechain_lines"], 0);
}

#[test]
fn a_session_is_opened_by_its_place_as_well_as_by_the_option() {
    let stage = Stage::with_sessions();
    let by_option = stage.run(&["query", "--session", "s2"]);
    let by_place = stage.run(&["query", "s2"]);
    assert_eq!((by_place.code, &by_place.stdout), (Some(0), &by_option.stdout));
    assert_eq!(stage.spooled().len(), 2);
}

#[test]
fn a_ledger_put_back_from_a_copy_does_not_take_what_is_published_for_its_own() {
    let stage = Stage::new();
    let ledger = stage.store().join("store.redb");
    stage.claude("first", &[("user", "Peel the apples")]);
    stage.run(&["checkpoint"]);
    let copy = fs::read(&ledger).expect("a ledger");
    stage.claude("lost", &[("user", "Slice the pears")]);
    stage.run(&["checkpoint"]);
    assert_eq!(turns(&stage, "s2"), ["Slice the pears"]);

    fs::write(&ledger, copy).expect("put back");
    fs::remove_file(stage.transcript("lost")).expect("gone");
    stage.claude("other", &[("user", "Core the quinces")]);
    stage.run(&["checkpoint"]);
    assert_eq!(turns(&stage, "s2"), ["Core the quinces"]);
    let again = stage.run(&["checkpoint", "-j"]).json();
    assert_eq!(again["indexed"], 0);
}

#[test]
fn running_it_twice_changes_nothing() {
    let stage = Stage::with_sessions();
    let published = |stage: &Stage| fs::read(stage.store().join("index/meta.json")).expect("an index");
    let before = published(&stage);
    let again = stage.run(&["checkpoint", "-j"]).json();
    assert_eq!(
        (&again["read"], &again["indexed"], &again["transcripts"]),
        (&json!(0), &json!(0), &json!(4))
    );
    assert_eq!(published(&stage), before);
}

#[test]
fn vectors_that_are_missing_or_damaged_come_back_with_a_checkpoint_that_has_nothing_new() {
    let stage = Stage::with_sessions();
    let file = stage.store().join("index/lsa.bin");
    let whole = fs::read(&file).expect("published");
    let answer = || stage.run(&["recall", "-j", "token"]).code;
    let before = answer();
    let mut flipped = whole.clone();
    flipped[20] ^= 1;
    for bytes in [&whole[..whole.len() / 2], &flipped] {
        fs::write(&file, bytes).expect("written");
        assert_eq!(answer(), before);
        stage.run(&["checkpoint"]);
        assert!(fs::read(&file).expect("published") == whole);
    }
    fs::remove_file(&file).expect("removed");
    stage.run(&["checkpoint"]);
    assert!(fs::read(&file).expect("published") == whole);
}

#[test]
fn a_rewritten_transcript_replaces_and_a_deleted_one_stays() {
    let stage = Stage::with_sessions();
    stage.claude("aaaa", &[("user", "Something about gardens instead")]);
    fs::remove_file(stage.transcript("bbbb")).expect("deleted");
    stage.run(&["checkpoint"]);
    assert_eq!(turns(&stage, "s1"), ["Something about gardens instead"]);
    assert_eq!(turns(&stage, "s2").len(), 2);
    assert_eq!(stage.run(&["gardens instead"]).row("s1").split(' ').next(), Some("s1"));
    let index = stage.run(&["index", "-j"]).json();
    assert_eq!(index["sessions"], 4);
    assert_eq!(turns(&stage, "s2").len(), 2, "the ledger keeps what the agent deletes");
}

#[test]
fn handles_are_given_once_in_the_order_of_capture() {
    let stage = Stage::with_sessions();
    stage.claude("0000", &[("user", "a session whose name sorts first")]);
    stage.run(&["checkpoint"]);
    assert_eq!(turns(&stage, "s5"), ["a session whose name sorts first"]);
    assert_eq!(turns(&stage, "s1")[0], "Where is the jwt expiry set?");
    assert_eq!(turns(&stage, "aaaa")[0], "Where is the jwt expiry set?");
    assert_eq!(turns(&stage, "aa")[0], "Where is the jwt expiry set?");
}

#[test]
fn secrets_are_in_no_file_of_the_store() {
    let stage = Stage::new();
    let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    stage.claude("s", &[("user", &format!("use the key {secret} for the deploy"))]);
    stage.run(&["checkpoint"]);
    stage.run(&[&format!("deploy key {secret}")]);
    stage.run(&["graph", "drain"]);
    assert!(stage.run(&["use the deploy key"]).stdout.contains("[redacted]"));
    assert_eq!(holding(&stage, secret), Vec::<String>::new());
}

#[test]
fn a_recall_is_not_found_by_its_own_words_in_the_asking_session() {
    let stage = Stage::with_sessions();
    let digest = stage.run(&["jwt expiry"]).stdout;
    let call = json!({
        "type": "assistant", "uuid": "x-1", "sessionId": "asker", "cwd": "/home/dev/app",
        "timestamp": "2026-11-03T10:00:00.000Z",
        "message": {"role": "assistant", "content": [
            {"type": "text", "text": format!("I found this:\n{digest}")},
            {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "rekal \"jwt expiry\""}},
        ]},
    });
    let asked = claude_line("asker", 0, "user", "please look something up");
    fs::write(stage.transcript("asker"), format!("{asked}{call}\n")).expect("written");
    stage.run(&["checkpoint"]);
    let answer = stage.run(&["jwt expiry"]).stdout;
    assert!(!answer.contains("s5 "), "{answer}");
    let page = stage.run(&["query", "-s", "s5", "-F", "-j"]).json();
    assert_eq!(page["tool_calls"][0]["command"], "rekal");
}

/// A repository in the folder `a-b`.
fn repository(stage: &Stage) -> PathBuf {
    let repository = stage.home().canonicalize().expect("a path").join("a-b");
    fs::create_dir_all(&repository).expect("a folder");
    let git = |words: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(&repository)
            .args(["-c", "user.name=n", "-c", "user.email=n@example.com"])
            .args(words);
        assert!(git.output().expect("git runs").status.success(), "{words:?}");
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    repository
}

/// Runs the program in a repository, with the store of that.
fn run_in(stage: &Stage, repository: &Path, words: &[&str]) -> Run {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut command = stage.command(words);
    command
        .env_remove("REKAL_STORE")
        .env("PATH", path)
        .current_dir(repository);
    finished(command.output().expect("it runs"))
}

#[test]
fn a_repository_captures_what_was_held_in_its_worktrees() {
    let stage = Stage::new();
    let repository = repository(&stage);
    for (id, folder) in [("in", "a-b/src"), ("out", "a/b"), ("too", "a b")] {
        let cwd = stage.home().canonicalize().expect("a path").join(folder);
        let line = claude_line(id, 0, "user", "find the misplaced copper lantern")
            .replace("/home/dev/app", cwd.to_str().expect("UTF-8"));
        fs::write(stage.transcript(id), line).expect("written");
    }
    let run = |words: &[&str]| run_in(&stage, &repository, words);
    let first = run(&["checkpoint", "-j"]).json();
    assert_eq!((&first["sessions_new"], &first["elsewhere"]), (&json!(1), &json!(2)));
    assert_eq!(
        fs::read_to_string(repository.join(".rekal/.gitignore")).expect("there"),
        "*\n"
    );
    let answer = run(&["-j", "find the misplaced copper lantern"]).json();
    assert_eq!(
        answer["results"][0]["session"]["commit"].as_str().map(str::len),
        Some(40)
    );
    let again = run(&["checkpoint", "-j"]).json();
    assert_eq!((&again["read"], &again["elsewhere"]), (&json!(0), &json!(2)));
    let all = run(&["checkpoint", "--all", "-j"]).json();
    assert_eq!((&all["sessions_new"], &all["elsewhere"]), (&json!(2), &json!(0)));
}

#[test]
fn a_bad_line_costs_that_line() {
    let stage = Stage::new();
    stage.claude("s", &[("user", "the first question")]);
    let mut file = OpenOptions::new()
        .append(true)
        .open(stage.transcript("s"))
        .expect("opened");
    file.write_all(b"{\"type\":\"user\",\"mess\n\0\0\0\n\r\n")
        .expect("written");
    file.write_all(claude_line("s", 2, "assistant", "the answer \u{2028} in two parts").as_bytes())
        .expect("written");
    drop(file);
    let report = stage.run(&["checkpoint", "-j"]).json();
    assert_eq!(
        (&report["turns"], &report["skipped_lines"]),
        (&json!(2), &json!(1)),
        "torn; a line of NULs is as good as blank"
    );
    let shown = stage.run(&["query", "-s", "s1"]).stdout;
    assert!(!shown.contains('\u{2028}'), "{shown}");
}

#[test]
fn a_forgotten_text_is_in_no_file_and_does_not_come_back() {
    let stage = Stage::with_sessions();
    let secret = "zanzibar sunrise 77";
    let said = [
        ("user", "the passphrase is zanzibar sunrise 77, keep it"),
        ("assistant", "kept"),
    ];
    stage.claude("eeee", &said);
    stage.run(&["checkpoint"]);
    stage.run(&["passphrase zanzibar sunrise 77"]);
    assert!(!holding(&stage, secret).is_empty());
    let mut forget = stage.command(&["forget", "--text", "-"]);
    let mut child = forget
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(secret.as_bytes())
        .expect("it listens");
    let run = super::stage::finished(child.wait_with_output().expect("it ends"));
    assert_eq!(run.code, Some(0));
    assert!(
        run.stdout.contains("1 turn,") && !run.stdout.contains("zanzibar"),
        "{}",
        run.stdout
    );
    assert_eq!(holding(&stage, secret), Vec::<String>::new());
    assert_eq!(turns(&stage, "s5")[0], "the passphrase is [forgotten], keep it");

    let more = [said[0], said[1], ("user", "again: zanzibar sunrise 77")];
    stage.claude("eeee", &more);
    stage.claude("ffff", &said);
    stage.run(&["checkpoint"]);
    assert_eq!(turns(&stage, "s5")[2], "again: [forgotten]");
    assert_eq!(turns(&stage, "s6")[0], "the passphrase is [forgotten], keep it");
    assert_eq!(holding(&stage, secret), Vec::<String>::new());
}

#[test]
fn a_forgotten_session_is_in_no_file_and_does_not_come_back() {
    let stage = Stage::with_sessions();
    stage.claude("zanzibar-session", &[("user", "quicksilver in the lighthouse")]);
    stage.run(&["checkpoint"]);
    stage.run(&["quicksilver in the lighthouse"]);
    stage.run(&["query", "-s", "s5"]);
    let run = stage.run(&["forget", "--session", "s5"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for text in ["zanzibar-session", "quicksilver"] {
        let files = holding(&stage, text);
        assert!(
            text == "quicksilver" && files.len() <= 1 || files.is_empty(),
            "{files:?}"
        );
    }
    stage.run(&["checkpoint"]);
    assert_eq!(stage.run(&["query", "-s", "s5"]).code, Some(1));
    assert_eq!(turns(&stage, "s1").len(), 2);
    assert_eq!(holding(&stage, "zanzibar-session"), Vec::<String>::new());
}

#[test]
fn two_thousand_files_and_a_line_of_a_megabyte_are_captured() {
    let stage = Stage::new();
    let image = json!({
        "type": "user", "uuid": "i", "sessionId": "large", "cwd": "/home/dev/app", "timestamp": "2026-11-02T10:01:00.000Z",
        "message": {"role": "user", "content": [
            {"type": "image", "source": {"type": "base64", "data": "A".repeat(1_400 << 10)}},
            {"type": "text", "text": "what is on this picture"},
        ]},
    });
    let before = claude_line("large", 0, "user", "a picture follows");
    fs::write(stage.transcript("large"), format!("{before}{image}\n")).expect("written");
    for n in 0..2000 {
        stage.claude(&format!("many-{n}"), &[("user", &format!("question number {n}"))]);
    }
    let report = stage.run(&["checkpoint", "-j"]).json();
    assert_eq!(
        (&report["transcripts"], &report["sessions_new"]),
        (&json!(2001), &json!(2001))
    );
    assert_eq!((&report["turns"], &report["skipped_lines"]), (&json!(2002), &json!(0)));
    assert_eq!(turns(&stage, "large"), ["a picture follows", "what is on this picture"]);
    assert_eq!(turns(&stage, "many-1999"), ["question number 1999"]);
}

#[test]
fn a_task_that_is_written_anew_is_one_session_and_known_by_the_name_of_its_agent() {
    let stage = Stage::new();
    let storage = stage.home().join(".config/Code/User/globalStorage");
    let folder = storage.join("saoudrizwan.claude-dev/tasks/1767312000000");
    fs::create_dir_all(&folder).expect("folders");
    let file = folder.join("api_conversation_history.json");
    let asked = json!({"role": "user", "content": "<task>\npeel the copper apples\n</task>"});
    let answered = json!({"role": "assistant", "content": [{"type": "text", "text": "They are peeled."}]});
    fs::write(&file, json!([asked]).to_string()).expect("written");
    stage.run(&["checkpoint"]);
    fs::write(&file, json!([asked, answered, {"role": "hologram"}]).to_string()).expect("written");
    stage.run(&["checkpoint"]);
    assert_eq!(turns(&stage, "s1"), ["peel the copper apples", "They are peeled."]);
    assert_eq!(stage.run(&["checkpoint", "-j"]).json()["read"], 0);
    let of = |agent| stage.run(&["copper apples", "--harness", agent]).code;
    assert_eq!((of("cline"), of("roo")), (Some(0), Some(1)));
    let doctor = stage.run(&["doctor"]).stdout;
    assert!(doctor.contains("agents: cline: 1 transcript, 1 captured\n"), "{doctor}");
    assert!(
        doctor.contains("agents: cline: 1 line could not be read and were left out"),
        "{doctor}"
    );
    assert!(!doctor.contains("roo"), "{doctor}");
}

#[test]
fn the_chats_of_a_history_of_aider_are_sessions_of_their_own() {
    let stage = Stage::new();
    let file = stage.home().join(".aider.chat.history.md");
    let chat = |hour: u64, said: &str| format!("\n# aider chat started at 2026-11-02 0{hour}:00:00\n\n#### {said}  \n");
    let history = |said: &[&str]| -> String { (1..).zip(said).map(|(hour, said)| chat(hour, said)).collect() };
    fs::write(&file, history(&["peel the copper apples", "slice the pears"])).expect("written");
    let first = stage.run_with(&[("TZ", "UTC-02")], &["checkpoint", "-j"]).json();
    assert_eq!((&first["sessions_new"], &first["transcripts"]), (&json!(2), &json!(1)));
    let page = stage.run(&["query", "-s", "s1", "-j"]).json();
    assert_eq!(page["turns"][0]["ts"], "2026-11-01T23:00:00.000Z");
    assert_eq!(page["cwd"].as_str(), stage.home().to_str());

    let last = "slice the pears  \n\nThey are sliced.\n";
    let grown = history(&["peel the copper apples", last, "core the quinces"]);
    fs::write(&file, &grown).expect("written");
    let second = stage.run(&["checkpoint", "-j"]).json();
    assert_eq!(
        (&second["sessions_new"], &second["sessions_grown"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(turns(&stage, "s2"), ["slice the pears", "They are sliced."]);
    assert_eq!(stage.run(&["checkpoint", "-j"]).json()["read"], 0);

    stage.run(&["forget", "--session", "s3"]);
    fs::write(&file, grown + &chat(4, "wash the plums")).expect("written");
    stage.run(&["checkpoint"]);
    assert_eq!(turns(&stage, "s1"), ["peel the copper apples"]);
    assert_eq!(turns(&stage, "s4"), ["wash the plums"]);
    assert_eq!(stage.run(&["copper apples", "--harness", "aider"]).code, Some(0));
    assert_eq!(stage.run(&["find", "quinces"]).code, Some(1), "it stays forgotten");
    let doctor = stage.run(&["doctor"]).stdout;
    assert!(doctor.contains("agents: aider: 1 transcript, 1 captured\n"), "{doctor}");
}

#[test]
fn a_transcript_of_cursor_keeps_the_times_at_which_it_was_captured() {
    let stage = Stage::new();
    let folder = stage.home().join(".cursor/projects/p/agent-transcripts/r1");
    fs::create_dir_all(&folder).expect("folders");
    let file = folder.join("r1.jsonl");
    let line = |role: &str, text: &str| json!({"role": role, "message": {"content": text}}).to_string() + "\n";
    let write = |lines: &str, second: u64| {
        fs::write(&file, lines).expect("written");
        let at = std::time::UNIX_EPOCH + std::time::Duration::from_secs(second);
        let times = fs::FileTimes::new().set_modified(at);
        let file = OpenOptions::new().append(true).open(&file).expect("opened");
        file.set_times(times).expect("dated");
    };
    let times = || {
        let page = stage.run(&["query", "-s", "s1", "-j"]).json();
        let turns = page["turns"].as_array().expect("turns").clone();
        turns.iter().map(|turn| turn["ts"].clone()).collect::<Vec<_>>()
    };
    let asked = line("user", "<user_query>\npeel the copper apples\n</user_query>");
    write(&asked, 1_767_312_000);
    stage.run(&["checkpoint"]);
    assert_eq!(times(), [json!("2026-01-02T00:00:00.000Z")]);
    write(&asked, 1_767_398_400);
    stage.run(&["checkpoint"]);
    write(&(asked + &line("assistant", "They are peeled.")), 1_767_484_800);
    stage.run(&["checkpoint"]);
    let both = [json!("2026-01-02T00:00:00.000Z"), json!("2026-01-04T00:00:00.000Z")];
    assert_eq!(times(), both);
    stage.run(&["index"]);
    assert_eq!(times(), both);
    assert_eq!(stage.run(&["copper apples", "--harness", "cursor"]).code, Some(0));
}

#[test]
fn a_session_whose_folder_is_named_later_is_captured_then() {
    let stage = Stage::new();
    let repository = repository(&stage);
    let path = repository.to_str().expect("UTF-8");
    let named: Vec<&str> = path.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let project = named.join("-").trim_matches('-').replace("--", "-");
    let folder = stage
        .home()
        .join(".cursor/projects")
        .join(project)
        .join("agent-transcripts");
    fs::create_dir_all(&folder).expect("folders");
    let asked = "{\"role\":\"user\",\"message\":{\"content\":\"peel the copper apples\"}}\n";
    fs::write(folder.join("r1.jsonl"), asked).expect("written");
    for _ in 0..2 {
        let report = run_in(&stage, &repository, &["checkpoint", "-j"]).json();
        assert_eq!((&report["sessions_new"], &report["elsewhere"]), (&json!(0), &json!(1)));
    }
    let call = json!({"type": "tool_use", "name": "Read", "input": {"path": format!("{path}/src/a.rs")}});
    let done = json!({"role": "assistant", "message": {"content": [call]}});
    fs::write(folder.join("r1.jsonl"), format!("{asked}{done}\n")).expect("written");
    let report = run_in(&stage, &repository, &["checkpoint", "-j"]).json();
    assert_eq!((&report["sessions_new"], &report["elsewhere"]), (&json!(1), &json!(0)));
    let page = run_in(&stage, &repository, &["query", "-s", "s1", "-j"]).json();
    assert_eq!(page["cwd"], path);
}
