//! What is set, and cannot be used.

use super::finding::Finding;
use super::visit::Visit;
use crate::config;

pub fn findings(visit: &Visit<'_>) -> Vec<Finding> {
    let files = visit.call.config_files(&visit.place);
    let complaints = config::read(&files).complaints.into_iter();
    let findings = complaints.map(|complaint| {
        let remedy = format!("edit it; {} shows what is used meanwhile", visit.call.line("config"));
        Finding::warning("config", complaint.to_string())
            .at(complaint.path)
            .remedy_is(remedy)
    });
    findings.collect()
}
