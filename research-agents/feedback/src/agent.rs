//! The graph of the workflow: its state, its nodes and its routes.

pub(crate) mod state;
pub(crate) mod kit;
pub(crate) mod complexity;
pub(crate) mod lead;
pub(crate) mod subagent;
pub(crate) mod filter;
pub(crate) mod synthesizer;
pub(crate) mod decision;
pub(crate) mod verifier;
pub(crate) mod citation;
pub(crate) mod graph;
