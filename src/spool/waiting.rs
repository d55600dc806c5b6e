//! What waits to be drained, looked at without claiming or locking anything.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::Path;

use serde::Serialize;

use super::claim::Claim;
use super::reader::ClaimReader;
use super::writer::SPOOL;
use crate::time::Millis;
use crate::{Error, Result};

/// What lies in the spool and in claims that were left behind.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Waiting {
    /// All bytes.
    pub bytes: u64,
    /// Lines that are not blank.
    pub lines: u64,
    /// Events in them.
    pub events: u64,
    /// Lines that are no event, by reason.
    pub bad_lines: BTreeMap<&'static str, u64>,
    /// Claims: a drain that died, or is at work, or a writer that had to make its own.
    pub claims: u64,
    /// When the oldest of the events happened.
    #[serde(skip)]
    pub oldest: Option<Millis>,
}

/// Looks at everything that waits in the store. What a drain takes away meanwhile is left out.
pub fn waiting(dir: &Path, now: Millis) -> Result<Waiting> {
    let failed = |error| Error::io("list", dir, error);
    let mut waiting = Waiting::default();
    for entry in fs::read_dir(dir).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if let Some(claim) = Claim::of(&entry) {
            waiting.claims += u64::from(waiting.add(claim)?);
        }
    }
    waiting.add(Claim::at_its_own_place(dir.join(SPOOL), now))?;
    Ok(waiting)
}

impl Waiting {
    /// Whether it was there.
    fn add(&mut self, claim: Claim) -> Result<bool> {
        let path = claim.path().to_path_buf();
        let failed = |error| Error::io("read", &path, error);
        let file = match fs::symlink_metadata(&path).and_then(|found| Ok((found, File::open(&path)?))) {
            Ok((found, file)) if found.is_file() => file,
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
            _ => return Ok(false),
        };
        self.bytes += file.metadata().map_err(failed)?.len();
        let mut reader = ClaimReader::new(claim, file);
        while let Some(event) = reader.next_event()? {
            self.events += 1;
            self.oldest = Some(self.oldest.map_or(event.at(), |oldest| oldest.min(event.at())));
        }
        self.lines += reader.report().lines;
        for (reason, count) in &reader.report().bad {
            *self.bad_lines.entry(reason.as_str()).or_default() += count;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spool::fixture::{NOON, put_claim, recall};
    use crate::spool::writer::{Batch, Writer};

    #[test]
    fn the_spool_and_claims_are_counted_and_left_alone() {
        let dir = tempfile::tempdir().expect("a folder");
        assert_eq!(waiting(dir.path(), NOON).expect("looked at"), Waiting::default());

        let mut batch = Batch::new();
        batch.push(&recall(1, "q1", &["s1", "s2"]));
        Writer::new(dir.path()).append(&batch).expect("appended");
        let claim = put_claim(dir.path(), "\nnonsense\n{\"kind\":\"drill\",\"targets\":[\"a\"]}\n");
        let expected = Waiting {
            bytes: batch.bytes().len() as u64 + 43,
            lines: 3,
            events: 1,
            bad_lines: BTreeMap::from([("bad_time", 1), ("not_json", 1)]),
            claims: 1,
            oldest: Some(recall(1, "q1", &["s1"]).at()),
        };
        for _ in 0..2 {
            assert_eq!(waiting(dir.path(), NOON).expect("looked at"), expected);
        }
        assert!(claim.exists());
    }
}
