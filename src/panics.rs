//! A panic is told like any other failure: one line on stderr or one JSON object, and exit code 2.
//! Damage is told of the ledger's file, wherever in it it was met.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::answer::Failure;

/// Where in the source the last panic was.
static PLACE: Mutex<String> = Mutex::new(String::new());

/// Runs what a verb does on the store that `store` finds. The storage engine panics on some damaged files: that
/// is damage of the store, and anything else a fault of the program.
pub fn caught<T>(
    store: impl FnOnce() -> Option<PathBuf>,
    verb: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    panic::set_hook(Box::new(|panic| {
        if let Some(place) = panic.location() {
            *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = place.to_string();
        }
    }));
    let what = match panic::catch_unwind(AssertUnwindSafe(verb)) {
        Ok(Err(failure)) if failure.is_of_a_table() => failure.message().to_owned(),
        Ok(outcome) => return outcome,
        Err(panic) => {
            let (what, place) = (
                message_of(&*panic),
                PLACE.lock().unwrap_or_else(PoisonError::into_inner),
            );
            if !place.contains("/redb-") {
                return Err(Failure::fault(&what, &place));
            }
            what
        }
    };
    match store() {
        Some(store) => Err(rekal::ledger::damaged(&store, &what).into()),
        None => Err(Failure::fault(&what, "the store's ledger")),
    }
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_failure_that_says_where() {
        let failure = caught::<()>(|| None, || panic!("no such thing")).expect_err("a panic");
        drop(panic::take_hook());
        let message = failure.message();
        assert!(
            message.starts_with("stopped by a fault of its own: no such thing (src/panics.rs:"),
            "{message}"
        );
        assert!(failure.remedy().is_some());
    }
}
