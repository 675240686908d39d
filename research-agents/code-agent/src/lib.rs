//! A research agent for code bases. It answers a question in fewer than 800 tokens, proves every
//! sentence by lines that were read again, and needs no model, no key and no index.
//!
//! | module | contains |
//! |---|---|
//! | [`run`] | the record of a run: settings, steps, evidence, verification |
//! | [`space`] | the code base as actions see it |
//! | [`answer`] | sentences with their citations, and the short text that a caller gets |
//! | [`lsp`] | language servers, as witnesses |
//! | [`actions`] | the registry of actions, and the actions of this crate |
//! | [`check`] | the checks that an answer passes before it leaves |
//! | [`agent`] | the agent, as a loop and as a graph |
//! | [`artifacts`] | trace, evidence and reports of a run, and the store of runs |
//! | [`testing`] | stand-ins for tests of a host |
//! | `server` | the MCP server (feature `server`) |

pub mod run;
pub mod space;
pub mod answer;
pub mod lsp;
pub mod actions;
pub mod check;
pub mod agent;
pub mod artifacts;
pub mod testing;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod program;

pub use agent::CodeAgent;
