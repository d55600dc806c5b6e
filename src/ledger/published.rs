//! What the ledger publishes of its targets.

use redb::ReadableTable;

use super::packed::unpack;
use super::rows;
use super::tables::{self, During, ReadTables, query_of, reach_key, target_of};
use crate::edge::SessionId;
use crate::reach::{Query, Reach, Tally};
use crate::{Error, Result};

impl ReadTables {
    /// The reach of one target. A target without a counted edge has the empty reach.
    pub(crate) fn published(&self, target: u32) -> Result<(SessionId, Reach)> {
        let totals = tables::totals(&self.reach, target)?;
        let query = match totals.top_query {
            0 => None,
            query => Some(tables::text(&self.queries, query)?),
        };
        let led = if totals.drills > 0 {
            self.led(target)?
        } else {
            Vec::new()
        };
        let reach = Reach {
            count: totals.count,
            drills: totals.drills,
            query,
            led,
        };
        Ok((self.session(target)?, reach))
    }

    /// The reach of every target that has edges.
    pub(crate) fn published_all(&self) -> Result<Vec<(SessionId, Reach)>> {
        self.reached()?
            .into_iter()
            .map(|target| self.published(target))
            .collect()
    }

    /// The numbers of the targets that have totals, ascending.
    pub(crate) fn reached(&self) -> Result<Vec<u32>> {
        let mut targets = Vec::new();
        for entry in self.reach.iter().during("read session_reach")? {
            let (key, _) = entry.during("read session_reach")?;
            if query_of(key.value()) == 0 {
                targets.push(target_of(key.value()));
            }
        }
        Ok(targets)
    }

    /// The session of a number.
    pub(crate) fn session(&self, target: u32) -> Result<SessionId> {
        let missing = || Error::corrupt("rekal.targets", format!("session {target} is missing"));
        let packed = self
            .targets
            .get(target)
            .during("read a session's id")?
            .ok_or_else(missing)?;
        unpack(packed.value()).ok_or_else(|| Error::corrupt("rekal.targets", format!("session {target} is no id")))
    }

    /// The kept tallies of a target.
    pub(crate) fn tallies(&self, target: u32) -> Result<Vec<(Query, Tally)>> {
        let (first, last) = (reach_key(target, 1), reach_key(target, Query::MAX));
        let mut tallies = Vec::new();
        for entry in self.reach.range::<&[u8; 8]>(&first..=&last).during("read tallies")? {
            let (key, row) = entry.during("read tallies")?;
            tallies.push((query_of(key.value()), rows::decode(row.value(), "rekal.session_reach")?));
        }
        Ok(tallies)
    }

    fn led(&self, target: u32) -> Result<Vec<(String, u32)>> {
        let mut led = Vec::new();
        for (query, tally) in self.tallies(target)? {
            if tally.led > 0 {
                led.push((tables::text(&self.queries, query)?, tally.led));
            }
        }
        led.sort_unstable();
        Ok(led)
    }
}
