//! The program: reads the command line, does what the verb says, and exits 0 (yes), 1 (the answer is
//! no) or 2 (could not run).
#![allow(unreachable_pub, reason = "in a program `pub` reaches no further than the crate")]

mod answer;
mod args;
mod call;
mod cmd;
mod columns;
mod config;
mod env;
mod footprint;
mod git;
mod handles;
mod hold;
mod out;
mod panics;
mod place;
mod progress;
mod reply;
mod setup;
mod verb;
mod when;

use std::process::ExitCode;

use call::Call;
use env::Env;

fn main() -> ExitCode {
    let args = match args::read(std::env::args_os()) {
        Ok(args) => args,
        Err(refusal) => return refusal.tell(),
    };
    let call = Call::new(args.common, Env::read(), args::command_line);
    let store = || call.place().ok().map(|place| place.dir);
    match panics::caught(store, || args.verb.run(&call)) {
        Ok(answer) => answer.into(),
        Err(failure) => out::tell(&failure, call.json),
    }
}
