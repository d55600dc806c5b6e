//! The index follows the ledger: what changed since it was published is put into it again.

use std::path::Path;

use super::checkpoint::Progress;
use crate::Result;
use crate::index::Publisher;
use crate::ledger::{Ledger, SessionReader};

/// The index's folder in the store.
const INDEX: &str = "index";

/// Brings the published index up to the ledger and gives the number of sessions put into it. An
/// index that is missing, damaged, of another version or of another ledger is built anew. `progress` is
/// told of each session.
pub fn publish(ledger: &Ledger, progress: &mut dyn FnMut(Progress)) -> Result<u64> {
    let publisher = Publisher::open(&ledger.store().join(INDEX), ledger.id())?;
    fill(ledger, publisher, progress)
}

/// Builds the index anew, whatever is published.
pub fn rebuild(ledger: &Ledger, progress: &mut dyn FnMut(Progress)) -> Result<u64> {
    let publisher = Publisher::rebuild(&ledger.store().join(INDEX), ledger.id())?;
    fill(ledger, publisher, progress)
}

fn fill(ledger: &Ledger, mut publisher: Publisher, progress: &mut dyn FnMut(Progress)) -> Result<u64> {
    let reader = SessionReader::open(&ledger.read()?)?;
    let published = publisher.published();
    if published.is_some_and(|change| change > reader.change() || reader.draw(change) != Some(publisher.draw())) {
        // The ledger was put back from an older copy.
        return rebuild(ledger, progress);
    }
    if published == Some(reader.change()) && publisher.is_complete() {
        return Ok(0);
    }
    let changed = reader.changed_since(published.unwrap_or(0))?;
    for (at, number) in changed.iter().enumerate() {
        let conversation = reader.conversation(*number)?;
        publisher.put(&conversation)?;
        progress(Progress::Indexed {
            done: at as u64 + 1,
            all: changed.len() as u64,
            bytes: conversation.turns.iter().map(|turn| turn.text.len() as u64).sum(),
        });
    }
    publisher.set_draw(reader.draw(reader.change()).unwrap_or(0));
    publisher.commit(reader.change())?;
    Ok(changed.len() as u64)
}

/// Where the index of a store lies.
pub fn index_of(store: &Path) -> std::path::PathBuf {
    store.join(INDEX)
}
