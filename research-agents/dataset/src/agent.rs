//! The dataset agent: how it is built, run, recorded and replayed.

pub(crate) mod builder;
pub(crate) mod origins;
pub(crate) mod outcome;
pub(crate) mod recorded;
pub(crate) mod replay;
pub(crate) mod result_reader;
pub(crate) mod run;
pub(crate) mod system;
