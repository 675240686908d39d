//! Search and fetch behind one port: folders, search services, MCP servers and pages of the web.
//!
//! A [`SearchProvider`] finds [`Hit`]s and fetches the documents behind them. It is called with the
//! [`Job`](research_agents_runtime::job::Job) of a task, so that every call passes the policy, the
//! budget, the tape and the events of the run.
//!
//! | provider | what it asks |
//! |---|---|
//! | [`FolderSearch`] | a folder of documents |
//! | [`McpSearch`] | an MCP server with `search` and `fetch`, or with other tools that are named |
//! | [`RecordedSearch`] | the recording of a run, in a replay |
//! | `WebSearch` | SearXNG, Brave, Tavily or Exa, by a table of their shapes (feature `fetch`) |
//!
//! ```
//! use std::sync::Arc;
//!
//! use research_agents_runtime::job::{Job, Kit, PlainLoop, Settings};
//! use research_agents_runtime::limits::Policy;
//! use research_agents_sources::corpus::{Corpus, CorpusOptions, CorpusSpec};
//! use research_agents_sources::search::{FolderSearch, Query, SearchProvider};
//! # use research_agents_runtime::offline::{OfflineAnswers, OfflineModel};
//! # use research_mcp::{BoxFuture, CallOutput, McpError, Object, ToolListing, ToolSource};
//! # struct NoTools;
//! # impl ToolSource for NoTools {
//! #     fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
//! #         Box::pin(async { Ok(ToolListing::default()) })
//! #     }
//! #     fn call_tool<'a>(
//! #         &'a self,
//! #         name: &'a str,
//! #         _: Object,
//! #     ) -> BoxFuture<'a, Result<CallOutput, McpError>> {
//! #         Box::pin(async move { Ok(CallOutput::error("", name, "no tools")) })
//! #     }
//! # }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # std::fs::write(folder.path().join("pump.md"), "The seal of the pump is worn.")?;
//! # let model = Arc::new(OfflineModel::new(OfflineAnswers::new()));
//! # let tools = Arc::new(NoTools);
//! let corpus = Corpus::open(&CorpusSpec::new("docs", folder.path())?, &CorpusOptions::default())?;
//! let provider = FolderSearch::new(Arc::new(corpus));
//!
//! // The policy names the roles that may search and fetch.
//! let policy = Policy::new().role("researcher", ["search_docs", "fetch_docs"]);
//! let kit = Kit::new(model, tools, Settings::new(policy));
//! let job = Job::new(PlainLoop::new(), &kit, "research", false).in_role("researcher");
//!
//! let found = provider.search(&job, &Query::new("worn seals")).await?;
//! let fetched = provider.fetch(&job, &found.hits[0]).await?;
//! assert_eq!(fetched.document.text.for_code(), "The seal of the pump is worn.");
//! # Ok(()) }
//! ```
//!
//! **Architecture Invariant:** a provider reaches the outside through the gate of this module or
//! through the tools of the job, and nothing else.

pub(crate) mod model;
pub(crate) mod error;
pub(crate) mod gate;
pub(crate) mod provider;
pub(crate) mod folder;
pub(crate) mod mcp;
pub(crate) mod recorded;
#[cfg(feature = "fetch")]
pub(crate) mod shapes;
#[cfg(feature = "fetch")]
pub(crate) mod answer;
#[cfg(feature = "fetch")]
pub(crate) mod pages;
#[cfg(feature = "fetch")]
pub(crate) mod web;

pub use error::{CallError, SourceError};
pub use folder::FolderSearch;
pub use mcp::{McpSearch, McpTools};
pub use model::{Fetched, Hit, Query, SearchResults};
pub use provider::{SearchProvider, SourceKind};
pub use recorded::RecordedSearch;
#[cfg(feature = "fetch")]
pub use shapes::{SHAPES, SearchShape};
#[cfg(feature = "fetch")]
pub use web::{WebSearch, WebSearchBuilder};
