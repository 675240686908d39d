//! What several examples share.

pub mod cli;
pub mod dataset;
