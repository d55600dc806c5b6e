//! The agents: what they left, and what of it was read.

use std::path::Path;

use rekal::capture::{Census, census};
use rekal::session::Harness;

use super::finding::Finding;
use super::visit::Visit;
use crate::call::quoted;
use crate::out;

const AREA: &str = "agents";

pub fn findings(visit: &Visit<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for (at, agent) in Harness::ALL.into_iter().enumerate() {
        let known = visit.facts().and_then(|facts| facts.agents.get(at).cloned());
        // Nothing is read without a ledger, so nothing fails.
        let census = known.or_else(|| census(None, &visit.discovered.found, agent).ok());
        let roots = visit.roots.of(agent);
        // Of several places the one that is there is meant.
        let root = roots.iter().find(|root| root.exists()).or(roots.first());
        if let (Some(census), Some(root)) = (census, root) {
            found.extend(of_agent(visit, agent, &census, root));
        }
    }
    found.extend(visit.discovered.unreadable.iter().map(|why| unreadable(visit, why)));
    found
}

fn of_agent(visit: &Visit<'_>, agent: Harness, census: &Census, root: &Path) -> Vec<Finding> {
    let name = agent.as_str();
    let is_expected = matches!(agent, Harness::Claude | Harness::Codex);
    if census.transcripts == 0 && !is_expected && !root.exists() {
        return Vec::new();
    }
    if census.transcripts == 0 {
        let what = format!("{name}: no transcript in {}", root.display());
        return vec![Finding::info(AREA, what).at(root)];
    }
    let mut what = format!("{name}: {}", out::counted(census.transcripts, "transcript"));
    let parts = [
        (census.sessions, "captured"),
        (census.elsewhere, "of other folders"),
        (census.copies, "copies"),
        (census.nothing, "without a session"),
        (census.unread, "new or changed since the last checkpoint"),
    ];
    for (count, part) in parts.iter().filter(|(count, _)| *count > 0) {
        what += &format!(", {count} {part}");
    }
    let mut counts = Finding::info(AREA, what).at(root);
    if census.unread > 0 && visit.facts().is_some() {
        counts = counts.remedy_is(visit.call.line("checkpoint"));
    }
    let mut found = vec![counts];
    if let Some(file) = &census.most_skipped {
        let lines = out::counted(census.skipped_lines, "line");
        let what = format!("{name}: {lines} could not be read and were left out, most of them in {file}");
        found.push(Finding::info(AREA, what).at(file));
    }
    found
}

fn unreadable(visit: &Visit<'_>, why: &str) -> Finding {
    // A link to a folder around it hides nothing that is not found there.
    if why.ends_with("a link to a folder around it") {
        return Finding::info(AREA, why);
    }
    let finding = Finding::warning(AREA, format!("some transcripts are not seen: {why}"));
    let mut roots = Harness::ALL.into_iter().flat_map(|agent| visit.roots.of(agent));
    match roots.find(|root| why.contains(&root.display().to_string())) {
        Some(root) => finding.at(&root).remedy_is(format!("chmod -R u+rX {}", quoted(&root))),
        None => finding,
    }
}
