//! What several examples share.

pub mod dataset;
