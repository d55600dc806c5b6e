//! What tasks and sessions of Cline and Roo Code say.

use super::super::tests::{Home, done, found, read, told};
use crate::session::Role::{Assistant, Human, Summary};
use crate::session::{Actor, Harness};
use crate::transcript::Reading;

const TASK: &str = "e/saoudrizwan.claude-dev/tasks/1767312000000/api_conversation_history.json";

/// A task of older versions, where tools are called by elements in the text.
pub(in crate::transcript) const CLINE: &str = r##"[
 {"role":"user","content":[
  {"type":"text","text":"<task>\nfix the parser in 'src/a.rs' (see below for file content)\n</task>\n\n<file_content path=\"src/a.rs\">\nfn a() {}\n</file_content>"},
  {"type":"text","text":"# task_progress RECOMMENDED\n\nInclude a list."},
  {"type":"text","text":"<environment_details>\n# VSCode Open Tabs\nsrc/a.rs\n\n# Current Working Directory (/home/ada/a (b)) Files\nsrc/a.rs\n</environment_details>"}]},
 {"role":"assistant","content":[{"type":"text","text":"<thinking>hm</thinking>\n\nI look, with `<read_file>`.\n\n<read_file>\n<path>src/a.rs</path>\n</read_file>"}]},
 {"role":"user","content":[
  {"type":"text","text":"[read_file for 'src/a.rs'] Result:"},
  {"type":"text","text":"if a < b {\n<answer>42</answer>\n}"},
  {"type":"text","text":"<environment_details>\n# Current Working Directory (/elsewhere) Files\n</environment_details>"}]},
 {"role":"assistant","content":"I write.\n<write_to_file>\n<path>src/a.rs</path>\n<content>\nfn b() {}\n</content>\n</write_to_file>"},
 {"role":"user","content":[
  {"type":"text","text":"[write_to_file for 'src/a.rs'] Result:\nThe user denied this operation and provided the following feedback:\n<feedback>\nkeep the name\n</feedback>"}]},
 {"role":"assistant","content":"<execute_command>\n<command>cargo test && rekal jwt</command>\n</execute_command>"},
 {"role":"user","content":[{"type":"text","text":"[execute_command for 'cargo test && rekal jwt'] Result:\nok"}]},
 {"role":"assistant","content":"<use_mcp_tool>\n<server_name>rekal</server_name>\n<tool_name>recall</tool_name>\n<arguments>{\"query\":\"jwt\"}</arguments>\n</use_mcp_tool>"},
 {"role":"user","content":[{"type":"text","text":"[TASK RESUMPTION] This task was interrupted 4 minutes ago.\n\nNew instructions for task continuation:\n<user_message>\ngo on\n</user_message>"}]},
 {"role":"assistant","content":"<ask_followup_question>\n<question>Which name?</question>\n</ask_followup_question>"},
 {"role":"user","content":[{"type":"text","text":"[ask_followup_question for 'Which name?'] Result:\n<answer>\nthe old one\n</answer>"}]},
 {"role":"assistant","content":"<attempt_completion>\n<result>\nThe parser is mended.\n</result>\n</attempt_completion>"},
 {"role":"user","content":[{"type":"text","text":"[ERROR] You did not use a tool in your previous response!"}]},
 {"role":"hologram","content":"?"}
]
"##;

/// A session of a terminal: every time is there, and tools are called in blocks.
const SESSION: &str = r##"{"version":1,"agent":"lead","sessionId":"s1","messages":[
 {"id":"m1","role":"user","content":[{"type":"text","text":"<user_input mode=\"act\"><mode_notice>act</mode_notice>say hello</user_input>"}],"ts":1767312001000},
 {"id":"m2","role":"assistant","content":[{"type":"thinking","text":"hidden"},{"type":"text","text":"Hello."},
  {"type":"tool_use","name":"run_commands","input":{"commands":["go vet","go test"]}},
  {"type":"tool_use","name":"read_files","input":{"files":[{"path":"/w/a.go"},{"path":"/w/b.go"}]}},
  {"type":"tool_use","name":"editor","input":{"path":"/w/a.go","old_text":"a"}},
  {"type":"tool_use","name":"search","input":7}],"ts":1767312002000},
 {"id":"m3","role":"user","content":[{"type":"tool_result","content":[{"query":"go vet","result":"fine"}]}],"ts":1767312003000},
 {"id":"m4","role":"user","content":[{"type":"tool_result","content":"{\"status\":\"denied\",\"feedback\":\"not that file\"}"}],"ts":1767312004000}
]}"##;

