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

mod arguments;
mod ask;
mod audience;
mod builder;
mod call;
mod caller;
mod failure;
mod handler;
mod http;
mod log;
mod prompt;
mod reply;
mod resource;
mod run;
mod schema;
mod stdio;
mod template;
mod tool;
mod wire;
mod work;

use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::RequestStateCodec;
use rmcp::service::Peer;
use tokio_util::sync::CancellationToken;

pub use self::ask::{Answer, Capability, Question, Root, Sampled, Sampling};
pub use self::audience::Announcer;
pub use self::builder::ToolServerBuilder;
pub use self::call::{Completing, PromptCall, ResourceRead, ToolCall};
pub use self::caller::Caller;
pub use self::failure::{Refusal, ServeError, ToolFailure};
pub use self::http::{HttpListen, RunningServer};
pub use self::log::LogLevel;
pub use self::prompt::ServerPrompt;
pub use self::reply::ToolReply;
pub use self::resource::{ServerResource, ServerResourceTemplate};
pub use self::schema::portable_schema;
pub use self::tool::ServerTool;

use self::audience::Audience;
use self::builder::{Completer, Lister};

/// A server that is ready to be served. A clone offers the same to another client.
pub struct ToolServer {
    shared: Arc<Shared>,
    session: Arc<Session>,
    /// When its clients are told that there is nothing more to come.
    closing: CancellationToken,
    /// When calls are cancelled, because the server ends.
    ending: CancellationToken,
}

impl std::fmt::Debug for ToolServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tools = self.shared.tools();
        let tools: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        f.debug_struct("ToolServer").field("name", &self.shared.name).field("tools", &tools).finish_non_exhaustive()
    }
}

impl Clone for ToolServer {
    fn clone(&self) -> Self {
        self.another(self.closing.clone(), self.ending.clone())
    }
}

impl ToolServer {
    /// Begins a server: its name as clients see it, and its version.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ToolServerBuilder {
        ToolServerBuilder::new(name.into(), version.into())
    }

    /// What tells clients about changes, and makes them.
    pub fn announcer(&self) -> Announcer {
        Announcer::new(&self.shared)
    }

    fn new(shared: Shared) -> Self {
        Self {
            shared: Arc::new(shared),
            session: Arc::default(),
            closing: CancellationToken::new(),
            ending: CancellationToken::new(),
        }
    }

    /// The same for another client.
    fn another(&self, closing: CancellationToken, ending: CancellationToken) -> Self {
        Self { shared: Arc::clone(&self.shared), session: Arc::default(), closing, ending }
    }
}

/// What a server offers, to all its clients.
struct Shared {
    name: String,
    version: String,
    title: Option<String>,
    instructions: Option<String>,
    tools: RwLock<Vec<Arc<ServerTool>>>,
    prompts: RwLock<Vec<Arc<ServerPrompt>>>,
    resources: Vec<ServerResource>,
    templates: Vec<ServerResourceTemplate>,
    lister: Option<Lister>,
    completer: Option<Completer>,
    offers: Offers,
    /// How long lists may be kept by clients, and whether for all users alike.
    cache: Option<(Duration, bool)>,
    codec: RequestStateCodec,
    audience: Audience,
}

impl Shared {
    fn tools(&self) -> Vec<Arc<ServerTool>> {
        self.tools.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn tool(&self, name: &str) -> Option<Arc<ServerTool>> {
        self.tools().into_iter().find(|tool| tool.name == name)
    }

    fn prompts(&self) -> Vec<Arc<ServerPrompt>> {
        self.prompts.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What a server declares; the rest is refused.
#[derive(Clone, Copy, Debug, Default)]
struct Offers {
    tools: bool,
    prompts: bool,
    resources: bool,
    /// Its lists change while it serves.
    changes: bool,
    subscriptions: bool,
    logging: bool,
}

/// What belongs to one client of a connection that lasts.
#[derive(Default)]
struct Session {
    peer: OnceLock<Peer<RoleServer>>,
    /// What the client wants to read of the log, if it said so.
    level: Mutex<Option<LogLevel>>,
    /// Addresses that it wants to hear about.
    subscribed: Mutex<std::collections::BTreeSet<String>>,
}
