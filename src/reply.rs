//! What a verb answers, before it is put into one of its forms: a person reads it in a terminal, a
//! program as JSON, an agent as the result of a tool. All of them get the same.

use crate::answer::{Answer, Failure, Outcome};
use crate::call::Call;
use crate::out;

/// An answer that can be shown in each form.
pub trait Reply {
    /// Whether the answer is yes.
    fn is_yes(&self) -> bool;

    /// As a text whose lines are ended.
    fn text(&self) -> String;

    /// As one compact JSON object.
    fn json(&self) -> Result<String, Failure>;

    /// What can be tried when the answer is no.
    fn advice(&self) -> Option<String> {
        None
    }

    /// Whether something was named that is not there.
    fn is_mistaken(&self) -> bool {
        false
    }

    /// Records what was shown.
    fn record(&self, _: &Call) {}
}

/// Prints the answer, then records what was shown: a recall never changes the number that it shows
/// itself.
pub fn print(reply: &impl Reply, call: &Call) -> Outcome {
    if call.json {
        out::print(&format!("{}\n", reply.json()?))?;
    } else {
        out::print(&reply.text())?;
        reply.advice().into_iter().for_each(out::say);
    }
    reply.record(call);
    Ok(Answer::from(reply.is_yes()))
}
