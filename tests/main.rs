//! All integration tests, in one binary.
#![allow(unreachable_pub, reason = "nothing imports a test binary")]

#[cfg(feature = "cli")]
mod bench;
#[cfg(feature = "cli")]
mod capture;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod commits;
#[cfg(feature = "cli")]
mod config;
#[cfg(feature = "cli")]
mod damage;
#[cfg(feature = "cli")]
mod doctor;
#[cfg(feature = "cli")]
mod exactly_once;
#[cfg(feature = "cli")]
mod find;
#[cfg(feature = "cli")]
mod forget;
mod format;
#[cfg(feature = "cli")]
mod graph_verbs;
#[cfg(feature = "cli")]
mod init;
#[cfg(feature = "cli")]
mod interrupted;
#[cfg(feature = "cli")]
mod manual;
#[cfg(feature = "cli")]
mod mcp;
#[cfg(feature = "cli")]
mod program;
mod protocol;
#[cfg(feature = "cli")]
mod questions;
mod shape;
#[cfg(feature = "cli")]
mod stage;
#[cfg(feature = "cli")]
mod the_loop;
#[cfg(feature = "cli")]
mod view;
