//! The page as it is used: by keys, and by clicks.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::browser::Browser;
use super::{page, store};

const SMALL: (u32, u32) = (1280, 800);

/// Two days with one between them; the numbers of the sessions sort otherwise as text.
fn few() -> TempDir {
    let mut lines = concat!(
        r#"{"id":"01M8GZSHF80000000000000001","kind":"recall","query":"jwt expiry","targets":["n2","n10"],"source":"me"}"#,
        "\n",
        r#"{"id":"01M8GZSHF80000000000000002","kind":"drill","targets":["n2"],"source":"me"}"#,
        "\n"
    )
    .to_owned();
    for at in 1..10 {
        for (id, query, target) in [
            ("01M8GZSHF81", "jwt expiry", "n10"),
            ("01M8P571F81", "csv export", "n9"),
        ] {
            lines += &format!(
                "{{\"id\":\"{id}00000000000000{at}\",\"kind\":\"recall\",\"query\":\"{query}\",\"targets\":[\"{target}\"]}}\n"
            );
        }
    }
    store(&lines)
}

fn opened(store: &Path) -> Option<Browser> {
    page(store, 0);
    Browser::open(&store.join("page.html"), "", SMALL)
}

/// What has the focus: its id, the text of a button, the session of a row.
fn focused(browser: &mut Browser) -> Value {
    browser.value("(({ id, dataset, textContent }) => id || dataset.session || textContent)(document.activeElement)")
}

fn rows(browser: &mut Browser) -> Value {
    browser.value("Array.from(document.querySelectorAll('tbody tr'), (row) => row.dataset.session)")
}

fn text(browser: &mut Browser, id: &str) -> String {
    let text = browser.value(&format!("byId({id:?}).innerText"));
    text.as_str().expect("text").to_owned()
}

/// Presses Tab until this has the focus.
fn tab_to(browser: &mut Browser, wanted: &str) {
    for _ in 0..12 {
        if focused(browser) == wanted {
            return;
        }
        browser.press(&["Tab"]);
    }
    panic!("{wanted} cannot be reached");
}

/// The colour of a canvas at a place, as the style sheet writes it.
fn pixel(browser: &mut Browser, canvas: &str, place: &str) -> Value {
    browser.value(&format!(
        "'#' + Array.from(byId({canvas:?}).getContext('2d').getImageData(...{place}, 1, 1).data.slice(0, 3), \
         (part) => part.toString(16).padStart(2, '0')).join('')"
    ))
}

/// The place of a node in the graph, moved by so much.
fn node(key: &str, x: i32, y: i32) -> String {
    format!("(({{ x, y }}) => [x + {x}, y + {y}])(placed.find((node) => node.key === {key:?}))")
}

#[test]
fn tab_leads_to_every_part_and_the_focus_is_seen() {
    let store = few();
    let Some(mut browser) = opened(store.path()) else {
        return;
    };
    let all = [
        "filter",
        "most",
        "graph",
        "details",
        "days",
        "Session",
        "Reached",
        "Drilled ▾",
        "Top query",
        "Last",
        "n2",
    ];
    for part in all {
        browser.press(&["Tab"]);
        assert_eq!(focused(&mut browser), part);
        let outline = browser
            .value("(({ outlineStyle: s, outlineWidth: w }) => [s, w])(getComputedStyle(document.activeElement))");
        assert_eq!(outline, json!(["solid", "3px"]), "{part}");
    }
    for part in all.iter().rev().skip(1) {
        browser.press(&["Shift+Tab"]);
        assert_eq!(focused(&mut browser), *part);
    }
}

