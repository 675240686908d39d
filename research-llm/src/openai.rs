//! OpenAI and the servers that speak like it.
//!
//! ```no_run
//! use research_llm::openai::{OpenAi, Quirks};
//! use research_llm::{ChatModel, Request};
//!
//! # async fn run() -> Result<(), research_llm::ModelError> {
//! // The key comes from OPENAI_API_KEY.
//! let model = OpenAi::builder("gpt-5-mini").build()?;
//! let answer = model.complete(&Request::new().user("What is the largest moon of Saturn?")).await?;
//!
//! // A server on this machine.
//! let local = OpenAi::builder("qwen3").quirks(Quirks::OLLAMA).build()?;
//! # Ok(()) }
//! ```

mod builder;
mod chat;
mod decode;
mod failure;
mod fields;
mod format;
mod model;
mod quirks;
mod responses;
mod servers;
mod usage;

pub use builder::OpenAiBuilder;
pub use model::{Api, OpenAi};
pub use quirks::{EffortField, Quirks, SchemaMode, TokenField};