fn reading(home: &Home, name: &str, harness: Harness, text: &str) -> Reading {
    let path = home.write(name, text);
    read(&found(&path, harness), None).expect("a reading")
}

fn times(reading: &Reading) -> Vec<Option<u64>> {
    reading.turns.iter().map(|turn| turn.at).collect()
}

#[test]
fn a_task_has_the_words_of_both_and_no_plumbing() {
    let reading = reading(&Home::new(), TASK, Harness::Cline, CLINE);
    assert_eq!(
        told(&reading),
        [
            (Human, "fix the parser in 'src/a.rs' (see below for file content)"),
            (Assistant, "I look, with `<read_file>`."),
            (Assistant, "I write."),
            (Human, "keep the name"),
            (Human, "go on"),
            (Assistant, "Which name?"),
            (Human, "the old one"),
            (Assistant, "The parser is mended."),
        ]
    );
    assert_eq!(
        done(&reading.tool_calls),
        [
            (2, "read_file", Some("src/a.rs"), None),
            (3, "write_to_file", Some("src/a.rs"), None),
            (4, "execute_command", None, Some("rekal")),
            (4, "mcp__rekal__recall", None, Some("rekal")),
        ]
    );
    assert_eq!(reading.skipped, 1);
    let session = reading.session.expect("a session");
    assert_eq!(
        (session.id.as_str(), session.harness),
        ("1767312000000", Harness::Cline)
    );
    assert_eq!(
        (session.actor, session.cwd.as_deref()),
        (Actor::Human, Some("/home/ada/a (b)"))
    );
    assert_eq!(session.started_at, Some(1_767_312_000_000));
}

#[test]
fn times_that_a_task_does_not_say_are_those_at_which_it_was_shown() {
    let home = Home::new();
    home.write(
        "e/saoudrizwan.claude-dev/tasks/1767312000000/ui_messages.json",
        r#"[{"ts":1767312000005,"say":"text","conversationHistoryIndex":-1},
            {"ts":1767312000010,"say":"api_req_started","conversationHistoryIndex":0},
            {"ts":1767312000020,"say":"tool","conversationHistoryIndex":1},
            {"ts":1767312000030,"say":"tool","conversationHistoryIndex":3}]"#,
    );
    let reading = reading(&home, TASK, Harness::Cline, CLINE);
    let at = |milli: u64| Some(1_767_312_000_000 + milli);
    assert_eq!(times(&reading)[..4], [at(10), at(20), at(30), None]);
}

