//! MCP servers for agents: the client, re-exported, and its tools as tools of an agent or of any node.
//!
//! Everything of [`research_mcp`] is here too, so that a host adds one dependency.
//!
//! # What is safe about it
//!
//! * Nothing may be called unless it is [allowed](AllowList), by server and tool. A model that obeys a document can still call
//!   nothing else, whatever names it makes up; a [guard](HubToolsBuilder::guard) looks at the arguments.
//! * A tool is called only as long as it is what it was when it was shown to the model, on the server that it was listed by.
//! * What servers say is untrusted: descriptions go to the model as quoted data, results as marked blocks or as
//!   [`Untrusted`](crate::kernel::Untrusted). Nothing that a result points to is fetched. What a server writes to its standard error
//!   does not go to a model.
//!
//! # An agent with the tools of servers
//!
//! ```
//! use std::sync::Arc;
//!
//! use research_agents::mcp::{Hub, HubTools, StdioServer};
//! use research_agents::tool_loop::ToolAgent;
//! use research_llm::ChatModel;
//! use research_llm::tool::Toolbox;
//!
//! async fn ask(model: impl ChatModel + 'static) -> Result<String, research_agents::Error> {
//!     let files = StdioServer::new("mcp-server-filesystem").arg("/srv/notes");
//!     let hub = Arc::new(Hub::builder().stdio("files", files).connect().await?);
//!     let tools = HubTools::builder(Arc::clone(&hub)).allow("files", "read_*").allow("files", "list_*").build().await?;
//!     let agent = ToolAgent::builder(model, Toolbox::new()).hub(tools).build()?;
//!     let answer = agent.run("What did we decide on Monday?").await?;
//!     hub.close().await;
//!     Ok(answer.text)
//! }
//! ```
//!
//! # Questions to the user
//!
//! A server can ask the user something in the middle of a call. A node that calls with [`HubTools::call_in`] is then interrupted like
//! one that asks by itself: the run ends, the question waits in the checkpointer, and another process may go on with the
//! answer. A call that has ended is not made again.
//!
//! ```
//! use std::sync::Arc;
//!
//! use research_agents::core::{Cx, NodeError, State};
//! use research_agents::mcp::{Hub, HubTools, Interviewer, Object, StdioServer};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Clone, Default, Serialize, Deserialize, State)]
//! struct Trip {
//!     ticket: String,
//! }
//!
//! async fn book(cx: Cx<Trip, HubTools>) -> Result<TripUpdate, NodeError> {
//!     let booked = cx.resources.call_in(&cx, "book", "book_seat", Object::new()).await?;
//!     Ok(Trip::update().ticket(&*booked.for_code().text))
//! }
//!
//! async fn tools() -> Result<HubTools, research_agents::Error> {
//!     // Servers of MCP 2026-07-28 wait for an answer; older ones are asked again.
//!     let interviewer = Arc::new(Interviewer::new());
//!     let hub = Hub::builder()
//!         .stdio("rail", StdioServer::new("rail-mcp"))
//!         .answer_later()
//!         .elicitor(Arc::clone(&interviewer) as _)
//!         .connect()
//!         .await?;
//!     HubTools::builder(Arc::new(hub)).allow("rail", "book_seat").interviewer(interviewer).build().await
//! }
//! # let _ = (book, tools);
//! ```
//!
//! # Many tools
//!
//! With [more tools](HubToolsBuilder::deferred_above) than a request should carry, a model is given two: `mcp_search_tools` finds tools
//! by words, and `mcp_call_tool` calls one. Only what is allowed is found.

mod allow;
mod builder;
mod deferred;
mod interviewer;
mod node;
mod present;
mod question;
mod tool;
mod tools;

pub use research_mcp::*;

pub use self::allow::{AllowList, NoToolPattern, ToolPattern};
pub use self::builder::HubToolsBuilder;
pub use self::interviewer::Interviewer;
pub use self::node::ToolProgress;
pub use self::question::asked;
pub use self::tools::HubTools;
