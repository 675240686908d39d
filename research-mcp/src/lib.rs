//! A client for several MCP servers at once, and what a research program needs above it: paging and field mapping.
//!
//! # Table of contents
//!
//! * [`Hub`] connects named servers in parallel, over stdio, in process, or over any transport of [`rmcp`]. One server
//!   that fails, hangs or dies never disturbs the others.
//! * [`ToolSource`] is the seam: list and call. A hub is one; a test writes its own.
//! * [`pager`] walks a tool that pages through an argument such as `search_after`, and always ends.
//! * [`FieldMap`] turns records of any shape into [`Document`]s with id, title, url and snippet.
//! * [`envelope`] reads what data tools report beside their records: totals, buckets of a grouping or a histogram.
//! * `server` (feature `server`): a server of one's own, from async functions.
//! * [`McpError`] says which server and tool failed, why, and what to do about it.
//!
//! # Call a tool
//!
//! ```
//! use research_mcp::{Hub, StdioServer, ToolSource};
//!
//! # async fn example() -> Result<(), research_mcp::McpError> {
//! let hub = Hub::builder()
//!     .stdio("events", StdioServer::new("my-mcp-server").arg("--read-only"))
//!     .connect()
//!     .await?;
//! let arguments = serde_json::Map::from_iter([("page_size".to_owned(), 20.into())]);
//! let answer = hub.call_tool("analyze_events", arguments).await?.into_json()?;
//! println!("{answer}");
//! hub.close().await;
//! # Ok(())
//! # }
//! ```

mod artifact;
mod config;
mod connection;
mod document;
mod elicit;
pub mod envelope;
mod era;
mod error;
mod event;
mod field_map;
mod fingerprint;
mod future;
mod hub;
mod limits;
#[cfg(feature = "oauth")]
mod oauth;
mod options;
mod output;
pub mod pager;
mod paging;
mod payload;
mod policy;
mod resource;
#[cfg(any(feature = "server", feature = "validate"))]
mod schema;
#[cfg(feature = "server")]
pub mod server;
mod services;
mod source;
mod tool;

pub use artifact::{Artifact, ArtifactId, ArtifactStore, DirectoryArtifacts, NoArtifactId};
pub use config::{ConfigError, ConfiguredServer, Endpoint, McpConfig};
#[cfg(feature = "http")]
pub use connection::HttpServer;
pub use connection::StdioServer;
pub use document::{Document, Extraction, Skipped, query_key};
pub use elicit::{Answers, ElicitAnswer, Elicitation, Elicitor, InputRequired, Wanted};
pub use era::{EraMemory, Lifecycle};
pub use error::{McpError, McpErrorKind, Operation, without_last_words};
pub use event::{HubEvent, ToolChange, ToolChangeKind};
pub use field_map::{DocumentReader, FieldMap, FieldMapping};
pub use fingerprint::Fingerprint;
pub use future::BoxFuture;
pub use hub::{Approvals, Hub, HubBuilder, ServerState, ServerStatus, Standing};
pub use limits::Limits;
#[cfg(feature = "oauth")]
pub use oauth::{Consent, OAuth};
pub use options::CallOptions;
pub use output::{CallOutput, Content, ResourceContent};
pub use pager::{Coverage, Page, PageEnd, Pager, PagerOptions, Paging, PagingArguments};
pub use policy::{ChangedTools, InvalidResults, Overflow, Respawn, RetryCalls, ServerPolicy};
pub use resource::{PromptArgument, PromptInfo, PromptMessage, Resource, ResourceTemplate};
pub use rmcp;
pub use source::{DataOutput, FailedServer, QuarantinedTool, ToolListing, ToolSource};
pub use tool::{Object, Tool, ToolHints};
