//! Damage that shows itself as a panic.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::Ledger;
use crate::{Error, Result};

/// Works on a ledger in such a way that damage is an error. redb believes a file that was closed in
/// order, as it must to open it in less than a millisecond, and panics on some of those that were
/// changed since. Nothing of the work outlives a panic: the ledger is opened in here as well.
///
/// # Errors
/// What the work says; [`Error::is_corrupt`] when it panicked.
pub fn guarded<T>(store: &Path, work: impl FnOnce() -> Result<T>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(|error| match error.is_corrupt() {
            true => error.of_ledger(&Ledger::file(store)),
            false => error,
        }),
        Err(panic) => Err(damaged(store, message_of(&*panic))),
    }
}

/// Works in a transaction of a host's own database, of which the library knows no file: a panic of the
/// engine is damage as well.
///
/// # Errors
/// What the work says; [`Error::is_corrupt`] when it panicked.
pub(crate) fn guarded_of_host<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let remedy = "abort the transaction, close the database and restore it from a backup";
        Err(Error::corrupt("the pages of the host's database", message_of(&*panic)).remedy_is(remedy))
    })
}

/// The error for a ledger that turned out to be damaged: its file, what was noticed, what to do.
pub fn damaged(store: &Path, what: &str) -> Error {
    let file = Ledger::file(store);
    Error::corrupt("its pages", what).of_ledger(&file)
}

fn message_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("a page that makes no sense")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_damage() {
        let error = guarded(Path::new("/store"), || -> Result<()> {
            panic!("index {} out of range", 7)
        });
        let error = error.expect_err("a panic");
        assert!(error.is_corrupt());
        assert_eq!(
            error.to_string(),
            "read /store/store.redb: read its pages: damaged: index 7 out of range"
        );
        assert!(error.remedy().is_some_and(|remedy| remedy.contains("backup")));
    }

    #[test]
    fn a_panic_in_the_database_of_a_host_is_damage_of_that() {
        let error = guarded_of_host(|| -> Result<()> { panic!("out of range") }).expect_err("a panic");
        assert!(error.is_corrupt());
        let told = "read the pages of the host's database: damaged: out of range";
        assert_eq!(error.to_string(), told);
        assert!(error.remedy().is_some_and(|remedy| remedy.contains("abort")));
        assert_eq!(guarded_of_host(|| Ok(7)).expect("no panic"), 7);
    }

    #[test]
    fn other_failures_stay_what_they_are() {
        let why = "what the caller said";
        let error = guarded(Path::new("/store"), || -> Result<()> { Err(Error::invalid(why)) });
        assert_eq!(error.expect_err("refused").to_string(), why);
    }
}
