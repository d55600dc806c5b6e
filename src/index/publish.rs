//! The writing side of the index.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tantivy::indexer::IndexWriterOptions;
use tantivy::{IndexSettings, IndexWriter};

use super::build;
use super::folder::{Folder, create_private_folder};
use super::guard::writing;
use super::layout::{ANALYZER, Layout};
use super::lines::reader_of_lines;
use super::lsa;
use super::read::Index;
use super::stamp::Stamp;
use crate::session::Conversation;
use crate::transcript::without_digest;
use crate::{Error, Result};

/// What tantivy may hold in memory before it writes a segment; a budget below 15 MB it refuses.
const MEMORY: usize = 20_000_000;

/// Publishes sessions. Its user holds the ledger, so there is one at a time; readers are not disturbed
/// and see nothing before [`Publisher::commit`]. Dropped before that, or killed, it changed nothing.
pub struct Publisher {
    dir: PathBuf,
    ledger: u128,
    layout: Layout,
    published: Option<u64>,
    is_complete: bool,
    put: BTreeSet<u32>,
    removed: bool,
    draw: u64,
    index: tantivy::Index,
    writer: Option<IndexWriter>,
}

impl Publisher {
    /// Continues the index in `dir`. Is there none, does it belong to another ledger or version, or is
    /// it damaged, a new one is begun, which takes its place at the first commit: see
    /// [`Publisher::published`].
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn open(dir: &Path, ledger: u128) -> Result<Self> {
        let index = match Index::open(dir) {
            Err(error) if error.is_corrupt() => None,
            other => other?.filter(|index| index.ledger() == ledger),
        };
        let Some(index) = index else {
            return Self::rebuild(dir, ledger);
        };
        build::discard(dir)?;
        Ok(Self {
            dir: dir.to_path_buf(),
            ledger,
            layout: Layout::new(),
            published: Some(index.change()),
            is_complete: lsa::is_up_to(dir, ledger, index.change()),
            put: BTreeSet::new(),
            removed: false,
            draw: index.draw(),
            index: open_in(dir)?,
            writer: None,
        })
    }

    /// Begins a new index, whatever there is.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn rebuild(dir: &Path, ledger: u128) -> Result<Self> {
        let site = build::begin(dir)?;
        let layout = Layout::new();
        Ok(Self {
            index: create_in(&site, &layout)?,
            dir: dir.to_path_buf(),
            ledger,
            layout,
            published: None,
            is_complete: false,
            put: BTreeSet::new(),
            removed: false,
            draw: 0,
            writer: None,
        })
    }

    /// The change number of the ledger that the index holds. `None`: nothing yet, every session has to
    /// be put.
    pub fn published(&self) -> Option<u64> {
        self.published
    }

    /// Whether all that belongs to what is published is there. Where it is not, because a writer was
    /// killed or a file was damaged, a commit of the same change completes it.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// What the ledger drew for that change: another ledger of the same id may have come to its number.
    pub fn draw(&self) -> u64 {
        self.draw
    }

    /// What the next commit carries as the draw of its change.
    pub fn set_draw(&mut self, draw: u64) {
        self.draw = draw;
    }

    /// Publishes this state of a session instead of any earlier one, at the next commit.
    ///
    /// # Errors
    /// The index cannot be written.
    pub fn put(&mut self, conversation: &Conversation) -> Result<()> {
        self.withdraw(conversation.record.number)?;
        self.put.insert(conversation.record.number);
        let (dir, layout) = (self.dir.clone(), self.layout.clone());
        let writer = self.writer()?;
        // The session that asked a question must not become the best answer to it.
        let documents = layout.documents(conversation, without_digest);
        for document in documents.map_err(|error| Error::invalid(format!("encode a session: {error}")))? {
            writing(&dir, || writer.add_document(document))?;
        }
        Ok(())
    }

    /// Publishes a session no longer, from the next commit on.
    ///
    /// # Errors
    /// The index cannot be written.
    pub fn remove(&mut self, number: u32) -> Result<()> {
        self.removed = true;
        self.withdraw(number)
    }

    fn withdraw(&mut self, number: u32) -> Result<()> {
        let term = self.layout.of_session(number);
        self.writer()?.delete_term(term);
        Ok(())
    }

    /// Publishes all that was put and removed, as the state of the ledger after `change`, in one step;
    /// after it the vectors that belong to it.
    ///
    /// # Errors
    /// The index cannot be written. What was published before stays, or the vectors are missing: see
    /// [`Publisher::is_complete`].
    pub fn commit(&mut self, change: u64) -> Result<()> {
        if self.removed || self.published.is_none() {
            // What is forgotten must not outlive it, nor be taken for another session of its number.
            lsa::remove(&self.dir)?;
        }
        self.writer()?;
        let payload = Stamp::encode(self.ledger, change, self.draw);
        let writer = self.writer.take();
        writing(&self.dir, || {
            let Some(mut writer) = writer else {
                return Ok(());
            };
            let mut commit = writer.prepare_commit()?;
            commit.set_payload(&payload);
            commit.commit()?;
            // Without this a short-lived process never merges, and readers open ever more files.
            writer.wait_merging_threads()
        })?;
        let before = self.published;
        if before.is_none() {
            build::put_in_place(&self.dir)?;
            self.index = open_in(&self.dir)?;
        }
        self.published = Some(change);
        self.is_complete = false;
        self.complete(before)
    }

    /// Publishes the vectors of what was committed.
    fn complete(&mut self, before: Option<u64>) -> Result<()> {
        if let Some(index) = Index::open(&self.dir)? {
            lsa::update(&index, before, &self.put)?;
        }
        self.put.clear();
        self.removed = false;
        self.is_complete = true;
        Ok(())
    }

    fn writer(&mut self) -> Result<&IndexWriter> {
        let writer = match self.writer.take() {
            Some(writer) => writer,
            None => writing(&self.dir, || {
                let options = IndexWriterOptions::builder()
                    .num_worker_threads(1)
                    .num_merge_threads(1)
                    .memory_budget_per_thread(MEMORY)
                    .build();
                self.index.writer_with_options(options)
            })?,
        };
        Ok(self.writer.insert(writer))
    }
}

