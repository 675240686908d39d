//! What can go wrong: in a node, in a task, in a run.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::checkpoint::{CheckpointId, Lease, StoreError};
use crate::handle::Fingerprint;
use crate::interrupt::AnswerError;
use crate::persist::CodecError;
use crate::state::State;

/// An error of a node or a route: any error, by `?`.
///
/// It does not implement [`Error`] itself, so that every type that does converts into it.
///
/// ```
/// use research_core::NodeError;
///
/// fn parse(text: &str) -> Result<u32, NodeError> {
///     Ok(text.parse::<u32>()?)
/// }
/// assert!(parse("x").unwrap_err().downcast_ref::<std::num::ParseIntError>().is_some());
/// ```
pub struct NodeError(Box<dyn Error + Send + Sync>);

impl NodeError {
    /// An error that is only a message.
    #[must_use]
    pub fn msg(message: impl Into<String>) -> Self {
        Self(message.into().into())
    }

    /// Returns the error when it is an `E`, or the first `E` of a [subgraph](crate::Subgraph) that failed.
    #[must_use]
    pub fn downcast_ref<E: Error + 'static>(&self) -> Option<&E> {
        self.0.downcast_ref().or_else(|| self.subgraph()?.find())
    }

    /// The failure of the subgraph that the node ran.
    pub(crate) fn subgraph(&self) -> Option<&RunError> {
        self.0.downcast_ref()
    }

    /// The error as a trait object, for its message and its chain of sources.
    #[must_use]
    pub fn as_error(&self) -> &(dyn Error + Send + Sync + 'static) {
        &*self.0
    }
}

impl<E: Into<Box<dyn Error + Send + Sync>>> From<E> for NodeError {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl fmt::Debug for NodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for NodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(failed) = self.subgraph() {
            // It says its source itself. To ask for that once more at each level would double the work with each.
            return failed.fmt(f);
        }
        let mut text = self.0.to_string();
        let mut source = self.0.source();
        while let Some(error) = source {
            let more = error.to_string();
            // Many errors say their source themselves.
            if !text.contains(&more) {
                text.push_str(": ");
                text.push_str(&more);
            }
            source = error.source();
        }
        f.write_str(&text)
    }
}

/// Why one task failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Cause {
    /// The node returned an error.
    Error(NodeError),
    /// The node panicked; the text is the panic's message.
    Panic(String),
    /// The node finished, but its route returned an error.
    Route(NodeError),
    /// The node finished, but its route panicked.
    RoutePanic(String),
    /// The node finished, but a function given by `#[reduce(with = …)]` panicked while its update was folded. The state that
    /// the error carries may hold a part of the step's writes.
    ReducerPanic(String),
    /// The node or its route named a target that the graph does not have.
    UnknownTarget {
        /// The name.
        target: String,
        /// The closest name that exists.
        suggestion: Option<String>,
    },
    /// The node or its route led to a node of another graph.
    ForeignHandle,
    /// The node or its route led, without an input, to a node that takes one.
    NeedsInput {
        /// The node that takes an input.
        target: String,
    },
    /// The node or its route led to a task [by its name](crate::NamedTask), with an input that does not fit.
    InputMisfit {
        /// The task.
        target: String,
        /// What does not fit.
        reason: String,
    },
    /// The route, or the node's command, led to a node that its declaration does not name.
    UndeclaredTarget {
        /// The node it led to.
        target: String,
    },
    /// The node's command led to a node of the graph that runs this one, and none does.
    NoParent {
        /// The first node it led to; empty when it named none.
        target: String,
    },
    /// An attempt took longer than it may.
    TimedOut {
        /// It gave no sign of life for so long, rather than lasted so long in all.
        idle: bool,
        /// The limit.
        limit: Duration,
    },
    /// The node failed, and then its error handler failed too.
    Handler {
        /// What the handler returned.
        error: NodeError,
        /// Why the node had failed.
        failure: Box<Cause>,
    },
    /// The result of the task, or the input of a task that it sent, could not be written or read.
    Codec(CodecError),
    /// Several tasks ran at once, which needs a tokio runtime, and there is none.
    NoRuntime,
}

