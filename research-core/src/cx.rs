//! What a node gets: the snapshot, the resources, and its place in the run.

use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::Serialize;

use crate::event::{Custom, Emit};
use crate::{Snapshot, State, TaskTag};

/// The context of one task.
///
/// ```
/// use research_core::{Cx, NodeError, State};
///
/// #[derive(Clone, Default, State)]
/// struct Draft {
///     title: String,
/// }
/// struct App {
///     prefix: String,
/// }
///
/// async fn name(cx: Cx<Draft, App>) -> Result<DraftUpdate, NodeError> {
///     cx.emit("naming");
///     Ok(Draft::update().title(format!("{}{}", cx.resources.prefix, cx.state.title)))
/// }
/// ```
pub struct Cx<S, R = ()> {
    /// The state as the last barrier left it; the same for all tasks of the step.
    pub state: Snapshot<S>,
    /// What the host gave to [`Run::resources`](crate::Run::resources).
    pub resources: Resources<R>,
    tag: TaskTag,
}

impl<S: State, R> Cx<S, R> {
    pub(crate) fn new(state: Arc<S>, shared: Arc<Shared<R>>, step: u64, index: usize, node: u32) -> Self {
        Self { state: Snapshot(state), resources: Resources(shared), tag: TaskTag { step, index, node } }
    }

    /// Writes `value` to the run's event log, if somebody reads it. The task's update comes after it.
    pub fn emit(&self, value: impl Serialize + Any + Send + Sync) {
        if let Some(events) = &self.resources.0.events {
            events.emit(self.tag, Arc::clone(self.name()), Custom::new(value));
        }
    }

    /// Name of the node.
    #[must_use]
    pub fn node(&self) -> &str {
        self.name()
    }

    /// Step and place of the task.
    #[must_use]
    pub fn task(&self) -> TaskTag {
        self.tag
    }

    /// The same for every execution of this task, in this run and in a repetition of it: `run/step/place/node`. Use it as
    /// the idempotency key of side effects.
    #[must_use]
    pub fn task_id(&self) -> String {
        format!("{}/{}/{}/{}", self.resources.0.run_id, self.tag.step, self.tag.index, self.name())
    }

    /// Id of the run.
    #[must_use]
    pub fn run_id(&self) -> &str {
        &self.resources.0.run_id
    }

    /// How many steps may still follow this one.
    #[must_use]
    pub fn steps_left(&self) -> u64 {
        self.resources.0.step_limit.saturating_sub(self.tag.step)
    }

    fn name(&self) -> &Arc<str> {
        &self.resources.0.names[self.tag.node as usize]
    }
}

impl<S, R> Clone for Cx<S, R> {
    fn clone(&self) -> Self {
        Self { state: self.state.clone(), resources: self.resources.clone(), tag: self.tag }
    }
}

impl<S, R> fmt::Debug for Cx<S, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cx").field("tag", &self.tag).finish_non_exhaustive()
    }
}

/// The host's resources, shared by all tasks of a run. It derefs to them.
pub struct Resources<R>(Arc<Shared<R>>);

impl<R> Deref for Resources<R> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.0.resources
    }
}

impl<R> Clone for Resources<R> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<R: fmt::Debug> fmt::Debug for Resources<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

/// What all tasks of a run share.
pub(crate) struct Shared<R> {
    pub(crate) resources: Arc<R>,
    pub(crate) run_id: Arc<str>,
    pub(crate) names: Arc<[Arc<str>]>,
    pub(crate) step_limit: u64,
    pub(crate) events: Option<Arc<dyn Emit>>,
}
