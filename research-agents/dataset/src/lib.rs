//! The dataset agent: answers a question about a data set that MCP tools serve, with checked
//! numbers and citations.
//!
//! | to | use |
//! |---|---|
//! | ask a question | [`DatasetAgent`], built from a model and tools, and [`DatasetAgent::run`] |
//! | read the outcome and the progress of a run | [`DatasetReport`], [`DatasetEvent`] |
//! | record a run, check it and replay it | [`DatasetRun::record`], [`verify`], [`replay()`] |
//! | decide who is asked about an ambiguous question | [`ClarificationPolicy`], [`Clarifier`] |
//! | add sub-agents to the standard ones | [`DatasetAgentBuilder::agent`], [`standard_agents`] |
//! | embed or draw the graph | [`graph()`], with its [`DatasetState`] and [`Services`] |
//! | read the data that the parts exchange | [`record`], [`task`], [`review`], [`scope`] |
//!
//! [`Clarifier`]: research_agents_runtime::clarify::Clarifier
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use research_agents_dataset::DatasetAgent;
//! use research_agents_runtime::error::Error;
//! use research_agents_runtime::tools::hub::ToolSource;
//! use research_llm::ChatModel;
//!
//! # async fn example(model: Arc<dyn ChatModel>, tools: Arc<dyn ToolSource>) -> Result<(), Error> {
//! let agent = DatasetAgent::builder(model, tools).build()?;
//! let report = agent.run("India events by theme").await?;
//! println!("{}", report.markdown);
//! assert!(report.stats.docs_processed <= 300);
//! # Ok(())
//! # }
//! ```

pub(crate) mod agent;
pub(crate) mod agents;
pub(crate) mod cx;
pub(crate) mod data;
pub(crate) mod found;
pub(crate) mod graph;
pub mod offline;
pub(crate) mod prompts;
pub(crate) mod question;
pub(crate) mod report;
pub(crate) mod state;
pub(crate) mod tools;

pub use crate::agent::builder::{DatasetAgent, DatasetAgentBuilder};
pub use crate::agent::origins::verify;
pub use crate::agent::outcome::DatasetReport;
pub use crate::agent::replay::{DatasetReplay, replay};
pub use crate::agent::run::{DatasetEvent, DatasetRun, DatasetStream};
pub use crate::agents::aggregator::{Aggregator, AggregatorInput, AggregatorOutput};
pub use crate::agents::decomposer::{Decomposer, DecomposerInput};
pub use crate::agents::extractor::{Extractor, ExtractorInput, ExtractorOutput};
pub use crate::agents::gap_analyzer::{GapAnalyzer, GapAnalyzerInput, GapAnalyzerOutput};
pub use crate::agents::perspective::{PerspectiveAgent, PerspectiveInput};
pub use crate::agents::scanner::{Scanner, ScannerInput, ScannerOutput, max_batches};
pub use crate::agents::standard::standard_agents;
pub use crate::agents::synthesizer::{Synthesizer, SynthesizerInput, SynthesizerOutput};
pub use crate::agents::validator::{Validator, ValidatorInput, ValidatorOutput};
pub use crate::cx::{DatasetCx, Services, TOOLS_ROLE};
pub use crate::data::call::{Call, CallError, CallOutcome, CompletedCall};
pub use crate::data::completion::Completion;
pub use crate::data::config::{ConfidenceWeights, DatasetConfig, MAX_DOCS_LIMIT};
pub use crate::data::contribution::Contribution;
pub use crate::data::event::{DatasetEventKind, Phase};
pub use crate::data::filters::{describe_filters, parse_filters};
pub use crate::data::review::ReviewRules;
pub use crate::graph::graph;
pub use crate::question::clarify::{Ambiguity, ClarifyTask};
pub use crate::question::doubt::Doubt;
pub use crate::question::read::read;
pub use crate::question::reading;
pub use crate::state::earlier::Earlier;
pub use crate::state::input::RunInput;
pub use crate::state::model::{DatasetState, DatasetStateUpdate};
pub use crate::tools::only_reads::only_reads;
pub use crate::tools::reduce::reduce;
pub use research_agents_runtime::clarify::{ClarificationPolicy, asked};
pub use research_agents_runtime::event::{EventKind, Note, RunEvent, RunStats, SourceCard};
pub use research_agents_runtime::job::Ask;
pub use research_agents_runtime::limits::Changed;
pub use research_agents_runtime::limits::RetryPolicy;
pub use tokio_util::sync::CancellationToken;

/// The beginning of a recorded run of the dataset agent.
pub type Recorded = research_agents_runtime::run::Beginning<RunInput>;

pub use crate::data::{record, review, task};
pub use crate::found::coverage as scope;
