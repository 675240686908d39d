//! An agent with tools: asks the model, runs the tools it calls concurrently, and asks again until
//! it answers.
//!
//! It is a small graph, so that it streams, stops, and resumes after a crash like any other:
//!
//! ```text
//! model ──calls──▶ tool ∥ tool ∥ …
//!   │ ▲               │
//!   │ └───────────────┘
//!   └──answer──▶ END
//! ```
//!
//! * The model is asked at most [`max_iterations`](ToolAgentBuilder::max_iterations) times; the
//!   last time it must answer without tools.
//! * Results of tools are untrusted: they enter the conversation as marked blocks
//!   ([`Marker::block`](research_agents_report::text::Marker::block)). The mark is one layer of
//!   defence. The barrier is the list of tools that [may be called](ToolAgentBuilder::allow): a
//!   model that obeys a document can still only call those.
//! * Every call passes the gate of its [`Job`](crate::job::Job): the
//!   [settings](ToolAgentBuilder::settings) set its budget, policy and retries. When the budget is
//!   used up, the model is asked once more, for an answer from what it has.
//! * A [recorded](ToolAgentBuilder::recorded) answer can be [replayed](ToolAgent::replay) without
//!   the model and without tools.
//! * The tools of MCP servers are added with [`hub`](ToolAgentBuilder::hub), as far as they are
//!   [allowed](crate::tools::hub::AllowList).
//! * With a [checkpointer](ToolAgentBuilder::checkpointer) an interrupted run is
//!   [resumed](ToolAgent::resume): an answer of the model that was recorded is not asked for again,
//!   and a tool that has run does not run again.
//!
//! ```
//! use research_agents_runtime::tools::agent::ToolAgent;
//! use research_llm::testing::{Reply, ScriptedModel};
//! use research_llm::tool::{Toolbox, tool_fn};
//! use research_llm::{Response, ToolCall};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Place {
//!     /// Name of the city.
//!     city: String,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), research_agents_runtime::error::Error> {
//! let weather = tool_fn("weather", "Tells the weather of a city.", |place: Place| async move {
//!     Ok::<_, std::io::Error>(format!("It is raining in {}.", place.city))
//! });
//! let call = ToolCall::new("1", "weather", r#"{"city": "Graz"}"#);
//! let model = ScriptedModel::new()
//!     .then(Response::new("demo", "").tool_call(call))
//!     .then("Take an umbrella.");
//!
//! let agent = ToolAgent::builder(model, Toolbox::new().with(weather)).build()?;
//! let answer = agent.run("Do I need an umbrella in Graz?").await?;
//! assert_eq!((answer.text.as_str(), answer.iterations), ("Take an umbrella.", 2));
//! # Ok(()) }
//! ```

pub(crate) mod answer;
pub(crate) mod builder;
pub(crate) mod event;
pub(crate) mod nodes;
pub(crate) mod plan;
pub(crate) mod recording;
pub(crate) mod run;
pub(crate) mod services;
pub(crate) mod state;

pub use crate::tools::agent::answer::{ToolAnswer, ToolLoopEnd};
pub use crate::tools::agent::builder::{ToolAgent, ToolAgentBuilder};
pub use crate::tools::agent::event::ToolLoopEvent;
pub use crate::tools::agent::nodes::graph;
pub use crate::tools::agent::recording::ToolRecording;
pub use crate::tools::agent::run::ToolRun;
pub use crate::tools::agent::services::ToolServices;
pub use crate::tools::agent::state::{ToolLoopState, ToolLoopStateUpdate};