impl Cause {
    /// The first error among the reasons that is an `E`.
    fn find<E: Error + 'static>(&self) -> Option<&E> {
        match self {
            Self::Error(error) | Self::Route(error) => error.downcast_ref(),
            Self::Handler { error, failure } => error.downcast_ref().or_else(|| failure.find()),
            Self::Codec(error) => (error as &(dyn Error + 'static)).downcast_ref(),
            _ => None,
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(error) => write!(f, "{error}"),
            Self::Panic(message) => write!(f, "panicked: {message}"),
            Self::Route(error) => write!(f, "finished, but its route failed: {error}"),
            Self::RoutePanic(message) => write!(f, "finished, but its route panicked: {message}"),
            Self::ReducerPanic(message) => write!(f, "finished, but a reducer panicked on its update: {message}"),
            Self::UnknownTarget { target, suggestion: Some(name) } => {
                write!(f, "went to `{target}`, which is not in the graph; did you mean `{name}`?")
            }
            Self::UnknownTarget { target, suggestion: None } => {
                write!(f, "went to `{target}`, which is not in the graph")
            }
            Self::ForeignHandle => {
                f.write_str("went to a node of another graph; use a handle that this graph returned")
            }
            Self::NeedsInput { target } => {
                write!(f, "went to `{target}` without its input; use the `send` method of the task's handle")
            }
            Self::InputMisfit { target, reason } => {
                write!(f, "went to `{target}` with an input that does not fit: {reason}")
            }
            Self::UndeclaredTarget { target } => write!(
                f,
                "went to `{target}`, which its declaration does not name; add it to the targets of `route_to` or `gotos`"
            ),
            Self::NoParent { target } => write!(
                f,
                "went to `{target}` of the parent graph, and no graph runs this one; add it as a subgraph, or return a command \
                 without `goto_parent`"
            ),
            Self::TimedOut { idle: false, limit } => write!(f, "took longer than its time limit of {limit:?}"),
            Self::TimedOut { idle: true, limit } => write!(f, "gave no sign of life for {limit:?}, its idle limit"),
            Self::Handler { error, failure } => {
                write!(f, "failed ({failure}), and then its error handler failed: {error}")
            }
            Self::Codec(error) => write!(f, "{error}"),
            Self::NoRuntime => {
                f.write_str("could not start: a step of several tasks needs a tokio runtime; await the run inside one")
            }
        }
    }
}

/// One failed task of a step.
#[derive(Debug)]
#[non_exhaustive]
pub struct TaskFailure {
    /// Name of the node; empty for a failed [`entry_route`](crate::Graph::entry_route).
    pub node: String,
    /// The step, counted from 1; 0 for a failed [`entry_route`](crate::Graph::entry_route).
    pub step: u64,
    /// Position of the task in the step's task-path order, counted from 0.
    pub task: usize,
    /// The attempt that failed, counted from 1.
    pub attempt: u32,
    /// Why.
    pub cause: Cause,
}

impl fmt::Display for TaskFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { node, step, task, cause, .. } = self;
        match (step, cause) {
            (0, Cause::Route(error)) => write!(f, "the entry failed: {error}"),
            (0, Cause::RoutePanic(message)) => write!(f, "the entry panicked: {message}"),
            (0, Cause::ReducerPanic(message)) => write!(f, "a reducer panicked on the input: {message}"),
            (0, cause) => write!(f, "the entry {cause}"),
            (_, Cause::Error(error)) => write!(f, "node `{node}` in step {step} (task {task}) failed: {error}"),
            (_, cause) => write!(f, "node `{node}` in step {step} (task {task}) {cause}"),
        }
    }
}

