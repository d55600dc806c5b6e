/// Take in what sessions said since the last time, and publish it
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal checkpoint --all")]
pub struct Checkpoint {
    /// The sessions of every folder, not only those of this repository
    #[arg(long)]
    pub all: bool,
    /// Say nothing unless it fails
    #[arg(short, long)]
    pub quiet: bool,
}
