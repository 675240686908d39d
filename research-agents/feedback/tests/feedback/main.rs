//! The workflow as hosts use it: whole runs over folders and scripted sources, with scripted
//! decisions.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod golden;
mod kills;
mod passes;
mod plans;
mod support;
mod wire;