/// What kind of end a failed run came to.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// One or more tasks failed; all of them, in task-path order.
    Tasks(Vec<TaskFailure>),
    /// Two tasks of one step wrote a field that takes one write a step.
    Conflict {
        /// The field.
        field: &'static str,
        /// The two nodes, in task-path order.
        nodes: [String; 2],
        /// Both overwrote a folded field, rather than wrote a plain one.
        overwrite: bool,
        /// The step, counted from 1.
        step: u64,
    },
    /// The run would have gone on after its last allowed step.
    StepLimit {
        /// The limit.
        limit: u64,
        /// The nodes that were due next.
        due: Vec<String>,
    },
    /// The run was cancelled. What had finished is kept.
    Cancelled {
        /// The step that was running, counted from 1.
        step: u64,
    },
    /// The run, or one step of it, took longer than it may. What had finished is kept.
    TimedOut {
        /// One step took too long, rather than the run.
        one_step: bool,
        /// The limit.
        limit: Duration,
        /// The step that was running, counted from 1.
        step: u64,
    },
    /// The store failed. What was written before stays.
    Store(Arc<StoreError>),
    /// The state could not be written or read.
    Codec(CodecError),
    /// An answer was not taken.
    Answer(AnswerError),
    /// The run cannot start on this thread.
    Thread(ThreadError),
}

/// Why a run cannot start on a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ThreadError {
    /// A thread was named, but no checkpointer is attached.
    NoCheckpointer,
    /// The run needs a thread, and none was named.
    NoThread,
    /// The thread has no checkpoint, so that there is nothing to resume.
    Empty {
        /// The thread.
        thread: String,
    },
    /// The thread has no such checkpoint.
    NoCheckpoint {
        /// The thread.
        thread: String,
        /// The checkpoint.
        checkpoint: CheckpointId,
    },
    /// Another run works on the thread, and this one runs only [if the thread is idle](crate::Run::if_idle).
    Busy {
        /// The thread.
        thread: String,
        /// The lease of the run that works on it.
        holder: Box<Lease>,
    },
    /// The thread was written by another version of the graph, and does not fit this one.
    Changed {
        /// The graph that wrote it.
        stored: Fingerprint,
        /// This graph.
        graph: Fingerprint,
        /// What does not fit; empty when any change is refused.
        misfits: Vec<String>,
    },
    /// The migration from another version of the graph failed.
    Migration {
        /// Why.
        reason: String,
    },
    /// An update as if a node had returned it must name the node.
    AmbiguousNode {
        /// The nodes that it could be.
        nodes: Vec<String>,
    },
    /// The graph has no such node.
    UnknownNode {
        /// The name.
        name: String,
        /// The closest name that exists.
        suggestion: Option<String>,
    },
}

impl fmt::Display for ThreadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCheckpointer => {
                f.write_str("a thread needs a checkpointer; attach one with `.with_checkpointer(…)`")
            }
            Self::NoThread => f.write_str("this needs a thread; name one with `.thread(…)`"),
            Self::Empty { thread } => {
                write!(f, "the thread `{thread}` has no checkpoint to resume from; start it with an input")
            }
            Self::NoCheckpoint { thread, checkpoint } => {
                write!(f, "the thread `{thread}` has no checkpoint {checkpoint}")
            }
            Self::Busy { thread, holder } => write!(
                f,
                "the thread `{thread}` is busy ({holder}); wait longer with `.if_idle(IfIdle::wait(…))`, or run without \
                 `.if_idle(…)` to take it over"
            ),
            Self::Changed { stored, graph, misfits } if misfits.is_empty() => write!(
                f,
                "the thread was written by version {stored} of the graph, and this is {graph}; \
                 allow it with `.on_change(…)`, or go on with the old version"
            ),
            Self::Changed { stored, graph, misfits } => write!(
                f,
                "the thread was written by version {stored} of the graph and does not fit this one ({graph}): {}; \
                 give `.on_change(…)` a migration",
                misfits.join("; ")
            ),
            Self::Migration { reason } => write!(f, "the migration of the thread failed: {reason}"),
            Self::AmbiguousNode { nodes } => write!(
                f,
                "the update could come from {}; say which with `.as_node(…)`",
                if nodes.is_empty() { "any node".to_string() } else { list(nodes) }
            ),
            Self::UnknownNode { name, suggestion } => match suggestion {
                Some(close) => write!(f, "the graph has no node `{name}`; did you mean `{close}`?"),
                None => write!(f, "the graph has no node `{name}`"),
            },
        }
    }
}

