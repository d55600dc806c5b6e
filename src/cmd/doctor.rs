mod agents;
mod finding;
mod permissions;
mod published;
mod repository;
mod settings;
mod spool;
mod store;
mod visit;

use serde::Serialize;

use crate::answer::{Answer, Outcome};
use crate::call::Call;
use crate::out;
use finding::Finding;
use visit::Visit;

/// Look for what is wrong, and say what to do about it; exit 1 if something is
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal doctor --json")]
pub struct Doctor {}

/// What is looked at, in this order.
const PARTS: [fn(&Visit<'_>) -> Vec<Finding>; 7] = [
    store::findings,
    permissions::findings,
    spool::findings,
    published::findings,
    agents::findings,
    repository::findings,
    settings::findings,
];

#[derive(Serialize)]
struct Printed<'a> {
    findings: &'a [Finding],
}

impl Doctor {
    pub fn run(self, call: &Call) -> Outcome {
        let visit = Visit::new(call)?;
        let findings: Vec<Finding> = PARTS.iter().flat_map(|part| part(&visit)).collect();
        let wrong = findings.iter().filter(|finding| finding.is_wrong()).count() as u64;
        if call.json {
            out::print_json(&Printed { findings: &findings })?;
        } else {
            out::print(&findings.iter().map(Finding::text).collect::<String>())?;
            out::say(match wrong {
                0 => "nothing is wrong".to_owned(),
                1 => "1 thing is wrong".to_owned(),
                more => format!("{more} things are wrong"),
            });
        }
        Ok(Answer::from(wrong == 0))
    }
}
