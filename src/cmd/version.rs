use serde::Serialize;

use crate::answer::{Answer, Outcome};
use crate::call::Call;
use crate::out;

/// Print the version
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal version --json")]
pub struct Version {}

impl Version {
    pub fn run(self, call: &Call) -> Outcome {
        #[derive(Serialize)]
        struct Printed {
            version: &'static str,
        }
        let version = env!("CARGO_PKG_VERSION");
        if call.json {
            out::print_json(&Printed { version })?;
        } else {
            out::print(&format!("rekal {version}\n"))?;
        }
        Ok(Answer::Yes)
    }
}
