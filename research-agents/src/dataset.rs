//! The dataset agent: answers a question about a data set that MCP tools serve, with checked numbers and citations.
//!
//! * [`DatasetAgent`] — build it from a model and tools, then [`run`](DatasetAgent::run) a question.
//! * [`DatasetReport`] — what a run gives; [`DatasetEvent`] — what it tells on the way.
//! * [`DatasetRun::record`] — keeps a run in a [bundle](crate::kernel::Bundle), and [`replay()`] goes through it again.
//! * [`graph()`] — the graph itself, for hosts that embed or draw it; [`DatasetState`] and [`Services`] are what it runs on.
//! * [`ClarificationPolicy`] and [`Clarifier`](crate::kernel::Clarifier) — who is asked when a question can be read in several ways.
//! * [`standard_agents`] — the sub-agents, to which a host adds its own.
//! * [`record`], [`task`], [`review`], [`scope`] — the records that the parts exchange.
//!
//! ```no_run
//! use std::sync::Arc;
//! use research_agents::dataset::DatasetAgent;
//! use research_agents::llm::ChatModel;
//! use research_agents::mcp::ToolSource;
//!
//! # async fn example(model: Arc<dyn ChatModel>, tools: Arc<dyn ToolSource>) -> Result<(), research_agents::Error> {
//! let agent = DatasetAgent::builder(model, tools).build()?;
//! let report = agent.run("India events by theme").await?;
//! println!("{}", report.markdown);
//! assert!(report.stats.docs_processed <= 300);
//! # Ok(())
//! # }
//! ```

mod agent;
mod agents;
mod announced;
mod answers;
mod arguments;
mod bundle;
mod charts;
pub(crate) mod clarify;
mod completion;
mod config;
mod contradictions;
mod contribution;
mod corpus;
mod effects;
mod event;
mod evidence;
mod fallback;
mod filters;
mod findings;
mod fit;
mod granting;
mod graph;
mod guard;
mod mend;
mod nodes;
mod note;
mod origins;
mod profile;
mod prompts;
mod reading;
pub mod record;
mod recorded;
pub(crate) mod relations;
mod replay;
mod report;
mod results;
mod retry;
pub mod review;
mod run;
mod samples;
pub mod scope;
mod services;
mod spelling;
mod state;
mod stop;
pub mod task;
mod tool_arguments;
mod tool_facts;
mod turns;

pub use agent::{DatasetAgent, DatasetAgentBuilder};
pub use agents::{
    Aggregator, AggregatorInput, AggregatorOutput, Decomposer, DecomposerInput, Extractor, ExtractorInput,
    ExtractorOutput, GapAnalyzer, GapAnalyzerInput, GapAnalyzerOutput, PerspectiveAgent, PerspectiveInput, Scanner,
    ScannerInput, ScannerOutput, Synthesizer, SynthesizerInput, SynthesizerOutput, Validator, ValidatorInput,
    ValidatorOutput, max_batches, standard_agents,
};
pub use clarify::{Ambiguity, ClarificationPolicy, ClarifyTask, Doubt, asked};
pub use config::{ConfidenceWeights, DatasetConfig, MAX_DOCS_LIMIT};
pub use contribution::Contribution;
pub use event::{DatasetEvent, DatasetEventKind, Phase, RunStats, SourceCard};
pub use filters::{describe_filters, parse_filters};
pub use granting::only_reads;
pub use graph::graph;
pub use note::Note;
pub use origins::verify;
pub use replay::{DatasetReplay, replay};
pub use retry::{Changed, RetryPolicy, reduce};
pub use review::ReviewRules;
pub use run::{DatasetReport, DatasetRun, DatasetStream};
pub use services::{Ask, DatasetCx, Services, TOOLS_ROLE};
pub use state::{
    Call, CallError, CallOutcome, CompletedCall, Completion, DatasetState, DatasetStateUpdate, Recorded, RunInput,
};
pub use tokio_util::sync::CancellationToken;
pub use turns::Earlier;
