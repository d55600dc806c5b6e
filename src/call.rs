//! What every verb is handed: the options that all of them take, and the environment.

use std::path::{Path, PathBuf};

use rekal::capture::index_of;
use rekal::edge::SessionId;
use rekal::graph::Graph;
use rekal::index::Index;
use rekal::ledger::Ledger;
use rekal::reach::{Reach, Reached};
use rekal::recall::Weights;
use rekal::snapshot::Snapshot;
use rekal::spool::Recorder;
use rekal::time::Millis;
use rekal::transcript::{AIDER_HISTORY, Roots};

use crate::answer::Failure;
use crate::config;
use crate::env::Env;
use crate::place::Place;
use crate::when::{self, When};
use crate::{hold, out};

/// How many characters of an argument that means nothing are shown.
const SHOWN: usize = 60;

/// The options that every verb takes.
#[derive(clap::Args, Debug)]
pub struct Common {
    /// The store's folder, instead of the one found
    #[arg(long, global = true, value_name = "DIR")]
    pub store: Option<PathBuf>,
    /// Print one JSON object
    #[arg(short, long, global = true)]
    pub json: bool,
}

/// One call of the program.
#[derive(Clone)]
pub struct Call {
    /// Whether data is printed as JSON.
    pub json: bool,
    /// What the environment says.
    pub env: Env,
    /// The whole command line, for verbs that describe it.
    pub command_line: fn() -> clap::Command,
    store: Option<PathBuf>,
}

impl Call {
    /// A call with these options in this environment.
    pub fn new(common: Common, env: Env, command_line: fn() -> clap::Command) -> Self {
        Self {
            json: common.json,
            env,
            command_line,
            store: common.store,
        }
    }

    /// Where the agents keep their files, as far as this store is concerned.
    pub fn roots(&self, place: &Place) -> Roots {
        Roots {
            claude: self.env.claude_dir.clone(),
            codex: self.env.codex_dir.clone(),
            gemini: self.env.gemini_dir.clone(),
            copilot: self.env.copilot_dir.clone(),
            cline: self.env.cline_dir.clone(),
            editors: self.env.editor_dirs.clone(),
            aider: self.histories(place),
            cursor: self.env.cursor_dir.clone(),
            zone: Some(when::zone()),
        }
    }

    /// Aider writes where it works, so it is looked for where the sessions of this store are held.
    fn histories(&self, place: &Place) -> Vec<PathBuf> {
        let here = self.env.current_dir.as_deref();
        let own = self.env.aider_history.as_deref().map(|file| match here {
            Some(here) => here.join(file),
            None => file.to_path_buf(),
        });
        let folders = place.folders(here).into_iter().map(|folder| folder.join(AIDER_HISTORY));
        let mut files: Vec<PathBuf> = folders.chain(own).collect();
        files.sort();
        files.dedup();
        files
    }

    /// Where the store is.
    pub fn place(&self) -> Result<Place, Failure> {
        Place::find(self.store.as_deref(), &self.env)
    }

    /// A command line of this program that is about the same store.
    pub fn line(&self, words: &str) -> String {
        match &self.store {
            Some(store) => format!("rekal {words} --store {}", quoted(store)),
            None => format!("rekal {words}"),
        }
    }

    /// The store that the command line names.
    pub fn named_store(&self) -> Option<PathBuf> {
        let named = self.store.as_deref()?;
        let here = self.env.current_dir.as_deref();
        Some(here.map_or(named.to_path_buf(), |here| here.join(named)))
    }

    /// The store's folder, which must be there.
    pub fn dir(&self) -> Result<PathBuf, Failure> {
        let dir = self.place()?.dir;
        match dir.is_dir() {
            true => Ok(dir),
            false => Err(Failure::no_store(&dir)),
        }
    }

    /// The graph of the store, which must be there.
    pub fn graph(&self) -> Result<Graph, Failure> {
        Ok(Graph::open(self.dir()?)?)
    }

    /// The ledger of the store, which must be there: waited for, and held until it is dropped.
    pub fn ledger(&self) -> Result<Ledger, Failure> {
        Ok(hold::ledger(&self.dir()?, self.json)?)
    }

    /// The session that an argument means, a handle, an id or the beginning of one: the one place where
    /// that is decided.
    pub fn session(&self, argument: &str) -> Result<SessionId, Failure> {
        // An index that cannot be read has no handles, and says so elsewhere.
        if let Ok(Some(index)) = Index::open(&index_of(&self.dir()?))
            && let Some(number) = index.find(argument)?
            && let Some(record) = index.session(number)?
        {
            return Ok(record.session.id);
        }
        // The graph may know a session that was never captured here.
        let id = SessionId::try_from(argument);
        id.map_err(|why| Failure::usage(format!("\"{}\" is no session: {why}", out::one_line(argument, SHOWN))))
    }

    /// The first millisecond that a `--since` lets in; without one, the first there is.
    pub fn since(&self, since: Option<When>) -> Result<Millis, Failure> {
        let Some(since) = since else { return Ok(0) };
        since
            .since(when::now(), &when::zone())
            .ok_or_else(|| Failure::usage("find that date: it lies outside of the calendar"))
    }

    /// The published reach; under the benchmark switch nothing of it.
    pub fn reached(&self, place: &Place) -> Box<dyn Reached> {
        match self.env.bench {
            true => Box::new(Unreached),
            false => Box::new(Snapshot::open(&place.dir)),
        }
    }

    /// Records an event with the time and the asking session. It never fails the verb: what cannot be
    /// written is said on stderr, and the only consequence is a missing hint.
    pub fn record(&self, place: &Place, event: impl FnOnce(&Recorder, Millis, Option<&SessionId>)) {
        if self.env.capture_is_off() {
            return;
        }
        let recorder = Recorder::new(&place.dir);
        event(&recorder, when::now(), self.env.source.as_ref());
        recorder.flush();
        if let Some(error) = recorder.last_error() {
            out::say(format!("this call was not recorded: {error}"));
        }
    }

    /// How results are ranked in this store. What cannot be used is named on stderr.
    pub fn weights(&self, place: &Place) -> Weights {
        let config = config::read(&self.config_files(place));
        config.complaints.iter().for_each(out::say);
        config.weights
    }

    /// The files that say so, a later one over an earlier one.
    pub fn config_files(&self, place: &Place) -> Vec<PathBuf> {
        config::files(self.env.config_dir.as_deref(), &place.dir)
    }
}

/// A path as a shell takes it.
pub fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+".contains(c);
    match text.chars().all(is_plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// Nothing was ever reached.
struct Unreached;

impl Reached for Unreached {
    fn reach(&self, _: &SessionId) -> Option<Reach> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_of_a_shell() {
        assert_eq!(quoted(Path::new("/home/ada/.rekal")), "/home/ada/.rekal");
        assert_eq!(quoted(Path::new("/a b/it's")), r"'/a b/it'\''s'");
    }
}
