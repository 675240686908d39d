//! Research systems on a typed graph engine, with checked citations.
//!
//! This crate re-exports the crates that a research system is made of, so that a host needs one
//! dependency.
//!
//! | module | contents | crate |
//! |---|---|---|
//! | [`dataset`] | answers questions about records behind MCP tools | `research-agents-dataset` |
//! | [`offline`] | a model that computes its answers without a key | `research-agents-runtime` |
//! | `code` | answers questions about code bases (feature `code`) | `research-agents-code-agent` |
//! | `code_base` | search, symbols and occurrences (feature `code`) | `research-agents-code` |
//! | `sources` | folders, search and fetch (feature `sources`) | `research-agents-sources` |
//! | `fieldwork` | a searcher over sources (`studio`, `feedback`) | `research-agents-fieldwork` |
//! | `studio` | researches questions in documents (feature `studio`) | `research-agents-studio` |
//! | `scr` | a memo that keeps up with findings (feature `scr`) | `research-agents-scr` |
//! | `feedback` | researches towards a decision (feature `feedback`) | `research-agents-feedback` |
//! | [`tool_loop`] | an agent that calls tools within limits | `research-agents-runtime` |
//! | [`subagent`] | sub-agents and their registry | `research-agents-runtime` |
//! | [`runtime`] | jobs, budgets, policies, threads, bundles, replay | `research-agents-runtime` |
//! | [`report`] | evidence, claims, the checker, charts and documents | `research-agents-report` |
//! | [`kernel`] | the names of `runtime` and `report` that hosts use most | |
//! | [`mcp`] | the MCP client, and its tools as tools of an agent or a node | `research-mcp` |
//! | [`core`] | the engine that runs typed graphs | `research-core` |
//! | [`llm`] | the interface to models | `research-llm` |
//!
//! # What a report promises
//!
//! A model drafts sentences together with typed [claims](kernel::claim). Code recounts every claim
//! and looks up every quote, and prints only what holds, with citations that
//! [resolve](kernel::resolve_citations). How much of the matching data was read is stated exactly.
//!
//! # A question answered offline
//!
//! ```no_run
//! # #[cfg(feature = "offline")]
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use std::sync::Arc;
//!
//! use research_agents::dataset::DatasetAgent;
//! use research_agents::mcp::{Hub, StdioServer};
//! use research_agents::offline::OfflineModel;
//!
//! let hub = Hub::builder().stdio("strikes", StdioServer::new("dataset_server")).connect().await?;
//! let agent = DatasetAgent::builder(OfflineModel::new(), Arc::new(hub)).build()?;
//! let report = agent.run("Strikes by state").await?;
//! println!("{}", report.markdown);
//! # Ok(()) }
//! ```
//!
//! # A system of your own
//!
//! Implement [`runtime::run::System`] for it. The [runtime] then gives it threads, resumption after
//! a crash, events, budgets, the tool gate, clarification, a checked report, bundles, verification
//! and replay. `examples/survey_system.rs` is one in 150 lines.
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `dataset` | yes | [`dataset`] |
//! | `offline` | yes | [`offline`]; needs no further crates |
//! | `code` | no | `code` and `code_base`, with the parsers of seven languages |
//! | `sources` | no | `sources`, without the readers of PDF and Office files |
//! | `studio` | no | `fieldwork`, `studio` and `sources` |
//! | `scr` | no | `scr`, with the readers of `sources` |
//! | `feedback` | no | `feedback`, `scr`, `fieldwork` and `sources` |

pub mod kernel;
#[cfg(feature = "offline")]
pub mod offline;

#[cfg(feature = "code")]
pub use research_agents_code as code_base;
#[cfg(feature = "code")]
pub use research_agents_code_agent as code;
#[cfg(feature = "dataset")]
pub use research_agents_dataset as dataset;
#[cfg(feature = "feedback")]
pub use research_agents_feedback as feedback;
#[cfg(any(feature = "studio", feature = "feedback"))]
pub use research_agents_fieldwork as fieldwork;
pub use research_agents_report as report;
pub use research_agents_runtime as runtime;
pub use research_agents_runtime::error::{Error, ErrorCategory};
pub use research_agents_runtime::tools::agent as tool_loop;
pub use research_agents_runtime::tools::hub as mcp;
pub use research_agents_runtime::tools::registry as subagent;
#[cfg(feature = "scr")]
pub use research_agents_scr as scr;
#[cfg(feature = "sources")]
pub use research_agents_sources as sources;
#[cfg(feature = "studio")]
pub use research_agents_studio as studio;
pub use research_core as core;
pub use research_llm as llm;
