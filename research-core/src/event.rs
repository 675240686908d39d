//! The ordered event log of a run.

use std::any::Any;
use std::collections::VecDeque;
use std::fmt;
use std::ops::BitOr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::SystemTime;

use serde::Serialize;
use serde_json::Value;

use crate::{Clock, Snapshot, State};

/// One entry of a run's event log.
#[derive(Clone)]
#[non_exhaustive]
pub struct Event<S: State> {
    /// Position in the log, counted from 0 without gaps over the subscribed kinds.
    pub seq: u64,
    /// When it was written, by the run's [`Clock`].
    pub at: SystemTime,
    /// The step it belongs to, counted from 1; 0 before the first.
    pub step: u64,
    /// The task it belongs to, for events of tasks.
    pub task: Option<EventTask>,
    /// What happened.
    pub kind: EventKind<S>,
}

/// The task that an event belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventTask {
    /// Name of the node.
    pub node: Arc<str>,
    /// Position in the step's task-path order, counted from 0.
    pub index: usize,
}

/// Place of a task in its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskTag {
    /// The step, counted from 1.
    pub step: u64,
    /// Position in the step's task-path order, counted from 0.
    pub index: usize,
    /// Position of the node in its graph.
    pub(crate) node: u32,
}

/// What happened.
///
/// A run of a chain of two nodes gives three `Values`, two `Updated`, and two pairs of `TaskStarted` and `TaskFinished`.
#[derive(Clone)]
#[non_exhaustive]
pub enum EventKind<S: State> {
    /// The run begins.
    RunStarted {
        /// Id of the run.
        run_id: Arc<str>,
    },
    /// A step begins.
    StepStarted {
        /// Number of tasks due.
        tasks: usize,
    },
    /// A task was handed to the runner.
    TaskStarted,
    /// The node emitted this.
    Custom(Custom),
    /// The node gave back this update. Updates arrive as tasks finish; they fold in task-path order.
    Updated(S::Update),
    /// The task ended.
    TaskFinished {
        /// Why it failed, when it did.
        error: Option<String>,
    },
    /// The state: once before the first step and once after each.
    Values(Snapshot<S>),
    /// All updates of the step are folded.
    StepFinished,
    /// The run reached the end of its graph.
    RunFinished,
    /// The run failed. [`RunStream::finish`](crate::RunStream::finish) gives the typed error.
    RunFailed {
        /// The error's text.
        error: String,
    },
}

impl<S: State> fmt::Debug for EventKind<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RunStarted { run_id } => f.debug_struct("RunStarted").field("run_id", run_id).finish(),
            Self::StepStarted { tasks } => f.debug_struct("StepStarted").field("tasks", tasks).finish(),
            Self::TaskStarted => f.write_str("TaskStarted"),
            Self::Custom(custom) => f.debug_tuple("Custom").field(custom).finish(),
            Self::Updated(update) => f.debug_tuple("Updated").field(update).finish(),
            Self::TaskFinished { error } => f.debug_struct("TaskFinished").field("error", error).finish(),
            Self::Values(_) => f.write_str("Values(..)"),
            Self::StepFinished => f.write_str("StepFinished"),
            Self::RunFinished => f.write_str("RunFinished"),
            Self::RunFailed { error } => f.debug_struct("RunFailed").field("error", error).finish(),
        }
    }
}

impl<S: State> fmt::Debug for Event<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event")
            .field("seq", &self.seq)
            .field("at", &self.at)
            .field("step", &self.step)
            .field("task", &self.task)
            .field("kind", &self.kind)
            .finish()
    }
}

impl<S: State> Event<S> {
    /// Name of the node, for events of tasks.
    #[must_use]
    pub fn node(&self) -> Option<&str> {
        self.task.as_ref().map(|task| &*task.node)
    }

    /// The value that a node emitted, when it is a `T`.
    #[must_use]
    pub fn custom<T: Any>(&self) -> Option<&T> {
        match &self.kind {
            EventKind::Custom(custom) => custom.downcast_ref(),
            _ => None,
        }
    }
}

/// A value that a node emitted with [`Cx::emit`](crate::Cx::emit).
#[derive(Clone)]
pub struct Custom(Arc<dyn Emitted>);

trait Emitted: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn to_json(&self) -> serde_json::Result<Value>;
    fn type_name(&self) -> &'static str;
}