impl Error for ThreadError {}

/// So many failures of a step are part of the text of an error.
const SHOWN: usize = 10;

fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// A run that ended without reaching the end of its graph.
///
/// The state of the last barrier is kept: see [`state`](RunError::state).
pub struct RunError {
    graph: Arc<str>,
    kind: ErrorKind,
    state: Arc<dyn Any + Send + Sync>,
    /// What few need to know; apart, so that the error stays small.
    about: Option<Box<About>>,
}

#[derive(Default)]
struct About {
    /// Steps that were completed since the input.
    completed: u64,
    hint: Option<RetryHint>,
}

/// What a subgraph that failed says of another attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RetryHint {
    /// It would fail in the same way.
    Terminal,
    /// It may succeed after so long.
    After(Duration),
}

impl RunError {
    #[cold]
    pub(crate) fn new<S: State>(graph: Arc<str>, kind: ErrorKind, state: Arc<S>) -> Self {
        Self { graph, kind, state, about: None }
    }

    /// What happened.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// The state at the last barrier, when `S` is the state of the graph that ran.
    #[must_use]
    pub fn state<S: State>(&self) -> Option<&S> {
        self.state.downcast_ref()
    }

    /// The failed tasks, in task-path order; empty for other kinds.
    #[must_use]
    pub fn failures(&self) -> &[TaskFailure] {
        match &self.kind {
            ErrorKind::Tasks(failures) => failures,
            _ => &[],
        }
    }

