//! What is published, held against the ledger.

use rekal::capture::index_of;
use rekal::graph::Freshness;

use super::finding::Finding;
use super::visit::Visit;
use crate::out;

pub fn findings(visit: &Visit<'_>) -> Vec<Finding> {
    let Some(facts) = visit.facts() else {
        return Vec::new();
    };
    vec![index(visit, facts.index), fold(visit), reach(visit)]
        .into_iter()
        .flatten()
        .collect()
}

fn index(visit: &Visit<'_>, index: Freshness) -> Option<Finding> {
    let rebuild = visit.call.line("index");
    let finding = match index {
        Freshness::Current => return Some(Finding::info("index", "it holds what the ledger holds")),
        Freshness::Behind => Finding::warning("index", "it does not hold the latest sessions of the ledger")
            .remedy_is(visit.call.line("checkpoint")),
        Freshness::Foreign => Finding::error(
            "index",
            "it is of another ledger, or of a state that this one never had",
        )
        .remedy_is(rebuild),
        Freshness::Damaged => Finding::error("index", "it is damaged, or not complete").remedy_is(rebuild),
        Freshness::Missing => {
            Finding::error("index", "there is none that this version can read, so recall is silent").remedy_is(rebuild)
        }
    };
    Some(finding.at(index_of(&visit.place.dir)))
}

/// The sums that the ledger keeps, against the edges that they are of.
fn fold(visit: &Visit<'_>) -> Option<Finding> {
    let differing = visit.facts()?.verified.differing.len() as u64;
    (differing > 0).then(|| {
        let what = format!(
            "the reach of {} is not what its edges add up to",
            out::counted(differing, "session")
        );
        Finding::error("reach", what)
            .at(visit.place.dir.join("store.redb"))
            .remedy_is(visit.call.line("graph rebuild"))
    })
}

fn reach(visit: &Visit<'_>) -> Option<Finding> {
    let facts = visit.facts()?;
    let what = match facts.reach {
        Freshness::Current if facts.verified.published => {
            return Some(Finding::info("reach", "what is published says what the ledger says"));
        }
        Freshness::Current => "what is published says something else than the ledger",
        Freshness::Behind => "what is published is of an earlier state of the ledger",
        Freshness::Foreign => "what is published is of another ledger, or of a state that this one never had",
        Freshness::Damaged => "what is published is damaged, so recall shows no hints",
        Freshness::Missing => "nothing is published, so recall shows no hints",
    };
    Some(
        Finding::error("reach", what)
            .at(visit.place.dir.join("reach.snap"))
            .remedy_is(visit.call.line("graph rebuild")),
    )
}
