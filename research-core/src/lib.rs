//! A typed state-graph engine: nodes are plain async functions, state is a struct whose fields say how they fold.
//!
//! # Overview
//!
//! * [`State`] — a struct with `#[derive(State)]`; each field names its [reducer](reduce).
//! * [`Graph`] — the builder: nodes, edges, routes, joins. [`Graph::compile`] reports every mistake at once.
//! * [`CompiledGraph`] — what runs, streams and draws itself.
//! * [`Cx`] — what a node gets: the snapshot, the resources, a way to emit events.
//! * [`Command`] — what a node may give back besides an update: where to go next.
//! * [`Run`] — one run: await it for the final state, or [`stream`](Run::stream) its [`Event`]s.
//!
//! A run advances in *supersteps*. All tasks that are due read the same immutable snapshot and run concurrently; at the
//! barrier their updates fold into the state in task-path order (nodes by name, then sends in the order of their
//! emission), so that the result never depends on timing.
//!
//! # Example
//!
//! ```
//! use research_core::{Cx, END, Graph, NodeError, Sends, State};
//!
//! #[derive(Clone, Debug, Default, State)]
//! struct Survey {
//!     topics: Vec<String>,
//!     #[reduce(append)]
//!     notes: Vec<String>,
//!     #[reduce(add)]
//!     words: u64,
//! }
//!
//! async fn read(_cx: Cx<Survey>, topic: String) -> Result<SurveyUpdate, NodeError> {
//!     Ok(Survey::update().words(topic.len() as u64).notes([format!("read about {topic}")]))
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let mut g = Graph::<Survey>::new("survey");
//! let plan = g.node("plan", |_cx| async { Ok(Survey::update().topics(["bees".to_string(), "ants".to_string()])) });
//! let read = g.task("read", read);
//! g.entry(plan)
//!     .route(plan, move |s: &Survey| s.topics.iter().map(|t| read.send(t.clone())).collect::<Sends>())
//!     .edge(read, END);
//! let graph = g.compile()?;
//!
//! let done = graph.run(Survey::update()).await?;
//! assert_eq!(done.state.notes, ["read about bees", "read about ants"]);
//! assert_eq!(done.state.words, 8);
//! # Ok(()) })
//! # }
//! ```
//!
//! # Runtime
//!
//! A step of one task runs inside the future of the run, on any executor. A step of several tasks spawns onto the
//! ambient [tokio] runtime; where there is none, the run ends with a typed error.

mod clock;
mod command;
mod cx;
mod error;
mod event;
mod graph;
mod handle;
mod log;
mod node;
pub mod reduce;
mod run;
mod state;

pub use clock::{Clock, IdSource, RandomIds, SystemClock};
pub use command::{Command, IntoCommand, IntoTargets, Sends, Target, Targets};
pub use cx::{Cx, Resources};
pub use error::{Cause, ErrorKind, NodeError, RunError, TaskFailure};
pub use event::{Custom, Event, EventKind, EventTask, Modes, TaskTag};
pub use graph::{BuildError, CompiledGraph, EdgeTarget, Graph, Problem, Source};
pub use handle::{END, Node, Sent, Task, TaskInput};
pub use log::Log;
pub use research_core_derive::State;
pub use run::{Finished, MissingResources, Provides, Run, RunStream, Supplied};
pub use state::{Field, FieldSet, Snapshot, State, Update};

/// What the derive macro's output calls. Not part of the public interface.
#[doc(hidden)]
pub mod __private {
    pub use crate::reduce::slot::{
        Fold, append_in, append_out, clone_in, clone_out, fold, fold_plain, merge_in, merge_out, push, set, swap_plain,
    };
}
