//! One file per verb: the doc comments of its arguments are its help text.

pub mod bench;
pub mod checkpoint;
pub mod clean;
pub mod completions;
pub mod config;
pub mod demo;
pub mod doctor;
pub mod find;
pub mod forget;
pub mod graph;
pub mod index;
pub mod init;
pub mod log;
pub mod man;
pub mod mcp;
pub mod query;
pub mod recall;
pub mod version;
