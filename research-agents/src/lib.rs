//! Ready research systems on a typed graph engine, with checked citations.
//!
//! # Table of contents
//!
//! * [`dataset`] — the dataset agent: a question about records that MCP tools serve, planned, read and reported.
//! * [`offline`] — a model that computes its answers from the material, so that everything runs without a key.
//! * [`tool_loop`] — an agent with tools: asks, calls, asks again, within bounds.
//! * [`subagent`] — sub-agents and their registry, for your own agents and workflows.
//! * [`kernel`] — sources, evidence, checked claims, reports, untrusted text, prompts.
//! * [`mcp`] — the MCP client, re-exported, and its tools as tools of an agent or of any node.
//! * [`core`], [`llm`] — the engine and the model port, re-exported: a host adds one dependency.
//!
//! # What a report promises
//!
//! A model drafts sentences together with typed [claims](kernel::claim); code recounts every claim and looks every quote up,
//! and prints only what holds, with citations that [resolve](kernel::resolve_citations). How much of the matching data was
//! read is stated exactly.

pub mod dataset;
mod error;
pub mod kernel;
pub mod mcp;
pub mod offline;
pub mod subagent;
mod suggest;
pub mod tool_loop;

pub use error::{Error, ErrorCategory};
pub use research_core as core;
pub use research_llm as llm;
