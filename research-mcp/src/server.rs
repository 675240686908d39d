//! An MCP server of one's own: tools, resources and prompts from async functions.
//!
//! A [`ToolServer`] speaks MCP 2026-07-28 and the revisions before it, over standard input and output
//! ([`serve_stdio`](ToolServer::serve_stdio)), over streamable HTTP ([`serve_http`](ToolServer::serve_http)), or to a hub in the same
//! process ([`HubBuilder::in_process`](crate::HubBuilder::in_process)). What it does not offer it refuses with "method not found".
//!
//! # A server on standard input and output
//!
//! Nothing else may be written to standard output; logs go to standard error.
//!
//! ```no_run
//! use research_mcp::server::{ServerTool, ToolReply, ToolServer};
//! use serde::Deserialize;
//!
//! /// Where a sum starts and what is added.
//! #[derive(Deserialize, schemars::JsonSchema)]
//! struct Sum {
//!     /// The numbers to add.
//!     numbers: Vec<f64>,
//!     /// What to begin with; 0 when absent.
//!     start: Option<f64>,
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let sum = ServerTool::typed("sum", "Adds numbers.", |sum: Sum, call| async move {
//!         let caller = call.caller();
//!         let mut total = sum.start.unwrap_or(0.0);
//!         for (done, number) in sum.numbers.iter().enumerate() {
//!             caller.progress(done as f64, sum.numbers.len() as f64, None).await;
//!             total += number;
//!         }
//!         Ok(ToolReply::text(total.to_string()))
//!     });
//!     ToolServer::builder("calculator", "1.0.0").tool(sum.read_only(true)).build()?.serve_stdio().await?;
//!     Ok(())
//! }
//! ```
//!
//! # The same over HTTP
//!
//! It binds loopback and answers requests that name it by a loopback address only, so that a page in a browser cannot reach it.
//!
//! ```
//! use research_mcp::server::{HttpListen, ServerTool, ToolFailure, ToolReply, ToolServer};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
//! let greet = ServerTool::new("greet", "Greets somebody.", schema, |call| async move {
//!     match call.arguments()["name"].as_str() {
//!         Some(name) => Ok(ToolReply::text(format!("Hello, {name}!"))),
//!         None => Err(ToolFailure::new("whom?")),
//!     }
//! });
//! let server = ToolServer::builder("greeter", "1.0.0").tool(greet).build()?;
//! let running = server.serve_http(HttpListen::loopback(0)).await?;
//!
//! # #[cfg(feature = "http")] {
//! use research_mcp::{HttpServer, Hub, ToolSource};
//!
//! let hub = Hub::builder().http("greeter", HttpServer::new(running.url())).connect().await?;
//! let answer = hub.call_tool("greet", json!({"name": "Ada"}).as_object().unwrap().clone()).await?;
//! assert_eq!(answer.text, "Hello, Ada!");
//! // Arguments are checked before the function sees them.
//! let refused = hub.call_tool("greet", serde_json::Map::new()).await?;
//! assert!(refused.is_error && refused.text.contains("\"name\" is a required property"), "{refused:?}");
//! hub.close().await;
//! # }
//! running.shutdown().await;
//! # Ok(())
//! # }
//! ```

mod capability;
mod context;
mod failure;
mod log;
mod reply;
mod schema;
mod session;
mod template;

mod arguments;
mod ask;
mod audience;
mod parts;

mod announcer;
mod call;
mod caller;
mod prompt;
mod resource;
mod tool;

mod builder;
mod handler;
mod tool_server;
mod wire;
mod work;

mod http;
mod run;
mod stdio;

pub use self::ask::{Answer, Question, Root, Sampled, Sampling};
pub use self::builder::ToolServerBuilder;
pub use self::capability::Capability;
pub use self::failure::{Refusal, ServeError, ToolFailure};
pub use self::http::{HttpListen, RunningServer};
pub use self::log::LogLevel;
pub use self::parts::{
    Announcer, Caller, Completing, PromptCall, ResourceRead, ServerPrompt, ServerResource, ServerResourceTemplate,
    ServerTool, ToolCall,
};
pub use self::reply::ToolReply;
pub use self::schema::portable_schema;
pub use self::tool_server::ToolServer;
