//! Events on their way into the ledger, with every session and every query named once.
//!
//! The more events are taken in together, the more rows lie side by side when they are written in the
//! order of their keys: pages fill up, and each is touched once. A million edges in portions of 100,000
//! came to 71 bytes an edge on disk, all at once to 40, in a third less time.

use std::collections::HashMap;
use std::hash::Hash;

use super::intern::{query_number, target_number};
use super::packed::pack;
use super::tables::Tables;
use crate::Result;
use crate::edge::{Act, Event, SessionId, Ulid};
use crate::hash::fnv64;

/// About so many bytes are held at most, whatever the events look like: a million edges and more.
const FULL: usize = 64 << 20;

/// What a map needs for a name beside its text.
const NAME: usize = 64;

/// A place in a map of names, from 1; 0 stands for none. Later the number that the ledger gives it.
type Place = u32;

/// Events that are taken in together.
#[derive(Default)]
pub(super) struct Batch {
    entries: Vec<Entry>,
    targets: Vec<Place>,
    sessions: HashMap<SessionId, Place>,
    queries: HashMap<String, Place>,
    texts: usize,
}

/// One event; its targets lie in `targets`, in the order in which they were surfaced.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) id: Ulid,
    /// 0: a drill.
    pub(super) query: Place,
    /// 0: not known.
    pub(super) source: Place,
    first: u32,
    pub(super) count: u32,
    /// Whether that order is known.
    pub(super) is_ranked: bool,
}

impl Batch {
    pub(super) fn push(&mut self, event: Event) {
        let is_ranked = event.is_ranked();
        let (id, act, targets, source) = event.into_parts();
        let first = self.targets.len() as u32;
        let count = targets.len() as u32;
        for target in targets {
            let target = place(&mut self.sessions, target, |id| id.as_str().len(), &mut self.texts);
            self.targets.push(target);
        }
        let source = source.map(|id| place(&mut self.sessions, id, |id| id.as_str().len(), &mut self.texts));
        let query = match act {
            Act::Recall(text) => place(&mut self.queries, text, String::len, &mut self.texts),
            Act::Drill => 0,
        };
        self.entries.push(Entry {
            id,
            query,
            source: source.unwrap_or(0),
            first,
            count,
            is_ranked,
        });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether it is time to write what is here. An edge is counted with what is made of it then.
    pub(super) fn is_full(&self) -> bool {
        self.texts + self.entries.len() * 4 * size_of::<Entry>() + self.targets.len() * 16 >= FULL
    }

    /// Puts the events in the order of their ids and keeps those that `is_new`, the first of each id.
    pub(super) fn retain(&mut self, mut is_new: impl FnMut(&Entry, bool) -> Result<bool>) -> Result<()> {
        self.entries.sort_by_key(|entry| entry.id);
        let mut kept: Vec<Entry> = Vec::with_capacity(self.entries.len());
        for entry in self.entries.drain(..) {
            let repeated = kept.last().is_some_and(|last| last.id == entry.id);
            if is_new(&entry, repeated)? {
                kept.push(entry);
            }
        }
        self.entries = kept;
        Ok(())
    }

    /// Looks every session and query of the events up, in the order of their keys, and numbers the new
    /// ones; places become numbers. What only dropped events named gets none.
    pub(super) fn number(&mut self, tables: &mut Tables<'_>) -> Result<()> {
        let mut sessions = vec![0; self.sessions.len() + 1];
        let mut queries = vec![0; self.queries.len() + 1];
        for entry in &self.entries {
            for place in self.targets[entry.range()].iter().chain([&entry.source]) {
                sessions[*place as usize] = 1;
            }
            queries[entry.query as usize] = 1;
        }
        (sessions[0], queries[0]) = (0, 0);
        let named = self.sessions.drain().filter(|(_, place)| sessions[*place as usize] > 0);
        let mut packed: Vec<(Vec<u8>, Place)> = named.map(|(id, place)| (pack(&id), place)).collect();
        packed.sort_unstable();
        for (bytes, place) in packed {
            sessions[place as usize] = target_number(tables, &bytes)?;
        }
        let named = self.queries.drain().filter(|(_, place)| queries[*place as usize] > 0);
        let mut hashed: Vec<(u64, String, Place)> = named
            .map(|(text, place)| (fnv64(text.as_bytes()), text, place))
            .collect();
        hashed.sort_unstable();
        for (hash, text, place) in hashed {
            queries[place as usize] = query_number(tables, hash, &text)?;
        }
        for target in &mut self.targets {
            *target = sessions[*target as usize];
        }
        for entry in &mut self.entries {
            entry.query = queries[entry.query as usize];
            entry.source = sessions[entry.source as usize];
        }
        Ok(())
    }

    /// The events, in the order of their ids once they were retained.
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The targets of one of them.
    pub(super) fn targets(&self, entry: &Entry) -> &[u32] {
        &self.targets[entry.range()]
    }
}

impl Entry {
    fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

fn place<K: Hash + Eq>(places: &mut HashMap<K, Place>, name: K, len: fn(&K) -> usize, texts: &mut usize) -> Place {
    let (next, len) = (places.len() as Place + 1, len(&name));
    *places.entry(name).or_insert_with(|| {
        *texts += NAME + len;
        next
    })
}
