//! Whatever the portions and the order of arrival: the ledger says what a naive model says.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use proptest::prelude::*;
use redb::{Database, ReadableDatabase};

use super::View;
use super::absorb::{Absorbed, absorb};
use super::forget::{Forget, forget};
use super::tables::{ReadTables, Tables};
use super::verify::{Verify, rebuild};
use crate::edge::{Act, Event, SessionId, Ulid};
use crate::reach::Reach;
use crate::time::Millis;

const MINUTE: Millis = 60_000;

/// A ledger in memory.
struct Memory(Database);

impl Memory {
    fn new() -> Self {
        let backend = redb::backends::InMemoryBackend::new();
        Self(Database::builder().create_with_backend(backend).expect("a database"))
    }

    fn absorb(&self, events: &[Event]) -> Absorbed {
        let txn = self.0.begin_write().expect("a transaction");
        let mut tables = Tables::open(&txn).expect("tables");
        let mut report = Absorbed::default();
        absorb(&mut tables, events.iter().cloned().map(Ok), &mut report).expect("absorbed");
        tables.write_numbers(true).expect("written");
        drop(tables);
        txn.commit().expect("committed");
        report
    }

    fn forget(&self, what: &Forget) {
        let txn = self.0.begin_write().expect("a transaction");
        let mut tables = Tables::open(&txn).expect("tables");
        forget(&mut tables, what).expect("forgotten");
        tables.write_numbers(true).expect("written");
        drop(tables);
        txn.commit().expect("committed");
    }

    fn rebuild(&self) {
        let txn = self.0.begin_write().expect("a transaction");
        let mut tables = Tables::open(&txn).expect("tables");
        rebuild(&mut tables).expect("rebuilt");
        tables.write_numbers(true).expect("written");
        drop(tables);
        txn.commit().expect("committed");
    }

    fn read(&self) -> ReadTables {
        ReadTables::open(&self.0.begin_read().expect("reading")).expect("tables")
    }

    fn reach(&self) -> BTreeMap<SessionId, Reach> {
        self.read().published_all().expect("read").into_iter().collect()
    }
}

/// The events that are remembered, and the ids of those that are not.
#[derive(Default)]
struct Model {
    alive: BTreeMap<Ulid, Event>,
    dead: HashSet<Ulid>,
    forgotten_sessions: u32,
}

impl Model {
    fn absorb(&mut self, events: &[Event]) {
        for event in events.iter().filter(|event| !self.dead.contains(&event.id())) {
            self.alive.entry(event.id()).or_insert_with(|| event.clone());
        }
    }

    fn forget(&mut self, what: &Forget) {
        match what {
            Forget::Event(id) => self.bury(|event| event.id() == *id, Some(*id)),
            Forget::Query(query) => self.bury(|event| event.query() == Some(query), None),
            Forget::Text(text) => self.bury(|event| event.query().is_some_and(|query| query.contains(text)), None),
            Forget::Before(end) => self.bury(|event| event.at() < *end, None),
            Forget::Session(session) => self.forget_session(session),
        }
    }

    fn bury(&mut self, is_doomed: impl Fn(&Event) -> bool, even_unknown: Option<Ulid>) {
        let doomed: Vec<Ulid> = self
            .alive
            .values()
            .filter(|event| is_doomed(event))
            .map(Event::id)
            .collect();
        self.alive.retain(|id, _| !doomed.contains(id));
        self.dead.extend(doomed.into_iter().chain(even_unknown));
    }

    /// Its edges go; where it did the reaching somebody did, but nobody who comes after is the same.
    fn forget_session(&mut self, gone: &SessionId) {
        self.forgotten_sessions += 1;
        let nobody = session(&format!("nobody {}", self.forgotten_sessions));
        for (id, event) in std::mem::take(&mut self.alive) {
            let act = event.query().map_or(Act::Drill, |query| Act::Recall(query.to_owned()));
            let targets = event
                .targets()
                .iter()
                .filter(|target| *target != gone)
                .cloned()
                .collect();
            let source = event
                .source()
                .map(|source| if source == gone { &nobody } else { source });
            match Event::new(id, act, targets, source.cloned()) {
                Some(event) => drop(self.alive.insert(id, event)),
                None => drop(self.dead.insert(id)),
            }
        }
    }

