//! The evaluation as a program: against its baseline, with a worse model, with files that cannot be used, and stopped.

mod baseline;
mod files;
mod models;
mod program;
mod questions;
