//! `rekal graph view`: the page, its data, and both in a real browser.

mod browser;
mod keys;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use self::browser::Browser;
use crate::program::on;

const HOSTILE: &str = "</script><img src=x onerror=alert(1)>";

/// What a browser makes of the hostile query when it is text.
const HARMLESS: &str = "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;";

const LINES: &str = concat!(
    r#"{"id":"01M8P571F80000000000000001","kind":"recall","query":"jwt expiry","targets":["a","b"],"source":"me"}"#,
    "\n",
    r#"{"id":"01M8P58V300000000000000004","kind":"drill","targets":["a"],"source":"me"}"#,
    "\n",
    r#"{"id":"01M8P58V300000000000000005","kind":"recall","query":"</script><img src=x onerror=alert(1)>","targets":["c"]}"#,
    "\n"
);

fn store(lines: &str) -> TempDir {
    let store = tempfile::tempdir().expect("a folder");
    if !lines.is_empty() {
        assert_eq!(on(store.path(), &["graph", "append"], lines).status.code(), Some(0));
    }
    assert_eq!(on(store.path(), &["graph", "drain"], "").status.code(), Some(0));
    store
}

/// The page of a store, as a file in it.
fn page(store: &Path, code: i32) -> String {
    let file = store.join("page.html");
    let words = ["graph", "view", "-o", file.to_str().expect("UTF-8")];
    let output = on(store, &words, "");
    assert_eq!(output.status.code(), Some(code));
    assert_eq!(output.stdout, b"");
    assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
    fs::read_to_string(&file).expect("text")
}

#[test]
fn the_data_are_sessions_with_their_queries_and_days() {
    let store = store(LINES);
    let output = on(store.path(), &["graph", "view", "--json"], "");
    let printed: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let expected = json!({
        "schema_version": 1,
        "sessions": [
            {"session_id": "a", "count": 2, "surfaced": 1, "drills": 1, "top_query": "jwt expiry",
             "last_at": "2026-11-30T12:01:00.000Z",
             "queries": [{"query": "jwt expiry", "count": 1, "led": 1, "last_at": "2026-11-30T12:00:01.000Z"}]},
            {"session_id": "b", "count": 1, "surfaced": 1, "drills": 0, "top_query": "jwt expiry",
             "last_at": "2026-11-30T12:00:01.000Z",
             "queries": [{"query": "jwt expiry", "count": 1, "led": 0, "last_at": "2026-11-30T12:00:01.000Z"}]},
            {"session_id": "c", "count": 1, "surfaced": 1, "drills": 0, "top_query": HOSTILE,
             "last_at": "2026-11-30T12:01:00.000Z",
             "queries": [{"query": HOSTILE, "count": 1, "led": 0, "last_at": "2026-11-30T12:01:00.000Z"}]},
        ],
        "days": [{"day": "2026-11-30", "surfaced": 3, "drills": 1}],
    });
    assert_eq!((output.status.code(), printed), (Some(0), expected));
}

#[test]
fn a_hostile_query_ends_no_element_and_nothing_is_loaded() {
    let store = store(LINES);
    let page = page(store.path(), 0);
    assert!(page.contains(r"\u003c/script\u003e\u003cimg src=x onerror=alert(1)\u003e"));
    assert!(!page.contains("<img"));
    assert_eq!(page.matches("</script>").count(), 2);
    for loading in [
        "http:",
        "https:",
        "src=\"",
        "<link",
        "@import",
        "url(",
        "innerHTML",
        "insertAdjacent",
    ] {
        assert!(!page.contains(loading), "{loading}");
    }
    let printed = on(store.path(), &["graph", "view"], "").stdout;
    assert!(printed.starts_with(b"<!doctype html>"));
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let store = store(LINES);
    let output = on(store.path(), &["graph", "view", "-o", "/nowhere/page.html"], "");
    let told = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2));
    assert!(told.starts_with("rekal: write to /nowhere/page.html: "), "{told}");
}

/// What a browser has made of the page of this store, opened at this fragment. `None`: there is none here.
fn shown(store: &Path, fragment: &str) -> Option<String> {
    let mut browser = Browser::open(&store.join("page.html"), fragment, (1280, 800))?;
    let dom = browser.value("document.documentElement.outerHTML");
    Some(dom.as_str().expect("text").to_owned())
}

/// The sessions in the rows of the table.
fn rows(dom: &str) -> Vec<&str> {
    let rows = dom.split("data-session=\"").skip(1);
    rows.filter_map(|row| row.split('"').next()).collect()
}

#[test]
fn a_browser_lists_and_filters_and_a_hostile_query_stays_text() {
    let store = store(LINES);
    page(store.path(), 0);
    let Some(dom) = shown(store.path(), "") else { return };
    assert_eq!(rows(&dom), ["a", "b", "c"]);
    assert!(dom.contains("3 sessions, 2 queries"), "{dom}");
    assert!(dom.contains(&format!("<td class=\"query\">{HARMLESS}</td>")));
    assert!(!dom.contains("<img"));
    assert_eq!(dom.matches(r#"aria-sort="descending""#).count(), 1);

    let dom = shown(store.path(), "filter=JWT&session=a").expect("it was there");
    assert_eq!(rows(&dom), ["a", "b"]);
    assert!(dom.contains("2 of 3 sessions"), "{dom}");
    assert!(dom.contains("<li>jwt expiry: surfaced 1×, opened 1×</li>"));

    let dom = shown(store.path(), "session=c&filter=onerror").expect("it was there");
    assert_eq!(rows(&dom), ["c"]);
    assert!(dom.contains(&format!("<li>{HARMLESS}: surfaced 1×</li>")));
}

#[test]
fn the_page_of_an_empty_store_says_so() {
    let store = store("");
    page(store.path(), 1);
    let Some(dom) = shown(store.path(), "") else { return };
    assert!(dom.contains(r#"<p id="empty">No session was reached yet."#), "{dom}");
    assert!(dom.contains(r#"<main id="main" hidden="">"#));
}
