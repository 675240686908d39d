//! Tests of the studio as hosts use it: whole runs over folders, scripted sources and scripted
//! answers.

mod bundle;
mod golden;
mod rounds;
mod session;
mod support;
