//! The graph beside a toy search: ask, open what was found, ask again.
//!
//! `cargo run --example embed --no-default-features`
#![allow(clippy::print_stdout, reason = "an example prints what it shows")]

use std::error::Error;
use std::time::{SystemTime, UNIX_EPOCH};

use rekal::{Graph, Hint, Millis, SessionId, boost};

const SESSIONS: [(&str, &str); 3] = [
    ("session-1", "the jwt expiry was one hour, now it is refreshed"),
    ("session-2", "the login test is flaky because of the jwt expiry"),
    ("session-3", "the export writes a csv"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("rekal-embed-{}", std::process::id()));
    let graph = Graph::open(&folder)?;
    let recorder = graph.recorder();

    let found = search(&graph, "jwt expiry")?;
    recorder.recalled(now()?, None, "jwt expiry", &found);
    recorder.drilled(now()?, None, &found[1]);
    recorder.flush();
    println!("drained: {} edges", graph.drain(now()?)?.edges_new);
    search(&graph, "jwt expiry")?;
    Ok(std::fs::remove_dir_all(folder)?)
}

/// The sessions that hold a word of the query, the best first; each is printed with its hint.
fn search(graph: &Graph, query: &str) -> Result<Vec<SessionId>, Box<dyn Error>> {
    let ids = SESSIONS.map(|(id, _)| SessionId::try_from(id));
    let ids = ids.into_iter().collect::<Result<Vec<_>, _>>()?;
    let reaches: Vec<_> = graph.reach(&ids).into_iter().map(Option::unwrap_or_default).collect();
    let most = reaches.iter().map(|reach| reach.drills).max().unwrap_or(0);
    let mut rows = Vec::new();
    for ((id, (_, text)), reach) in ids.into_iter().zip(SESSIONS).zip(&reaches) {
        let words = query.split(' ').filter(|word| text.contains(word)).count();
        let score = words as f64 + 0.2 * boost::flat(reach.drills, most);
        if words > 0 {
            rows.push((score, id, Hint(reach)));
        }
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (score, id, hint) in &rows {
        println!("{score:.1} {id} {hint}");
    }
    Ok(rows.into_iter().map(|(_, id, _)| id).collect())
}

fn now() -> Result<Millis, Box<dyn Error>> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis() as Millis)
}
