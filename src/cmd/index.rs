/// Rebuild everything that is derived from the ledger
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal index")]
pub struct Index {}
