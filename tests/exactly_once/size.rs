//! How much a large graph takes.

use super::party::{end, start};
use super::program::{append, edges, is_long, reach, recall, tell};

#[test]
fn a_large_spool_is_drained_in_little_memory_and_takes_few_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path();
    // 16 sessions an event, all queries different: the dearest case.
    let (events, sessions) = if is_long() { (62_500, 50_000) } else { (1_500, 1_200) };
    for portion in 0..events / 500 {
        let event = |n: u64| {
            let n = portion * 500 + n;
            let target = |k: u64| {
                format!(
                    "{:08x}-0000-4000-8000-000000000000",
                    (n * 7919 + k * 104_729) % sessions
                )
            };
            let targets = (0..16).map(|k| target(k).parse().expect("an id")).collect();
            recall(n, u128::from(n), &format!("what was decided about item {n}"), targets)
        };
        append(store, &(0..500).map(event).collect::<Vec<_>>());
    }
    let memory = end(start("drains", 0, store));
    let bytes = std::fs::metadata(store.join("store.redb")).expect("a ledger").len();
    let edges = edges(store);
    tell(&format!(
        "{edges} edges: {} bytes an edge, {memory} KiB of memory",
        bytes / edges
    ));
    assert_eq!(edges, events * 16);
    assert!(reach(store, "00000000-0000-4000-8000-000000000000").is_some());
    assert!(memory < 200 << 10, "{memory} KiB");
    assert!(
        bytes / edges < if is_long() { 80 } else { 200 },
        "{} bytes an edge",
        bytes / edges
    );
}
