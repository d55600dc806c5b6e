use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::answer::{Answer, Outcome};
use crate::call::Call;
use crate::columns::columns;
use crate::config::{self, Complaint, Setting};
use crate::out;

/// Show every setting, its value and where that comes from
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal config --json")]
pub struct Config {}

#[derive(Serialize)]
struct Printed<'a> {
    files: Vec<File<'a>>,
    settings: Vec<Value<'a>>,
    bad: Vec<Bad<'a>>,
}

/// A file that is looked for; a later one goes over an earlier one.
#[derive(Serialize)]
struct File<'a> {
    path: &'a Path,
    found: bool,
}

#[derive(Serialize)]
struct Value<'a> {
    key: String,
    value: f64,
    /// Left out where the value is the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a Path>,
}

#[derive(Serialize)]
struct Bad<'a> {
    path: &'a Path,
    message: &'a str,
}

impl Config {
    /// What is set is an answer, also where some of it cannot be used.
    pub fn run(self, call: &Call) -> Outcome {
        let files = call.config_files(&call.place()?);
        let config = config::read(&files);
        if call.json {
            out::print_json(&Printed {
                files: files.iter().map(File::of).collect(),
                settings: config.settings().map(Value::of).collect(),
                bad: config.complaints.iter().map(Bad::of).collect(),
            })?;
        } else {
            let rows = config.settings().map(row).collect();
            out::print(&columns(["setting", "value", "from"], rows))?;
            config.complaints.iter().for_each(out::say);
        }
        Ok(Answer::Yes)
    }
}

fn row(setting: Setting<'_>) -> [String; 3] {
    let from = setting.origin.map(|path| path.display().to_string());
    let from = from.unwrap_or_else(|| "default".to_owned());
    [setting.key, setting.value.to_string(), from]
}

impl<'a> File<'a> {
    fn of(path: &'a PathBuf) -> Self {
        let found = path.exists();
        Self { path, found }
    }
}

impl<'a> Value<'a> {
    fn of(setting: Setting<'a>) -> Self {
        Self {
            key: setting.key,
            value: setting.value,
            path: setting.origin,
        }
    }
}

impl<'a> Bad<'a> {
    fn of(complaint: &'a Complaint) -> Self {
        Self {
            path: &complaint.path,
            message: &complaint.what,
        }
    }
}
