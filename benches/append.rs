//! What recording costs: the append of a recall with 20 targets against a bare `write(2)` of the same
//! bytes to a descriptor that stays open, in turns within one run; and what `Recorder::recalled` costs the
//! thread that calls it. `cargo bench --no-default-features --bench append`

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::fs::OpenOptions;
use std::io::Write;
use std::time::{Duration, Instant};

use rekal::edge::{Act, Event, SessionId, Ulid};
use rekal::spool::Recorder;
use rekal::spool::writer::{Batch, Writer};

const NOON: u64 = 1_796_040_000_123;
const TURNS: usize = 20;
const CALLS: usize = 500;

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let targets: Vec<SessionId> = (0..20)
        .map(|n| format!("4f1c2a7e-9b3d-4c55-8e21-{n:012x}").parse().unwrap())
        .collect();
    append_against_write(&dir.path().join("a"), &targets);
    recalled(&dir.path().join("b"), &targets, Duration::ZERO);
    recalled(&dir.path().join("c"), &targets, Duration::from_micros(200));
    one_process(&dir.path().join("d"), &targets);
}

fn append_against_write(dir: &std::path::Path, targets: &[SessionId]) {
    std::fs::create_dir(dir).unwrap();
    let asked = Act::Recall("how does the jwt expiry get refreshed".into());
    let event = Event::new(Ulid::from_parts(NOON, 7), asked, targets.to_vec(), None).unwrap();
    let mut batch = Batch::new();
    batch.push(&event);
    let mut bare = OpenOptions::new()
        .append(true)
        .create(true)
        .open(dir.join("bare"))
        .unwrap();
    let writer = Writer::new(dir);
    let (mut appends, mut writes, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        appends.extend(timed(|| writer.append(&batch).unwrap()));
        writes.extend(timed(|| {
            assert_eq!(bare.write(batch.bytes()).unwrap(), batch.bytes().len())
        }));
        whole.extend(timed(|| {
            let mut batch = Batch::new();
            batch.push(&event);
            writer.append(&batch).unwrap();
        }));
    }
    let (append, write, whole) = (p50(&mut appends), p50(&mut writes), p50(&mut whole));
    println!("bytes of one recall with 20 targets      {:>9}", batch.bytes().len());
    println!("bare write(2)                        p50 {write:>9.2} us");
    println!(
        "append                               p50 {append:>9.2} us, {:.2} times a bare write",
        append / write
    );
    println!(
        "encode and append                    p50 {whole:>9.2} us, {:.2} times a bare write",
        whole / write
    );
}

fn recalled(dir: &std::path::Path, targets: &[SessionId], between: Duration) {
    std::fs::create_dir(dir).unwrap();
    let recorder = Recorder::new(dir);
    let mut times = Vec::new();
    for _ in 0..TURNS {
        for n in 0..CALLS {
            std::thread::sleep(between);
            let start = Instant::now();
            recorder.recalled(NOON + n as u64, None, "how does the jwt expiry get refreshed", targets);
            times.push(start.elapsed());
        }
        recorder.flush();
    }
    assert_eq!((recorder.dropped(), recorder.failed()), (0, 0));
    let how = if between.is_zero() {
        "one after the other"
    } else {
        "the thread asleep"
    };
    println!("recorder.recalled, {how:<19} p50 {:>7.2} us", p50(&mut times));
}

/// All that a process which records one recall pays: the thread, the append, the end of both.
fn one_process(dir: &std::path::Path, targets: &[SessionId]) {
    std::fs::create_dir(dir).unwrap();
    let mut times = timed(|| {
        let recorder = Recorder::new(dir);
        recorder.recalled(NOON, None, "how does the jwt expiry get refreshed", targets);
    });
    println!("a recorder for one recall            p50 {:>9.2} us", p50(&mut times));
}

fn timed(mut call: impl FnMut()) -> Vec<Duration> {
    (0..CALLS)
        .map(|_| {
            let start = Instant::now();
            call();
            start.elapsed()
        })
        .collect()
}

fn p50(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_nanos() as f64 / 1000.0
}
