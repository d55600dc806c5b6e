//! The command line: which verb, with which options; and the short form `rekal "<query>"`.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Arg, Command, CommandFactory, Parser};

use crate::answer::Failure;
use crate::call::Common;
use crate::out;
use crate::verb::Verb;

/// Memory for coding agents: what did earlier sessions say?
#[derive(Parser, Debug)]
#[command(name = "rekal", version, arg_required_else_help = true)]
#[command(after_help = "Also: clean, config, completions, man, version
Example: rekal \"jwt expiry\" (without a verb the words are a query)")]
pub struct Args {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub verb: Verb,
}

/// A command line that asks for help, or cannot be understood.
pub struct Refusal {
    error: clap::Error,
    json: bool,
}

/// Reads the command line; its first word is the program's own name.
pub fn read(line: impl IntoIterator<Item = OsString>) -> Result<Args, Refusal> {
    let line: Vec<OsString> = line.into_iter().collect();
    let json = line
        .iter()
        .take_while(|word| *word != "--")
        .any(|word| word == "--json" || word == "-j");
    let root = command_line();
    let written_out = with_verb(line.clone(), &root);
    let is_short_form = written_out.len() > line.len();
    let args = Args::try_parse_from(written_out).map_err(|error| Refusal { error, json })?;
    if is_short_form && !json && io::stderr().is_terminal() {
        doubt(&args.verb, &root).into_iter().for_each(out::say);
    }
    Ok(args)
}

/// Everything that can be asked of the program.
pub fn command_line() -> Command {
    Args::command()
}

impl Refusal {
    /// Help goes to stdout; a mistake to stderr, or with `--json` to stdout as an object.
    pub fn tell(self) -> ExitCode {
        let text = self.error.to_string();
        match text.strip_prefix("error: ") {
            Some(_) if self.json => out::tell(&Failure::misunderstood(&self.error), true),
            Some(mistake) => out::tell(&Failure::usage(mistake.trim_end()), false),
            None => self.show_help(),
        }
    }

    fn show_help(self) -> ExitCode {
        // A reader that has gone, as in `rekal --help | head`, is no failure.
        _ = self.error.print();
        match self.error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::SUCCESS,
            _ => ExitCode::from(2),
        }
    }
}

/// The short form written out: when the first word is no verb, `recall` is put before everything.
fn with_verb(mut line: Vec<OsString>, root: &Command) -> Vec<OsString> {
    let Some(recall) = root.find_subcommand("recall") else {
        return line;
    };
    if is_query(line.get(1..).unwrap_or_default(), root, recall) {
        line.insert(1, "recall".into());
    }
    line
}

/// What to say of a query of one word that may be a verb with a slip in it.
fn doubt(verb: &Verb, root: &Command) -> Option<String> {
    let Verb::Recall(recall) = verb else { return None };
    let [word] = recall.query.as_slice() else { return None };
    let verb = nearest(word, root.get_subcommands().map(Command::get_name))?;
    let word = out::one_line(word, 40);
    Some(format!(
        "\"{word}\" is no verb, so it is looked for; did you mean `rekal {verb}`?"
    ))
}

/// The verb that a word is one slip away from, or two if it is long.
fn nearest<'a>(word: &str, verbs: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let slips = |verb: &str| strsim::osa_distance(&word.to_lowercase(), verb);
    let near = verbs.filter(|verb| slips(verb) <= if verb.len() < 6 { 1 } else { 2 });
    near.min_by_key(|verb| slips(verb)).filter(|verb| *verb != word)
}

fn is_query(words: &[OsString], root: &Command, recall: &Command) -> bool {
    let mut has_filter = false;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        // What is not UTF-8 is no verb.
        let word = word.to_str().unwrap_or_default();
        let Some(option) = word.strip_prefix('-').filter(|rest| !rest.is_empty()) else {
            return word != "help" && root.find_subcommand(word).is_none();
        };
        if option == "-" {
            return true;
        }
        let found = find_option(option, root, recall);
        has_filter |= found.is_of_recall;
        if found.takes_next_word {
            words.next();
        }
    }
    has_filter
}

/// What a word that begins with `-` is.
#[derive(PartialEq, Debug, Default)]
struct Found {
    is_of_recall: bool,
    takes_next_word: bool,
}

