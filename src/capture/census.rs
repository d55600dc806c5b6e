//! What the ledger says of the transcripts that are there, and of the index that is published: for
//! whoever looks for what is wrong.

use super::publish::index_of;
use super::sessions::key_of;
use crate::Result;
use crate::graph::Freshness;
use crate::index::Index;
use crate::ledger::{Ledger, Outcome, SessionReader};
use crate::session::Harness;
use crate::transcript::Found;

/// The transcripts of one agent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Census {
    /// Those that are there.
    pub transcripts: u64,
    /// Those that hold a session of this store.
    pub sessions: u64,
    /// Those whose session was held in a folder that is not this store's concern.
    pub elsewhere: u64,
    /// Those of sessions that another transcript holds.
    pub copies: u64,
    /// Those that hold no session, or none yet.
    pub nothing: u64,
    /// Those that are new or have changed since the last checkpoint.
    pub unread: u64,
    /// Lines that could not be read.
    pub skipped_lines: u64,
    /// A transcript with such lines, the one that has most.
    pub most_skipped: Option<String>,
}

/// Counts the transcripts of an agent. Without a ledger none of them was read.
pub fn census(ledger: Option<&Ledger>, found: &[Found], harness: Harness) -> Result<Census> {
    let known = match ledger {
        Some(ledger) => SessionReader::open(&ledger.read()?)?.transcripts()?,
        None => Default::default(),
    };
    let (mut census, mut most) = (Census::default(), 0);
    for file in found.iter().filter(|file| file.harness == harness) {
        census.transcripts += 1;
        let path = key_of(file);
        let Some(row) = known.get(&path) else {
            census.unread += 1;
            continue;
        };
        match row.outcome {
            Outcome::Session(_) => census.sessions += 1,
            Outcome::Elsewhere(_) => census.elsewhere += 1,
            Outcome::Copy => census.copies += 1,
            Outcome::Nothing => census.nothing += 1,
        }
        let is_changed = (row.size, row.modified) != (file.size, file.modified);
        let is_of_concern = !matches!(row.outcome, Outcome::Elsewhere(_));
        census.unread += u64::from(is_changed && is_of_concern);
        census.skipped_lines += row.skipped;
        if row.skipped > most {
            most = row.skipped;
            census.most_skipped = Some(path);
        }
    }
    Ok(census)
}

/// How the published index stands to the ledger; every byte of it is compared with its checksum.
pub fn freshness(ledger: &Ledger) -> Result<Freshness> {
    let reader = SessionReader::open(&ledger.read()?)?;
    let index = match Index::open(&index_of(ledger.store())) {
        Err(error) if error.is_corrupt() => return Ok(Freshness::Damaged),
        opened => opened?,
    };
    let Some(index) = index else {
        // A ledger of the graph alone has nothing to put into it.
        let is_needed = reader.change() > 0;
        return Ok(if is_needed {
            Freshness::Missing
        } else {
            Freshness::Current
        });
    };
    let is_own = index.ledger() == ledger.id() && reader.draw(index.change()) == Some(index.draw());
    Ok(match index.change().cmp(&reader.change()) {
        std::cmp::Ordering::Less if is_own => Freshness::Behind,
        std::cmp::Ordering::Equal if is_own && index.is_whole() => Freshness::Current,
        std::cmp::Ordering::Equal if is_own => Freshness::Damaged,
        _ => Freshness::Foreign,
    })
}
