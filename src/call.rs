//! What every verb is handed: the options that all of them take, and the environment.

use std::path::PathBuf;

use rekal::graph::Graph;

use crate::answer::Failure;
use crate::config::{self, Weights};
use crate::env::Env;
use crate::out;
use crate::place::Place;

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
pub struct Call {
    /// Whether data is printed as JSON.
    pub json: bool,
    /// What the environment says.
    pub env: Env,
    store: Option<PathBuf>,
}

impl Call {
    /// A call with these options in this environment.
    pub fn new(common: Common, env: Env) -> Self {
        Self {
            json: common.json,
            env,
            store: common.store,
        }
    }

    /// Where the store is.
    pub fn place(&self) -> Result<Place, Failure> {
        Place::find(self.store.as_deref(), &self.env)
    }

    /// The graph of the store, which must be there.
    pub fn graph(&self) -> Result<Graph, Failure> {
        let dir = self.place()?.dir;
        if !dir.is_dir() {
            return Err(Failure::no_store(&dir));
        }
        Ok(Graph::open(dir)?)
    }

    /// How results are ranked in this store. What cannot be used is named on stderr.
    pub fn weights(&self, place: &Place) -> Weights {
        let user = self.env.config_dir.iter().cloned();
        let (weights, complaints) = config::read(user.chain([place.dir.clone()]));
        complaints.into_iter().for_each(out::say);
        weights
    }
}