/// `option` is the word without its first `-`: `-limit=3` or a cluster of letters, `jn`.
fn find_option(option: &str, root: &Command, recall: &Command) -> Found {
    let known = |is_it: &dyn Fn(&Arg) -> bool| {
        let own = recall.get_arguments().map(|arg| (arg, true));
        let shared = root.get_arguments().map(|arg| (arg, false));
        own.chain(shared).find(|(arg, _)| is_it(arg))
    };
    let mut found = Found::default();
    if let Some(long) = option.strip_prefix('-') {
        let name = long.split('=').next();
        if let Some((arg, is_of_recall)) = known(&|arg| arg.get_long() == name) {
            found.is_of_recall = is_of_recall;
            found.takes_next_word = arg.get_action().takes_values() && !long.contains('=');
        }
        return found;
    }
    let mut letters = option.chars();
    while let Some(letter) = letters.next() {
        let Some((arg, is_of_recall)) = known(&|arg| arg.get_short() == Some(letter)) else {
            continue;
        };
        found.is_of_recall |= is_of_recall;
        if arg.get_action().takes_values() {
            // What stands behind the letter is its value: `-n3`.
            found.takes_next_word = letters.as_str().is_empty();
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use clap::Args as _;

    use super::*;
    use crate::cmd::recall::Recall;

    fn root() -> Command {
        let recall = Recall::augment_args(Command::new("recall"));
        Common::augment_args(Command::new("rekal"))
            .subcommand(recall)
            .subcommand(Command::new("clean"))
    }

    /// The words behind the program's name, as they are understood.
    fn understood(words: &[&str]) -> Vec<String> {
        let line = ["rekal"].iter().chain(words).map(OsString::from).collect();
        let line = with_verb(line, &root());
        line[1..]
            .iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect()
    }

    #[track_caller]
    fn is_short_form(words: &[&str]) {
        let written_out: Vec<&str> = ["recall"].iter().chain(words).copied().collect();
        assert_eq!(understood(words), written_out);
    }

    #[track_caller]
    fn is_taken_as_written(words: &[&str]) {
        assert_eq!(understood(words), words);
    }

    #[test]
    fn a_first_word_that_is_no_verb_begins_a_query() {
        is_short_form(&["jwt expiry"]);
        is_short_form(&["jwt", "clean"]);
        is_short_form(&["clean up"]);
        is_short_form(&["--", "clean"]);
        is_short_form(&[""]);
        is_short_form(&["-"]);
        is_short_form(&["?", "--explain"]);
    }

    #[test]
    fn options_may_stand_before_the_query() {
        is_short_form(&["--store", "clean", "jwt"]);
        is_short_form(&["--store=clean", "jwt", "expiry"]);
        is_short_form(&["-n", "3", "jwt"]);
        is_short_form(&["-n3", "jwt"]);
        is_short_form(&["-jn", "3", "jwt"]);
        is_short_form(&["-j", "jwt"]);
        is_short_form(&["-je", "--file", "clean", "jwt"]);
    }

    #[test]
    fn filters_alone_are_a_recall() {
        is_short_form(&["--since", "30d"]);
        is_short_form(&["-A", "human", "-j"]);
        is_short_form(&["--harness=codex"]);
    }

    #[test]
    fn a_verb_is_a_verb_behind_shared_options_too() {
        is_taken_as_written(&["clean"]);
        is_taken_as_written(&["recall", "clean"]);
        is_taken_as_written(&["--store", "x", "clean"]);
        is_taken_as_written(&["--store=x", "clean", "jwt"]);
        is_taken_as_written(&["-n3", "clean"]);
        is_taken_as_written(&["-j", "clean", "jwt"]);
        is_taken_as_written(&["help", "recall"]);
    }

    #[test]
    fn options_of_the_program_are_not_a_query() {
        is_taken_as_written(&[]);
        is_taken_as_written(&["-h"]);
        is_taken_as_written(&["--version"]);
        is_taken_as_written(&["--store", "x"]);
        is_taken_as_written(&["-j"]);
        is_taken_as_written(&["--unknown"]);
    }

    #[test]
    fn a_word_close_to_a_verb_is_doubted() {
        let root = command_line();
        let verb = |word: &str| nearest(word, root.get_subcommands().map(Command::get_name));
        for (word, near) in [
            ("recal", "recall"),
            ("chekpoint", "checkpoint"),
            ("docotr", "doctor"),
            ("complitions", "completions"),
            ("fnid", "find"),
            ("Clean", "clean"),
        ] {
            assert_eq!(verb(word), Some(near));
        }
        for word in ["clean", "bug", "lint", "reset", "timeout", "jwt expiry", "", "é"] {
            assert_eq!(verb(word), None, "{word}");
        }
    }

    /// Checks what `--help` prints for this command and all below it; `line` are the words so far.
    fn check_help(root: &Command, command: &Command, line: &[&str]) {
        let asked = line.iter().copied().chain(["--help"]);
        let printed = root.clone().try_get_matches_from(asked);
        let help = printed.expect_err("help is no match").to_string();
        let widest = help.lines().map(|text| text.chars().count()).max();
        assert!(help.lines().count() <= 28, "{line:?}: {} lines", help.lines().count());
        assert!(widest <= Some(100), "{help}");
        assert!(help.contains("\nExample: "), "{line:?} has no example");
        for verb in command.get_subcommands() {
            check_help(root, verb, &[line, &[verb.get_name()]].concat());
        }
    }

    #[test]
    fn every_help_fits_a_screen_and_gives_an_example() {
        check_help(&Args::command(), &Args::command(), &["rekal"]);
        let recall = Recall::augment_args(Common::augment_args(Command::new("recall")));
        check_help(&recall, &recall, &["recall"]);
    }
}
