use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rekal::graph::{Drained, Graph};
use tempfile::NamedTempFile;

use super::drain::say_bad_lines;
use crate::answer::{Answer, Failure, Outcome};
use crate::call::Call;
use crate::{out, when};

/// Take in what `graph export` printed, or rows of an SQL-based store
///
/// Events that are known, or were forgotten, add nothing. Rows look like
/// {"id":…,"ts":…,"kind":…,"query":…,"target_session_id":…}, one a line; their ids are kept.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal graph import edges.ndjson")]
pub struct Import {
    /// The file; `-` reads stdin
    pub file: PathBuf,
}

impl Import {
    /// Answers no when the file holds no event, or a line that is none.
    pub fn run(self, call: &Call) -> Outcome {
        let place = call.place()?;
        // A graph that moves in may be the first that this store holds.
        if self.file != Path::new("-") {
            fs::metadata(&self.file).map_err(|error| unreadable(&self.file, &error))?;
        }
        place.create()?;
        let graph = Graph::open(place.dir)?;
        let drained = match fs::metadata(&self.file) {
            Ok(found) if found.is_file() => graph.import(&self.file, when::now())?,
            _ => graph.import(copy(&self.file)?.path(), when::now())?,
        };
        say_bad_lines(&drained);
        match call.json {
            true => out::print_json(&drained)?,
            false => out::print(&text(&drained))?,
        }
        let holds_events = drained.events + drained.edges_known > 0;
        Ok(Answer::from(holds_events && drained.bad_lines.is_empty()))
    }
}

/// What can be read only once, in a file that can be read again: the ids of lines without one follow
/// from the whole.
fn copy(source: &Path) -> Result<NamedTempFile, Failure> {
    let mut input: Box<dyn Read> = match source == Path::new("-") {
        true => Box::new(io::stdin().lock()),
        false => Box::new(File::open(source).map_err(|error| unreadable(source, &error))?),
    };
    let copied = NamedTempFile::new().and_then(|mut file| {
        io::copy(&mut input, &mut file)?;
        Ok(file)
    });
    copied.map_err(|error| unreadable(source, &error))
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::io("read", path, error)
}

fn text(drained: &Drained) -> String {
    let Drained {
        events,
        edges_new,
        edges_known,
        ..
    } = drained;
    let is = |count: u64, one, more| if count == 1 { one } else { more };
    format!(
        "{} {} new, with {}; {} {} known\n",
        out::counted(*events, "event"),
        is(*events, "is", "are"),
        out::counted(*edges_new, "edge"),
        out::counted(*edges_known, "edge"),
        is(*edges_known, "was", "were"),
    )
}
