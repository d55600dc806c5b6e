//! The recorder: what the hot path calls. It hands an event to a thread and returns.
//!
//! To wake a thread that sleeps is a system call, and twenty times what it costs to hand over an event. So
//! for a while after an event the thread is not woken by the next one: it looks for it by itself, at
//! intervals that grow to `LONGEST`, which is how long an event may then wait to be written. After
//! `WATCHFUL` it sleeps until it is woken, so a host that records nothing pays for nothing; the first
//! event after that pays for the waking. A queue that fills, a flush and the end wake it at any time.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded};

use super::happened::Happened;
use super::ids::Ids;
use super::writer::{Batch, Writer};
use crate::edge::{Kind, MAX_QUERY, MAX_TARGETS, SessionId};
use crate::time::Millis;

/// How many events may wait for the thread.
const CAPACITY: usize = 1024;

/// With so many events waiting the thread is woken: long before the channel is full.
const MANY: usize = CAPACITY / 8;

/// Between two looks at the channel, at first.
const SHORTEST: Duration = Duration::from_millis(1);

/// Between two looks at the channel, at last: what a killed process may lose.
const LONGEST: Duration = Duration::from_millis(16);

/// How long the thread goes on looking when nothing comes.
const WATCHFUL: Duration = Duration::from_secs(2);

/// Single writes up to 1 MiB were never seen torn; a batch ends at the first event above half of that.
const BATCH_BYTES: usize = 512 << 10;

/// Records recalls and drills of one store without making the caller wait: it hands them to a thread,
/// which appends whole batches to the spool. When the thread cannot keep up, events are dropped and
/// counted. Dropping the recorder writes what is left.
///
/// The thread starts with the first event, so a process that records nothing pays nothing for it.
///
/// ```
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let graph = rekal::Graph::open(folder.path())?;
/// let [me, a, b] = ["me", "a", "b"].map(|id| id.parse().expect("an id"));
/// let recorder = graph.recorder();
/// recorder.recalled(1_796_040_000_000, Some(&me), "jwt expiry", &[a.clone(), b]);
/// recorder.drilled(1_796_040_009_000, Some(&me), &a);
/// recorder.flush();
/// assert_eq!((recorder.dropped(), recorder.failed()), (0, 0));
/// # Ok::<(), rekal::Error>(())
/// ```
#[derive(Debug)]
pub struct Recorder {
    writer: Writer,
    // `None`: the system would not start it.
    worker: OnceLock<Option<Worker>>,
    outcome: Arc<Outcome>,
}

#[derive(Debug)]
struct Worker {
    sender: Sender<Message>,
    thread: JoinHandle<()>,
}

#[derive(Default, Debug)]
struct Outcome {
    dropped: AtomicU64,
    failed: AtomicU64,
    last_error: Mutex<Option<String>>,
}

#[derive(Debug)]
enum Message {
    Happened(Happened),
    Flush(Sender<()>),
}

