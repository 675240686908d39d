//! The seam between the loop of a run and whatever executes its tasks.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures::future::BoxFuture;
use tracing::Span;

use super::spans::are_wanted;
use super::supervise::{Caught, supervise};
use crate::caller::Shared;
use crate::command::Command;
use crate::graph::{AttachedCache, Inner};
use crate::handle::Input;
use crate::ledger::Left;
use crate::panics::panic_message;
use crate::{Cause, Cx, State, TaskSource, TaskTag};

/// A task to be executed. Data crosses the seam, futures do not.
pub(crate) struct Call<S> {
    /// Place in the step's task-path order.
    pub(crate) index: usize,
    pub(crate) node: u32,
    pub(crate) input: Option<Input>,
    pub(crate) step: u64,
    pub(crate) snapshot: Arc<S>,
}

/// A task that was executed.
pub(crate) struct Outcome<S: State> {
    pub(crate) index: usize,
    pub(crate) settled: Settled<S>,
    /// What it asked and spent.
    pub(crate) left: Option<Box<Left>>,
}

/// How a task ended.
pub(crate) struct Settled<S: State> {
    pub(crate) result: Result<Command<S>, Cause>,
    /// The attempt that ended it, counted from 1.
    pub(crate) attempt: u32,
    pub(crate) source: TaskSource,
}

impl<S: State> Outcome<S> {
    /// Whether the task waits for an answer, whatever its node returned.
    pub(crate) fn asks(&self) -> bool {
        self.left.as_ref().is_some_and(|left| !left.questions.is_empty())
    }
}

impl<S: State> Settled<S> {
    pub(crate) fn ran(result: Result<Command<S>, Cause>) -> Self {
        Self { result, attempt: 1, source: TaskSource::Ran }
    }
}

/// Executes the tasks of a step.
pub(crate) trait TaskRunner<S: State>: Send {
    /// Takes all of `calls`.
    fn start(&mut self, calls: &mut Vec<Call<S>>);

    /// Adds at least one outcome, in the order of completion. Called only while some are missing.
    fn next(&mut self, outcomes: &mut Vec<Outcome<S>>) -> impl Future<Output = ()> + Send;

    /// Stops every task that has not ended; adds the outcomes of those that had.
    fn stop(&mut self, outcomes: &mut Vec<Outcome<S>>);
}

/// What every task of a run is started with.
pub(crate) struct Rim<S: State, R> {
    pub(crate) graph: Arc<Inner<S, R>>,
    pub(crate) shared: Arc<Shared<R>>,
    pub(crate) cache: Option<AttachedCache<S>>,
}

impl<S: State, R> Clone for Rim<S, R> {
    fn clone(&self) -> Self {
        Self { graph: Arc::clone(&self.graph), shared: Arc::clone(&self.shared), cache: self.cache.clone() }
    }
}

/// The span that is current, as the parent of those of tasks; none when nobody wants spans.
pub(crate) fn parent_span() -> Span {
    if are_wanted() { Span::current() } else { Span::none() }
}

/// The span of an attempt at a task.
pub(crate) fn task_span<S: State, R>(rim: &Rim<S, R>, tag: TaskTag, attempt: u32, parent: &Span) -> Span {
    tracing::info_span!(
        target: "research_core",
        parent: parent,
        "task",
        graph = &*rim.graph.name,
        node = &*rim.graph.names[tag.node as usize],
        step = tag.step,
        task = tag.index,
        attempt,
        run_id = &*rim.shared.run_id
    )
}

/// A task in flight.
pub(crate) struct Flight<S: State> {
    index: usize,
    work: Work<S>,
}

enum Work<S: State> {
    /// A node without a policy, polled directly.
    Node(Caught<S>),
    /// The same in a span.
    Spanned(Box<(Caught<S>, Span)>),
    Supervised(BoxFuture<'static, Settled<S>>),
    /// With it the snapshot is gone.
    Ended,
}

impl<S: State> Flight<S> {
    #[inline(always)]
    pub(crate) fn start<R>(rim: &Rim<S, R>, call: Call<S>, parent: &Span) -> Self
    where
        R: Send + Sync + 'static,
    {
        let (index, entry) = (call.index, &rim.graph.nodes[call.node as usize]);
        if let Some(policy) = &entry.policy {
            let supervised = supervise(rim.clone(), Arc::clone(policy), call, parent.clone());
            return Self { index, work: Work::Supervised(Box::pin(supervised)) };
        }
        let Call { index, node, input, step, snapshot } = call;
        let tag = TaskTag { step, index, node };
        let cx = Cx::new(snapshot, Arc::clone(&rim.shared), tag, None);
        let start = || Caught::start(|| entry.body.call(cx, input));
        let work = if are_wanted() {
            let span = task_span(rim, tag, 1, parent);
            Work::Spanned(Box::new((span.in_scope(start), span)))
        } else {
            Work::Node(start())
        };
        Self { index, work }
    }

    #[inline(always)]
    pub(crate) fn poll<R>(&mut self, shared: &Shared<R>, cx: &mut Context<'_>) -> Poll<Outcome<S>> {
        let settled = match &mut self.work {
            Work::Node(node) => Settled::ran(ready!(node.poll(cx))),
            Work::Spanned(spanned) => {
                let (node, span) = &mut **spanned;
                Settled::ran(ready!(span.in_scope(|| node.poll(cx))))
            }
            Work::Supervised(task) => {
                // Only what the user gave beside the node, such as the key of a cache, can panic here.
                let settled = match catch_unwind(AssertUnwindSafe(|| task.as_mut().poll(cx))) {
                    Ok(poll) => ready!(poll),
                    Err(payload) => Settled::ran(Err(Cause::Panic(panic_message(payload)))),
                };
                self.work = Work::Ended;
                settled
            }
            Work::Ended => Settled::ran(Err(Cause::Panic("polled after its end".to_string()))),
        };
        shared.live();
        Poll::Ready(Outcome { index: self.index, settled, left: shared.ledger.leave(self.index) })
    }
}
