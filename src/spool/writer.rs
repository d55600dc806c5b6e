//! The append protocol: a batch of events reaches the spool with one `write`, and nobody is waited for.
//!
//! 1. The batch is one buffer that begins with `\n`, which ends a fragment that a dying writer may have
//!    left, and it is handed over in exactly one `write`: appends of one call do not interleave. A short
//!    count is a failure. The whole buffer is written once more (the ids are the same, so what came
//!    through twice counts once); if that fails too, the batch is lost and the caller is told.
//! 2. The spool is opened for appending and its shared lock is tried. If somebody holds it exclusively, it
//!    is being drained: the path has a new file, or will have when it is opened next.
//! 3. The file that was opened is compared with the one at the path (device and inode). If they differ it
//!    was claimed in between: open again. While the shared lock is held no drain reads the file, so what is
//!    written after the comparison is read.
//! 4. After [`ROUNDS`] rounds, or where files cannot be locked, the batch becomes a claim of its own: a
//!    temporary file, renamed when it is whole.
//!
//! The file is closed after each batch: a descriptor that is kept open would go on writing into a file that
//! was drained. What was written survives the death of the process, not a power cut.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use super::claim::{claim_name, unfinished_name};
use super::line;
use crate::edge::Event;
use crate::time::Millis;
use crate::{Error, Result};

/// The name of the spool in its store.
pub const SPOOL: &str = "recall-log.ndjson";

/// How often the spool is opened again.
pub const ROUNDS: usize = 16;

/// Only its owner may read what was asked.
const MODE: u32 = 0o600;

/// Events on their way into the spool, in the form in which they are written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Batch {
    text: String,
    events: u64,
    latest: Millis,
}

impl Batch {
    /// No events.
    pub fn new() -> Self {
        Self {
            text: String::from("\n"),
            events: 0,
            latest: 0,
        }
    }

    /// Adds an event.
    pub fn push(&mut self, event: &Event) {
        line::encode(event, &mut self.text);
        self.events += 1;
        self.latest = self.latest.max(event.at());
    }

    /// How many events it holds.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// What is written.
    pub fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }
}

impl Default for Batch {
    fn default() -> Self {
        Self::new()
    }
}

/// Appends to the spool of one store. Holds nothing open.
#[derive(Clone, Debug)]
pub struct Writer {
    dir: PathBuf,
    pause: Option<Duration>,
    #[cfg(test)]
    unprotected: bool,
}

/// What came of opening the spool.
enum Opened {
    /// It may be written until it is closed.
    Held(File),
    /// It was claimed.
    Claimed,
    /// Its file system knows no locks, or what lies there is no spool.
    Unlockable,
}

impl Writer {
    /// A writer to the spool of the store in this folder, which must exist when something is appended.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self {
            dir: dir.into(),
            pause: None,
            #[cfg(test)]
            unprotected: false,
        }
    }

    /// Widens the time between the comparison and the write, so that a test meets every race in it.
    #[doc(hidden)]
    pub fn with_pause(mut self, pause: Duration) -> Self {
        self.pause = Some(pause);
        self
    }

    /// Appends the batch, whole or not at all as far as its reader is concerned. Never waits.
    ///
    /// # Errors
    /// The folder does not exist or cannot be written, or the disk is full.
    pub fn append(&self, batch: &Batch) -> Result<()> {
        if batch.events == 0 {
            return Ok(());
        }
        let spool = self.dir.join(SPOOL);
        for _ in 0..ROUNDS {
            let opened = self
                .open(&spool)
                .map_err(|error| Error::io("append to", &spool, error))?;
            match opened {
                Opened::Held(file) => {
                    if let Some(pause) = self.pause {
                        sleep(pause);
                    }
                    return write_whole(file, batch.bytes()).map_err(|error| Error::io("append to", &spool, error));
                }
                Opened::Claimed => {}
                Opened::Unlockable => break,
            }
        }
        self.append_as_claim(batch)
    }

    fn open(&self, spool: &Path) -> io::Result<Opened> {
        // For reading as well because network file systems lock a file shared only for those who may read it.
        let mut options = OpenOptions::new();
        options.read(true).append(true).mode(MODE);
        // To ask for a file to be made costs more than to open one, and mostly it is there.
        let file = match options.open(spool) {
            Err(error) if error.kind() == ErrorKind::NotFound => options.create(true).open(spool)?,
            file => file?,
        };
        #[cfg(test)]
        if self.unprotected {
            return Ok(Opened::Held(file));
        }
        match file.try_lock_shared() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(Opened::Claimed),
            Err(TryLockError::Error(_)) => return Ok(Opened::Unlockable),
        }
        let ours = file.metadata()?;
        // Not followed: a link would lead what was asked out of the store.
        Ok(match fs::symlink_metadata(spool) {
            Ok(there) if !there.is_file() => Opened::Unlockable,
            Ok(there) if (there.dev(), there.ino()) == (ours.dev(), ours.ino()) => Opened::Held(file),
            _ => Opened::Claimed,
        })
    }

    fn append_as_claim(&self, batch: &Batch) -> Result<()> {
        let unfinished = self.dir.join(unfinished_name(batch.latest));
        let written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(MODE)
            .open(&unfinished)
            .and_then(|file| write_whole(file, batch.bytes()))
            .and_then(|()| fs::rename(&unfinished, self.dir.join(claim_name(batch.latest))));
        written.map_err(|error| {
            // If this fails too, the next drain finds it.
            fs::remove_file(&unfinished).ok();
            Error::io("write", &unfinished, error)
        })
    }
}

