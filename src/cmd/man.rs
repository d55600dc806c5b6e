use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_mangen::Man as Page;
use clap_mangen::roff::{Roff, bold, roman};

use crate::answer::{Answer, Failure, Outcome};
use crate::call::Call;
use crate::out;

/// Print the manual, or the page of one verb
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal man graph top | man -l -")]
pub struct Man {
    /// The verb, as it is written on the command line
    #[arg(value_name = "VERB")]
    pub verb: Vec<String>,
}

/// A section of the manual: what is described, and how.
type Section = (&'static str, &'static [(&'static str, &'static str)]);

const EXIT_STATUS: Section = (
    "EXIT STATUS",
    &[
        ("0", "The answer is yes."),
        (
            "1",
            "The answer is no: SILENCE, nothing found, a difference, a finding.",
        ),
        ("2", "It could not run: the command line, or an error."),
    ],
);

const ENVIRONMENT: Section = (
    "ENVIRONMENT",
    &[
        ("REKAL_STORE", "Names the store's folder."),
        (
            "REKAL_SESSION",
            "Names the asking session, before CLAUDE_CODE_SESSION_ID, CODEX_THREAD_ID and GEMINI_SESSION_ID.",
        ),
        (
            "REKAL_CONFIG_HOME",
            "Names the folder of the user's config.json; else it is $XDG_CONFIG_HOME/rekal or ~/.config/rekal.",
        ),
        ("REKAL_BENCH", "No hint, no boost, and nothing is recorded or captured."),
        ("REKAL_SKIP_CHECKPOINT", "Nothing is recorded or captured."),
        ("NO_COLOR", "No colours in what --help prints."),
        (
            "CLAUDE_CONFIG_DIR, CODEX_HOME",
            "Where the agents keep their sessions; else ~/.claude and ~/.codex.",
        ),
        (
            "XDG_DATA_HOME",
            "Outside of a repository and of any .rekal folder the store is in rekal below it; else in ~/.local/share.",
        ),
    ],
);

const FILES: Section = (
    "FILES",
    &[
        (
            ".rekal/store.redb",
            "The ledger: sessions, turns, edges. The one file to back up.",
        ),
        (
            ".rekal/recall-log.ndjson",
            "The spool: what was asked and opened since the last drain.",
        ),
        (
            ".rekal/reach.snap, .rekal/reach.delta, .rekal/index",
            "Published for recall; rekal index rebuilds them from the ledger.",
        ),
        (
            ".rekal/config.json, ~/.config/rekal/config.json",
            "Settings of the store, and of the user; see rekal config.",
        ),
    ],
);

impl Man {
    pub fn run(self, call: &Call) -> Outcome {
        if call.json {
            return Err(Failure::usage("man: the manual is for people and has no JSON"));
        }
        let mut root = (call.command_line)().disable_help_subcommand(true);
        root.build();
        let page = match self.verb.is_empty() {
            true => manual(&root),
            false => page(find(&root, &self.verb)?),
        };
        let page = page.map_err(|error| Failure::io("write to", Path::new("stdout"), &error))?;
        out::print(&String::from_utf8_lossy(&page))?;
        Ok(Answer::Yes)
    }
}

/// The page of the program: what all verbs have in common, and their names.
fn manual(root: &Command) -> io::Result<Vec<u8>> {
    let page = Page::new(root.clone());
    let mut text = Vec::new();
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_options_section(&mut text)?;
    let verbs: Vec<(String, String)> = verbs(root, "").collect();
    let verbs: Vec<(&str, &str)> = verbs.iter().map(|(verb, about)| (&verb[..], &about[..])).collect();
    write_section(("SUBCOMMANDS", &verbs), &mut text)?;
    for section in [EXIT_STATUS, ENVIRONMENT, FILES] {
        write_section(section, &mut text)?;
    }
    write_example(root, &mut text)?;
    Ok(text)
}

fn page(verb: &Command) -> io::Result<Vec<u8>> {
    let page = Page::new(verb.clone());
    let mut text = Vec::new();
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    page.render_options_section(&mut text)?;
    if verb.has_subcommands() {
        page.render_subcommands_section(&mut text)?;
    }
    write_section(EXIT_STATUS, &mut text)?;
    write_example(verb, &mut text)?;
    Ok(text)
}

/// The example that every help ends with.
fn write_example(command: &Command, out: &mut dyn Write) -> io::Result<()> {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let example = help.split_once("Example: ").map_or("", |(_, example)| example);
    Roff::new()
        .control("SH", ["EXAMPLE"])
        .text([roman(example)])
        .to_writer(out)
}

fn find<'a>(root: &'a Command, verb: &[String]) -> Result<&'a Command, Failure> {
    let mut command = root;
    for word in verb {
        command = command.find_subcommand(word).ok_or_else(|| {
            let what = format!("man: there is no verb {}", out::one_line(&verb.join(" "), 60));
            Failure::usage(what).remedy_is("rekal man names them all")
        })?;
    }
    Ok(command)
}

/// The verbs that do something, with what they do. `before` are the words in front of them.
fn verbs<'a>(command: &'a Command, before: &str) -> Box<dyn Iterator<Item = (String, String)> + 'a> {
    let before = before.to_owned();
    Box::new(command.get_subcommands().flat_map(move |verb| {
        let name = format!("{before}{}", verb.get_name());
        if verb.has_subcommands() {
            return verbs(verb, &format!("{name} "));
        }
        let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
        Box::new(std::iter::once((name, about)))
    }))
}

fn write_section((title, items): (&str, &[(&str, &str)]), out: &mut dyn Write) -> io::Result<()> {
    let mut roff = Roff::new();
    roff.control("SH", [title]);
    for (name, about) in items {
        roff.control("TP", []);
        roff.text([bold(*name)]);
        roff.text([roman(*about)]);
    }
    roff.to_writer(out)
}
