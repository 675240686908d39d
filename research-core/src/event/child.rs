//! The event log as a subgraph sees it: everything goes to the root's log, under the subgraph's namespace.

use std::sync::Arc;
use std::task::{Context, Poll};

use super::emit::{Emit, Foreign};
use super::entry::{EventTask, TaskTag};
use super::modes::Modes;
use super::payload::Emitted;

/// A sink for a subgraph, and for its tasks and subgraphs.
#[derive(Debug)]
pub(crate) struct ChildLog {
    root: Arc<dyn Emit>,
    namespace: Arc<str>,
}

/// The sink of a subgraph that a task of `parent` runs. `namespace` is the whole of it, from the root graph on.
pub(crate) fn child_sink(parent: &Arc<dyn Emit>, namespace: Arc<str>) -> Arc<ChildLog> {
    Arc::new(ChildLog { root: Arc::clone(parent).root(), namespace })
}

impl ChildLog {
    pub(super) fn forward(&self, step: u64, task: Option<EventTask>, kind: Foreign) {
        self.root.foreign(Arc::clone(&self.namespace), step, task, kind);
    }
}

impl Emit for ChildLog {
    fn emit(&self, tag: TaskTag, node: Arc<str>, emitted: Emitted) {
        if self.root.wants_of_subgraphs(emitted.mode()) {
            self.forward(tag.step, Some(EventTask { node, index: tag.index }), emitted.into());
        }
    }

    fn wants_of_subgraphs(&self, modes: Modes) -> bool {
        self.root.wants_of_subgraphs(modes)
    }

    fn foreign(&self, namespace: Arc<str>, step: u64, task: Option<EventTask>, kind: Foreign) {
        self.root.foreign(namespace, step, task, kind);
    }

    fn poll_ready(&self, cx: &mut Context<'_>) -> Poll<()> {
        self.root.poll_ready(cx)
    }

    fn root(self: Arc<Self>) -> Arc<dyn Emit> {
        Arc::clone(&self.root)
    }
}