/// One `write` of everything; if it comes short, one more.
fn write_whole(mut file: impl Write, bytes: &[u8]) -> io::Result<()> {
    match write_once(&mut file, bytes) {
        Ok(()) => Ok(()),
        Err(_) => write_once(&mut file, bytes),
    }
}

fn write_once(file: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let count = file.write(bytes)?;
    if count == bytes.len() {
        return Ok(());
    }
    let what = format!("{count} of {} bytes were written", bytes.len());
    Err(io::Error::new(ErrorKind::WriteZero, what))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::Instant;

    use super::*;
    use crate::edge::Ulid;
    use crate::spool::claim::{leftovers, take};
    use crate::spool::fixture::{NOON, drain, drain_claim, drill, recall};

    fn batch(events: &[Event]) -> Batch {
        let mut batch = Batch::new();
        events.iter().for_each(|event| batch.push(event));
        batch
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("a file").mode() & 0o777
    }

    #[test]
    fn a_batch_begins_and_ends_with_a_newline() {
        let dir = tempfile::tempdir().expect("a folder");
        Writer::new(dir.path())
            .append(&batch(&[drill(1, "s1")]))
            .expect("appended");
        let text = fs::read_to_string(dir.path().join(SPOOL)).expect("the spool");
        assert!(text.starts_with("\n{\"id\"") && text.ends_with("}\n"), "{text}");
        assert_eq!(mode(&dir.path().join(SPOOL)), 0o600);
    }

    #[test]
    fn nothing_to_append_touches_nothing() {
        let dir = tempfile::tempdir().expect("a folder");
        Writer::new(dir.path()).append(&Batch::new()).expect("nothing to do");
        assert!(!dir.path().join(SPOOL).exists());
    }

    #[test]
    fn a_store_that_is_not_there_is_an_error_and_is_not_made() {
        let dir = tempfile::tempdir().expect("a folder");
        let gone = dir.path().join("gone");
        let error = Writer::new(&gone)
            .append(&batch(&[drill(1, "s1")]))
            .expect_err("no folder");
        assert_eq!((error.kind(), error.path()), ("io", Some(gone.join(SPOOL).as_path())));
        assert!(!gone.exists());
    }

    #[test]
    fn a_spool_that_cannot_be_opened_is_an_error() {
        let dir = tempfile::tempdir().expect("a folder");
        fs::create_dir(dir.path().join(SPOOL)).expect("a folder in its place");
        assert!(Writer::new(dir.path()).append(&batch(&[drill(1, "s1")])).is_err());
    }

    #[test]
    fn a_link_is_not_followed() {
        let dir = tempfile::tempdir().expect("a folder");
        let outside = tempfile::NamedTempFile::new().expect("a file");
        std::os::unix::fs::symlink(outside.path(), dir.path().join(SPOOL)).expect("a link");
        Writer::new(dir.path())
            .append(&batch(&[drill(1, "s1")]))
            .expect("appended");
        assert_eq!(fs::read(outside.path()).expect("the file"), b"");
        assert_eq!(drain(dir.path()).0, [drill(1, "s1")]);
    }

    #[test]
    fn a_spool_that_stays_locked_is_not_waited_for() {
        let dir = tempfile::tempdir().expect("a folder");
        let holder = File::create(dir.path().join(SPOOL)).expect("the spool");
        holder.lock().expect("a lock");
        let before = Instant::now();
        Writer::new(dir.path())
            .append(&batch(&[drill(1, "s1")]))
            .expect("appended");
        assert!(before.elapsed() < Duration::from_millis(500));
        assert_eq!(holder.metadata().expect("the spool").len(), 0);
        let own = leftovers(dir.path(), NOON).expect("claims").remove(0);
        assert_eq!((own.at(), mode(own.path())), (NOON, 0o600));
        assert_eq!(drain_claim(own).0, [drill(1, "s1")]);
        assert_eq!(fs::read_dir(dir.path()).expect("the store").count(), 1);
    }

    /// Takes a part of each write, then nothing more than `room` bytes.
    struct Short {
        written: Vec<u8>,
        counts: Vec<usize>,
    }

    impl Write for Short {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.counts.is_empty() {
                return Err(io::Error::from(ErrorKind::StorageFull));
            }
            let count = self.counts.remove(0).min(bytes.len());
            self.written.extend(&bytes[..count]);
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn written(counts: &[usize]) -> (Vec<u8>, Option<String>) {
        let (written, counts) = (Vec::new(), counts.to_vec());
        let mut short = Short { written, counts };
        let error = write_whole(&mut short, b"\nabc\n").err();
        (short.written, error.map(|error| error.to_string()))
    }

    #[test]
    fn a_short_write_is_repeated_whole_and_once() {
        assert_eq!(written(&[9]), (b"\nabc\n".to_vec(), None));
        assert_eq!(written(&[3, 9]), (b"\nab\nabc\n".to_vec(), None));
        let why = Some("2 of 5 bytes were written".into());
        assert_eq!(written(&[3, 2, 9]), (b"\nab\na".to_vec(), why));
        assert_eq!(written(&[]).1.as_deref(), Some("no storage space"));
    }

    #[test]
    fn what_was_written_twice_is_the_same_event_twice() {
        let dir = tempfile::tempdir().expect("a folder");
        let batch = batch(&[drill(1, "s1"), drill(2, "s2")]);
        let short = &batch.bytes()[..batch.bytes().len() - 3];
        fs::write(dir.path().join(SPOOL), [short, batch.bytes()].concat()).expect("a spool");
        let (events, report) = drain(dir.path());
        assert_eq!(events, [drill(1, "s1"), drill(1, "s1"), drill(2, "s2")]);
        assert_eq!(report.bad.values().sum::<u64>(), 1);
    }

    #[test]
    fn eight_writers_at_once_lose_nothing() {
        let dir = tempfile::tempdir().expect("a folder");
        let targets: Vec<String> = (0..50).map(|n| format!("{n:0128}")).collect();
        thread::scope(|scope| {
            for writer in 0..8u128 {
                let (dir, targets) = (dir.path(), &targets);
                scope.spawn(move || {
                    let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
                    for n in 0..200 {
                        let query = format!("{writer}-{n}-{}", "é".repeat(509));
                        let event = recall(writer << 64 | n, &query, &targets);
                        Writer::new(dir).append(&batch(&[event])).expect("appended");
                    }
                });
            }
        });
        let (events, report) = drain(dir.path());
        assert_eq!((report.lines, report.bad.len(), report.clamped), (1600, 0, 0));
        assert_eq!(events.iter().map(|event| event.targets().len()).sum::<usize>(), 80_000);
        assert_eq!(events.iter().map(Event::id).collect::<HashSet<_>>().len(), 1600);
    }

    /// Four writers, with the race between the comparison and the write widened to 200 µs, beside a loop
    /// that claims, reads and deletes. How many events went in, and how many came out.
    fn race(writer: &Writer, time: Duration) -> (usize, usize) {
        let stop = AtomicBool::new(false);
        let (mut sent, mut read) = (0, Vec::new());
        thread::scope(|scope| {
            let writers: Vec<_> = (0..4u128)
                .map(|number| {
                    let stop = &stop;
                    scope.spawn(move || {
                        let mut n = 0;
                        while !stop.load(Ordering::Relaxed) {
                            let event = recall(number << 64 | n as u128, "jwt", &["s1", "s2"]);
                            writer.append(&batch(&[event])).expect("appended");
                            n += 1;
                        }
                        n
                    })
                })
                .collect();
            let start = Instant::now();
            while start.elapsed() < time {
                if let Some(claim) = take(&writer.dir, NOON).expect("taken") {
                    read.extend(drain_claim(claim).0);
                }
            }
            stop.store(true, Ordering::Relaxed);
            sent = writers
                .into_iter()
                .map(|writer| writer.join().expect("a writer"))
                .sum::<usize>();
        });
        read.extend(drain(&writer.dir).0);
        let ids: HashSet<Ulid> = read.iter().map(Event::id).collect();
        assert_eq!(ids.len(), read.len(), "an event came out twice");
        (sent, read.len())
    }

    #[test]
    fn writers_beside_a_drain_lose_nothing() {
        let dir = tempfile::tempdir().expect("a folder");
        let writer = Writer::new(dir.path()).with_pause(Duration::from_micros(200));
        let (sent, read) = race(&writer, Duration::from_secs(2));
        assert!(sent > 500, "{sent} events are no race");
        assert_eq!(sent, read);
    }

    #[test]
    fn without_the_lock_the_same_race_loses_events() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut writer = Writer::new(dir.path()).with_pause(Duration::from_micros(200));
        writer.unprotected = true;
        // On a busy machine a single short race may pass without a loss.
        let lost = (0..20).any(|_| {
            let (sent, read) = race(&writer, Duration::from_millis(500));
            read < sent
        });
        assert!(lost);
    }
}