impl Recorder {
    /// A recorder of the store in this folder. Touches no file.
    ///
    /// ```
    /// let recorder = rekal::Recorder::new("/no/such/store");
    /// recorder.drilled(1_796_040_000_000, None, &"a".parse().expect("an id"));
    /// recorder.flush();
    /// assert_eq!(recorder.failed(), 1);
    /// assert!(recorder.last_error().is_some());
    /// ```
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self {
            writer: Writer::new(dir),
            worker: OnceLock::new(),
            outcome: Arc::default(),
        }
    }

    /// At the time `at` a query returned these sessions, in this order, to `source` if that is known. No
    /// targets or a blank query: nothing is recorded. Never waits and never fails.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let graph = rekal::Graph::open(folder.path())?;
    /// let shown = ["a", "b"].map(|id| id.parse().expect("an id"));
    /// let recorder = graph.recorder();
    /// recorder.recalled(1_796_040_000_000, None, "  jwt \n expiry ", &shown);
    /// recorder.recalled(1_796_040_000_000, None, "   ", &shown);
    /// drop(recorder);
    /// assert_eq!(graph.drain(1_796_040_000_000)?.edges_new, 2);
    /// assert_eq!(graph.reach(&shown)[0].as_ref().and_then(|a| a.query.as_deref()), Some("jwt expiry"));
    /// # Ok::<(), rekal::Error>(())
    /// ```
    pub fn recalled(&self, at: Millis, source: Option<&SessionId>, query: &str, targets: &[SessionId]) {
        if targets.is_empty() {
            return;
        }
        // A hostile query or list costs the caller no more than this; the thread does the exact cut.
        let query = &query[..query.floor_char_boundary(64 * MAX_QUERY)];
        let targets = &targets[..targets.len().min(4 * MAX_TARGETS)];
        self.send(Happened::new(at, Kind::Recall, source, query, targets));
    }

    /// At the time `at` `source`, if that is known, opened a session. Never waits and never fails.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let graph = rekal::Graph::open(folder.path())?;
    /// let [me, a] = ["me", "a"].map(|id| id.parse().expect("an id"));
    /// graph.recorder().drilled(1_796_040_000_000, Some(&me), &a);
    /// graph.drain(1_796_040_000_000)?;
    /// assert_eq!(graph.reach(&[a])[0].as_ref().map(|a| a.drills), Some(1));
    /// # Ok::<(), rekal::Error>(())
    /// ```
    pub fn drilled(&self, at: Millis, source: Option<&SessionId>, target: &SessionId) {
        self.send(Happened::new(at, Kind::Drill, source, "", std::slice::from_ref(target)));
    }

    /// Waits until everything recorded so far has been written or has failed: the only call that waits.
    pub fn flush(&self) {
        if let Some(Some(worker)) = self.worker.get() {
            let (written, wait) = bounded(1);
            if worker.sender.send(Message::Flush(written)).is_ok() {
                worker.thread.thread().unpark();
                // An error says that the thread is gone, and with it what could be waited for.
                wait.recv().ok();
            }
        }
    }

    /// How many events found the channel full.
    pub fn dropped(&self) -> u64 {
        self.outcome.dropped.load(Ordering::Relaxed)
    }

    /// How many events could not be written.
    pub fn failed(&self) -> u64 {
        self.outcome.failed.load(Ordering::Relaxed)
    }

    /// Why the last of them could not.
    pub fn last_error(&self) -> Option<String> {
        self.outcome
            .last_error
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn send(&self, happened: Happened) {
        let message = Message::Happened(happened);
        let sent = match self.worker.get_or_init(|| self.start()) {
            Some(worker) => worker.take(message),
            None => false,
        };
        if !sent {
            self.outcome.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn start(&self) -> Option<Worker> {
        let (sender, receiver) = bounded(CAPACITY);
        let (writer, outcome) = (self.writer.clone(), Arc::clone(&self.outcome));
        let started = thread::Builder::new()
            .name("recorder".into())
            .spawn(move || record(&receiver, &writer, &outcome));
        match started {
            Ok(thread) => Some(Worker { sender, thread }),
            Err(error) => {
                self.outcome.note(format!("start the recorder's thread: {error}"));
                None
            }
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if let Some(Some(Worker { sender, thread })) = self.worker.take() {
            // Without a sender the thread ends as soon as it has written what was sent.
            drop(sender);
            thread.thread().unpark();
            thread.join().ok();
        }
    }
}

impl Worker {
    fn take(&self, message: Message) -> bool {
        let taken = self.sender.try_send(message).is_ok();
        if self.sender.len() >= MANY {
            self.thread.thread().unpark();
        }
        taken
    }
}

impl Outcome {
    fn note(&self, error: String) {
        *self.last_error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }
}

fn record(receiver: &Receiver<Message>, writer: &Writer, outcome: &Outcome) {
    let mut ids = Ids::default();
    while let Some(first) = next(receiver) {
        let (batch, flushed) = gather(first, receiver, &mut ids);
        if let Err(error) = writer.append(&batch) {
            outcome.failed.fetch_add(batch.events(), Ordering::Relaxed);
            outcome.note(error.to_string());
        }
        if let Some(flushed) = flushed {
            // An error says that nobody waits any more.
            flushed.send(()).ok();
        }
    }
}

/// The next message; `None` when there will be none.
fn next(receiver: &Receiver<Message>) -> Option<Message> {
    let (mut pause, mut idle) = (SHORTEST, Duration::ZERO);
    while idle < WATCHFUL {
        match receiver.try_recv() {
            Ok(message) => return Some(message),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => thread::park_timeout(pause),
        }
        idle += pause;
        pause = LONGEST.min(pause * 2);
    }
    receiver.recv().ok()
}

/// What is waiting, up to a full batch or to somebody who waits for it to be written.
fn gather(first: Message, receiver: &Receiver<Message>, ids: &mut Ids) -> (Batch, Option<Sender<()>>) {
    let mut batch = Batch::new();
    let mut next = Some(first);
    while let Some(message) = next {
        match message {
            Message::Flush(written) => return (batch, Some(written)),
            Message::Happened(happened) => {
                if let Some(event) = happened.event(ids) {
                    batch.push(&event);
                }
            }
        }
        next = if batch.bytes().len() < BATCH_BYTES {
            receiver.try_recv().ok()
        } else {
            None
        };
    }
    (batch, None)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::edge::Event;
    use crate::spool::fixture::{NOON, drain, id, queries};
    use crate::spool::writer::SPOOL;

    fn targets(count: usize) -> Vec<SessionId> {
        (0..count).map(|n| id(&format!("s{n}"))).collect()
    }

    #[test]
    fn what_was_recorded_is_in_the_spool_after_the_drop() {
        let dir = tempfile::tempdir().expect("a folder");
        let recorder = Recorder::new(dir.path());
        recorder.recalled(
            NOON,
            Some(&id("me")),
            "  jwt \n expiry ",
            &[id("s1"), id("me"), id("s2")],
        );
        recorder.drilled(NOON, Some(&id("me")), &id("s2"));
        drop(recorder);
        let (events, report) = drain(dir.path());
        assert_eq!((queries(&events), report.bad.len()), (vec!["jwt expiry", "(drill)"], 0));
        assert_eq!(events[0].targets(), [id("s1"), id("s2")]);
        assert_eq!(events[1].targets(), [id("s2")]);
        assert_eq!(events[1].source(), Some(&id("me")));
        assert!(events.iter().all(|event| event.at() == NOON));
    }

    #[test]
    fn in_one_millisecond_a_recall_sorts_before_the_drill_that_followed() {
        let dir = tempfile::tempdir().expect("a folder");
        let recorder = Recorder::new(dir.path());
        for n in 0..200 {
            recorder.recalled(NOON, None, &format!("q{n}"), &targets(2));
            recorder.drilled(NOON, None, &id("s1"));
        }
        drop(recorder);
        let (mut events, _) = drain(dir.path());
        events.sort_by_key(Event::id);
        let kinds: Vec<Kind> = events.iter().map(Event::kind).collect();
        assert_eq!(kinds, [Kind::Recall, Kind::Drill].repeat(200));
    }

    #[test]
    fn a_blank_query_and_an_empty_answer_leave_no_trace() {
        let dir = tempfile::tempdir().expect("a folder");
        let recorder = Recorder::new(dir.path());
        recorder.recalled(NOON, None, " \n\t", &targets(3));
        recorder.recalled(NOON, None, "\0", &targets(3));
        recorder.recalled(NOON, None, "jwt", &[]);
        recorder.drilled(NOON, Some(&id("s1")), &id("s1"));
        recorder.flush();
        assert!(!dir.path().join(SPOOL).exists());
        assert_eq!(
            (recorder.dropped(), recorder.failed(), recorder.last_error()),
            (0, 0, None)
        );
    }

    #[test]
    fn a_flush_makes_it_readable_and_the_recorder_goes_on() {
        let dir = tempfile::tempdir().expect("a folder");
        let recorder = Recorder::new(dir.path());
        recorder.flush();
        for n in 0..3 {
            recorder.recalled(NOON, None, &format!("q{n}"), &targets(50));
            recorder.flush();
            assert_eq!(queries(&drain(dir.path()).0), [format!("q{n}")]);
        }
    }

    /// Whether the spool comes to hold so many events within two seconds, without being asked for.
    fn holds_soon(dir: &Path, events: usize) -> bool {
        (0..2000).any(|_| {
            thread::sleep(Duration::from_millis(1));
            let text = fs::read_to_string(dir.join(SPOOL)).unwrap_or_default();
            text.matches("\"kind\"").count() == events
        })
    }

    #[test]
    fn nobody_need_flush_whether_the_thread_watches_or_sleeps() {
        let dir = tempfile::tempdir().expect("a folder");
        let recorder = Recorder::new(dir.path());
        for (events, pause) in [Duration::ZERO, LONGEST * 4, WATCHFUL * 2].into_iter().enumerate() {
            thread::sleep(pause);
            recorder.drilled(NOON, None, &id("s1"));
            assert!(holds_soon(dir.path(), events + 1), "after {pause:?}");
        }
    }

    #[test]
    fn a_flush_and_the_end_wake_the_thread() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut waits: Vec<Duration> = Vec::new();
        for n in 0..40 {
            let recorder = Recorder::new(dir.path());
            recorder.drilled(NOON, None, &id("s1"));
            thread::sleep(LONGEST * 3);
            let start = std::time::Instant::now();
            if n % 2 == 0 {
                recorder.flush()
            } else {
                drop(recorder)
            }
            waits.push(start.elapsed());
        }
        waits.sort_unstable();
        assert!(waits[20] < LONGEST / 4, "{waits:?}");
    }

    #[test]
    fn a_burst_while_the_thread_watches_is_taken() {
        let dir = tempfile::tempdir().expect("a folder");
        let recorder = Recorder::new(dir.path());
        recorder.drilled(NOON, None, &id("s1"));
        thread::sleep(LONGEST * 4);
        for n in 0..MANY * 3 {
            recorder.drilled(NOON + n as u64, None, &id("s1"));
        }
        assert!(holds_soon(dir.path(), 1 + MANY * 3));
        assert_eq!(recorder.dropped(), 0);
    }

    #[test]
    fn what_cannot_be_written_is_counted_and_explained() {
        let recorder = Recorder::new("/nowhere/at/all");
        recorder.recalled(NOON, None, "jwt", &targets(1));
        recorder.flush();
        recorder.drilled(NOON, None, &id("s1"));
        recorder.flush();
        assert_eq!((recorder.failed(), recorder.dropped()), (2, 0));
        let why = recorder.last_error().expect("an error");
        assert!(
            why.starts_with("append to /nowhere/at/all/recall-log.ndjson: "),
            "{why}"
        );
        assert!(!Path::new("/nowhere").exists());
    }

    #[test]
    fn every_event_is_written_or_counted() {
        let dir = tempfile::tempdir().expect("a folder");
        let recorder = Recorder::new(dir.path());
        let many = targets(50);
        for n in 0..20_000 {
            recorder.recalled(NOON + n, None, "jwt", &many);
        }
        recorder.flush();
        let written = fs::read_to_string(dir.path().join(SPOOL)).expect("the spool");
        let written = written.matches("\"kind\"").count() as u64;
        assert_eq!(written + recorder.dropped(), 20_000);
        assert!(recorder.dropped() > 0, "the channel was never full");
    }

    #[test]
    fn a_giant_query_and_list_are_cut() {
        let dir = tempfile::tempdir().expect("a folder");
        let recorder = Recorder::new(dir.path());
        recorder.recalled(NOON, None, &"é".repeat(1 << 20), &targets(10_000));
        drop(recorder);
        let events = drain(dir.path()).0;
        assert_eq!(events[0].query().map(str::len), Some(1024));
        assert_eq!(events[0].targets(), targets(50));
    }

    #[test]
    fn one_recorder_serves_many_threads() {
        let dir = tempfile::tempdir().expect("a folder");
        let recorder = Recorder::new(dir.path());
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..100).for_each(|_| recorder.drilled(NOON, None, &id("s1"))));
            }
        });
        drop(recorder);
        assert_eq!(drain(dir.path()).0.len(), 800);
    }
}
