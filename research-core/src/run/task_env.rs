//! What every task of a run is started with, and the spans of tasks.

use std::sync::Arc;

use tracing::Span;

use super::spans::are_wanted;
use crate::caller::Shared;
use crate::event::TaskTag;
use crate::graph::{AttachedCache, Inner};
use crate::state::State;

/// What every task of a run is started with.
pub(crate) struct TaskEnv<S: State, R> {
    pub(crate) graph: Arc<Inner<S, R>>,
    pub(crate) shared: Arc<Shared<R>>,
    pub(crate) cache: Option<AttachedCache<S>>,
}

impl<S: State, R> Clone for TaskEnv<S, R> {
    fn clone(&self) -> Self {
        Self { graph: Arc::clone(&self.graph), shared: Arc::clone(&self.shared), cache: self.cache.clone() }
    }
}

/// The span that is current, as the parent of those of tasks; none when nobody wants spans.
pub(crate) fn parent_span() -> Span {
    if are_wanted() { Span::current() } else { Span::none() }
}

/// The span of an attempt at a task.
pub(crate) fn task_span<S: State, R>(env: &TaskEnv<S, R>, tag: TaskTag, attempt: u32, parent: &Span) -> Span {
    tracing::info_span!(
        target: "research_core",
        parent: parent,
        "task",
        graph = &*env.graph.name,
        node = &*env.graph.names[tag.node as usize],
        step = tag.step,
        task = tag.index,
        attempt,
        run_id = &*env.shared.run_id
    )
}