#[test]
fn keys_sort_the_table_and_a_filter_holds_beside_it() {
    let store = few();
    let Some(mut browser) = opened(store.path()) else {
        return;
    };
    let sorts = "Array.from(document.querySelectorAll('th'), (cell) => cell.ariaSort).join()";
    assert_eq!(browser.value(sorts), "none,none,descending,none,none");
    tab_to(&mut browser, "Reached");
    browser.press(&["Enter"]);
    assert_eq!(rows(&mut browser), json!(["n10", "n9", "n2"]));
    assert_eq!(browser.value(sorts), "none,descending,none,none,none");
    assert_eq!(focused(&mut browser), "Reached ▾");
    browser.press(&[" "]);
    assert_eq!(rows(&mut browser), json!(["n2", "n9", "n10"]));
    assert_eq!(browser.value(sorts), "none,ascending,none,none,none");
    for (head, once, twice) in [
        ("Session", ["n2", "n9", "n10"], ["n10", "n9", "n2"]),
        ("Drilled", ["n2", "n10", "n9"], ["n10", "n9", "n2"]),
        ("Top query", ["n9", "n10", "n2"], ["n10", "n2", "n9"]),
        ("Last", ["n9", "n10", "n2"], ["n10", "n2", "n9"]),
    ] {
        tab_to(&mut browser, head);
        browser.press(&["Enter"]);
        assert_eq!(rows(&mut browser), json!(once), "{head}");
        browser.press(&["Enter"]);
        assert_eq!(rows(&mut browser), json!(twice), "{head}");
    }

    tab_to(&mut browser, "filter");
    browser.press(&["J", "w", "t"]);
    assert_eq!(rows(&mut browser), json!(["n10", "n2"]));
    tab_to(&mut browser, "Reached");
    browser.press(&["Enter", "Enter"]);
    assert_eq!(rows(&mut browser), json!(["n2", "n10"]));
    assert_eq!(text(&mut browser, "summary"), "2 of 3 sessions, 2 queries");
    tab_to(&mut browser, "filter");
    browser.press(&["Escape"]);
    assert_eq!(rows(&mut browser), json!(["n2", "n9", "n10"]));
    assert_eq!(
        (browser.value("byId('filter').value"), focused(&mut browser)),
        (json!(""), json!("filter"))
    );
}

#[test]
fn arrows_walk_through_rows_graph_and_days_and_escape_takes_it_back() {
    let store = few();
    let Some(mut browser) = opened(store.path()) else {
        return;
    };
    let chosen = "state.chosen && state.chosen.key";
    tab_to(&mut browser, "n2");
    let at_the_top = browser.value("window.scrollY");
    for (key, session) in [
        (" ", "n2"),
        ("ArrowDown", "n10"),
        ("End", "n9"),
        ("ArrowDown", "n9"),
        ("ArrowUp", "n10"),
    ] {
        browser.press(&[key]);
        assert_eq!(browser.value(chosen), session, "{key}");
        assert_eq!(focused(&mut browser), session, "{key}");
        assert!(text(&mut browser, "details").contains(&format!("Session {session}\n")));
    }
    assert_eq!(browser.value("window.scrollY"), at_the_top);
    assert_eq!(
        browser.value("document.querySelectorAll('[aria-selected=true]').length"),
        1
    );
    browser.press(&["Escape"]);
    assert_eq!(
        (browser.value(chosen), focused(&mut browser)),
        (Value::Null, json!("n10"))
    );
    browser.resize((900, 700));
    assert_eq!(focused(&mut browser), "n10");

    tab_to(&mut browser, "graph");
    for (key, node) in [
        ("ArrowDown", "jwt expiry"),
        ("ArrowDown", "csv export"),
        ("ArrowDown", "csv export"),
        ("ArrowRight", "n9"),
        ("ArrowUp", "n10"),
        ("ArrowLeft", "jwt expiry"),
    ] {
        browser.press(&[key]);
        assert_eq!(browser.value(chosen), node, "{key}");
    }
    assert!(text(&mut browser, "details").contains("n2: surfaced 1×, opened 1×"));

    tab_to(&mut browser, "days");
    for (key, told) in [
        ("ArrowRight", "2026-11-28: surfaced 11×, opened 1×"),
        ("ArrowRight", "2026-11-29: surfaced 0×, opened 0×"),
        ("End", "2026-11-30: surfaced 9×, opened 0×"),
        ("ArrowRight", "2026-11-30: surfaced 9×, opened 0×"),
        ("Home", "2026-11-28: surfaced 11×, opened 1×"),
    ] {
        browser.press(&[key]);
        assert_eq!(text(&mut browser, "day"), told, "{key}");
    }
    browser.press(&["Escape"]);
    assert_eq!(browser.value("[state.chosen, state.day]"), json!([null, null]));
}

