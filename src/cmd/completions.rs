use clap::ValueEnum;
use clap_complete::{Shell as Known, generate};
use clap_complete_nushell::Nushell;

use crate::answer::{Answer, Failure, Outcome};
use crate::call::Call;
use crate::out;

/// Print the completions of a shell, to be loaded by it
///
/// Where they go: bash ~/.local/share/bash-completion/completions/rekal, zsh a file _rekal in a folder
/// of $fpath, fish ~/.config/fish/completions/rekal.fish; the others read them from their profile.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal completions bash")]
pub struct Completions {
    /// Whose
    #[arg(value_enum)]
    pub shell: Shell,
}

/// A shell that completes words.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    Powershell,
    Elvish,
    Nushell,
}

impl Completions {
    pub fn run(self, call: &Call) -> Outcome {
        if call.json {
            return Err(Failure::usage("completions: a shell reads them, and they have no JSON"));
        }
        let mut script = Vec::new();
        let mut command = (call.command_line)();
        match self.shell.known() {
            Some(shell) => generate(shell, &mut command, "rekal", &mut script),
            None => generate(Nushell, &mut command, "rekal", &mut script),
        }
        out::print(&String::from_utf8_lossy(&script))?;
        Ok(Answer::Yes)
    }
}

impl Shell {
    fn known(self) -> Option<Known> {
        match self {
            Shell::Bash => Some(Known::Bash),
            Shell::Zsh => Some(Known::Zsh),
            Shell::Fish => Some(Known::Fish),
            Shell::Powershell => Some(Known::PowerShell),
            Shell::Elvish => Some(Known::Elvish),
            Shell::Nushell => None,
        }
    }
}
