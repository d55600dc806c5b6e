//! Sessions and the subagents that they started are one family. Pure.

use std::collections::HashMap;

/// The most children that are shown under a trunk.
const CHILDREN: usize = 3;

/// A family of ranked sessions, by their positions in the ranking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Family {
    /// The trunk when it is ranked, else the best of its children.
    pub(super) head: usize,
    /// The best of the others, at most three, best first.
    pub(super) children: Vec<usize>,
    /// How many others there are.
    pub(super) others: usize,
}

/// Folds sessions, given as (id, parent's id) and best first, into families, each in the place of its
/// best member. A subagent of a subagent belongs to the trunk of both.
pub(super) fn families(ranked: &[(&str, Option<&str>)]) -> Vec<Family> {
    let parents: HashMap<&str, Option<&str>> = ranked.iter().copied().collect();
    let mut order: Vec<&str> = Vec::new();
    let mut members: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, (id, _)) in ranked.iter().enumerate() {
        let trunk = trunk(id, &parents);
        let family = members.entry(trunk).or_default();
        if family.is_empty() {
            order.push(trunk);
        }
        family.push(at);
    }
    let family = |trunk: &&str| {
        let members = members.get(trunk)?;
        let head = members.iter().copied().find(|at| ranked[*at].0 == *trunk);
        let head = head.or(members.first().copied())?;
        let others = members.iter().copied().filter(|at| *at != head);
        Some(Family {
            head,
            children: others.take(CHILDREN).collect(),
            others: members.len() - 1,
        })
    };
    order.iter().filter_map(family).collect()
}

/// Up to the first parent that is not ranked or has none; a circle ends where it began.
fn trunk<'a>(id: &'a str, parents: &HashMap<&'a str, Option<&'a str>>) -> &'a str {
    let mut at = id;
    for _ in 0..parents.len() {
        match parents.get(at).copied().flatten() {
            Some(parent) => at = parent,
            None => break,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(ranked: &[(&str, Option<&str>)]) -> Vec<(usize, Vec<usize>, usize)> {
        let families = families(ranked);
        families.into_iter().map(|f| (f.head, f.children, f.others)).collect()
    }

    #[test]
    fn a_family_stands_where_its_best_member_does_under_its_trunk() {
        let ranked = [("a1", Some("a")), ("b", None), ("a", None), ("a2", Some("a1"))];
        assert_eq!(folded(&ranked), [(2, vec![0, 3], 2), (1, vec![], 0)]);
    }

    #[test]
    fn without_its_trunk_the_best_child_leads() {
        let ranked = [("x", None), ("a1", Some("a")), ("a2", Some("a"))];
        assert_eq!(folded(&ranked), [(0, vec![], 0), (1, vec![2], 1)]);
    }

    #[test]
    fn three_children_are_shown_and_all_are_counted() {
        let parent = Some("t");
        let ranked = [("t", None), ("1", parent), ("2", parent), ("3", parent), ("4", parent)];
        assert_eq!(folded(&ranked), [(0, vec![1, 2, 3], 4)]);
    }

    #[test]
    fn a_circle_of_parents_is_survived() {
        assert_eq!(folded(&[("a", Some("b")), ("b", Some("a")), ("c", Some("c"))]).len(), 3);
        assert_eq!(folded(&[]), []);
    }
}
