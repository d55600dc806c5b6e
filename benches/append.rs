//! What recording costs.
//!
//! An append of a recall (20 UUIDs, a query of 200 bytes) against a bare `write(2)` of the same bytes: in the
//! same folder, to a file that grows by `O_APPEND` and stays open, in turns within one run. Then the system
//! calls of an append, one more at a time; what an event costs in a batch; and what
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

/// The system calls of an append, one more at a time.
fn parts(dir: &Path) {
    let path = dir.join(SPOOL);
    let bytes = [b'x'; 1088];
    let mut times: [Vec<Duration>; 4] = Default::default();
    for _ in 0..TURNS {
        for (steps, times) in times.iter_mut().enumerate() {
            times.extend(timed(|| {
                let mut file = open(&path);
                if steps > 0 {
                    file.try_lock_shared().unwrap();
                }
                if steps > 1 {
                    black_box((file.metadata().unwrap(), fs::symlink_metadata(&path).unwrap()));
                }
                if steps > 2 {
                    assert_eq!(file.write(&bytes).unwrap(), bytes.len());
                }
            }));
        }
    }
    let [open, lock, stat, write] = times.map(|mut times| p50(&mut times));
    println!("  of that: open and close            p50 {open:>9.2} us");
    println!("  shared lock, released by close        +{:>9.2} us", lock - open);
    println!("  stat of the file and of its path      +{:>9.2} us", stat - lock);
    println!("  the write                             +{:>9.2} us", write - stat);
}

fn open(path: &Path) -> File {
    let mut options = OpenOptions::new();
    options.read(true).append(true);
    match options.open(path) {
        Ok(file) => file,
        Err(_) => options.create(true).open(path).unwrap(),
    }
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

/// After a pause the caches are cold, so the copy that any hand-over needs is timed after the same pauses.
fn recalled(dir: &Path, targets: &[SessionId], pause: Duration, calls: usize) {
    let recorder = Recorder::new(dir);
    let query = query();
    let (mut times, mut copies) = (Vec::new(), Vec::new());
    for n in 0..calls {
        wait(pause);
        copies.extend(once(|| drop(black_box(copy(&query, targets)))));
        wait(pause);
        times.extend(once(|| recorder.recalled(NOON + n as u64, None, &query, targets)));
        // So that the channel is never full.
        if pause.is_zero() && n % CALLS == 0 {
            recorder.flush();
        }
    }
    recorder.flush();
    assert_eq!((recorder.dropped(), recorder.failed()), (0, 0));
    println!(
        "recorder.recalled, every {:>6} ms    p50 {:>9.2} us, a mere copy {:.2} us",
        pause.as_secs_f64() * 1000.0,
        p50(&mut times),
        p50(&mut copies)
    );
}

fn wait(pause: Duration) {
    if !pause.is_zero() {
        std::thread::sleep(pause / 2);
    }
}

fn copy(query: &str, targets: &[SessionId]) -> String {
    let mut text = String::with_capacity(1100);
    targets.iter().for_each(|target| text.push_str(target.as_str()));
    text.push_str(query);
    text
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
    (0..CALLS).flat_map(|_| once(&mut call)).collect()
}

fn once(call: impl FnOnce()) -> Option<Duration> {
    let start = Instant::now();
    call();
    Some(start.elapsed())
}

fn p50(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_nanos() as f64 / 1000.0
}
