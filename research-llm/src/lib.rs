//! Chat models for agents: one port, providers that hide nothing, and layers around them.
//!
//! # Table of contents
//!
//! * [`ChatModel`]: the port, to be shared as `Arc<dyn ChatModel>`. [`Request`] goes in, [`Response`] or a stream of
//!   [`StreamEvent`]s comes out, and trouble is a [`ModelError`] that says whether a retry can help and what had arrived.
//! * Providers: `openai` (chat completions and responses, and the many servers that speak like them), `anthropic`, and
//!   a bridge to others (`genai`). [`Providers`] opens a model by a [`ModelSpec`] such as `ollama:qwen3`.
//! * [`ChatModelExt::structured`]: an answer as a Rust type, asked again with the precise error when it does not fit;
//!   [`schema`] says what each provider makes of a schema.
//! * [`tool`]: tools as typed functions; [`Conversation`]: a history whose beginning stays the same.
//! * [`layer`]: retry, rate limit, concurrency, time limit, budget, cache, fallback, tiers, recorder, meter.
//! * [`price`] and [`tokens`]: what calls cost. [`embed`] and [`rerank`]: texts as vectors, and by relevance.
//! * [`Task`]: the machine-readable task beside the prompt, for models that compute instead of write.
//! * `testing` (feature `testing`): scripted and misbehaving models and servers, and the suite that every provider passes.
//!
//! # An answer as a type
//!
//! ```
//! use research_llm::testing::ScriptedModel;
//! use research_llm::{ChatModelExt, Request};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct City {
//!     name: String,
//!     inhabitants: u64,
//! }
//!
//! # futures::executor::block_on(async {
//! let model = ScriptedModel::new()
//!     .then("The city is Graz.")
//!     .then(r#"{"name": "Graz", "inhabitants": 302749}"#);
//!
//! let city = model.structured::<City>(Request::new().user("Name a city in Styria.")).await?;
//! assert_eq!((city.value.name.as_str(), city.value.inhabitants), ("Graz", 302_749));
//! assert_eq!(city.attempts, 2);
//! # Ok::<(), research_llm::ModelError>(()) }).unwrap();
//! ```

#[cfg(feature = "anthropic")]
pub mod anthropic;
mod call;
mod conversation;
pub mod embed;
mod error;
#[cfg(feature = "genai")]
pub mod genai;
#[cfg(feature = "http")]
#[cfg_attr(not(feature = "anthropic"), expect(dead_code, reason = "each provider uses a part of the transport"))]
pub mod http;
pub mod layer;
mod message;
mod model;
#[cfg(feature = "openai")]
pub mod openai;
pub mod price;
pub mod redact;
mod request;
pub mod rerank;
mod response;
pub mod schema;
mod spec;
pub mod sse;
mod stream;
pub mod structured;
#[cfg(feature = "testing")]
pub mod testing;
pub mod tokens;
pub mod tool;

pub use async_trait::async_trait;

pub use call::{ToolCall, ToolChoice, ToolDefinition};
pub use conversation::Conversation;
pub use embed::{Embedder, Embeddings};
pub use error::{Cause, ErrorKind, Failure, InvalidOutput, ModelError};
pub use message::{Image, ImageSource, Message, Part, ProviderItem, Role, ToolResult};
pub use model::{Abilities, ChatModel, ModelInfo, ModelKind};
pub use request::{Effort, OutputSchema, Request, Task, Tier};
pub use rerank::Reranker;
pub use research_key_shapes::key_shapes;
pub use response::{FinishReason, Response, Usage};
#[cfg(any(feature = "openai", feature = "anthropic"))]
pub use spec::ServerFacts;
pub use spec::{ModelSpec, ProviderEntry, Providers, WireFormat, catalog};
pub use stream::{Accumulated, EventStream, StreamEvent, ToolCallDelta, collect, replay, replay_lazily};
pub use structured::{ChatModelExt, MAX_ATTEMPTS, Partial, Structured};
pub use tool::{Tool, ToolError, ToolOutput, Toolbox, tool_fn};
