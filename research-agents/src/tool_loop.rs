//! An agent with tools: asks the model, runs the tools it calls side by side, and asks again until it answers.
//!
//! It is a small graph, so that it streams, stops, and goes on after a crash like any other:
//!
//! ```text
//! model ──calls──▶ tool ∥ tool ∥ …
//!   │ ▲               │
//!   │ └───────────────┘
//!   └──answer──▶ END
//! ```
//!
//! * The model is asked at most [`max_iterations`](ToolAgentBuilder::max_iterations) times; the last time it must answer
//!   without tools.
//! * What tools return was written by somebody else: it enters the conversation as a marked block
//!   ([`Marker::block`](crate::kernel::Marker::block)). The mark is a layer, not the wall. The wall is the list of tools
//!   that [may be called](ToolAgentBuilder::allow): a model that obeys a document can still only call those.
//! * The tools of MCP servers come in with [`hub`](ToolAgentBuilder::hub), as far as they are [allowed](crate::mcp::AllowList).
//! * With a [checkpointer](ToolAgentBuilder::checkpointer) a run that broke off is [resumed](ToolAgent::resume): an answer
//!   of the model that was recorded is not asked for again, and a tool that has run does not run again.
//!
//! ```
//! use research_agents::tool_loop::ToolAgent;
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
//! # async fn main() -> Result<(), research_agents::Error> {
//! let weather = tool_fn("weather", "Tells the weather of a city.", |place: Place| async move {
//!     Ok::<_, std::io::Error>(format!("It is raining in {}.", place.city))
//! });
//! let model = ScriptedModel::new()
//!     .then(Response::new("demo", "").tool_call(ToolCall::new("1", "weather", r#"{"city": "Graz"}"#)))
//!     .then("Take an umbrella.");
//!
//! let agent = ToolAgent::builder(model, Toolbox::new().with(weather)).build()?;
//! let answer = agent.run("Do I need an umbrella in Graz?").await?;
//! assert_eq!((answer.text.as_str(), answer.iterations), ("Take an umbrella.", 2));
//! # Ok(()) }
//! ```

mod agent;
mod event;
mod nodes;
mod run;
mod state;

pub use agent::{ToolAgent, ToolAgentBuilder};
pub use event::ToolLoopEvent;
pub use nodes::{ToolServices, graph};
pub use run::{ToolAnswer, ToolLoopEnd, ToolRun};
pub use state::{ToolLoopState, ToolLoopStateUpdate};
