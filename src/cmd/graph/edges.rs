//! What the questions to the graph have in common: how an edge is shown, and what is said when there
//! is none.

use std::path::Path;

use rekal::edge::{Kind, SessionId};
use rekal::graph::EdgeLine;
use rekal::spool::waiting::waiting;
use serde::Serialize;

use crate::answer::Failure;
use crate::columns::columns;
use crate::handles::Handles;
use crate::{out, when};

/// How many characters of a query are shown in a row.
const SHOWN: usize = 80;

/// Something of a session, with the handle of that session if it has one.
#[derive(Serialize)]
pub struct Named<T> {
    #[serde(flatten)]
    pub row: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
}

/// An edge with the handles of its sessions.
#[derive(Serialize)]
pub struct NamedEdge {
    #[serde(flatten)]
    edge: Named<EdgeLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_handle: Option<String>,
}

impl<T> Named<T> {
    /// With the handle of this session.
    pub fn of(row: T, session: impl Fn(&T) -> &SessionId, handles: &Handles) -> Self {
        let handle = handles.handle(session(&row));
        Self { row, handle }
    }
}

/// The edges, for programs.
pub fn named(edges: Vec<EdgeLine>, handles: &Handles) -> Vec<NamedEdge> {
    let named = edges.into_iter().map(|edge| NamedEdge {
        source_handle: edge.source.as_ref().and_then(|source| handles.handle(source)),
        edge: Named::of(edge, |edge| &edge.session_id, handles),
    });
    named.collect()
}

/// A row for each edge.
pub fn table(edges: Vec<EdgeLine>, handles: &Handles) -> String {
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
            handles.name(&edge.session_id),
            edge.source.map_or("-".to_owned(), |source| handles.name(&source)),
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
        let (wait, them) = if lines == 1 { ("waits", "it") } else { ("wait", "them") };
        let lines = out::counted(lines, "line");
        out::say(format!(
            "{lines} {wait} in the spool: rekal graph drain takes {them} in"
        ));
    }
    Ok(())
}