    /// The reach of every session, each counted from scratch.
    fn reach(&self) -> BTreeMap<SessionId, Reach> {
        let sorted: Vec<&Event> = self.alive.values().collect();
        let targets: BTreeSet<&SessionId> = sorted.iter().flat_map(|event| event.targets()).collect();
        targets
            .into_iter()
            .map(|target| (target.clone(), model_of(target, &sorted)))
            .collect()
    }
}

fn model_of(target: &SessionId, sorted: &[&Event]) -> Reach {
    let mine: Vec<&&Event> = sorted.iter().filter(|event| event.targets().contains(target)).collect();
    let mut counts: BTreeMap<&str, (u32, Millis)> = BTreeMap::new();
    let mut led: BTreeMap<String, u32> = BTreeMap::new();
    let (mut count, mut drills) = (0, 0);
    for (at, event) in mine.iter().enumerate() {
        if let Some(query) = event.query() {
            count += 1;
            let tally = counts.entry(query).or_default();
            *tally = (tally.0 + 1, event.at());
            continue;
        }
        let recent = || {
            mine[..at]
                .iter()
                .filter(|before| event.at() - before.at() <= 30 * MINUTE)
        };
        let page = event.source().is_some() && recent().any(|b| b.query().is_none() && b.source() == event.source());
        if page {
            continue;
        }
        count += 1;
        drills += 1;
        let fits = |b: &&&&Event| b.source().is_none() || event.source().is_none() || b.source() == event.source();
        if let Some(credited) = recent().filter(|b| b.query().is_some()).rfind(fits) {
            *led.entry(credited.query().expect("a recall").to_owned()).or_default() += 1;
        }
    }
    let best = counts.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)));
    Reach {
        count,
        drills,
        query: best.map(|(query, _)| (*query).to_owned()),
        led: led.into_iter().collect(),
    }
}

fn session(name: &str) -> SessionId {
    name.parse().expect("an id")
}

/// Times that meet the edges of the window, and each other.
fn time() -> impl Strategy<Value = Millis> {
    let around = prop_oneof![
        Just(0),
        Just(1),
        Just(30 * MINUTE - 1),
        Just(30 * MINUTE),
        Just(30 * MINUTE + 1)
    ];
    (0u64..4, around).prop_map(|(step, offset)| 1_790_000_000_000 + step * 20 * MINUTE + offset)
}

fn event() -> impl Strategy<Value = Event> {
    let act = prop_oneof![3 => (0..3usize).prop_map(Some), 2 => Just(None)];
    let source = prop_oneof![Just(None), Just(Some("x")), Just(Some("y")), Just(Some("a"))];
    let targets = proptest::collection::vec(prop_oneof![Just("a"), Just("b"), Just("c")], 1..4);
    (time(), 0u128..4, act, targets, source).prop_filter_map("an event", |(at, chance, act, targets, source)| {
        let act = match act {
            Some(query) => Act::Recall(["bravo", "alpha", "carol"][query].to_owned()),
            None => Act::Drill,
        };
        let targets = targets.into_iter().map(session).collect();
        Event::new(Ulid::from_parts(at, chance), act, targets, source.map(session))
    })
}

