//! Data tools: their description, their calls and their results.

pub(crate) mod dialect;
pub(crate) mod documents;
pub(crate) mod facts;
pub(crate) mod field_names;
pub(crate) mod only_reads;
pub(crate) mod overrides;
pub(crate) mod reading;
pub(crate) mod reduce;
pub(crate) mod requested;
pub(crate) mod samples;
pub(crate) mod statistics;
pub(crate) mod results;
