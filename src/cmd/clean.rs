mod purge;

use std::path::{Path, PathBuf};

use serde::Serialize;

use self::purge::{Purged, purge};
use crate::answer::{Answer, Failure, Outcome};
use crate::call::{Call, quoted};
use crate::out;
use crate::setup::{Done, Site, take_out};

/// Take out of this repository what init put in; the store stays
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal clean")]
pub struct Clean {
    /// Remove the store as well, with everything that was captured, or where there is no repository the store
    /// alone; needs --yes
    #[arg(long)]
    pub purge: bool,
    /// Yes, remove the store
    #[arg(short, long)]
    pub yes: bool,
}

/// How many characters of a path are shown.
const SHOWN: usize = 500;

/// What was done.
struct Cleaned {
    /// `None`: there is no repository, and the store alone was asked for.
    site: Option<Site>,
    done: Done,
    store: PathBuf,
    had_store: bool,
    purged: Purged,
}

/// What was done, for programs.
#[derive(Serialize)]
struct Told<'a> {
    changed: Vec<&'a Path>,
    kept: Vec<&'a Path>,
    purged: bool,
}

impl Clean {
    /// Leaves what the user changed, and says so.
    pub fn run(self, call: &Call) -> Outcome {
        let cleaned = self.cleaned(call)?;
        for kept in &cleaned.done.kept {
            let (path, how) = (cleaned.short(&kept.path), kept.piece.by_hand());
            out::say(format!("{path} was changed by hand and stays: {how}"));
        }
        if cleaned.purged == Purged::Files {
            out::say("the folder of the store holds something else too and stays");
        }
        match call.json {
            true => out::print_json(&cleaned.told())?,
            false => out::print(&self.text(&cleaned, call))?,
        }
        Ok(Answer::Yes)
    }

    fn cleaned(&self, call: &Call) -> Result<Cleaned, Failure> {
        let site = match Site::around(call.env.current_dir.as_deref(), "clean") {
            Err(_) if self.purge => None,
            site => Some(site?),
        };
        let store = call.place()?.dir;
        if self.purge && !self.yes {
            let dir = store.display();
            let what = format!("remove {dir}: it cannot be undone, so it is asked for twice");
            return Err(Failure::usage(what).remedy_is(call.line("clean --purge --yes")));
        }
        let done = match &site {
            Some(site) => take_out(site, &store)?,
            None => Done::default(),
        };
        let had_store = store.is_dir();
        let purged = match self.purge {
            true => purge(&store, call.json)?,
            false => Purged::Nothing,
        };
        Ok(Cleaned {
            site,
            done,
            store,
            had_store,
            purged,
        })
    }

    fn text(&self, cleaned: &Cleaned, call: &Call) -> String {
        let mut text = String::new();
        for (_, path) in &cleaned.done.changed {
            text += &format!("taken out of {}\n", cleaned.short(path));
        }
        if cleaned.site.is_some() && text.is_empty() {
            text += "nothing to take out\n";
        }
        let dir = cleaned.short(&cleaned.store);
        text += &match cleaned.purged {
            Purged::Folder => format!("removed {dir}\n"),
            Purged::Files => format!("removed the store in {dir}\n"),
            Purged::Nothing if self.purge => format!("there is no store in {dir}\n"),
            Purged::Nothing if cleaned.had_store => {
                let line = call.line("clean --purge --yes");
                format!("the store stays: {dir} ({line} removes it)\n")
            }
            Purged::Nothing => String::new(),
        };
        for other in &cleaned.done.stores {
            let line = format!("rekal clean --purge --yes --store {}", quoted(other));
            let dir = cleaned.short(other);
            text += &format!("the store that the hooks named stays: {dir} ({line} removes it)\n");
        }
        text
    }
}

impl Cleaned {
    fn short(&self, path: &Path) -> String {
        let whole = || path.display().to_string();
        let path = self.site.as_ref().map_or_else(whole, |site| site.short(path));
        out::one_line(&path, SHOWN)
    }

    fn told(&self) -> Told<'_> {
        Told {
            changed: self.done.changed.iter().map(|(_, path)| path.as_path()).collect(),
            kept: self.done.kept.iter().map(|kept| kept.path.as_path()).collect(),
            purged: self.purged != Purged::Nothing,
        }
    }
}
