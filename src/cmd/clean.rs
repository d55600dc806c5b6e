use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::answer::{Answer, Failure, Outcome};
use crate::call::Call;
use crate::setup::{Site, take_out};
use crate::{hold, out};

/// Take out of this repository what init put in; the store stays
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal clean")]
pub struct Clean {
    /// Remove the store as well, with everything that was captured; needs --yes
    #[arg(long)]
    pub purge: bool,
    /// Yes, remove the store
    #[arg(short, long)]
    pub yes: bool,
}

/// How many characters of a path are shown.
const SHOWN: usize = 500;

/// The files of a store; its folder may hold others too. Those of the spool and of what is published, temporary ones
/// and claims too, are known by how they begin.
const FILES: [&str; 5] = ["store.redb", "index", "config.json", "init.json", ".gitignore"];

#[derive(Serialize)]
struct Done<'a> {
    changed: &'a [PathBuf],
    kept: &'a [PathBuf],
    purged: bool,
}

impl Clean {
    /// Leaves what the user changed, and says so.
    pub fn run(self, call: &Call) -> Outcome {
        let site = Site::around(call.env.current_dir.as_deref(), "clean")?;
        let store = call.place()?.dir;
        if self.purge && !self.yes {
            let what = format!(
                "remove {}: it cannot be undone, so it is asked for twice",
                store.display()
            );
            return Err(Failure::usage(what).remedy_is("rekal clean --purge --yes"));
        }
        let short = |path: &Path| out::one_line(&site.short(path), SHOWN);
        let done = take_out(&site, &store)?;
        for path in &done.kept {
            out::say(format!("{} was changed by hand and stays", short(path)));
        }
        let had_store = store.is_dir();
        let is_gone = self.purge && had_store && purge(&store, call.json)?;
        let changed: Vec<PathBuf> = done.changed.into_iter().map(|(_, path)| path).collect();
        if call.json {
            out::print_json(&Done {
                changed: &changed,
                kept: &done.kept,
                purged: self.purge && had_store,
            })?;
            return Ok(Answer::Yes);
        }
        let taken = changed.iter().map(|path| format!("taken out of {}\n", short(path)));
        let mut text: String = taken.collect();
        if changed.is_empty() {
            text.push_str("nothing to take out\n");
        }
        let dir = short(&store);
        text.push_str(&match had_store {
            true if is_gone => format!("removed {dir}\n"),
            true if self.purge => format!("removed the store in {dir}\n"),
            true => format!("the store stays: {dir} (rekal clean --purge --yes removes it)\n"),
            false => String::new(),
        });
        out::print(&text)?;
        Ok(Answer::Yes)
    }
}

/// Removes the store, while nobody else writes to it. Gives whether its folder is gone.
fn purge(store: &Path, quiet: bool) -> Result<bool, Failure> {
    let held = match store.join("store.redb").exists() {
        true => hold::ledger(store, quiet),
        false => return remove(store),
    };
    match held {
        Err(error) if error.is_locked() => Err(error.into()),
        // A damaged one goes as well.
        _ => remove(store),
    }
}

fn remove(store: &Path) -> Result<bool, Failure> {
    let failed = |path: &Path, error| Failure::io("remove", path, &error);
    let real = store.canonicalize().map_err(|error| failed(store, error))?;
    for entry in fs::read_dir(&real).map_err(|error| failed(&real, error))? {
        let path = entry.map_err(|error| failed(&real, error))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_ours = ["recall-log.", "reach."].iter().any(|begin| name.starts_with(begin));
        if !is_ours && !FILES.contains(&&*name) {
            continue;
        }
        let removed = if path.is_dir() {
            fs::remove_dir_all(&path)
        } else {
            fs::remove_file(&path)
        };
        removed.map_err(|error| failed(&path, error))?;
    }
    match fs::remove_dir(&real) {
        Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => {
            out::say("the folder of the store holds something else too and stays");
            Ok(false)
        }
        done => done.map(|()| true).map_err(|error| failed(&real, error)),
    }
}
