//! What the doctor looks at, looked at once.

use std::collections::BTreeMap;

use rekal::capture::{self, Census, census};
use rekal::graph::{self, Freshness, Verified};
use rekal::ledger::{Ledger, guarded};
use rekal::session::Harness;
use rekal::time::Millis;
use rekal::transcript::{Discovered, Roots, discover};

use crate::answer::Failure;
use crate::call::Call;
use crate::place::Place;
use crate::when;

/// One visit.
pub struct Visit<'a> {
    pub call: &'a Call,
    pub place: Place,
    pub now: Millis,
    pub roots: Roots,
    pub discovered: Discovered,
    pub ledger: State,
}

/// What the ledger let itself be asked.
pub enum State {
    /// There is none.
    Absent,
    /// It could not be opened, or read.
    Refused(rekal::Error),
    /// It answered.
    Answered(Facts),
}

/// What the ledger says.
pub struct Facts {
    pub verified: Verified,
    pub reach: Freshness,
    pub index: Freshness,
    pub bad_lines: BTreeMap<String, u64>,
    pub agents: Vec<Census>,
}

impl<'a> Visit<'a> {
    pub fn new(call: &'a Call) -> Result<Self, Failure> {
        let place = call.place()?;
        let roots = call.roots(&place);
        let discovered = discover(&roots);
        // Opening makes one where there is none.
        let ledger = match place.dir.join("store.redb").exists() {
            true => match guarded(&place.dir, || facts(&Ledger::open_checked(&place.dir)?, &discovered)) {
                Ok(facts) => State::Answered(facts),
                Err(error) => State::Refused(error),
            },
            false => State::Absent,
        };
        Ok(Self {
            call,
            place,
            now: when::now(),
            roots,
            discovered,
            ledger,
        })
    }

    /// What the ledger says, if it says anything.
    pub fn facts(&self) -> Option<&Facts> {
        match &self.ledger {
            State::Answered(facts) => Some(facts),
            _ => None,
        }
    }

    /// Whether another process is at work on the store.
    pub fn is_busy(&self) -> bool {
        matches!(&self.ledger, State::Refused(error) if error.is_locked())
    }
}

fn facts(ledger: &Ledger, discovered: &Discovered) -> rekal::Result<Facts> {
    let agents = Harness::ALL
        .iter()
        .map(|agent| census(Some(ledger), &discovered.found, *agent));
    Ok(Facts {
        verified: graph::verify(ledger)?,
        reach: graph::freshness(ledger)?,
        index: capture::freshness(ledger)?,
        bad_lines: graph::bad_lines(ledger)?,
        agents: agents.collect::<rekal::Result<_>>()?,
    })
}