#[test]
fn a_click_lights_up_what_belongs_together_in_light_and_dark() {
    let store = few();
    let Some(mut browser) = opened(store.path()) else {
        return;
    };
    let (beside, at_the_edge) = (node("n2", 30, -9), node("jwt expiry", 8, 0));
    assert_eq!(
        pixel(&mut browser, "graph", &beside),
        "#000000",
        "nothing is drawn there"
    );
    browser.click("[data-session=n2]");
    assert_eq!(focused(&mut browser), "n2");
    for (scheme, chosen, opened, back) in [
        ("light", "#ffe2a8", "#b3430b", "rgb(255, 255, 255)"),
        ("dark", "#4d3d14", "#ff9a57", "rgb(18, 22, 27)"),
    ] {
        browser.scheme(scheme);
        assert_eq!(pixel(&mut browser, "graph", &beside), chosen, "{scheme}");
        assert_eq!(pixel(&mut browser, "graph", &at_the_edge), opened, "{scheme}");
        assert_eq!(browser.value("getComputedStyle(document.body).backgroundColor"), back);
    }
    browser.scheme("light");

    let clicked = |canvas: &str, place: &str| {
        format!(
            "(([x, y]) => {{ const box = byId('{canvas}').getBoundingClientRect(); return [box.x + x + 1, box.y + y + 1]; }})({place})"
        )
    };
    browser.value("window.scrollTo(0, 0)");
    let place = browser.value(&clicked("graph", &node("csv export", -20, 3)));
    browser.click_at(&place);
    assert_eq!(
        browser.value("state.chosen"),
        json!({"kind": "query", "key": "csv export"})
    );
    assert!(text(&mut browser, "details").contains("n9: surfaced 9×"));
    let place = browser.value(&clicked("days", "[periodsShown.left + 2.5 * periodsShown.step, 40]"));
    browser.click_at(&place);
    assert_eq!(text(&mut browser, "day"), "2026-11-30: surfaced 9×, opened 0×");
}

/// A few hundred recalls, 5,000 edges, of which the first sessions have most.
fn many() -> TempDir {
    let (mut lines, mut drawn) = (String::new(), 1_u64);
    let mut draw = |below: u64| {
        drawn = drawn
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (drawn >> 33) % below
    };
    for at in 0..500 {
        let (a, b) = (draw(20), draw(30));
        let targets: Vec<String> = (0..10)
            .map(|step| format!("n{}", step * 60 + draw(60) * draw(60) / 60))
            .collect();
        let line = json!({"id": format!("01M8GZSHF800000000000{at:05}"), "kind": "recall",
            "query": format!("why does part {a} of the parser wait for module {b}"), "targets": targets});
        lines += &format!("{line}\n");
    }
    store(&lines)
}

/// Presses keys, and says how long each took.
#[expect(
    clippy::print_stderr,
    reason = "whether that is long is for whoever runs the tests to judge"
)]
fn timed(browser: &mut Browser, what: &str, keys: &[&str]) {
    let started = Instant::now();
    browser.press(keys);
    let each = started.elapsed().as_secs_f64() * 1000.0 / keys.len() as f64;
    eprintln!("5,000 edges, {what}: {each:.0} ms a key");
}

#[test]
fn five_thousand_edges_are_walked_through() {
    let store = many();
    let Some(mut browser) = opened(store.path()) else {
        return;
    };
    assert_eq!(browser.value("data.days.map((day) => day.surfaced)"), json!([5000]));
    assert_eq!(browser.value("document.querySelectorAll('tbody tr').length"), 200);
    tab_to(&mut browser, "graph");
    timed(
        &mut browser,
        "walk in the graph",
        &["ArrowRight", "ArrowDown", "ArrowDown", "ArrowUp", "ArrowLeft"],
    );
    tab_to(&mut browser, "Drilled ▾");
    timed(&mut browser, "sort", &["Enter", "Enter"]);
    timed(&mut browser, "to the rows", &["Tab", "Tab", "Tab"]);
    timed(
        &mut browser,
        "walk in the table",
        &["ArrowDown", "ArrowDown", "End", "ArrowUp"],
    );
    // The session is far from the most used ones, and is in the graph nevertheless, with its queries.
    let seen =
        "(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(document.activeElement.getBoundingClientRect())";
    assert_eq!(browser.value(seen), true);
    let chosen = "data.sessions.find((s) => s.session_id === state.chosen.key)";
    let ends = "drawEdges(prepared(byId('graph'), byId('graph').clientHeight)).size";
    assert_eq!(
        browser.value(&format!("[{chosen}.queries.length, {ends}]")),
        json!([9, 9])
    );
    let covered = "byId('details').getBoundingClientRect().left < byId('table').getBoundingClientRect().right";
    assert_eq!(
        browser.value(covered),
        false,
        "the panel stays in sight, beside the table"
    );
    tab_to(&mut browser, "filter");
    timed(&mut browser, "filter", &["m", "o", "d", "u", "l", "e", " ", "7"]);
    assert_eq!(text(&mut browser, "summary"), "129 of 533 sessions, 347 queries");
}