impl<T: Serialize + Any + Send + Sync> Emitted for T {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn to_json(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self)
    }
    fn type_name(&self) -> &'static str {
        std::any::type_name::<T>()
    }
}

impl Custom {
    pub(crate) fn new(value: impl Serialize + Any + Send + Sync) -> Self {
        Self(Arc::new(value))
    }

    /// The value, when it is a `T`.
    #[must_use]
    pub fn downcast_ref<T: Any>(&self) -> Option<&T> {
        (*self.0).as_any().downcast_ref()
    }

    /// The value as JSON.
    ///
    /// # Errors
    ///
    /// When its `Serialize` fails.
    pub fn to_json(&self) -> serde_json::Result<Value> {
        self.0.to_json()
    }
}

impl fmt::Debug for Custom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str((*self.0).type_name())
    }
}

/// Which kinds of events a stream subscribes to; combine with `|`.
///
/// Starts and ends of the run always come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modes(u8);

impl Modes {
    /// [`EventKind::Values`]. A snapshot that is still held when its step ends is copied once.
    pub const VALUES: Self = Self(1);
    /// [`EventKind::Updated`]; each update is cloned.
    pub const UPDATES: Self = Self(2);
    /// [`EventKind::Custom`].
    pub const CUSTOM: Self = Self(4);
    /// [`EventKind::TaskStarted`] and [`EventKind::TaskFinished`].
    pub const TASKS: Self = Self(8);
    /// [`EventKind::StepStarted`] and [`EventKind::StepFinished`].
    pub const STEPS: Self = Self(16);
    /// Everything.
    pub const ALL: Self = Self(31);

    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// Everything but [`Modes::VALUES`], which costs copies of the state.
impl Default for Modes {
    fn default() -> Self {
        Self(Self::ALL.0 & !Self::VALUES.0)
    }
}

impl BitOr for Modes {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Where nodes of any state emit to.
pub(crate) trait Emit: fmt::Debug + Send + Sync {
    fn emit(&self, tag: TaskTag, node: Arc<str>, custom: Custom);
}

/// The queue between a run and the reader of its stream.
pub(crate) struct EventLog<S: State> {
    modes: Modes,
    clock: Arc<dyn Clock>,
    queue: Mutex<Queue<S>>,
}

struct Queue<S: State> {
    next_seq: u64,
    /// The last event was written; a context that outlived its task writes nothing after it.
    closed: bool,
    events: VecDeque<Event<S>>,
    reader: Option<Waker>,
}

impl<S: State> EventLog<S> {
    pub(crate) fn new(modes: Modes, clock: Arc<dyn Clock>) -> Self {
        Self {
            modes,
            clock,
            queue: Mutex::new(Queue { next_seq: 0, closed: false, events: VecDeque::new(), reader: None }),
        }
    }

    pub(crate) fn wants(&self, modes: Modes) -> bool {
        self.modes.has(modes)
    }

    pub(crate) fn write(&self, step: u64, task: Option<EventTask>, kind: EventKind<S>) {
        let at = self.clock.now();
        let mut queue = self.lock();
        if queue.closed {
            return;
        }
        queue.closed = matches!(kind, EventKind::RunFinished | EventKind::RunFailed { .. });
        let seq = queue.next_seq;
        queue.next_seq += 1;
        queue.events.push_back(Event { seq, at, step, task, kind });
        if let Some(reader) = queue.reader.take() {
            reader.wake();
        }
    }

    /// Takes the oldest event; where there is none, `reader` is woken by the next.
    pub(crate) fn take(&self, reader: Option<&Waker>) -> Option<Event<S>> {
        let mut queue = self.lock();
        let event = queue.events.pop_front();
        if event.is_none() {
            queue.reader = reader.cloned();
        }
        event
    }

    pub(crate) fn waiting(&self) -> usize {
        self.lock().events.len()
    }

    fn lock(&self) -> MutexGuard<'_, Queue<S>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: State> fmt::Debug for EventLog<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventLog").field("modes", &self.modes).finish_non_exhaustive()
    }
}

impl<S: State> Emit for EventLog<S> {
    fn emit(&self, tag: TaskTag, node: Arc<str>, custom: Custom) {
        if self.wants(Modes::CUSTOM) {
            self.write(tag.step, Some(EventTask { node, index: tag.index }), EventKind::Custom(custom));
        }
    }
}
