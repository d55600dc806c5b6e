//! What is measured, from the command line.

use std::path::PathBuf;

use super::store::Store;
use super::{dialogues, invented};

/// Stores that are measured as one.
pub(crate) struct Input {
    pub(crate) name: &'static str,
    pub(crate) stores: Vec<Store>,
    /// Questions that none of them answers, beside those of the other inputs.
    pub(crate) foreign: &'static [&'static str],
}

/// What is named on the command line: `--home DIR --labels FILE`, a home folder with sessions and the labels
/// that `rekal bench` takes; `--dialogues FILE`, in the form of LoCoMo. Nothing named: a few invented sessions.
pub(crate) fn of_command_line() -> Vec<Input> {
    let mut inputs = Vec::new();
    let (home, labels) = (path("--home"), path("--labels"));
    assert_eq!(home.is_some(), labels.is_some(), "--home and --labels go together");
    if let (Some(home), Some(labels)) = (home, labels) {
        inputs.push(Input {
            name: "code",
            stores: vec![Store::of_home(&home, &labels)],
            foreign: &[],
        });
    }
    if let Some(file) = path("--dialogues") {
        inputs.push(Input {
            name: "dialogues",
            stores: dialogues::stores(&file),
            foreign: &[],
        });
    }
    if inputs.is_empty() {
        println!(
            "No data was named (--home DIR --labels FILE, --dialogues FILE): a few invented sessions show how \
             it works. Their figures say nothing about recall.\n"
        );
        inputs.push(Input {
            name: "invented",
            stores: vec![invented::store()],
            foreign: &invented::FOREIGN,
        });
    }
    inputs
}

/// What stands behind a name on the command line.
pub(crate) fn option(name: &str) -> Option<String> {
    let mut args = std::env::args().skip_while(|arg| arg != name);
    args.nth(1)
}

/// Cargo runs a bench in the package's folder, which is where relative paths begin.
fn path(name: &str) -> Option<PathBuf> {
    option(name).map(PathBuf::from)
}

impl Input {
    /// How many questions, and to how many stores.
    pub(crate) fn size(&self) -> (usize, usize) {
        let questions = self.stores.iter().map(|store| store.questions.len()).sum();
        (questions, self.stores.len())
    }
}