/// What happens to a ledger.
#[derive(Clone, Debug)]
enum Step {
    Absorb(Vec<Event>),
    Forget(Forget),
    /// A portion that was absorbed before comes again.
    Replay(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let forget = prop_oneof![
        prop_oneof![Just("bravo"), Just("alpha")].prop_map(|query| Forget::Query(query.into())),
        Just(Forget::Text("a".into())),
        prop_oneof![Just("a"), Just("x")].prop_map(|name| Forget::Session(session(name))),
        time().prop_map(Forget::Before),
        (time(), 0u128..4).prop_map(|(at, chance)| Forget::Event(Ulid::from_parts(at, chance))),
    ];
    prop_oneof![
        8 => proptest::collection::vec(event(), 0..6).prop_map(Step::Absorb),
        1 => forget.prop_map(Step::Forget),
        1 => (0..8usize).prop_map(Step::Replay),
    ]
}

/// Two events of one id are the same event: in the world an id is made once.
fn agree_on_ids(steps: &mut [Step]) {
    let mut first: HashMap<Ulid, Event> = HashMap::new();
    for step in steps {
        if let Step::Absorb(events) = step {
            for event in events {
                *event = first.entry(event.id()).or_insert_with(|| event.clone()).clone();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn incremental_equals_rebuild_equals_the_model(mut steps in proptest::collection::vec(step(), 1..10)) {
        agree_on_ids(&mut steps);
        let (ledger, mut model) = (Memory::new(), Model::default());
        let portion = |at: usize| match steps.get(at) {
            Some(Step::Absorb(events)) => events.as_slice(),
            _ => &[],
        };
        for step in &steps {
            match step {
                Step::Absorb(events) => {
                    ledger.absorb(events);
                    model.absorb(events);
                    let again = ledger.absorb(events);
                    prop_assert_eq!((again.events, again.edges_new), (0, 0));
                }
                Step::Forget(what) => {
                    ledger.forget(what);
                    model.forget(what);
                }
                Step::Replay(at) => {
                    ledger.absorb(portion(*at));
                    model.absorb(portion(*at));
                }
            }
        }
        let incremental = ledger.reach();
        prop_assert_eq!(&incremental, &model.reach());
        prop_assert_eq!(ledger.read().differing().expect("read").0, Vec::<u32>::new());
        ledger.rebuild();
        prop_assert_eq!(incremental, ledger.reach());
    }
}

fn recall(at: Millis, query: &str, targets: &[&str]) -> Event {
    let targets = targets.iter().map(|target| session(target)).collect();
    Event::new(Ulid::from_parts(at, 7), Act::Recall(query.into()), targets, None).expect("an event")
}

#[test]
fn a_report_counts_what_was_new_and_what_was_known() {
    let ledger = Memory::new();
    let first = ledger.absorb(&[recall(1, "jwt", &["a", "b"])]);
    assert_eq!((first.events, first.edges_new, first.edges_known), (1, 2, 0));
    let second = ledger.absorb(&[recall(1, "jwt", &["a", "b"]), recall(2, "jwt", &["a"])]);
    assert_eq!((second.events, second.edges_new, second.edges_known), (1, 1, 2));
}

#[test]
fn a_query_that_comes_back_finds_its_single_edge_in_either_direction() {
    let ledger = Memory::new();
    ledger.absorb(&[recall(1, "rare", &["a"])]);
    let others: Vec<Event> = (2..40).map(|at| recall(at, &format!("q{at}"), &["a"])).collect();
    ledger.absorb(&others);
    ledger.absorb(&[recall(50, "rare", &["a"])]);
    assert_eq!(ledger.reach()[&session("a")].query.as_deref(), Some("rare"));

    // Here the query has many events and the target few edges.
    let busy: Vec<Event> = (100..140).map(|at| recall(at, "busy", &["b"])).collect();
    ledger.absorb(&busy);
    ledger.absorb(&[recall(90, "other", &["c"]), recall(99, "busy", &["c"])]);
    ledger.absorb(&[recall(141, "other", &["b"]), recall(142, "busy", &["c"])]);
    assert_eq!(ledger.reach()[&session("c")].query.as_deref(), Some("busy"));
    assert!(ledger.read().differing().expect("read").0.is_empty());
}

#[test]
fn verify_sees_a_row_that_is_wrong() {
    let ledger = Memory::new();
    ledger.absorb(&[recall(1, "jwt", &["a"]), recall(2, "jwt", &["a"])]);
    let txn = ledger.0.begin_write().expect("a transaction");
    let mut tables = Tables::open(&txn).expect("tables");
    let key = super::tables::reach_key(1, 1);
    tables.reach.remove(&key).expect("removed").expect("a tally");
    drop(tables);
    txn.commit().expect("committed");
    assert_eq!(ledger.read().differing().expect("read"), (vec![1], 1));
    ledger.rebuild();
    assert_eq!(ledger.read().differing().expect("read"), (vec![], 1));
}