    /// Returns the first error that is an `E`: of a node, a route or an error handler, also of one in a subgraph, or of the
    /// engine itself.
    #[must_use]
    pub fn find<E: Error + 'static>(&self) -> Option<&E> {
        let engine = match &self.kind {
            ErrorKind::Store(error) => (&**error as &(dyn Error + 'static)).downcast_ref(),
            ErrorKind::Codec(error) => (error as &(dyn Error + 'static)).downcast_ref(),
            ErrorKind::Answer(error) => (error as &(dyn Error + 'static)).downcast_ref(),
            ErrorKind::Thread(error) => (error as &(dyn Error + 'static)).downcast_ref(),
            _ => None,
        };
        engine.or_else(|| self.failures().iter().find_map(|failure| failure.cause.find()))
    }

    /// Whether another attempt of the node that ran this graph as its subgraph can help, as far as the subgraph knows.
    pub(crate) fn hint(&self) -> Option<RetryHint> {
        self.about.as_ref()?.hint
    }

    pub(crate) fn with_hint(mut self, hint: Option<RetryHint>) -> Self {
        self.about.get_or_insert_default().hint = hint;
        self
    }

    /// The same error, of a run that had completed so many steps of its thread.
    pub(crate) fn after(mut self, step: u64) -> Self {
        self.about.get_or_insert_default().completed = step;
        self
    }

    fn completed(&self) -> u64 {
        self.about.as_ref().map_or(0, |about| about.completed)
    }

    /// Whether the step limit ended the run.
    #[must_use]
    pub fn is_step_limit(&self) -> bool {
        matches!(self.kind, ErrorKind::StepLimit { .. })
    }

    /// Whether another writer took the thread over.
    #[must_use]
    pub fn is_thread_conflict(&self) -> bool {
        matches!(&self.kind, ErrorKind::Store(error) if error.is_conflict())
    }

    /// Returns whether the run was refused because another run [works on the thread](ThreadError::Busy).
    #[must_use]
    pub fn is_thread_busy(&self) -> bool {
        matches!(&self.kind, ErrorKind::Thread(ThreadError::Busy { .. }))
    }

    /// Whether the run was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        matches!(self.kind, ErrorKind::Cancelled { .. })
    }

    /// Whether the run, or a step of it, took too long.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        matches!(self.kind, ErrorKind::TimedOut { .. })
    }

    /// Whether two tasks wrote the same field.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        matches!(self.kind, ErrorKind::Conflict { .. })
    }
}

impl RunError {
    /// The step in which the run ended, counted from 1; 0 before the first.
    pub(crate) fn step(&self) -> u64 {
        match &self.kind {
            ErrorKind::Tasks(failures) => failures.first().map_or(0, |failure| failure.step),
            ErrorKind::Conflict { step, .. } => *step,
            ErrorKind::StepLimit { .. } => self.completed(),
            ErrorKind::Cancelled { step } | ErrorKind::TimedOut { step, .. } => *step,
            ErrorKind::Store(_) | ErrorKind::Codec(_) | ErrorKind::Answer(_) | ErrorKind::Thread(_) => 0,
        }
    }
}

impl fmt::Debug for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunError").field("graph", &self.graph).field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "graph `{}`: ", self.graph)?;
        match &self.kind {
            ErrorKind::Tasks(failures) => {
                if let [failure] = failures.as_slice() {
                    return write!(f, "{failure}");
                }
                write!(f, "{} tasks failed:", failures.len())?;
                failures.iter().take(SHOWN).try_for_each(|failure| write!(f, "\n  - {failure}"))?;
                match failures.len().saturating_sub(SHOWN) {
                    0 => Ok(()),
                    more => write!(f, "\n  and {more} more; `failures` has all of them"),
                }
            }
            ErrorKind::Conflict { field, nodes: [first, second], overwrite, step } => {
                let (what, remedy) = if *overwrite {
                    ("overwrote the folded field", "let only one of them overwrite it")
                } else {
                    (
                        "wrote the field",
                        "give it a reducer (for example `#[reduce(append)]` or `#[reduce(last)]`) or order the nodes",
                    )
                };
                write!(f, "in step {step} both `{first}` and `{second}` {what} `{field}`; {remedy}")
            }
            ErrorKind::StepLimit { limit, due } => write!(
                f,
                "stopped before step {} by its step limit of {limit} while {} {} due; \
                 if the graph is not looping for ever, raise the limit with `.step_limit(n)`",
                self.completed() + 1,
                due.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
                if due.len() == 1 { "was" } else { "were" },
            ),
            ErrorKind::Cancelled { step } => write!(f, "cancelled in step {step}"),
            ErrorKind::TimedOut { one_step: true, limit, step } => {
                write!(f, "step {step} took longer than the limit of {limit:?} for a step")
            }
            ErrorKind::TimedOut { one_step: false, limit, step } => {
                write!(f, "took longer than its limit of {limit:?}; it was in step {step}")
            }
            ErrorKind::Store(error) => write!(f, "{error}"),
            ErrorKind::Codec(error) => write!(f, "{error}"),
            ErrorKind::Answer(error) => write!(f, "{error}"),
            ErrorKind::Thread(error) => write!(f, "{error}"),
        }
    }
}

impl Error for RunError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.kind {
            ErrorKind::Store(error) => Some(&**error),
            ErrorKind::Codec(error) => Some(error),
            ErrorKind::Answer(error) => Some(error),
            ErrorKind::Thread(error) => Some(error),
            _ => self.failures().iter().find_map(|failure| match &failure.cause {
                Cause::Error(error) | Cause::Route(error) => Some(error.as_error() as &(dyn Error + 'static)),
                Cause::Codec(error) => Some(error),
                _ => None,
            }),
        }
    }
}
