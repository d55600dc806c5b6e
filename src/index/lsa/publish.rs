//! Bringing `lsa.bin` up to a state of the index that was just published.
//!
//! New sessions are folded in with the basis that is there; a new one is made when the store has become
//! another: its number of sessions differs by more than a quarter. A session that is to be forgotten is
//! reason for a new one, too. Where the sessions are few, a new one is made every time.
//!
//! It is published after the index. Killed in between, a writer leaves the vectors of an earlier state,
//! which say nothing of new sessions; the next commit brings them up.

use std::collections::BTreeSet;
use std::path::Path;

use super::basis::SparseRow;
use super::file::Lsa;
use super::rows::Rows;
use super::terms;
use super::vocabulary::{Count, Vocabulary, select, weight};
use crate::Result;
use crate::index::Index;
use crate::index::guard::writing;

/// A basis is made anew each time below so many sessions.
const FEW: usize = 64;

/// The number of sessions may always differ by this much.
const SOME: usize = 8;

/// The most sessions a basis is made from.
const MOST_SAMPLED: usize = 2_000;

/// The most terms of all sampled sessions together, which bounds what a basis costs.
const MOST_ENTRIES: u64 = 1_000_000;

/// Publishes the vectors of what the index holds. Since `before`, the ledger's change that it held, these
/// sessions were `put`.
///
/// # Errors
/// The index is damaged, or its folder cannot be written to.
pub(in crate::index) fn update(index: &Index, before: Option<u64>, put: &BTreeSet<u32>) -> Result<()> {
    let lsa = writing(&index.dir, || match usable(index) {
        Some(old) => {
            let follows = Some(old.change) == before;
            fold_in(index, old, |number| follows && !put.contains(&number))
        }
        None => build(index),
    })?;
    lsa.write(&index.dir)
}

/// Whether whole vectors of this very state are published.
pub(in crate::index) fn is_up_to(dir: &Path, ledger: u128, change: u64) -> bool {
    Lsa::read(dir).is_some_and(|lsa| (lsa.ledger, lsa.change) == (ledger, change))
}

/// What is published, if its basis still serves.
fn usable(index: &Index) -> Option<Lsa> {
    let now = index.sessions().len();
    let serves = |lsa: &Lsa| {
        let then = lsa.based_on as usize;
        lsa.ledger == index.ledger() && now.abs_diff(then) <= SOME.max(then / 4)
    };
    (now >= FEW).then(|| Lsa::read(&index.dir)).flatten().filter(serves)
}

fn build(index: &Index) -> tantivy::Result<Lsa> {
    let terms = select(terms::count(index)?);
    let hashes: Vec<u64> = terms.iter().map(|term| term.hash).collect();
    let numbers: Vec<u32> = index.sessions().collect();
    let sampled = sampled(&numbers, &terms);
    let mut sample = vec![SparseRow::new(); sampled.len()];
    terms::visit(index, &sampled, &hashes, |session, term, often| {
        sample[session].push((term as u32, weight(often)));
    })?;
    let vocabulary = Vocabulary::new(&terms, numbers.len(), sample);
    Ok(Lsa {
        ledger: index.ledger(),
        change: index.change(),
        based_on: numbers.len() as u32,
        sessions: fold(index, &vocabulary, &numbers)?,
        vocabulary,
        numbers,
    })
}

/// The sessions that a basis is made from, at even distances by number.
fn sampled(numbers: &[u32], terms: &[Count]) -> Vec<u32> {
    let entries: u64 = terms.iter().map(|term| u64::from(term.sessions)).sum();
    let each = entries / numbers.len().max(1) as u64;
    let most = (MOST_ENTRIES / each.max(1)).clamp(1, MOST_SAMPLED as u64) as usize;
    let count = most.min(numbers.len());
    (0..count).map(|at| numbers[at * numbers.len() / count]).collect()
}

/// Keeps the directions of sessions that are as they were.
fn fold_in(index: &Index, old: Lsa, is_as_it_was: impl Fn(u32) -> bool) -> tantivy::Result<Lsa> {
    let stays = |number: u32| {
        let at = old.numbers.binary_search(&number).ok();
        at.filter(|_| is_as_it_was(number))
    };
    let numbers: Vec<u32> = index.sessions().collect();
    let new: Vec<u32> = numbers
        .iter()
        .copied()
        .filter(|number| stays(*number).is_none())
        .collect();
    let folded = fold(index, &old.vocabulary, &new)?;
    let mut sessions = Rows::new(old.vocabulary.rows.dims);
    let mut next = 0..folded.len();
    for number in &numbers {
        let (scale, values) = match stays(*number) {
            Some(at) => old.sessions.row(at),
            None => folded.row(next.next().unwrap_or_default()),
        };
        sessions.append(scale, values.iter().copied());
    }
    Ok(Lsa {
        change: index.change(),
        numbers,
        sessions,
        ..old
    })
}

