//! This test binary started again, as another process on the same store.
//!
//! Whoever opens a ledger or a claim does so in such a process: while another test of this one starts
//! a program, the new process holds what is open here, with its locks, until it has become that program.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use rekal::graph::{self, Graph, Stats};
use rekal::ledger::Ledger;
use rekal::spool::Recorder;
use rekal::spool::writer::{Batch, SPOOL, Writer};

use super::program::{THEN, id, recall, targets};

const ROLE: &str = "REKAL_TEST_ROLE";
const STORE: &str = "REKAL_TEST_STORE";

/// Starts a process that plays a role with a number.
pub fn start(role: &str, number: u64, store: &Path) -> Child {
    Command::new(std::env::current_exe().expect("this binary"))
        .args([
            "exactly_once::party::plays_its_role",
            "--exact",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(ROLE, format!("{role} {number}"))
        .env(STORE, store)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts")
}

/// Runs a test in a process of its own. True here, where there is nothing more to do; false there.
pub fn runs_alone(test: &str) -> bool {
    if std::env::var(ROLE).is_ok_and(|role| role == test) {
        return false;
    }
    let output = Command::new(std::env::current_exe().expect("this binary"))
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(ROLE, test)
        .output()
        .expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(out.contains("1 passed"), "{out}");
    true
}

/// Waits for the end of a process and gives the number that it said.
pub fn end(child: Child) -> u64 {
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    let said = text.lines().find_map(|line| line.strip_prefix("said ")?.parse().ok());
    said.unwrap_or_else(|| panic!("it said nothing: {text}"))
}

/// Whoever races does so until this file lies beside the store.
pub fn stop_file(store: &Path) -> PathBuf {
    store.with_extension("stop")
}

#[test]
fn plays_its_role() {
    let (Ok(role), Some(store)) = (std::env::var(ROLE), std::env::var_os(STORE)) else {
        return;
    };
    let store = PathBuf::from(store);
    let (role, number) = role.rsplit_once(' ').expect("a role and a number");
    let number: u64 = number.parse().expect("a number");
    let says = match role {
        "appends" => appends(&store, number),
        "races" => races(&store, number, |batch, pause| {
            let writer = Writer::new(&store).with_pause(pause);
            writer.append(batch).expect("appended");
        }),
        "races without the lock" => races(&store, number, |batch, pause| append_without_lock(&store, batch, pause)),
        "holds the ledger" => holds(&store),
        "records a recall" => records(&store, |recorder| {
            recorder.recalled(THEN + number, None, "jwt expiry", &targets(5));
        }),
        "records a drill" => records(&store, |recorder| {
            recorder.drilled(THEN + number, None, &id("session-1"))
        }),
        "counts edges" => stats(&store).edges,
        "counts recalls" => stats(&store).recalls,
        "drains" => drains(&store),
        _ => panic!("an unknown role: {role}"),
    };
    says_number(says);
}

fn says_number(number: u64) {
    let mut stdout = io::stdout();
    write!(stdout, "\nsaid {number}\n")
        .and_then(|()| stdout.flush())
        .expect("heard");
}

/// 200 recalls with 50 targets and a query of 1 KiB, each in a batch of its own.
fn appends(store: &Path, number: u64) -> u64 {
    for n in 0..200 {
        let query = format!("{number} {n} {}", "é".repeat(508));
        let mut batch = Batch::new();
        batch.push(&recall(n, u128::from(number), &query, targets(50)));
        Writer::new(store).append(&batch).expect("appended");
    }
    200
}

/// The number is the pause between the comparison and the write in microseconds, and the writer.
pub fn racer(writer: u64, pause: Duration) -> u64 {
    pause.as_micros() as u64 * 10 + writer
}

fn races(store: &Path, number: u64, append: impl Fn(&Batch, Duration)) -> u64 {
    let pause = Duration::from_micros(number / 10);
    let stop = stop_file(store);
    let mut n = 0;
    while !stop.exists() {
        let mut batch = Batch::new();
        batch.push(&recall(n, u128::from(number), "jwt", targets(1)));
        append(&batch, pause);
        n += 1;
        // Or the drains would not keep up.
        sleep(Duration::from_millis(2));
    }
    n
}

/// The append protocol with the lock taken out.
fn append_without_lock(store: &Path, batch: &Batch, pause: Duration) {
    let spool = store.join(SPOOL);
    loop {
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&spool)
            .expect("the spool");
        let ours = file.metadata().expect("a file").ino();
        if fs::metadata(&spool).is_ok_and(|there| there.ino() == ours) {
            sleep(pause);
            let written = file.write(batch.bytes()).expect("written");
            assert_eq!(written, batch.bytes().len());
            return;
        }
    }
}

/// Until nobody listens to it any more.
fn holds(store: &Path) -> u64 {
    let _held = Ledger::open(store).expect("the ledger");
    says_number(1);
    let mut all = Vec::new();
    io::stdin().read_to_end(&mut all).expect("an end");
    1
}

fn stats(store: &Path) -> Stats {
    graph::stats(&Ledger::open(store).expect("the ledger"), 0).expect("figures")
}

fn records(store: &Path, what: impl FnOnce(&Recorder)) -> u64 {
    let recorder = Recorder::new(store);
    what(&recorder);
    recorder.flush();
    recorder.failed() + recorder.dropped()
}

/// Says how many KiB of memory it had at most.
fn drains(store: &Path) -> u64 {
    let now = THEN + 365 * rekal::time::DAY;
    Graph::open(store).expect("a graph").drain(now).expect("drained");
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    most.and_then(|kib| kib.trim().trim_end_matches("kB").trim().parse().ok())
        .unwrap_or(0)
}
