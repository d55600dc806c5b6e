//! The server as an agent's program sees it: one JSON object a line, over a pipe.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::interrupted::ignores_ctrl_c;
use super::stage::Stage;

const QUERY: &str = "jwt expiry";

/// One that the server serves. It is killed when it is dropped before its end.
struct Client {
    server: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    last_id: u64,
}

impl Client {
    /// One that has not said anything yet.
    fn silent(stage: &Stage, env: &[(&str, &str)]) -> Self {
        let mut server = stage
            .command(&["mcp"])
            .envs(env.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program runs");
        Self {
            stdin: server.stdin.take(),
            stdout: BufReader::new(server.stdout.take().expect("a pipe")),
            server,
            last_id: 0,
        }
    }

    /// One that has introduced itself.
    fn of(stage: &Stage, env: &[(&str, &str)]) -> Self {
        let mut client = Self::silent(stage, env);
        let answer = client.introduce("2025-06-18");
        assert_eq!(answer["protocolVersion"], "2025-06-18");
        client
    }

    fn introduce(&mut self, version: &str) -> Value {
        let answer = self.request(
            "initialize",
            json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}),
        );
        self.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        answer["result"].clone()
    }

    fn write(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("open");
        writeln!(stdin, "{line}").expect("it listens");
    }

    fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params});
        self.write(&request.to_string());
        self.last_id
    }

    /// The next line, which must be the answer to this request.
    fn answer(&mut self, id: u64) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("it answers");
        let answer: Value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line:?}"));
        assert_eq!(
            (&answer["jsonrpc"], &answer["id"]),
            (&json!("2.0"), &json!(id)),
            "{line}"
        );
        answer
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        answer["result"].clone()
    }

    /// Closes stdin: how it ended, what else it said on stdout, and what on stderr.
    fn close(mut self) -> (ExitStatus, String, String) {
        drop(self.stdin.take());
        let ended = self.ended();
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.stdout.read_to_string(&mut stdout).expect("UTF-8");
        let mut pipe = self.server.stderr.take().expect("a pipe");
        pipe.read_to_string(&mut stderr).expect("UTF-8");
        (ended, stdout, stderr)
    }

    fn ended(&mut self) -> ExitStatus {
        let patience = Instant::now() + Duration::from_secs(20);
        loop {
            if let Some(status) = self.server.try_wait().expect("a child") {
                return status;
            }
            assert!(Instant::now() < patience, "it does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // One that has ended is killed in vain.
        self.server.kill().ok();
        self.server.wait().ok();
    }
}

/// The texts of a result.
fn texts(result: &Value) -> Vec<&str> {
    let content = result["content"].as_array().unwrap_or_else(|| panic!("{result}"));
    content
        .iter()
        .map(|block| block["text"].as_str().expect("a text"))
        .collect()
}

#[track_caller]
fn ended_well(client: Client) {
    let (ended, stdout, stderr) = client.close();
    assert_eq!((ended.code(), stdout.as_str(), stderr.as_str()), (Some(0), "", ""));
}

#[test]
fn it_says_what_it_is_and_which_tools_it_has() {
    let mut client = Client::silent(&Stage::new(), &[]);
    let info = client.introduce("2025-06-18");
    assert_eq!(info["serverInfo"], json!({"name": "rekal", "version": "0.1.0"}));
    assert_eq!(info["capabilities"], json!({"tools": {}}));
    assert!(
        info["instructions"]
            .as_str()
            .is_some_and(|text| text.contains("SILENCE"))
    );

    let listed = client.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().expect("tools");
    let names: Vec<&Value> = tools.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["recall", "open_session", "reach"]);
    let [recall, open, reach] = &tools[..] else {
        panic!("{tools:?}")
    };
    let names = |tool: &Value| -> Vec<String> {
        let properties = tool["inputSchema"]["properties"].as_object().expect("properties");
        properties.keys().cloned().collect()
    };
    assert_eq!(
        names(recall),
        [
            "actor", "author", "commit", "file", "harness", "limit", "query", "since", "until"
        ]
    );
    assert_eq!(names(open), ["after", "full", "limit", "role", "session", "turn"]);
    assert_eq!(
        recall["inputSchema"]["properties"]["limit"],
        json!({"type": "integer", "default": 20, "description": "At most so many results"})
    );
    assert_eq!(recall["inputSchema"]["properties"]["query"]["type"], "string");
    assert_eq!(
        recall["inputSchema"]["properties"]["actor"]["enum"],
        json!(["human", "agent"])
    );
    assert_eq!(open["inputSchema"]["properties"]["full"]["type"], "boolean");
    assert_eq!(open["inputSchema"]["required"], json!(["session"]));
    assert_eq!(
        open["inputSchema"]["properties"]["session"]["description"],
        "The session: its handle (s5), its id, or the beginning of the id that no other has"
    );
    assert_eq!(
        reach["inputSchema"],
        json!({
            "type": "object", "required": ["sessions"], "additionalProperties": false,
            "properties": {"sessions": {
                "type": "array", "items": {"type": "string"}, "minItems": 1,
                "description": "Sessions: their handles (s5), ids, or the beginnings of ids",
            }},
        })
    );
    ended_well(client);
}

