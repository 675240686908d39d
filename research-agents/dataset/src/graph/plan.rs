//! The corrections and completions that code makes to the plans of the planner.

pub(crate) mod arguments;
pub(crate) mod correct;
pub(crate) mod ineffective_filters;
pub(crate) mod reading;
pub(crate) mod stuck;
pub(crate) mod tidy;
