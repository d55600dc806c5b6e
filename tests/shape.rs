//! The repository's own rules, held by tests. Each rule is a function from text to what is wrong
//! with it, and is tested on a small bad input before it is let loose on the repository.

mod files;
mod frozen;
mod layers;
mod lexing;
mod promises;
mod sizes;
mod surface;
