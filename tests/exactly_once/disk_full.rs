//! A store on a disk that fills up.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::program::{append, claims, drain, edges, is_verified, recall, recalls, rekal, targets, tell};

/// A small disk of its own, in memory.
struct Disk {
    folder: tempfile::TempDir,
}

impl Disk {
    /// `None`: the system does not let this user mount one.
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=12m", "tmpfs"])
            .arg(folder.path())
            .output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(Self { folder });
        }
        tell("skipped: this user may not mount a disk to fill");
        None
    }

    fn store(&self) -> &Path {
        self.folder.path()
    }

    /// Fills it up but for so many bytes.
    fn fill(&self, left: usize) -> Filler {
        let path = self.folder.path().join("filler");
        let mut file = File::create(&path).expect("a file");
        let block = [7; 4096];
        while file.write(&block).is_ok_and(|count| count == block.len()) {}
        let len = file.metadata().expect("a file").len();
        file.set_len(len.saturating_sub(left as u64)).expect("cut");
        Filler(path)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        _ = Command::new("umount").arg("-l").arg(self.folder.path()).status();
    }
}

/// What fills the disk, until it is dropped.
struct Filler(PathBuf);

impl Drop for Filler {
    fn drop(&mut self) {
        _ = fs::remove_file(&self.0);
    }
}

fn one_line(query: &str) -> String {
    format!("{{\"kind\":\"recall\",\"query\":\"{query}\",\"targets\":[\"session-0\"]}}\n")
}

#[test]
fn a_disk_that_fills_during_an_append_costs_only_what_was_not_acknowledged() {
    let Some(disk) = Disk::new() else { return };
    let store = disk.store();
    append(store, &[recall(0, 1, "before", targets(3))]);
    drain(store);

    let filler = disk.fill(20_000);
    let mut acknowledged = 0;
    let refused = (0..200).find_map(|n| {
        let said = rekal(
            store,
            &["graph", "append"],
            &one_line(&format!("{n} {}", "q".repeat(900))),
        );
        acknowledged += u64::from(said.code == Some(0));
        (said.code != Some(0)).then_some(said)
    });
    let refused = refused.expect("the disk is full");
    assert_eq!((refused.code, refused.out.as_str()), (Some(2), ""));
    assert!(refused.err.contains("append to "), "{}", refused.err);
    assert!(acknowledged > 5, "{acknowledged} were acknowledged");
    let published = "session-0 [reached 1×· \"before\"]\n";
    assert_eq!(rekal(store, &["graph", "reach", "session-0"], "").out, published);

    drop(filler);
    assert_eq!(rekal(store, &["graph", "append"], &one_line("after")).code, Some(0));
    let said = rekal(store, &["graph", "drain"], "");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(recalls(store), 1 + acknowledged + 1);
    is_verified(store);
}

#[test]
fn a_disk_that_fills_during_a_commit_or_a_publication_loses_nothing() {
    let Some(disk) = Disk::new() else { return };
    let store = disk.store();
    let name = |n: u64| format!("session-{n:0100}");
    let events = |round: u64, count: u64| -> Vec<_> {
        let event = |n: u64| {
            let names = (n * 50..n * 50 + 50).map(|n| name(n).parse().expect("an id"));
            recall(round * 20 + n, 1, &format!("query {round} {n}"), names.collect())
        };
        (0..count).map(event).collect()
    };
    append(store, &events(0, 20));
    drain(store);
    let old = fs::read(store.join("reach.snap")).expect("published");
    let (mut sent, mut outcomes) = (20, BTreeMap::new());
    for round in 1..=12 {
        // Many events need new pages; one finds free ones, so that only the publication has no place: all
        // of it is due, because what is published is of an older state.
        let count = if round % 2 == 0 { 20 } else { 1 };
        if count == 1 {
            fs::write(store.join("reach.snap"), &old).expect("put back");
            _ = fs::remove_file(store.join("reach.delta"));
        }
        append(store, &events(round, count));
        sent += count;
        let filler = disk.fill(0);
        let said = rekal(store, &["graph", "drain"], "");
        let outcome = match (said.code, claims(store).len()) {
            (Some(0), 0) => "went through",
            (Some(2), 1) => "kept its claim",
            (Some(2), 0) => "did not publish",
            other => panic!("{other:?}: {said:?}"),
        };
        *outcomes.entry(outcome).or_insert(0) += 1;
        assert!(!said.err.contains("panicked"), "{}", said.err);
        assert_eq!(rekal(store, &["graph", "reach", &name(7)], "").code, Some(0));
        drop(filler);
        drain(store);
        assert_eq!((claims(store).len(), recalls(store)), (0, sent));
        if outcomes.contains_key("kept its claim") && outcomes.contains_key("did not publish") {
            break;
        }
    }
    tell(&format!("drains on a full disk: {outcomes:?}"));
    assert_eq!(edges(store), sent * 50);
    is_verified(store);
    assert!(outcomes.contains_key("kept its claim"), "{outcomes:?}");
    assert!(outcomes.contains_key("did not publish"), "{outcomes:?}");
}
