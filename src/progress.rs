//! How far a long verb is, shown on a terminal and nowhere else.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressStyle};
use rekal::capture::Progress;

/// A bar that shows files, bytes, rate and time left while capturing, then sessions while publishing.
pub struct Bar {
    bar: Option<ProgressBar>,
    indexing: bool,
}

const CAPTURE: &str = "capturing {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}";
const PUBLISH: &str = "publishing {wide_bar} {pos}/{len} sessions {eta}";

impl Bar {
    /// A bar that shows nothing unless it is wanted and stderr is a terminal.
    pub fn new(wanted: bool) -> Self {
        let bar = (wanted && io::stderr().is_terminal()).then(ProgressBar::no_length);
        let indexing = false;
        Self { bar, indexing }
    }

    /// Shows one step.
    pub fn show(&mut self, step: Progress) {
        let Some(bar) = &self.bar else {
            return;
        };
        match step {
            Progress::Found { bytes, .. } => {
                bar.set_length(bytes);
                restyle(bar, CAPTURE);
            }
            Progress::Read(bytes) => bar.inc(bytes),
            Progress::Indexed(done, all) => {
                if !self.indexing {
                    restyle(bar, PUBLISH);
                    self.indexing = true;
                }
                bar.set_length(all);
                bar.set_position(done);
            }
        }
    }

    /// Takes it off the terminal.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn restyle(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}
