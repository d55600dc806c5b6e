//! The reading side of the index.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::columnar::{ColumnValues, StrColumn};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocAddress, DocId, DocSet, ReloadPolicy, Searcher, SegmentReader, TERMINATED, Term};

use super::folder::Folder;
use super::guard::{damaged, guarded};
use super::layout::{COMMIT, Layout, RECORD, VERSION};
use super::stamp::Stamp;
use crate::Result;
use crate::session::Role;

/// How often the index is opened when a commit replaces its files meanwhile. One in 1,456 opens beside
/// a committing, merging writer met that once, none twice.
const TRIES: usize = 5;

/// Decompressed blocks of 16 KiB that are kept.
const CACHED_BLOCKS: usize = 16;

/// A published index, as it was when it was opened. It writes nothing, locks nothing, and damage of
/// its files is an error of the call that meets it.
pub struct Index {
    pub(super) dir: PathBuf,
    pub(super) layout: Layout,
    pub(super) searcher: Searcher,
    pub(super) segments: Vec<Segment>,
    pub(super) sessions: BTreeMap<u32, DocAddress>,
    pub(super) commits: u64,
    stamp: Stamp,
}

/// The columns of a segment.
pub(super) struct Segment {
    pub(super) session: Arc<dyn ColumnValues<u64>>,
    pub(super) turn: Arc<dyn ColumnValues<u64>>,
    pub(super) role: Arc<dyn ColumnValues<u64>>,
    pub(super) id: Option<StrColumn>,
    pub(super) parent: Option<StrColumn>,
}

/// Where a turn is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Its number, from 1.
    pub turn: u32,
    /// Who speaks.
    pub role: Role,
    pub(super) address: DocAddress,
}

impl Index {
    /// Opens what is published in `dir`. `None`: nothing that this version can read.
    ///
    /// # Errors
    /// The index is damaged ([`crate::Error::is_corrupt`]), or the system refuses to read it.
    pub fn open(dir: &Path) -> Result<Option<Self>> {
        let mut tries = 1;
        loop {
            match guarded(|| open_once(dir)) {
                Ok(index) => return Ok(index),
                Err(failure) if failure.is_missing() => return Ok(None),
                Err(failure) if failure.is_overtaken() && tries < TRIES => tries += 1,
                Err(failure) => return Err(failure.into_error("open the index in", dir)),
            }
        }
    }

    /// The id of the ledger that it was made from.
    pub fn ledger(&self) -> u128 {
        self.stamp.ledger
    }

    /// The number of the ledger's last change that it holds.
    pub fn change(&self) -> u64 {
        self.stamp.change
    }

    /// What the ledger drew for that change.
    pub fn draw(&self) -> u64 {
        self.stamp.draw
    }

    /// The numbers of all sessions, ascending.
    pub fn sessions(&self) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + '_ {
        self.sessions.keys().copied()
    }
}

fn open_once(dir: &Path) -> tantivy::Result<Option<Index>> {
    let index = tantivy::Index::open(Folder::open(dir)?)?;
    let layout = Layout::new();
    let stamp = index.load_metas()?.payload.as_deref().and_then(Stamp::decode);
    let Some(stamp) = stamp.filter(|stamp| stamp.version == VERSION && index.schema() == layout.schema) else {
        return Ok(None);
    };
    let reader: tantivy::IndexReader = index
        .reader_builder()
        .reload_policy(ReloadPolicy::Manual)
        .num_warming_threads(0)
        .doc_store_cache_num_blocks(CACHED_BLOCKS)
        .try_into()?;
    let searcher = reader.searcher();
    let segments = searcher
        .segment_readers()
        .iter()
        .map(Segment::open)
        .collect::<tantivy::Result<Vec<_>>>()?;
    let mut sessions = BTreeMap::new();
    for address in alive(&searcher, &layout.of_turn(RECORD))? {
        sessions.insert(segments[address.segment_ord as usize].session(address.doc_id)?, address);
    }
    let commits = alive(&searcher, &layout.of_turn(COMMIT))?.len() as u64;
    Ok(Some(Index {
        commits,
        dir: dir.to_path_buf(),
        layout,
        searcher,
        segments,
        sessions,
        stamp,
    }))
}

/// The documents with a term, without the deleted ones.
pub(super) fn alive(searcher: &Searcher, term: &Term) -> tantivy::Result<Vec<DocAddress>> {
    let mut addresses = Vec::new();
    for (segment_ord, reader) in (0..).zip(searcher.segment_readers()) {
        let postings = reader
            .inverted_index(term.field())?
            .read_postings(term, IndexRecordOption::Basic)?;
        let Some(mut postings) = postings else {
            continue;
        };
        let mut doc_id = postings.doc();
        while doc_id != TERMINATED {
            if is_alive(reader, doc_id)? {
                addresses.push(DocAddress { segment_ord, doc_id });
            }
            doc_id = postings.advance();
        }
    }
    Ok(addresses)
}

