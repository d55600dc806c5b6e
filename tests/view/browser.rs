//! A real browser with one page, driven through pipes: keys and the mouse as a person uses them, without network.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// What the keys that no text has are called and numbered.
const KEYS: [(&str, &str, u32); 9] = [
    ("Tab", "", 9),
    ("Enter", "\r", 13),
    ("Escape", "", 27),
    ("End", "", 35),
    ("Home", "", 36),
    ("ArrowLeft", "", 37),
    ("ArrowUp", "", 38),
    ("ArrowRight", "", 39),
    ("ArrowDown", "", 40),
];

/// It reads commands from descriptor 3 and answers on descriptor 4; it ends when they do.
const START: &str = r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#;

/// The page hears of another size or scheme before a frame is drawn.
const FRAMES: &str = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))";

pub struct Browser {
    child: Child,
    answers: BufReader<ChildStdout>,
    session: String,
    sent: u64,
    _profile: TempDir,
}

impl Browser {
    /// With a page, opened at a fragment, in a window of this size. `None`: there is no browser here.
    #[expect(clippy::print_stderr, reason = "whoever runs the tests sees that one was skipped")]
    pub fn open(page: &Path, fragment: &str, size: (u32, u32)) -> Option<Self> {
        if Command::new("chromium").arg("--version").output().is_err() {
            eprintln!("skipped: there is no chromium on the PATH");
            return None;
        }
        let profile = tempfile::tempdir().expect("a folder");
        // A browser that hangs would let the test hang.
        let mut child = Command::new("sh")
            .args(["-c", START, "sh", "timeout", "120", "chromium", "--headless"])
            .args([
                "--remote-debugging-pipe",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
            ])
            .args([
                "--disable-quic",
                "--disable-background-networking",
                "--disable-component-update",
            ])
            .args(["--disable-sync", "--hide-scrollbars"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        let (session, sent) = (String::new(), 0);
        let mut browser = Self {
            child,
            answers,
            session,
            sent,
            _profile: profile,
        };
        let targets = browser.ask("Target.getTargets", json!({}))["targetInfos"].clone();
        let pages = targets.as_array().expect("targets").iter();
        let mut ids = pages
            .filter(|target| target["type"] == "page")
            .map(|target| &target["targetId"]);
        let attached = browser.ask(
            "Target.attachToTarget",
            json!({"targetId": ids.next().expect("a page"), "flatten": true}),
        );
        browser.session = attached["sessionId"].as_str().expect("a session").to_owned();
        browser.ask("Emulation.setFocusEmulationEnabled", json!({"enabled": true}));
        browser.resize(size);
        browser.ask(
            "Page.navigate",
            json!({"url": format!("file://{}#{fragment}", page.display())}),
        );
        while browser.value("location.protocol + document.readyState") != "file:complete" {}
        Some(browser)
    }

    pub fn resize(&mut self, (width, height): (u32, u32)) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.ask("Emulation.setDeviceMetricsOverride", size);
        self.value(FRAMES);
    }

    /// `light` or `dark`.
    pub fn scheme(&mut self, scheme: &str) {
        let feature = json!({"name": "prefers-color-scheme", "value": scheme});
        self.ask("Emulation.setEmulatedMedia", json!({"features": [feature]}));
        self.value(FRAMES);
    }

    /// What an expression comes to in the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let answer = self.ask(
            "Runtime.evaluate",
            json!({"expression": expression, "returnByValue": true, "awaitPromise": true}),
        );
        assert_eq!(answer["exceptionDetails"], Value::Null, "{expression}");
        answer["result"]["value"].clone()
    }

    /// Presses and releases keys: the name of one, or a letter.
    pub fn press(&mut self, keys: &[&str]) {
        for key in keys {
            let (shift, key) = key.strip_prefix("Shift+").map_or((0, *key), |key| (8, key));
            let known = KEYS.iter().find(|(name, _, _)| *name == key);
            let (_, text, number) = known.copied().unwrap_or((key, key, 0));
            let number = if key == " " { 32 } else { number };
            let mut event = json!({"type": "keyDown", "key": key, "modifiers": shift, "windowsVirtualKeyCode": number});
            if !text.is_empty() {
                event["text"] = json!(text);
            }
            self.ask("Input.dispatchKeyEvent", event.clone());
            event["type"] = json!("keyUp");
            self.ask("Input.dispatchKeyEvent", event);
        }
    }

    /// Clicks the middle of the first element that the selector finds.
    pub fn click(&mut self, selector: &str) {
        let place = format!(
            "(() => {{ const found = document.querySelector({selector:?}); found.scrollIntoView({{ block: 'center' }}); \
             const box = found.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        );
        let place = self.value(&place);
        self.click_at(&place);
    }

    /// Clicks a place of the window: `[x, y]`.
    pub fn click_at(&mut self, place: &Value) {
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1});
            self.ask("Input.dispatchMouseEvent", event);
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.sent += 1;
        let mut message = json!({"id": self.sent, "method": method, "params": params});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        let stdin = self.child.stdin.as_mut().expect("a pipe");
        stdin.write_all(format!("{message}\0").as_bytes()).expect("it listens");
        loop {
            let mut bytes = Vec::new();
            self.answers.read_until(0, &mut bytes).expect("it answers");
            let answer: Value = serde_json::from_slice(bytes.strip_suffix(b"\0").expect("it runs")).expect("JSON");
            if answer["id"] == self.sent {
                assert_eq!(answer["error"], Value::Null, "{method}");
                return answer["result"].clone();
            }
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Waiting closes the pipe.
        _ = self.child.wait();
    }
}