fn create_in(dir: &Path, layout: &Layout) -> Result<tantivy::Index> {
    create_private_folder(dir).map_err(|error| Error::io("create", dir, error))?;
    let settings = IndexSettings {
        docstore_compress_dedicated_thread: false,
        ..IndexSettings::default()
    };
    let index = writing(dir, || {
        tantivy::Index::create(Folder::open(dir)?, layout.schema.clone(), settings)
    })?;
    index.tokenizers().register(ANALYZER, reader_of_lines());
    Ok(index)
}

fn open_in(dir: &Path) -> Result<tantivy::Index> {
    let index = writing(dir, || tantivy::Index::open(Folder::open(dir)?))?;
    index.tokenizers().register(ANALYZER, reader_of_lines());
    Ok(index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::fixture::{LEDGER, open, publish, session};

    fn two() -> [Conversation; 2] {
        [
            session(1, "aa-1", &["fix the token expiry", "done"]),
            session(2, "bb-2", &["draw a chart", "drawn", "thanks"]),
        ]
    }

    #[test]
    fn nothing_is_seen_before_the_commit_and_all_after_it() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("index");
        let mut publisher = Publisher::open(&path, LEDGER).expect("a publisher");
        assert_eq!(publisher.published(), None);
        for session in two() {
            publisher.put(&session).expect("put");
        }
        assert!(Index::open(&path).expect("no damage").is_none());
        publisher.commit(41).expect("commit");
        assert_eq!(publisher.published(), Some(41));
        let index = open(&path);
        assert_eq!((index.ledger(), index.change()), (7, 41));
        assert_eq!(index.sessions().collect::<Vec<_>>(), [1, 2]);
        assert_eq!(index.turn_count(), 5);
        assert_eq!(index.conversation(2).expect("readable"), Some(two()[1].clone()));
    }

    #[test]
    fn a_session_that_grew_replaces_itself_and_a_removed_one_is_gone() {
        let dir = tempfile::tempdir().expect("a folder");
        publish(dir.path(), &two());
        let before = open(dir.path());
        let mut publisher = Publisher::open(dir.path(), LEDGER).expect("a publisher");
        assert_eq!(publisher.published(), Some(1));
        let grown = session(1, "aa-1", &["fix the token expiry", "done", "and test it"]);
        publisher.put(&grown).expect("put");
        publisher.remove(2).expect("remove");
        publisher.commit(2).expect("commit");
        let index = open(dir.path());
        assert_eq!(index.sessions().collect::<Vec<_>>(), [1]);
        assert_eq!(index.turn_count(), 3);
        assert_eq!(index.conversation(1).expect("readable"), Some(grown));
        assert_eq!(index.conversation(2).expect("readable"), None);
        assert_eq!(index.find("bb").expect("readable"), None);
        assert_eq!(before.conversation(2).expect("readable"), Some(two()[1].clone()));
    }

    #[test]
    fn one_publisher_commits_again_and_again() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut publisher = Publisher::open(dir.path(), LEDGER).expect("a publisher");
        for number in 1..=20 {
            let texts = [format!("turn of {number}")];
            let conversation = session(number, &format!("id-{number}"), &[&texts[0]]);
            publisher.put(&conversation).expect("put");
            publisher.commit(number.into()).expect("commit");
            let index = open(dir.path());
            assert_eq!((index.change(), index.turn_count()), (number.into(), number.into()));
            assert!(index.segments.len() <= 8, "never merged");
        }
        publisher.commit(21).expect("nothing to publish");
        assert_eq!(open(dir.path()).change(), 21);
    }

    #[test]
    fn of_another_ledger_or_version_it_is_begun_anew_and_readers_keep_the_old_one() {
        let dir = tempfile::tempdir().expect("a folder");
        publish(dir.path(), &two());
        let mut publisher = Publisher::open(dir.path(), 8).expect("a publisher");
        assert_eq!(publisher.published(), None);
        publisher.put(&two()[1]).expect("put");
        assert_eq!(open(dir.path()).sessions().len(), 2);
        publisher.commit(5).expect("commit");
        let index = open(dir.path());
        assert_eq!((index.ledger(), index.sessions().len()), (8, 1));

        let meta = dir.path().join("meta.json");
        let newer = std::fs::read_to_string(&meta)
            .expect("text")
            .replace("rekal 3 ", "rekal 4 ");
        std::fs::write(&meta, newer).expect("written");
        assert!(Index::open(dir.path()).expect("no damage").is_none());
        assert_eq!(Publisher::open(dir.path(), 8).expect("a publisher").published(), None);
    }

    #[test]
    fn a_rebuild_leaves_only_its_own_files() {
        let dir = tempfile::tempdir().expect("a folder");
        publish(dir.path(), &two());
        std::fs::create_dir(dir.path().join(".building")).expect("made");
        std::fs::write(dir.path().join(".building/meta.json"), "half").expect("written");
        std::fs::write(dir.path().join(".tmpAbC"), "half").expect("written");
        std::fs::write(dir.path().join("lsa.bin"), "not ours").expect("written");
        let files = || std::fs::read_dir(dir.path()).expect("a folder").count();
        let before = files();
        let mut publisher = Publisher::rebuild(dir.path(), LEDGER).expect("a publisher");
        for session in two() {
            publisher.put(&session).expect("put");
        }
        publisher.commit(3).expect("commit");
        assert_eq!(open(dir.path()).change(), 3);
        assert_eq!(files(), before - 2);
        assert!(dir.path().join("lsa.bin").exists());
    }

    #[test]
    fn a_writer_that_died_changed_nothing_and_blocks_nobody() {
        let dir = tempfile::tempdir().expect("a folder");
        publish(dir.path(), &two());
        std::fs::write(dir.path().join(".tantivy-writer.lock"), "").expect("written");
        std::fs::write(dir.path().join(".tantivy-meta.lock"), "").expect("written");
        let mut dead = Publisher::open(dir.path(), LEDGER).expect("a publisher");
        dead.put(&session(3, "cc-3", &["never published"])).expect("put");
        std::mem::forget(dead);
        assert_eq!(open(dir.path()).sessions().len(), 2);
        let mut next = Publisher::open(dir.path(), LEDGER).expect("a publisher");
        assert_eq!(next.published(), Some(1));
        next.put(&session(4, "dd-4", &["published"])).expect("put");
        next.commit(2).expect("commit");
        assert_eq!(open(dir.path()).sessions().collect::<Vec<_>>(), [1, 2, 4]);
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("store/index");
        publish(&path, &two());
        let mode = |path: &Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o700);
        for entry in std::fs::read_dir(&path).expect("a folder") {
            let file = entry.expect("an entry").path();
            assert_eq!(mode(&file), 0o600, "{}", file.display());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_cannot_be_written_is_an_error_that_names_it() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("index");
        std::fs::write(&file, "a file").expect("written");
        let error = Publisher::open(&file, LEDGER).err().expect("an error");
        assert!(error.to_string().contains("index"), "{error}");
    }
}
