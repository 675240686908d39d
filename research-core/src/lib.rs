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
//!
//! # Observability
//!
//! [`Run::stream`] gives everything that happens in a run as [`Event`]s, one ordered log; [`Modes`] choose the kinds, and
//! [`RunStream::log`] lets others read along or later. [`Visits`] draws a run from its events.
//!
//! Beside that, each run writes [`tracing`] spans of level `INFO` with the target `research_core`. Their names and fields are
//! stable:
//!
//! | span | inside | fields |
//! |---|---|---|
//! | `run` | the caller's span; for a subgraph, the `task` that runs it | `graph`, `run_id`, `thread` (when it has one), `namespace` (empty for the root graph) |
//! | `step` | `run` | `step`, `tasks` (how many are due) |
//! | `task` | `step`; one for each attempt | `graph`, `node`, `step`, `task` (its place in the step), `attempt`, `run_id` |
//!
//! Retries, time-outs and a cache that does not work are events in them. With no subscriber they cost next to nothing.

mod attempt;
mod cache;
mod caller;
pub mod checkpoint;
mod clock;
mod codec;
mod command;
mod cx;
mod end;
mod error;
mod event;
mod graph;
mod handle;
mod interrupt;
mod journal;
mod ledger;
mod log;
mod node;
mod panics;
mod persist;
mod policy;
pub mod reduce;
mod run;
mod state;
mod stored;
mod subgraph;
#[cfg(feature = "testing")]
pub mod testing;
mod thread;

pub use cache::{Cache, MemoryCache};
pub use checkpoint::{CheckpointId, Checkpointer, Durability, MemoryCheckpointer, StoreError, StoreErrorKind};
pub use clock::{Clock, IdSource, Random, RandomIds, SystemClock, SystemRandom};
pub use command::{Command, IntoCommand, IntoTargets, NamedTask, Sends, Target, Targets};
pub use cx::{Cx, Resources};
pub use end::{End, FailurePolicy};
pub use error::{Cause, ErrorKind, NodeError, RunError, TaskFailure, ThreadError};
pub use event::{
    Custom, Erased, Event, EventKind, EventTask, LogReader, Modes, RunLog, SlowReader, StreamOptions, TaskSource,
    TaskTag,
};
pub use graph::{Breakpoints, BuildError, CompiledGraph, EdgeTarget, Graph, Problem, Source, Visit, Visits};
pub use handle::{END, Fingerprint, Node, Sent, Task, TaskInput};
pub use interrupt::{AnswerError, Ask, Question};
pub use journal::IfIdle;
pub use log::Log;
pub use persist::{CodecError, CodecErrorKind, Persist};
pub use policy::{CachePolicy, Class, Failure, NodeBudget, Retry, Timeout};
pub use research_core_derive::State;
pub use run::{Budget, Finished, Incomplete, MissingResources, Provides, Run, RunStream, StoredFailure, Supplied};
pub use state::{Field, FieldSet, Growth, Snapshot, State, Update};
pub use stored::{Migration, OnChange, StoredThread, SubgraphMemory};
pub use subgraph::{BoundGraph, Child, IntoChild, Subgraph};
pub use thread::{
    FinishedTask, History, Moment, Thread, ThreadQuery, ThreadState, ThreadStatus, ThreadSummary, UpdateThread,
};

/// What the derive macro's output calls. Not part of the public interface.
#[doc(hidden)]
pub mod __private {
    pub use crate::codec::{NotStored, Storage, StoredByItself};
    pub use crate::persist::slot::{
        apply, length, read_fold, read_plain, restore, slots, store, store_delta, write_fold, write_plain,
    };
    pub use crate::persist::stored::{Changed, Folded, Form, Nested, Records, Sequence, Stored, Value};
    pub use crate::reduce::slot::{
        Fold, IntoField, absorb, absorb_plain, append_in, append_out, clone_in, clone_out, fold, fold_plain, merge_in,
        merge_out, push, set, swap_plain,
    };
}