/// The directions of these sessions.
fn fold(index: &Index, vocabulary: &Vocabulary, numbers: &[u32]) -> tantivy::Result<Rows> {
    let dims = vocabulary.rows.dims;
    let mut sums = vec![0.0; numbers.len() * dims];
    terms::visit(index, numbers, &vocabulary.hashes, |session, term, often| {
        vocabulary.fold(&mut sums[session * dims..][..dims], term, weight(often));
    })?;
    let mut rows = Rows::new(dims);
    for sum in sums.chunks_exact(dims) {
        rows.push_direction(sum);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::index::fixture::{LEDGER, open, publish, session};
    use crate::index::{Publisher, Query};
    use crate::session::Conversation;

    const TOPICS: [&str; 2] = ["token", "chart"];

    /// Each topic has forty words of its own.
    fn word(topic: usize, number: u32) -> String {
        format!("{}{number}", TOPICS[topic])
    }

    /// A session about one of two topics, with some of its words.
    fn about(topic: usize, number: u32) -> Conversation {
        let words = (0..30).map(|at| word(topic, (number * 7 + at * at * 3) % 40));
        let text: Vec<String> = words.chain([TOPICS[topic].to_owned()]).collect();
        session(number, &format!("id-{number}"), &[&text.join(" ")])
    }

    /// Odd sessions are about tokens, even ones about charts.
    fn store(count: u32) -> Vec<Conversation> {
        (1..=count)
            .map(|number| about(1 - number as usize % 2, number))
            .collect()
    }

    fn bytes(dir: &Path) -> Vec<u8> {
        fs::read(dir.join("lsa.bin")).expect("published")
    }

    fn published(dir: &Path) -> Lsa {
        Lsa::read(dir).expect("whole")
    }

    fn put_and_commit(dir: &Path, sessions: &[Conversation], change: u64) {
        let mut publisher = Publisher::open(dir, LEDGER).expect("a publisher");
        for session in sessions {
            publisher.put(session).expect("put");
        }
        publisher.commit(change).expect("commit");
    }

    fn cosine(a: &[f32], b: &[f32]) -> f32 {
        let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        product(a, b) / (product(a, a) * product(b, b)).sqrt()
    }

    /// Of one session with each of the others.
    fn cosines_with(lsa: &Lsa, at: usize) -> Vec<f32> {
        let direction = |at| {
            lsa.sessions
                .row(at)
                .1
                .iter()
                .copied()
                .map(f32::from)
                .collect::<Vec<_>>()
        };
        let others = (0..lsa.numbers.len()).filter(|other| *other != at);
        others.map(|other| cosine(&direction(at), &direction(other))).collect()
    }

    fn likeness(dir: &Path, query: &str, number: u32) -> f32 {
        let found = open(dir).likeness(&Query::new(query));
        found
            .iter()
            .find(|(other, _)| *other == number)
            .map_or(0.0, |(_, cosine)| *cosine)
    }

    #[test]
    fn the_same_sessions_give_the_same_bytes_in_whatever_order_they_came() {
        let (one, other) = (
            tempfile::tempdir().expect("a folder"),
            tempfile::tempdir().expect("a folder"),
        );
        let sessions = store(20);
        publish(one.path(), &sessions);
        put_and_commit(one.path(), &[], 4);
        let mut turned: Vec<_> = sessions.clone();
        turned.reverse();
        for (change, part) in (2..).zip(turned.chunks(7)) {
            put_and_commit(other.path(), part, change);
        }
        assert_eq!(published(one.path()).numbers.len(), 20);
        assert!(bytes(one.path()) == bytes(other.path()));
    }

    #[test]
    fn a_new_session_lies_where_a_new_basis_would_put_it() {
        let dir = tempfile::tempdir().expect("a folder");
        publish(dir.path(), &store(90));
        let before = published(dir.path());
        put_and_commit(dir.path(), &[about(0, 91)], 2);
        let after = published(dir.path());
        assert_eq!((after.change, after.based_on, after.numbers.len()), (2, 90, 91));
        assert!(after.vocabulary == before.vocabulary);
        assert_eq!(after.sessions.row(5), before.sessions.row(5));

        let anew = tempfile::tempdir().expect("a folder");
        let mut sessions = store(90);
        sessions.push(about(0, 91));
        publish(anew.path(), &sessions);
        let built = published(anew.path());
        assert_eq!(built.based_on, 91);
        // Where it lies among the others, which does not depend on the basis.
        let (folded, built) = (cosines_with(&after, 90), cosines_with(&built, 90));
        let alike = cosine(&folded, &built);
        assert!(alike > 0.95, "{alike}");
        let (of_tokens, of_charts) = (folded[2], folded[3]);
        assert!(of_tokens > 0.3 && of_charts < 0.1, "{of_tokens} {of_charts}");
    }

    #[test]
    fn a_session_that_became_another_has_another_direction() {
        let dir = tempfile::tempdir().expect("a folder");
        publish(dir.path(), &store(90));
        let like_charts = |number| likeness(dir.path(), "chart", number);
        let before = like_charts(1);
        put_and_commit(dir.path(), &[about(1, 1)], 2);
        assert_eq!(published(dir.path()).based_on, 90);
        assert!(like_charts(1) > before + 0.3, "{} {before}", like_charts(1));
    }

    #[test]
    fn another_number_of_sessions_makes_a_new_basis() {
        let dir = tempfile::tempdir().expect("a folder");
        let based_on = || published(dir.path()).based_on;
        publish(dir.path(), &store(80));
        put_and_commit(dir.path(), &store(100)[80..], 2);
        assert_eq!(based_on(), 80);
        put_and_commit(dir.path(), &store(101)[100..], 3);
        assert_eq!(based_on(), 101);
    }

    #[test]
    fn a_removed_session_takes_its_words_with_it() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut sessions = store(70);
        for at in [20, 30] {
            sessions[at] = session(at as u32 + 1, &format!("id-{at}"), &["token chart confidential"]);
        }
        publish(dir.path(), &sessions);
        let hash = super::super::vocabulary::hash_of(b"confidenti").to_le_bytes();
        let is_kept = || bytes(dir.path()).windows(8).any(|window| window == hash);
        assert!(is_kept());
        let mut publisher = Publisher::open(dir.path(), LEDGER).expect("a publisher");
        publisher.remove(21).expect("remove");
        publisher.commit(2).expect("commit");
        assert!(!is_kept());
        assert_eq!(published(dir.path()).based_on, 69);
        assert_eq!(likeness(dir.path(), "token", 21), 0.0);
    }

    #[test]
    fn what_a_killed_writer_left_behind_still_serves_and_is_completed() {
        let dir = tempfile::tempdir().expect("a folder");
        publish(dir.path(), &store(90));
        let stale = bytes(dir.path());
        put_and_commit(dir.path(), &[about(0, 91), about(1, 1)], 2);
        let whole = bytes(dir.path());
        fs::write(dir.path().join("lsa.bin"), &stale).expect("written");
        assert!(likeness(dir.path(), "token", 3) > 0.3);
        assert_eq!(likeness(dir.path(), "token", 91), 0.0);

        let mut publisher = Publisher::open(dir.path(), LEDGER).expect("a publisher");
        assert_eq!((publisher.published(), publisher.is_complete()), (Some(2), false));
        publisher.commit(2).expect("commit");
        assert!(publisher.is_complete());
        assert!(bytes(dir.path()) == whole);
        let next = Publisher::open(dir.path(), LEDGER).expect("a publisher");
        assert!(next.is_complete());
    }

    #[test]
    fn vectors_of_another_ledger_are_none() {
        let (dir, other) = (
            tempfile::tempdir().expect("a folder"),
            tempfile::tempdir().expect("a folder"),
        );
        publish(dir.path(), &store(70));
        let mut publisher = Publisher::open(other.path(), LEDGER + 1).expect("a publisher");
        for session in store(70) {
            publisher.put(&session).expect("put");
        }
        publisher.commit(1).expect("commit");
        fs::write(dir.path().join("lsa.bin"), bytes(other.path())).expect("written");
        assert_eq!(open(dir.path()).likeness(&Query::new("token")), []);
        put_and_commit(dir.path(), &[], 1);
        assert_eq!(published(dir.path()).ledger, LEDGER);
    }

    #[test]
    fn no_session_and_one_have_no_likeness() {
        for count in [0, 1] {
            let dir = tempfile::tempdir().expect("a folder");
            publish(dir.path(), &store(count));
            assert_eq!(published(dir.path()).numbers.len(), count as usize);
            assert_eq!(open(dir.path()).likeness(&Query::new("token chart")), []);
        }
    }

    #[test]
    fn a_sample_is_taken_at_even_distances_and_bounded_by_its_terms() {
        let numbers: Vec<u32> = (1..=5_000).collect();
        let term = |sessions| Count { hash: 1, sessions };
        let even = sampled(&numbers, &[term(5_000)]);
        assert_eq!((even.len(), &even[..3], even[1_999]), (2_000, &[1, 3, 6][..], 4_998));
        assert_eq!(sampled(&numbers, &vec![term(5_000); 8_000]).len(), 125);
        assert!(sampled(&[], &[]).is_empty());
    }
}
