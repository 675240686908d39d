//! The sub-agents of the dataset agent, one file each.

pub(crate) mod aggregator;
pub(crate) mod contribute;
pub(crate) mod decomposer;
pub(crate) mod extraction;
pub(crate) mod extractor;
pub(crate) mod gap_analyzer;
pub(crate) mod perspective;
pub(crate) mod scanner;
pub(crate) mod standard;
pub(crate) mod synthesizer;
pub(crate) mod validator;
