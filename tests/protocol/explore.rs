//! Every world that can be reached, nearest first.

use std::collections::HashSet;
use std::rc::Rc;

use super::model::{Step, World};

pub struct Explored {
    pub states: usize,
    /// Worlds in which nobody does anything more.
    pub ends: usize,
    /// The steps to the nearest wrong end, and what is wrong with it.
    pub wrong: Option<Vec<String>>,
}

/// A world, and how it was reached first.
struct Reached {
    world: Rc<World>,
    from: usize,
    step: Option<Step>,
}

pub fn all(first: World) -> Explored {
    let first = Rc::new(first);
    let mut seen = HashSet::from([Rc::clone(&first)]);
    let mut reached = vec![Reached {
        world: first,
        from: 0,
        step: None,
    }];
    let (mut from, mut ends) = (0, 0);
    while from < reached.len() {
        let next = reached[from].world.next();
        if next.is_empty() {
            ends += 1;
            if let Some(what) = reached[from].world.what_is_wrong() {
                let wrong = Some(story(&reached, from, what));
                let states = reached.len();
                return Explored { states, ends, wrong };
            }
        }
        for (step, world) in next {
            let (world, step) = (Rc::new(world), Some(step));
            if seen.insert(Rc::clone(&world)) {
                reached.push(Reached { world, from, step });
            }
        }
        from += 1;
    }
    Explored {
        states: reached.len(),
        ends,
        wrong: None,
    }
}

fn story(reached: &[Reached], mut at: usize, what: String) -> Vec<String> {
    let mut steps = vec![what];
    while let Some(Step { who, what }) = reached[at].step {
        steps.push(format!("{who} {what}"));
        at = reached[at].from;
    }
    steps.reverse();
    steps
}