/// Whether a document that a posting names is there and not deleted.
pub(super) fn is_alive(reader: &SegmentReader, doc: DocId) -> tantivy::Result<bool> {
    if doc >= reader.max_doc() {
        return Err(damaged("a posting names no document"));
    }
    Ok(!reader.is_deleted(doc))
}

impl Segment {
    fn open(reader: &SegmentReader) -> tantivy::Result<Self> {
        let columns = reader.fast_fields();
        let numbers = |name| match columns.column_opt::<u64>(name)? {
            // Every document has one, so there is nothing to look up before its value.
            Some(column) if column.index.get_cardinality().is_full() => Ok(column.values),
            _ => columns.column_first_or_default(name),
        };
        Ok(Self {
            session: numbers("session")?,
            turn: numbers("turn")?,
            role: numbers("role")?,
            id: columns.str("id")?,
            parent: columns.str("parent")?,
        })
    }

    pub(super) fn session(&self, doc: DocId) -> tantivy::Result<u32> {
        narrow(self.session.get_val(doc))
    }

    pub(super) fn turn(&self, doc: DocId) -> tantivy::Result<u32> {
        narrow(self.turn.get_val(doc))
    }

    pub(super) fn role(&self, doc: DocId) -> tantivy::Result<Role> {
        super::layout::role_of(self.role.get_val(doc)).ok_or_else(|| damaged("a role that is none"))
    }
}

fn narrow(number: u64) -> tantivy::Result<u32> {
    u32::try_from(number).map_err(|_| damaged("a number beyond 32 bits"))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::index::fixture::{FORMULAS, LEDGER, index_of, open, publish, session};
    use crate::index::{Publisher, Query};

    #[test]
    fn no_folder_and_an_empty_folder_hold_no_index() {
        let dir = tempfile::tempdir().expect("a folder");
        assert!(Index::open(&dir.path().join("none")).expect("no damage").is_none());
        assert!(Index::open(dir.path()).expect("no damage").is_none());
        let (_dir, empty) = index_of(&[]);
        assert_eq!((empty.sessions().len(), empty.turn_count()), (0, 0));
    }

    #[cfg(unix)]
    #[test]
    fn opening_and_reading_touches_no_file() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().expect("a folder");
        publish(dir.path(), &[session(1, "aa-1", &["token expiry"])]);
        let listing = || {
            let mut names: Vec<_> = std::fs::read_dir(dir.path())
                .expect("a folder")
                .map(|entry| {
                    let entry = entry.expect("an entry");
                    let meta = entry.metadata().expect("there");
                    (entry.file_name(), meta.len(), meta.modified().expect("a time"))
                })
                .collect();
            names.sort();
            names
        };
        let before = listing();
        let mode = |mode| std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(mode));
        mode(0o500).expect("read-only");
        let index = open(dir.path());
        assert_eq!(index.conversation(1).expect("readable").expect("there").turns.len(), 1);
        mode(0o700).expect("writable");
        // The listing says it for a user whom no mode stops.
        assert_eq!(listing(), before);
    }

    #[test]
    fn a_reader_beside_a_committing_and_merging_writer_always_finds_a_whole_state() {
        let dir = tempfile::tempdir().expect("a folder");
        publish(dir.path(), &[session(1, "id-1", &["token 1", "token 1"])]);
        let done = AtomicBool::new(false);
        let opened = std::thread::scope(|scope| {
            let reader = scope.spawn(|| {
                let mut opened = 0;
                while !done.load(Ordering::Relaxed) {
                    let index = open(dir.path());
                    let sessions = index.sessions().len();
                    assert_eq!(index.turn_count(), 2 * sessions as u64);
                    let found = index
                        .matches(&Query::new("token"), FORMULAS, |_| 1.0)
                        .expect("readable");
                    assert_eq!(found.hits.len(), sessions);
                    opened += 1;
                }
                opened
            });
            for number in 2..40 {
                let mut publisher = Publisher::open(dir.path(), LEDGER).expect("a publisher");
                let text = format!("token {number}");
                let conversation = session(number, &format!("id-{number}"), &[&text, &text]);
                publisher.put(&conversation).expect("put");
                publisher.commit(number.into()).expect("commit");
            }
            done.store(true, Ordering::Relaxed);
            reader.join().expect("no panic")
        });
        assert!(opened > 0);
        assert_eq!(open(dir.path()).sessions().len(), 39);
    }
}
