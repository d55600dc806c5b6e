//! What the questions to the graph have in common: how an edge is shown, and what is said when there
//! is none.

use std::path::Path;

use rekal::edge::Kind;
use rekal::graph::EdgeLine;
use rekal::spool::waiting::waiting;

use crate::answer::Failure;
use crate::columns::columns;
use crate::{out, when};

/// How many characters of a query are shown in a row.
const SHOWN: usize = 80;

/// A row for each edge.
pub fn table(edges: Vec<EdgeLine>) -> String {
    let rows = edges.into_iter().map(|edge| {
        let kind = match edge.kind {
            Kind::Recall => "recall",
            Kind::Drill => "drill",
        };
        [
            edge.at,
            edge.id,
            kind.to_owned(),
            edge.rank.map_or("-".to_owned(), |rank| rank.to_string()),
            edge.session_id.into(),
            edge.source.map_or("-".to_owned(), String::from),
            query(edge.query.as_deref()),
        ]
    });
    columns(
        ["time", "event", "kind", "rank", "session", "source", "query"],
        rows.collect(),
    )
}

/// A query as far as a row has room for it.
pub fn query(query: Option<&str>) -> String {
    out::one_line(query.unwrap_or_default(), SHOWN)
}

/// Says that nothing was found, and what to do if something waits to be drained.
pub fn say_none(store: &Path, what: &str) -> Result<(), Failure> {
    out::say(what);
    let lines = waiting(store, when::now())?.lines;
    if lines > 0 {
        out::say(format!(
            "{lines} lines wait in the spool: rekal graph drain takes them in"
        ));
    }
    Ok(())
}
