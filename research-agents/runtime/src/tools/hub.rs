//! MCP servers for agents: the client, re-exported, and its tools as tools of an agent or of any
//! node.
//!
//! Everything of [`research_mcp`] is here too, so that a host adds one dependency.
//!
//! # Security
//!
//! * Nothing may be called unless it is [allowed](AllowList), by server and tool. A model that
//!   obeys a document can still call nothing else, whatever names it makes up. A
//!   [guard](HubToolsBuilder::guard) checks the arguments.
//! * A tool is called only while its definition is the one that the model was shown, and only on
//!   the server that listed it.
//! * Text of servers is untrusted: descriptions go to the model as quoted data, results as marked
//!   blocks or as [`Untrusted`](research_agents_report::text::Untrusted). Links in results are not
//!   fetched. The standard error of a server never goes to a model.
//!
//! # An agent with the tools of servers
//!
//! ```
//! use std::sync::Arc;
//!
//! use research_agents_runtime::error::Error;
//! use research_agents_runtime::tools::agent::ToolAgent;
//! use research_agents_runtime::tools::hub::{Hub, HubTools, StdioServer};
//! use research_llm::ChatModel;
//! use research_llm::tool::Toolbox;
//!
//! async fn ask(model: impl ChatModel + 'static) -> Result<String, Error> {
//!     let files = StdioServer::new("mcp-server-filesystem").arg("/srv/notes");
//!     let hub = Arc::new(Hub::builder().stdio("files", files).connect().await?);
//!     let tools = HubTools::builder(Arc::clone(&hub))
//!         .allow("files", "read_*")
//!         .allow("files", "list_*")
//!         .build()
//!         .await?;
//!
//!     let agent = ToolAgent::builder(model, Toolbox::new()).hub(tools).build()?;
//!     let answer = agent.run("What did we decide on Monday?").await?;
//!     hub.close().await;
//!     Ok(answer.text)
//! }
//! ```
//!
//! # Questions to the user
//!
//! A server can ask the user something in the middle of a call. A node that calls with
//! [`HubTools::call_in`] is then interrupted like one that asks by itself: the run ends, the store
//! keeps the question, and any process can resume the run with the answer. A call that has ended is
//! not made again.
//!
//! ```
//! use std::sync::Arc;
//!
//! use research_agents_runtime::error::Error;
//! use research_agents_runtime::tools::hub::{Hub, HubTools, Interviewer, Object, StdioServer};
//! use research_core::{Cx, NodeError, State};
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
//! async fn tools() -> Result<HubTools, Error> {
//!     // Servers of MCP 2026-07-28 wait for an answer; older ones are asked again.
//!     let interviewer = Arc::new(Interviewer::new());
//!     let hub = Hub::builder()
//!         .stdio("rail", StdioServer::new("rail-mcp"))
//!         .answer_later()
//!         .elicitor(Arc::clone(&interviewer) as _)
//!         .connect()
//!         .await?;
//!
//!     HubTools::builder(Arc::new(hub))
//!         .allow("rail", "book_seat")
//!         .interviewer(interviewer)
//!         .build()
//!         .await
//! }
//! # let _ = (book, tools);
//! ```
//!
//! # Many tools
//!
//! With [more tools](HubToolsBuilder::deferred_above) than a request should carry, a model is given
//! two tools instead: `mcp_search_tools` finds allowed tools by words, and `mcp_call_tool` calls
//! one of them.

pub(crate) mod allow;
pub(crate) mod builder;
pub(crate) mod deferred;
pub(crate) mod interviewer;
pub(crate) mod model;
pub(crate) mod node;
pub(crate) mod present;
pub(crate) mod question;
pub(crate) mod source;
pub(crate) mod tool;

pub use research_mcp::*;

pub use crate::event::ToolProgress;
pub use crate::tools::hub::allow::{AllowList, NoToolPattern, ToolPattern};
pub use crate::tools::hub::builder::HubToolsBuilder;
pub use crate::tools::hub::interviewer::Interviewer;
pub use crate::tools::hub::model::HubTools;
pub use crate::tools::hub::question::asked;
