//! Lines of claims that were no event, counted over all drains.
//!
//! A claim whose drain was killed before it was deleted is read again by the next one. So the row names
//! the claims of the transaction that counted last: what they hold is counted already.

use std::collections::BTreeMap;

use redb::ReadableTable;
use serde::{Deserialize, Serialize};

use super::rows;
use super::tables::{Bytes, During, ReadTables, Tables};
use crate::Result;

/// The name of the row in `meta`.
const BAD_LINES: &str = "bad_lines";

/// Counts by reason.
pub(crate) type Counts = BTreeMap<String, u64>;

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
struct Row {
    /// The names of the claims that were counted last.
    claims: Vec<String>,
    counts: Counts,
}

impl Tables<'_> {
    /// Counts the bad lines of these claims, which are all that this transaction takes in: their names,
    /// and their lines by reason. False: there is nothing to commit for them.
    pub(crate) fn count_bad_lines(&mut self, claims: Vec<(String, Counts)>) -> Result<bool> {
        let claims = claims.into_iter().filter(|(_, counts)| !counts.is_empty());
        let mut row = read(&self.meta)?;
        let (mut names, mut changed) = (Vec::new(), false);
        for (name, counts) in claims {
            if !row.claims.contains(&name) {
                changed = true;
                for (reason, lines) in counts {
                    *row.counts.entry(reason).or_default() += lines;
                }
            }
            names.push(name);
        }
        if changed {
            row.claims = names;
            let row = rows::encode(&row)?;
            self.meta.insert(BAD_LINES, row.as_slice()).during("count bad lines")?;
        }
        Ok(changed)
    }
}

impl ReadTables {
    /// How many there were, by reason.
    pub(crate) fn bad_lines(&self) -> Result<Counts> {
        Ok(read(self.meta())?.counts)
    }
}

fn read(meta: &impl ReadableTable<&'static str, Bytes>) -> Result<Row> {
    match meta.get(BAD_LINES).during("read the count of bad lines")? {
        Some(row) => rows::decode(row.value(), "rekal.meta"),
        None => Ok(Row::default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Ledger;

    #[test]
    fn a_claim_that_is_read_again_is_counted_once() {
        let store = tempfile::tempdir().expect("a folder");
        let ledger = Ledger::open(store.path()).expect("a ledger");
        let count = |claims: &[(&str, &[(&str, u64)])]| {
            let txn = ledger.write().expect("a transaction");
            let mut tables = Tables::open(&txn).expect("tables");
            let counts = |counts: &[(&str, u64)]| counts.iter().map(|(reason, n)| ((*reason).into(), *n)).collect();
            let claims = claims.iter().map(|(name, of)| ((*name).into(), counts(of)));
            let changed = tables.count_bad_lines(claims.collect()).expect("counted");
            drop(tables);
            txn.commit().expect("committed");
            changed
        };
        assert!(!count(&[("a", &[])]));
        assert!(count(&[("a", &[("not_json", 2)]), ("b", &[("no_target", 1)])]));
        assert!(!count(&[("a", &[("not_json", 2)])]));
        assert!(count(&[("b", &[("no_target", 1)]), ("c", &[("not_json", 3)])]));
        assert!(!count(&[("b", &[("no_target", 1)])]));
        let tables = ReadTables::open(&ledger.read().expect("a transaction")).expect("tables");
        let counts = Counts::from([("no_target".into(), 1), ("not_json".into(), 5)]);
        assert_eq!(tables.bad_lines().expect("read"), counts);
    }
}
