//! Messages that a person of Claude Code typed while the agent was at work.
//!
//! `enqueue` names a message when it is typed. It then leaves the queue in one of these ways, of
//! which the operation does not name the message:
//! - `dequeue`: the agent had finished; a user line with the same text follows;
//! - `remove`: it was handed to the agent amid its work; newer versions write an attachment with
//!   the same text afterwards, older ones nothing at all;
//! - `remove` or `popAll` with a text: the person took it back.
//!
//! So a turn is made when a message takes effect, and never has to be unmade.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::hash::fnv64;
use crate::time::Millis;

/// How many messages are remembered in each place.
const REMEMBERED: usize = 64;

/// A message that left the queue this soon after it was typed never waited for the agent.
const AT_ONCE: Millis = 1000;

/// A message in the queue.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Queued {
    /// Of the text as recorded.
    print: u64,
    /// What a turn says of it; empty for plumbing.
    pub(super) text: String,
    pub(super) at: Option<Millis>,
    /// When it left the queue for a turn of its own.
    left: Option<Millis>,
}

/// What waits, and what took effect and may be told again.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Queue {
    waiting: VecDeque<Queued>,
    leaving: VecDeque<Queued>,
    /// Prints of messages that became turns, with how many turns there were then.
    taken: VecDeque<(u64, u32)>,
}

/// How a user line relates to the queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Typed {
    /// It never was in it.
    Directly,
    /// It waited for the agent.
    Waiting,
    /// It is a turn already.
    Before,
}

impl Queue {
    pub(super) fn enqueue(&mut self, recorded: &str, text: String, at: Option<Millis>) {
        let print = print(recorded);
        push(
            &mut self.waiting,
            Queued {
                print,
                text,
                at,
                left: None,
            },
        );
    }

    pub(super) fn dequeue(&mut self, at: Option<Millis>) {
        if let Some(mut message) = self.waiting.pop_front() {
            message.left = at;
            push(&mut self.leaving, message);
        }
    }

    /// The message that was handed to the agent, when `turns` were there.
    pub(super) fn take_next(&mut self, turns: u32) -> Option<Queued> {
        let message = self.waiting.pop_front()?;
        push(&mut self.taken, (message.print, turns));
        Some(message)
    }

    /// The person took back the message with this text, or all.
    pub(super) fn take_back(&mut self, recorded: Option<&str>) {
        match recorded.map(print) {
            Some(print) => drop(remove(&mut self.waiting, |m| m.print == print)),
            None => self.waiting.clear(),
        }
    }

    /// Whether an attachment tells of a message for the first time.
    pub(super) fn is_news(&mut self, recorded: &str, turns: u32) -> bool {
        let print = print(recorded);
        if remove(&mut self.taken, |(taken, _)| *taken == print).is_some() {
            return false;
        }
        remove(&mut self.waiting, |m| m.print == print);
        push(&mut self.taken, (print, turns));
        true
    }

    /// What a user line with this text is. `spoken` is the number of the last turn that was not
    /// steering: what was said again after it is meant again.
    pub(super) fn typed(&mut self, recorded: &str, spoken: u32) -> Typed {
        let print = print(recorded);
        if remove(&mut self.taken, |(taken, turns)| *taken == print && *turns >= spoken).is_some() {
            return Typed::Before;
        }
        let found = remove(&mut self.leaving, |m| m.print == print);
        match found.or_else(|| remove(&mut self.waiting, |m| m.print == print)) {
            Some(message) if message.waited() => Typed::Waiting,
            _ => Typed::Directly,
        }
    }
}

impl Queued {
    fn waited(&self) -> bool {
        match (self.at, self.left) {
            (Some(at), Some(left)) => left.saturating_sub(at) >= AT_ONCE,
            _ => true,
        }
    }
}

fn print(recorded: &str) -> u64 {
    fnv64(recorded.trim().as_bytes())
}

fn push<T>(queue: &mut VecDeque<T>, item: T) {
    if queue.len() == REMEMBERED {
        queue.pop_front();
    }
    queue.push_back(item);
}

fn remove<T>(queue: &mut VecDeque<T>, is: impl Fn(&T) -> bool) -> Option<T> {
    queue.iter().position(is).and_then(|at| queue.remove(at))
}
