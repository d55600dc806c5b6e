//! The aggregate computed anew from all edges, as the refresh of a view does it: counts, drills and the
//! query with the most edges. The latest query and the crediting of drills are left out, in its favour.

use std::path::Path;

use crate::interned::{SCHEMA, write};
use crate::{Outcome, claims};

const RECOMPUTE: &str = "
DELETE FROM session_totals;
WITH seen AS (SELECT target, event, query FROM recall_edges JOIN events ON id = event),
tallies AS (SELECT target, query, count(*) AS n, max(event) AS latest FROM seen WHERE query != 0 GROUP BY target, query),
tops AS (SELECT target, query, n, latest,
    row_number() OVER (PARTITION BY target ORDER BY n DESC, latest DESC) AS place FROM tallies),
sums AS (SELECT target, count(*) AS n, sum(query = 0) AS drills, max(event) AS last FROM seen GROUP BY target)
INSERT INTO session_totals
SELECT sums.target, sums.n, drills,
    0,
    tops.query, tops.n, 0, last
FROM sums LEFT JOIN tops ON tops.target = sums.target AND place = 1;
";

/// Adds the new edges and computes the totals anew.
pub fn drain(store: &Path) -> Outcome<()> {
    let mut db = claims::open(store, SCHEMA)?;
    claims::drain(store, &mut db, |txn, events| {
        write(txn, events)?;
        Ok(txn.execute_batch(RECOMPUTE)?)
    })
}
