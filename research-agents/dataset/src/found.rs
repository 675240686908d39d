//! The results of a run: coverage, findings, tables, charts, relations and conflicts.

pub(crate) mod caption;
pub(crate) mod charts;
pub(crate) mod conflicts;
pub mod coverage;
pub(crate) mod evidence;
pub(crate) mod findings;
pub(crate) mod profile;
pub(crate) mod relations;
