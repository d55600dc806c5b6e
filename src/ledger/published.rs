//! What the ledger publishes of its targets, read in a transaction of either kind.

use std::collections::BTreeSet;

use redb::ReadableTable;

use super::packed::{pack, unpack};
use super::refold::edges_of;
use super::rows;
use super::tables::{self, Bytes, During, Pair, ReadTables, Tables, query_of, reach_key, target_of};
use crate::edge::SessionId;
use crate::reach::{self, Fold, Query, Reach, Tally};
use crate::{Error, Result};

/// The tables of the graph as far as they are read, in a read or a write transaction.
pub(crate) trait View {
    fn targets(&self) -> &impl ReadableTable<u32, Bytes>;
    fn target_ids(&self) -> &impl ReadableTable<Bytes, u32>;
    fn queries(&self) -> &impl ReadableTable<u32, &'static str>;
    fn events(&self) -> &impl ReadableTable<&'static [u8; 16], Bytes>;
    fn edges(&self) -> &impl ReadableTable<Pair, u8>;
    fn reach(&self) -> &impl ReadableTable<&'static [u8; 8], Bytes>;

    /// The reach of one target. A target without edges has the empty reach.
    fn published(&self, target: u32) -> Result<(SessionId, Reach)> {
        let mut reach = self.counted(target)?;
        if reach.drills > 0 {
            reach.led = self.led(target)?;
        }
        Ok((self.session(target)?, reach))
    }

    /// The same without the queries that led to openings.
    fn counted(&self, target: u32) -> Result<Reach> {
        let totals = tables::totals(self.reach(), target)?;
        let query = match totals.top_query {
            0 => None,
            query => Some(tables::text(self.queries(), query)?),
        };
        Ok(Reach {
            count: totals.count,
            drills: totals.drills,
            query,
            led: Vec::new(),
        })
    }

    /// The same where `led` is what it published before, and at most these queries led to other openings since.
    fn published_after(&self, target: u32, mut led: Vec<(String, u32)>, queries: &BTreeSet<Query>) -> Result<Reach> {
        for query in queries {
            let text = tables::text(self.queries(), *query)?;
            let times = tables::tally(self.reach(), target, *query)?.map_or(0, |tally| tally.led);
            match led.binary_search_by(|(known, _)| known.cmp(&text)) {
                Ok(at) => led[at].1 = times,
                Err(at) => led.insert(at, (text, times)),
            }
        }
        led.retain(|(_, times)| *times > 0);
        let reach = self.counted(target)?;
        Ok(Reach { led, ..reach })
    }

    /// The reach of every target that has edges.
    fn published_all(&self) -> Result<Vec<(SessionId, Reach)>> {
        self.reached()?
            .into_iter()
            .map(|target| self.published(target))
            .collect()
    }

    /// The numbers of the targets that have totals, ascending.
    fn reached(&self) -> Result<Vec<u32>> {
        let mut targets = Vec::new();
        for entry in self.reach().iter().during("read session_reach")? {
            let (key, _) = entry.during("read session_reach")?;
            if query_of(key.value()) == 0 {
                targets.push(target_of(key.value()));
            }
        }
        Ok(targets)
    }

    /// The session of a number.
    fn session(&self, target: u32) -> Result<SessionId> {
        let missing = || Error::corrupt("rekal.targets", format!("session {target} is missing"));
        let packed = self
            .targets()
            .get(target)
            .during("read a session's id")?
            .ok_or_else(missing)?;
        unpack(packed.value()).ok_or_else(|| Error::corrupt("rekal.targets", format!("session {target} is no id")))
    }

    /// The number of a session, if it has one.
    fn number(&self, session: &SessionId) -> Result<Option<u32>> {
        let number = self
            .target_ids()
            .get(pack(session).as_slice())
            .during("look a session up")?;
        Ok(number.map(|number| number.value()))
    }

    /// The fold over a target's edges, with the tally of every query.
    fn folded(&self, target: u32) -> Result<Fold> {
        let seen = edges_of(self.edges(), self.events(), target)?;
        reach::fold(&seen, &|query| tables::text(self.queries(), query))
    }

    /// The kept tallies of a target.
    fn tallies(&self, target: u32) -> Result<Vec<(Query, Tally)>> {
        let (first, last) = (reach_key(target, 1), reach_key(target, Query::MAX));
        let mut tallies = Vec::new();
        for entry in self.reach().range::<&[u8; 8]>(&first..=&last).during("read tallies")? {
            let (key, row) = entry.during("read tallies")?;
            tallies.push((query_of(key.value()), rows::decode(row.value(), "rekal.session_reach")?));
        }
        Ok(tallies)
    }

    fn led(&self, target: u32) -> Result<Vec<(String, u32)>> {
        let mut led = Vec::new();
        for (query, tally) in self.tallies(target)? {
            if tally.led > 0 {
                led.push((tables::text(self.queries(), query)?, tally.led));
            }
        }
        led.sort_unstable();
        Ok(led)
    }
}

macro_rules! view {
    ($tables:ty) => {
        impl View for $tables {
            fn targets(&self) -> &impl ReadableTable<u32, Bytes> {
                &self.targets
            }

            fn target_ids(&self) -> &impl ReadableTable<Bytes, u32> {
                &self.target_ids
            }

            fn queries(&self) -> &impl ReadableTable<u32, &'static str> {
                &self.queries
            }

            fn events(&self) -> &impl ReadableTable<&'static [u8; 16], Bytes> {
                &self.events
            }

            fn edges(&self) -> &impl ReadableTable<Pair, u8> {
                &self.edges
            }

            fn reach(&self) -> &impl ReadableTable<&'static [u8; 8], Bytes> {
                &self.reach
            }
        }
    };
}

view!(ReadTables);
view!(Tables<'_>);
