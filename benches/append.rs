//! What recording costs.
//!
//! An append of a recall (20 UUIDs, a query of 200 bytes) against a bare `write(2)` of the same bytes: in the
//! same folder, to a file that grows by `O_APPEND` and stays open, in turns within one run. Then the parts that
//! an append has and a bare write has not, each alone; what an event costs in a batch; and what
//! `Recorder::recalled` costs the thread that calls it, by how long after the last call.
//! `cargo bench --no-default-features --bench append`

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::fs::{self, File, OpenOptions};
use std::hint::black_box;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use rekal::edge::{Act, Event, SessionId, Ulid};
use rekal::spool::Recorder;
use rekal::spool::writer::{Batch, SPOOL, Writer};

const NOON: u64 = 1_796_040_000_123;
const TURNS: usize = 20;
const CALLS: usize = 500;

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let targets: Vec<SessionId> = (0..20)
        .map(|n| format!("4f1c2a7e-9b3d-4c55-8e21-{n:012x}").parse().unwrap())
        .collect();
    append_against_write(&store(dir.path(), "append"), &targets);
    parts(&store(dir.path(), "parts"));
    batches(&store(dir.path(), "batches"), &targets);
    for (pause, calls) in [
        (0, 10_000),
        (100, 5000),
        (1000, 2000),
        (10_000, 300),
        (1_000_000, 10),
        (3_000_000, 5),
    ] {
        let dir = store(dir.path(), &format!("recalled-{pause}"));
        recalled(&dir, &targets, Duration::from_micros(pause), calls);
    }
    one_process(&store(dir.path(), "one"), &targets);
}

fn store(dir: &Path, name: &str) -> std::path::PathBuf {
    let store = dir.join(name);
    fs::create_dir(&store).unwrap();
    store
}

/// 200 bytes.
fn query() -> String {
    "how does the jwt expiry get refreshed; ".repeat(6)[..200].to_owned()
}

fn batch_of(events: usize, targets: &[SessionId]) -> Batch {
    let mut batch = Batch::new();
    for n in 0..events {
        let id = Ulid::from_parts(NOON, n as u128);
        batch.push(&Event::new(id, Act::Recall(query()), targets.to_vec(), None).unwrap());
    }
    batch
}

fn append_against_write(dir: &Path, targets: &[SessionId]) {
    let batch = batch_of(1, targets);
    let event = Event::new(Ulid::from_parts(NOON, 7), Act::Recall(query()), targets.to_vec(), None).unwrap();
    let mut bare = open(&dir.join("bare"));
    let writer = Writer::new(dir);
    let (mut appends, mut writes, mut encodes) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        appends.extend(timed(|| writer.append(&batch).unwrap()));
        writes.extend(timed(|| {
            assert_eq!(bare.write(batch.bytes()).unwrap(), batch.bytes().len())
        }));
        encodes.extend(timed(|| {
            let mut batch = Batch::new();
            batch.push(black_box(&event));
            black_box(batch.bytes());
        }));
    }
    let (append, write, encode) = (p50(&mut appends), p50(&mut writes), p50(&mut encodes));
    println!("bytes of one recall with 20 targets      {:>9}", batch.bytes().len());
    println!("bare write(2)                        p50 {write:>9.2} us");
    println!(
        "append                               p50 {append:>9.2} us, {:.2} times a bare write",
        append / write
    );
    println!("encode, beside it                    p50 {encode:>9.2} us");
}

/// What an append does beside its write. Each is as the writer does it; the sum is not the whole, because
/// a file that is closed after each write is written to at a higher price.
fn parts(dir: &Path) {
    let path = dir.join(SPOOL);
    let file = open(&path);
    let bytes = [b'x'; 1100];
    let (mut opens, mut locks, mut stats, mut writes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        opens.extend(timed(|| drop(black_box(open(&path)))));
        locks.extend(timed(|| {
            file.try_lock_shared().unwrap();
            file.unlock().unwrap();
        }));
        stats.extend(timed(|| {
            black_box((file.metadata().unwrap(), fs::symlink_metadata(&path).unwrap()));
        }));
        writes.extend(timed(|| {
            open(&path).write_all(&bytes).unwrap();
        }));
    }
    let (open, lock, stat, write) = (p50(&mut opens), p50(&mut locks), p50(&mut stats), p50(&mut writes));
    println!("  open and close                     p50 {open:>9.2} us");
    println!("  lock and unlock                    p50 {lock:>9.2} us");
    println!("  stat of the file and of its path   p50 {stat:>9.2} us");
    println!("  open, write, close                 p50 {write:>9.2} us");
}

fn open(path: &Path) -> File {
    OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .open(path)
        .unwrap()
}

fn batches(dir: &Path, targets: &[SessionId]) {
    let writer = Writer::new(dir);
    for events in [10, 100] {
        let batch = batch_of(events, targets);
        let mut times = timed(|| writer.append(&batch).unwrap());
        let each = p50(&mut times) / events as f64;
        println!("append of {events:>3} recalls, each          p50 {each:>9.2} us");
    }
}

fn recalled(dir: &Path, targets: &[SessionId], pause: Duration, calls: usize) {
    let recorder = Recorder::new(dir);
    let query = query();
    let mut times = Vec::new();
    for n in 0..calls {
        match pause.is_zero() {
            // So that the channel is never full.
            true if n % CALLS == 0 => recorder.flush(),
            true => {}
            false => std::thread::sleep(pause),
        }
        let start = Instant::now();
        recorder.recalled(NOON + n as u64, None, &query, targets);
        times.push(start.elapsed());
    }
    recorder.flush();
    assert_eq!((recorder.dropped(), recorder.failed()), (0, 0));
    let pause = pause.as_secs_f64() * 1000.0;
    println!(
        "recorder.recalled, every {pause:>6} ms    p50 {:>9.2} us",
        p50(&mut times)
    );
}

/// All that a process which records one recall pays: the thread, the append, the end of both.
fn one_process(dir: &Path, targets: &[SessionId]) {
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
