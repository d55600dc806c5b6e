//! The repository around: what `rekal init` puts into it.

use super::finding::Finding;
use super::visit::Visit;
use crate::setup::mark::State;
use crate::setup::{Found, Piece, Site};

const AREA: &str = "repository";

pub fn findings(visit: &Visit<'_>) -> Vec<Finding> {
    let Ok(site) = Site::around(visit.call.env.current_dir.as_deref(), "look at") else {
        return Vec::new();
    };
    let pieces = match Found::all(&site) {
        Ok(pieces) => pieces,
        Err(failure) => return vec![Finding::error(AREA, failure.message()).at(&site.root)],
    };
    if pieces
        .iter()
        .all(|found| matches!(found.state, State::Absent | State::Foreign))
    {
        let what = "not set up: checkpoints are run by hand, and agents are told nothing";
        return vec![
            Finding::info(AREA, what)
                .at(&site.root)
                .remedy_is(visit.call.line("init")),
        ];
    }
    pieces.iter().filter_map(|found| piece(visit, &site, found)).collect()
}

fn piece(visit: &Visit<'_>, site: &Site, found: &Found) -> Option<Finding> {
    let path = site.short(&found.path);
    let finding = match (found.state, found.piece) {
        // They are asked for with an option of their own.
        (State::Absent, Piece::AgentHooks) => return None,
        (State::Absent, piece) => {
            let what = format!(
                "{path}: {} missing, although others of rekal init are there",
                name(piece)
            );
            Finding::warning(AREA, what).remedy_is(visit.call.line("init"))
        }
        (State::Ours, piece) => Finding::info(AREA, format!("{path}: {} as rekal init wrote it", name(piece))),
        (State::Changed, piece) => {
            let what = format!("{path}: {} changed by hand, and left alone", name(piece));
            Finding::info(AREA, what)
        }
        (State::Foreign, _) => {
            let why = found.obstacle.unwrap_or("it is no text");
            Finding::info(AREA, format!("{path}: holds nothing of rekal init: {why}"))
        }
        (State::ByHand, _) => Finding::info(AREA, format!("{path}: a hook of your own runs a checkpoint")),
    };
    Some(finding.at(&found.path))
}

fn name(piece: Piece) -> &'static str {
    match piece {
        Piece::Hook => "the hook is",
        Piece::Skill => "the skill is",
        Piece::Instruction => "the line for agents is",
        Piece::AgentHooks => "the agent's hooks are",
    }
}
