//! The recorder: what the hot path calls. It hands an event to a thread and returns.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, bounded};

use super::ids::Ids;
use super::writer::{Batch, Writer};
use crate::edge::{Act, Event, Kind, MAX_QUERY, MAX_TARGETS, SessionId};
use crate::time::Millis;

/// How many events may wait for the thread.
const CAPACITY: usize = 1024;

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
    Happened(Packed),
    Flush(Sender<()>),
}

/// What happened, in one allocation: twenty small ones that another thread frees cost the caller more
/// than all the rest. No session id holds a `\n`.
#[derive(Debug)]
struct Packed {
    at: Millis,
    kind: Kind,
    /// The targets, each with a `\n` behind it, the source, the query.
    text: String,
    targets_end: usize,
    source_end: usize,
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
        self.send(Packed::new(at, Kind::Recall, source, query, targets));
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
        self.send(Packed::new(at, Kind::Drill, source, "", std::slice::from_ref(target)));
    }

    /// Waits until everything recorded so far has been written or has failed: the only call that waits.
    pub fn flush(&self) {
        if let Some(Some(worker)) = self.worker.get() {
            let (written, wait) = bounded(1);
            if worker.sender.send(Message::Flush(written)).is_ok() {
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

    fn send(&self, packed: Packed) {
        let message = Message::Happened(packed);
        let sent = match self.worker.get_or_init(|| self.start()) {
            Some(worker) => worker.sender.try_send(message).is_ok(),
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
            thread.join().ok();
        }
    }
}

impl Packed {
    fn new(at: Millis, kind: Kind, source: Option<&SessionId>, query: &str, targets: &[SessionId]) -> Self {
        let source = source.map_or("", SessionId::as_str);
        let ids: usize = targets.iter().map(|target| target.as_str().len() + 1).sum();
        let mut text = String::with_capacity(ids + source.len() + query.len());
        for target in targets {
            text.push_str(target.as_str());
            text.push('\n');
        }
        let targets_end = text.len();
        text.push_str(source);
        let source_end = text.len();
        text.push_str(query);
        Self {
            at,
            kind,
            text,
            targets_end,
            source_end,
        }
    }

    fn event(&self, ids: &mut Ids) -> Option<Event> {
        let (ends, text) = ((self.targets_end, self.source_end), &self.text);
        let act = match self.kind {
            Kind::Recall => Act::Recall(text[ends.1..].to_owned()),
            Kind::Drill => Act::Drill,
        };
        let targets = text[..ends.0].lines().filter_map(|id| id.parse().ok()).collect();
        let source = text[ends.0..ends.1].parse().ok();
        Event::new(ids.next(self.at), act, targets, source)
    }
}

impl Outcome {
    fn note(&self, error: String) {
        *self.last_error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }
}

fn record(receiver: &Receiver<Message>, writer: &Writer, outcome: &Outcome) {
    let mut ids = Ids::default();
    while let Ok(first) = receiver.recv() {
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

/// What is waiting, up to a full batch or to somebody who waits for it to be written.
fn gather(first: Message, receiver: &Receiver<Message>, ids: &mut Ids) -> (Batch, Option<Sender<()>>) {
    let mut batch = Batch::new();
    let mut next = Some(first);
    while let Some(message) = next {
        match message {
            Message::Flush(written) => return (batch, Some(written)),
            Message::Happened(packed) => {
                if let Some(event) = packed.event(ids) {
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
