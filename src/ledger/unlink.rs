//! Removing from the commits and their links.

use std::collections::BTreeSet;

use redb::ReadableTable;

use super::commits::CommitRow;
use super::rows;
use super::sessions::Sessions;
use super::tables::During;
use super::unlearn::replace;
use crate::Result;

impl Sessions<'_> {
    /// Takes a session out of all links; a commit that was linked to it alone goes. Gives their number.
    pub(super) fn unlink(&mut self, session: u32) -> Result<u64> {
        self.rewrite_commits(|_, row| {
            let linked = row.sessions.len();
            row.sessions.retain(|number| *number != session);
            match row.sessions.len() {
                left if left == linked => Rewritten::Stays,
                0 => Rewritten::Goes,
                _ => Rewritten::Differs,
            }
        })
        .map(|(changed, _)| changed)
    }

    /// Cuts a text out of all subjects. Gives the number of the commits and the sessions linked to them.
    pub(super) fn cut_commits(&mut self, text: &str) -> Result<(u64, BTreeSet<u32>)> {
        self.rewrite_commits(|sha, row| match replace(&mut row.subject, text) {
            _ if sha.contains(text) => Rewritten::Goes,
            true => Rewritten::Differs,
            false => Rewritten::Stays,
        })
    }

    fn rewrite_commits(
        &mut self,
        mut rewrite: impl FnMut(&str, &mut CommitRow) -> Rewritten,
    ) -> Result<(u64, BTreeSet<u32>)> {
        let (mut changed, mut touched) = (Vec::new(), BTreeSet::new());
        for entry in self.commits.iter().during("read commits")? {
            let (sha, row) = entry.during("read commits")?;
            let mut row: CommitRow = rows::decode(row.value(), "rekal.commits")?;
            let before = row.sessions.clone();
            let kept = match rewrite(sha.value(), &mut row) {
                Rewritten::Stays => continue,
                Rewritten::Differs => Some(row),
                Rewritten::Goes => None,
            };
            touched.extend(before);
            changed.push((sha.value().to_owned(), kept));
        }
        let count = changed.len() as u64;
        for (sha, row) in changed {
            match row {
                Some(row) => self.put_commit(&sha, &row)?,
                None => _ = self.commits.remove(sha.as_str()).during("remove a commit")?,
            }
        }
        Ok((count, touched))
    }
}

/// What becomes of a commit's row.
enum Rewritten {
    Stays,
    Differs,
    Goes,
}
