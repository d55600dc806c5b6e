//! How far a long verb is, shown on a terminal and nowhere else.

use std::io::{self, IsTerminal};

use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use rekal::capture::Progress;

/// A bar that shows files, bytes, rate and time left while capturing, and the same of sessions while
/// publishing. It is off the terminal when it is dropped, whatever ended the work.
pub struct Bar {
    bar: Option<ProgressBar>,
    phase: Phase,
}

/// What is being counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Waiting,
    Capturing { done: u64, files: u64 },
    Publishing { bytes: u64 },
}

const CAPTURE: &str = "capturing {msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}";
const PUBLISH: &str = "publishing {pos}/{len} sessions {wide_bar} {msg} {eta}";

impl Bar {
    /// A bar that shows nothing unless it is wanted and stderr is a terminal.
    pub fn new(wanted: bool) -> Self {
        let bar = (wanted && io::stderr().is_terminal()).then(ProgressBar::no_length);
        let phase = Phase::Waiting;
        Self { bar, phase }
    }

    /// Shows one step.
    pub fn show(&mut self, step: Progress) {
        let Some(bar) = &self.bar else {
            return;
        };
        self.phase = self.phase.after(step);
        match step {
            Progress::Found { bytes, .. } => begin(bar, CAPTURE, bytes),
            Progress::Read(bytes) => bar.inc(bytes),
            Progress::Indexed { done, all, .. } => {
                if done == 1 {
                    begin(bar, PUBLISH, all);
                }
                bar.set_position(done);
            }
        }
        bar.set_message(self.phase.message(bar.elapsed().as_secs_f64()));
    }

    /// Takes it off the terminal.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Phase {
    fn after(self, step: Progress) -> Self {
        match (self, step) {
            (_, Progress::Found { files, .. }) => Self::Capturing { done: 0, files },
            (Self::Capturing { done, files }, Progress::Read(_)) => Self::Capturing { done: done + 1, files },
            (Self::Publishing { bytes: before }, Progress::Indexed { bytes, .. }) => {
                Self::Publishing { bytes: before + bytes }
            }
            (_, Progress::Indexed { bytes, .. }) => Self::Publishing { bytes },
            (other, Progress::Read(_)) => other,
        }
    }

    /// What the bar does not count itself, after so many seconds.
    fn message(self, seconds: f64) -> String {
        match self {
            Self::Waiting => String::new(),
            Self::Capturing { done, files } => format!("{done}/{files} files"),
            Self::Publishing { bytes } => {
                // In the first moment there is no rate.
                let rate = (bytes as f64 / seconds.max(0.1)) as u64;
                format!("{} {}/s", HumanBytes(bytes), HumanBytes(rate))
            }
        }
    }
}

/// Begins to count anew.
fn begin(bar: &ProgressBar, template: &str, length: u64) {
    // Whatever comes after the style is drawn in it.
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_length(length);
    bar.reset();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_counted_and_then_the_bytes_of_sessions() {
        let steps = [
            Progress::Found { files: 3, bytes: 9 },
            Progress::Read(4),
            Progress::Read(4),
            Progress::Indexed {
                done: 1,
                all: 2,
                bytes: 1024,
            },
            Progress::Indexed {
                done: 2,
                all: 2,
                bytes: 2048,
            },
        ];
        let mut phase = Phase::Waiting;
        let mut shown = Vec::new();
        for step in steps {
            phase = phase.after(step);
            shown.push(phase.message(2.0));
        }
        let expected = [
            "0/3 files",
            "1/3 files",
            "2/3 files",
            "1.00 KiB 512 B/s",
            "3.00 KiB 1.50 KiB/s",
        ];
        assert_eq!(shown, expected);
    }
}