#[test]
fn a_session_of_a_terminal_lies_beside_its_description() {
    let home = Home::new();
    home.write("l/sessions/s1/s1.json", r#"{"session_id":"s1","cwd":"/w"}"#);
    let reading = reading(&home, "l/sessions/s1/s1.messages.json", Harness::Cline, SESSION);
    assert_eq!(
        told(&reading),
        [(Human, "say hello"), (Assistant, "Hello."), (Human, "not that file")]
    );
    assert_eq!(
        done(&reading.tool_calls),
        [
            (2, "run_commands", None, Some("go vet")),
            (2, "run_commands", None, Some("go test")),
            (2, "read_files", Some("/w/a.go"), None),
            (2, "read_files", Some("/w/b.go"), None),
            (2, "editor", Some("/w/a.go"), None),
            (2, "search", None, None),
        ]
    );
    assert_eq!(times(&reading)[2], Some(1_767_312_004_000));
    let session = reading.session.expect("a session");
    assert_eq!((session.id.as_str(), session.cwd.as_deref()), ("s1", Some("/w")));
}

#[test]
fn an_agent_that_a_session_started_is_a_session_of_its_own() {
    let text = SESSION.replace("\"lead\"", "\"reviewer\"");
    let reading = reading(&Home::new(), "l/sessions/s1/s2.messages.json", Harness::Cline, &text);
    let session = reading.session.expect("a session");
    assert_eq!((session.id.as_str(), session.actor), ("s2", Actor::Agent));
    assert_eq!(session.parent.expect("a parent").as_str(), "s1");
}

#[test]
fn a_task_of_roo_code_is_described_beside_it() {
    let home = Home::new();
    let folder = "e/rooveterinaryinc.roo-cline/tasks/0192-ab";
    home.write(
        &format!("{folder}/history_item.json"),
        r#"{"id":"0192-ab","workspace":"/w","parentTaskId":"0192-aa"}"#,
    );
    let text = r##"[
{"role":"user","content":[{"type":"text","text":"<user_message>\nfix it\n</user_message>"},{"type":"text","text":"<environment_details>\n# Current Time\nCurrent time in ISO 8601 UTC format: 2026-01-02T00:00:09.500Z\n\n# Current Workspace Directory (/x) Files\na\n</environment_details>"}]},
{"role":"assistant","content":"<read_file>\n<args>\n<file><path>a.rs</path></file>\n<file><path>b.rs</path></file>\n</args>\n</read_file>"},
{"role":"assistant","content":[{"type":"text","text":"So far: it is fixed."}],"isSummary":true},
{"role":"assistant","content":[{"type":"tool_use","name":"mcp--rekal--recall","input":{"query":"jwt"}},{"type":"tool_use","name":"attempt_completion","input":{"result":"Done."}}]}
]"##;
    let name = format!("{folder}/api_conversation_history.json");
    let reading = reading(&home, &name, Harness::Roo, text);
    assert_eq!(
        told(&reading),
        [
            (Human, "fix it"),
            (Summary, "So far: it is fixed."),
            (Assistant, "Done.")
        ]
    );
    assert_eq!(
        done(&reading.tool_calls),
        [
            (1, "read_file", Some("a.rs"), None),
            (1, "read_file", Some("b.rs"), None),
            (3, "mcp--rekal--recall", None, Some("rekal")),
        ]
    );
    assert_eq!(times(&reading), [Some(1_767_312_009_500), None, None]);
    let session = reading.session.expect("a session");
    assert_eq!((session.id.as_str(), session.harness), ("0192-ab", Harness::Roo));
    assert_eq!((session.actor, session.cwd.as_deref()), (Actor::Agent, Some("/w")));
    assert_eq!(session.parent.expect("a parent").as_str(), "0192-aa");
}

#[test]
fn the_list_of_tasks_names_the_folder_where_nothing_else_does() {
    let home = Home::new();
    home.write(
        "e/saoudrizwan.claude-dev/state/taskHistory.json",
        r#"[7,{"id":"1","cwdOnTaskInitialization":"/other"},{"id":"1767312000000","cwdOnTaskInitialization":"/w"}]"#,
    );
    let text = r#"[{"role":"user","content":"<task>go</task>"}]"#;
    let session = reading(&home, TASK, Harness::Cline, text).session.expect("a session");
    assert_eq!(session.cwd.as_deref(), Some("/w"));
}

#[test]
fn half_a_file_is_no_session_and_one_bad_part() {
    let home = Home::new();
    for text in [&CLINE[..CLINE.len() - 40], "", "nonsense"] {
        let reading = reading(&home, TASK, Harness::Cline, text);
        assert_eq!((reading.session, reading.skipped), (None, 1), "{text}");
    }
    let empty = r#"{"version":1,"sessionId":"s1","messages":[]}"#;
    let new = reading(&home, "l/sessions/s1/s1.messages.json", Harness::Cline, empty);
    assert_eq!((new.session, new.skipped), (None, 0));
    let other = reading(&home, TASK, Harness::Cline, "[{\"say\":\"text\"}]");
    assert_eq!((other.session, other.skipped), (None, 1));
}
