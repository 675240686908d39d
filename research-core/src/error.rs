//! What can go wrong: in a node, in a task, in a run.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::State;

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

    /// The error, when it is an `E`.
    #[must_use]
    pub fn downcast_ref<E: Error + 'static>(&self) -> Option<&E> {
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
        let mut text = self.0.to_string();
        let mut source = self.0.source();
        while let Some(error) = source {
            let more = error.to_string();
            // Many errors, a failed run among them, say their source themselves.
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
    /// Several tasks ran at once, which needs a tokio runtime, and there is none.
    NoRuntime,
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
}

/// A run that ended without reaching the end of its graph.
///
/// The state of the last barrier is kept: see [`state`](RunError::state).
pub struct RunError {
    graph: Arc<str>,
    kind: ErrorKind,
    state: Arc<dyn Any + Send + Sync>,
}

impl RunError {
    #[cold]
    pub(crate) fn new<S: State>(graph: Arc<str>, kind: ErrorKind, state: Arc<S>) -> Self {
        Self { graph, kind, state }
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

    /// The first node error that is an `E`.
    #[must_use]
    pub fn find<E: Error + 'static>(&self) -> Option<&E> {
        self.failures().iter().find_map(|failure| match &failure.cause {
            Cause::Error(error) | Cause::Route(error) => error.downcast_ref(),
            _ => None,
        })
    }

    /// Whether the step limit ended the run.
    #[must_use]
    pub fn is_step_limit(&self) -> bool {
        matches!(self.kind, ErrorKind::StepLimit { .. })
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
            ErrorKind::StepLimit { limit, .. } => *limit,
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
                failures.iter().try_for_each(|failure| write!(f, "\n  - {failure}"))
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
                limit + 1,
                due.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
                if due.len() == 1 { "was" } else { "were" },
            ),
        }
    }
}

impl Error for RunError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.failures().iter().find_map(|failure| match &failure.cause {
            Cause::Error(error) | Cause::Route(error) => Some(error.as_error() as &(dyn Error + 'static)),
            _ => None,
        })
    }
}

/// The text of a panic.
pub(crate) fn panic_message(payload: Box<dyn Any + Send>) -> String {
    let message = payload
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a value that is not a text".to_string());
    // Dropping it may panic again, and nobody is left to catch that.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(payload)));
    message
}