#[test]
fn the_loop_is_recorded_with_the_session_that_asked() {
    let stage = Stage::with_sessions();
    let asker = [("REKAL_SESSION", "aaaa")];
    let printed = stage
        .run_with(&[asker[0], ("REKAL_SKIP_CHECKPOINT", "1")], &[QUERY])
        .stdout;
    let object = stage
        .run_with(&[asker[0], ("REKAL_SKIP_CHECKPOINT", "1")], &["-j", QUERY])
        .json();
    assert!(printed.starts_with("INJECT top="), "{printed}");

    let mut client = Client::of(&stage, &asker);
    let found = client.call("recall", json!({"query": QUERY}));
    assert_eq!(
        (texts(&found), &found["isError"]),
        (vec![printed.as_str()], &json!(false))
    );
    assert_eq!(found["structuredContent"], object);
    assert!(!printed.contains("s1 "), "the asking session is no answer: {printed}");

    let opened = client.call("open_session", json!({"session": "s2", "turn": 2, "limit": 1}));
    assert_eq!(
        texts(&opened),
        ["s2 t2 of 2 · claude · main · 2026-11-02\nt2 [2026-11-02T10:01] assistant: Now it is one hour.\n"]
    );
    assert_eq!(opened["structuredContent"]["session_id"], "bbbb");
    let read_on = client.call("open_session", json!({"session": "s3", "after": 1}));
    assert_eq!(read_on["structuredContent"]["turns"][0]["text"], "Clocks differ.");
    assert_eq!(
        client.call("recall", json!({"query": QUERY, "limit": 1}))["isError"],
        false
    );
    assert_eq!(
        client.call("recall", json!({"harness": "claude"}))["structuredContent"]["total"],
        3
    );

    // Everything was recorded before its result was sent.
    let spooled = stage.spooled();
    let events: Vec<_> = spooled
        .iter()
        .map(|e| (e["kind"].as_str(), e["targets"].as_array().map(Vec::len)))
        .collect();
    assert_eq!(
        events,
        [
            (Some("recall"), Some(2)),
            (Some("drill"), Some(1)),
            (Some("recall"), Some(1))
        ]
    );
    assert!(spooled.iter().all(|event| event["source"] == "aaaa"), "{spooled:?}");
    assert_eq!(stage.run(&["graph", "drain"]).json()["edges_new"], 4);

    // The server that was there before sees what is published since.
    let reach = client.call("reach", json!({"sessions": ["s2", "s4"]}));
    assert_eq!(texts(&reach)[0].lines().last(), Some("dddd never reached"));
    assert!(texts(&reach)[0].contains("drilled 1×· \"jwt expiry\"]"), "{reach}");
    assert_eq!(reach["structuredContent"]["sessions"][0]["reached"]["drills"], 1);
    ended_well(client);
}

#[test]
fn a_checkpoint_is_seen_by_a_server_that_was_there_before() {
    let stage = Stage::new();
    let mut client = Client::of(&stage, &[]);
    let silence = client.call("recall", json!({"query": QUERY}));
    assert_eq!(
        (texts(&silence), &silence["isError"]),
        (
            vec![
                "SILENCE reason=no_store\n",
                "there is no store here yet; run `rekal checkpoint`"
            ],
            &json!(false)
        )
    );
    let refused = client.call("open_session", json!({"session": "s1"}));
    let cli = stage.run(&["query", "s1", "-j"]);
    assert_eq!((cli.code, &refused["isError"]), (Some(2), &json!(true)));
    assert_eq!(refused["structuredContent"], cli.json());
    assert!(
        texts(&refused)[0].ends_with("there is no store yet\nrun rekal checkpoint to make one"),
        "{refused}"
    );
    assert_eq!(client.call("reach", json!({"sessions": ["s1"]}))["isError"], true);

    stage.claude(
        "aaaa",
        &[("user", "Where is the jwt expiry set?"), ("assistant", "In auth.rs.")],
    );
    assert_eq!(stage.run(&["checkpoint"]).code, Some(0));
    let held = rekal::ledger::Ledger::open(&stage.store()).expect("held");
    let found = client.call("recall", json!({"query": QUERY}));
    assert!(texts(&found)[0].contains("\n  s1 conf="), "{found}");
    assert_eq!(client.call("open_session", json!({"session": "aa"}))["isError"], false);
    assert_eq!(client.call("reach", json!({"sessions": ["s1"]}))["isError"], false);
    drop(held);
    ended_well(client);
}

