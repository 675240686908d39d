//! The graph of the studio: its state, its nodes and its routes.

pub(crate) mod state;
pub(crate) mod kit;
pub(crate) mod analyzer;
pub(crate) mod clarify;
pub(crate) mod planner;
pub(crate) mod orchestrator;
pub(crate) mod subagent;
pub(crate) mod synthesizer;
pub(crate) mod gap_detector;
pub(crate) mod trust_engine;
pub(crate) mod writer;
pub(crate) mod graph;
