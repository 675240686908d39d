//! Tests of the studio as hosts use it: whole runs over folders, scripted sources and scripted
#![expect(clippy::unwrap_used, reason = "helpers of tests")]
//! answers.

mod bundle;
mod calls;
mod golden;
mod hostile;
mod rounds;
mod session;
mod support;