#[test]
fn silence_is_a_result_and_what_cannot_be_done_says_what_to_do() {
    let stage = Stage::with_sessions();
    let mut client = Client::of(&stage, &[]);
    let silence = client.call("recall", json!({"query": "sourdough hydration ratio"}));
    let cli = stage.run(&["recall", "sourdough", "hydration", "ratio"]);
    assert_eq!(
        (texts(&silence)[0], &silence["isError"]),
        (cli.stdout.as_str(), &json!(false))
    );
    assert_eq!(format!("rekal: {}\n", texts(&silence)[1]), cli.stderr);
    assert_eq!(silence["structuredContent"]["verdict"], "silence");

    let nobody = client.call("open_session", json!({"session": "s99"}));
    assert_eq!(
        (texts(&nobody), &nobody["isError"]),
        (vec!["there is no session s99"], &json!(true))
    );
    assert_eq!(
        nobody["structuredContent"],
        json!({"schema_version": 1, "found": false})
    );
    let never = client.call("reach", json!({"sessions": ["s1", "elsewhere"]}));
    assert_eq!(
        (texts(&never), &never["isError"]),
        (vec!["aaaa never reached\nelsewhere never reached\n"], &json!(false))
    );

    for (tool, arguments, told) in [
        ("recall", json!({}), "recall: say what to look for, or give a filter"),
        (
            "recall",
            json!({"query": "x", "since": "soon"}),
            "invalid value 'soon' for '--since <WHEN>': \
             give a span (12h, 30d, 8w) or a date (2026-11-02, 2026-11-02T10:00)\nsee rekal --help",
        ),
        (
            "recall",
            json!({"query": "x", "actor": "robot"}),
            "invalid value 'robot' for '--actor <ACTOR>' [possible values: human, agent]\nsee rekal --help",
        ),
        (
            "recall",
            json!({"query": "x", "store": "/tmp"}),
            "recall: there is no argument \"store\"\n\
             there are: query, limit, file, commit, author, actor, harness, since, until",
        ),
        (
            "recall",
            json!({"query": {"text": "x"}}),
            "recall: {\"text\":\"x\"} is no value of query\ngive a text, a number, true or false",
        ),
        (
            "open_session",
            json!({"session": "s1", "turn": 1, "after": 1}),
            "the argument '--after <N>' cannot be used with '--turn <N>'\nsee rekal --help",
        ),
    ] {
        let result = client.call(tool, arguments);
        assert_eq!((texts(&result), &result["isError"]), (vec![told], &json!(true)));
        assert_eq!(result["structuredContent"]["error"]["kind"], "usage");
    }
    let unknown = client.request("tools/call", json!({"name": "forget", "arguments": {}}));
    assert_eq!(
        unknown["error"],
        json!({"code": -32602, "message": "there is no tool forget"})
    );
    assert_eq!(stage.spooled(), Vec::<Value>::new());
    ended_well(client);
}

#[test]
fn an_old_client_gets_texts_alone() {
    let stage = Stage::with_sessions();
    let mut client = Client::silent(&stage, &[]);
    assert_eq!(client.introduce("2025-03-26")["protocolVersion"], "2025-03-26");
    for found in [
        client.call("recall", json!({"query": QUERY})),
        client.call("open_session", json!({"session": "s99"})),
    ] {
        assert_eq!((texts(&found).len(), &found["structuredContent"]), (1, &Value::Null));
    }
    ended_well(client);
}

#[test]
fn a_garbage_line_is_passed_over() {
    let stage = Stage::with_sessions();
    let mut client = Client::silent(&stage, &[]);
    client.write("nonsense");
    client.introduce("2025-06-18");
    client.write("{\"jsonrpc\": \"2.0\", \"id\": ");
    client.write("");
    assert_eq!(client.call("open_session", json!({"session": "s1"}))["isError"], false);
    ended_well(client);
}

#[test]
fn what_was_asked_before_stdin_closed_is_answered() {
    let stage = Stage::with_sessions();
    let mut client = Client::of(&stage, &[]);
    for session in ["s1", "s2", "s3"] {
        client.send(
            "tools/call",
            json!({"name": "open_session", "arguments": {"session": session}}),
        );
    }
    let (ended, stdout, stderr) = client.close();
    assert_eq!((ended.code(), stderr.as_str()), (Some(0), ""));
    let answers = stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("protocol"));
    let sids: Vec<Value> = answers
        .map(|answer| answer["result"]["structuredContent"]["sid"].clone())
        .collect();
    assert_eq!(sids, ["s1", "s2", "s3"]);
    assert_eq!(stage.spooled().len(), 3);
}

#[test]
fn it_ends_with_its_client_or_by_an_interrupt() {
    let stage = Stage::new();
    ended_well(Client::silent(&stage, &[]));

    if !ignores_ctrl_c() {
        let mut interrupted = Client::of(&stage, &[]);
        let id = interrupted.server.id().to_string();
        let sent = std::process::Command::new("kill")
            .args(["-INT", &id])
            .status()
            .expect("kill runs");
        assert!(sent.success());
        assert!(!interrupted.ended().success());
    }

    let mut confused = Client::silent(&stage, &[]);
    confused.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
    let (ended, stdout, stderr) = confused.close();
    assert_eq!((ended.code(), stdout.as_str()), (Some(2), ""));
    let told = "rekal: serve on stdin: the client did not begin with initialize\nrekal: see rekal mcp --help\n";
    assert_eq!(stderr, told);

    let json = stage.run(&["mcp", "--json"]);
    assert_eq!((json.code, &json.json()["error"]["kind"]), (Some(2), &json!("usage")));
}
