//! A task in flight.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures::future::BoxFuture;
use tracing::Span;

use super::runner::{Call, Outcome, Settled};
use super::spans::are_wanted;
use super::supervise::{Caught, supervise};
use super::task_env::{TaskEnv, task_span};
use crate::caller::{Place, Shared, Wanted};
use crate::cx::Cx;
use crate::error::Cause;
use crate::event::TaskTag;
use crate::panics::panic_message;
use crate::state::State;

/// A task in flight.
pub(crate) struct Flight<S: State> {
    index: usize,
    work: Work<S>,
    /// Its place among the tasks of the run and its subgraphs.
    place: Option<Place>,
}

/// Starts a task that waits for a place.
type Start<S> = Box<dyn FnOnce() -> Work<S> + Send>;

enum Work<S: State> {
    /// It waits for a place.
    Queued(BoxFuture<'static, Place>, Option<Start<S>>),
    /// A node without a policy, polled directly.
    Node(Caught<S>),
    /// The same in a span.
    Spanned(Box<(Caught<S>, Span)>),
    Supervised(BoxFuture<'static, Settled<S>>),
    /// With it the snapshot is gone.
    Ended,
}

impl<S: State> Work<S> {
    #[inline(always)]
    fn start<R>(env: &TaskEnv<S, R>, call: Call<S>, parent: &Span) -> Self
    where
        R: Send + Sync + 'static,
    {
        let entry = &env.graph.nodes[call.node as usize];
        if let Some(policy) = &entry.policy {
            let supervised = supervise(env.clone(), Arc::clone(policy), call, parent.clone());
            return Self::Supervised(Box::pin(supervised));
        }
        let Call { index, node, input, step, snapshot } = call;
        let tag = TaskTag { step, index, node };
        let cx = Cx::new(snapshot, Arc::clone(&env.shared), tag, None);
        let start = || Caught::start(|| entry.body.call(cx, input));
        if are_wanted() {
            let span = task_span(env, tag, 1, parent);
            Self::Spanned(Box::new((span.in_scope(start), span)))
        } else {
            Self::Node(start())
        }
    }
}

impl<S: State> Flight<S> {
    #[inline(always)]
    pub(crate) fn start<R>(env: &TaskEnv<S, R>, call: Call<S>, parent: &Span) -> Self
    where
        R: Send + Sync + 'static,
    {
        let index = call.index;
        let Some(places) = &env.shared.places else {
            return Self { index, work: Work::start(env, call, parent), place: None };
        };
        let entry = &env.graph.nodes[call.node as usize];
        let of_node = entry.max_concurrency.map(|limit| ((env.graph.id, call.node), limit));
        // A task that runs a graph leaves the places to the tasks of that graph.
        let wanted = Wanted { any: entry.child.is_none(), of_node };
        if let Some(place) = places.try_take(wanted) {
            return Self { index, work: Work::start(env, call, parent), place: Some(place) };
        }
        let (env, parent, places) = (env.clone(), parent.clone(), places.clone());
        let start: Start<S> = Box::new(move || Work::start(&env, call, &parent));
        Self { index, work: Work::Queued(Box::pin(places.take(wanted)), Some(start)), place: None }
    }

    #[inline(always)]
    pub(crate) fn poll<R>(&mut self, shared: &Shared<R>, cx: &mut Context<'_>) -> Poll<Outcome<S>> {
        // Nearly every task, apart from the others so that its result is copied as seldom as possible.
        if let Work::Node(node) = &mut self.work {
            let result = ready!(node.poll(cx));
            shared.live();
            self.place = None;
            let left = shared.ledger.leave(self.index);
            return Poll::Ready(Outcome { index: self.index, settled: Settled::ran(result), left });
        }
        self.poll_other(shared, cx)
    }

    #[inline(never)]
    fn poll_other<R>(&mut self, shared: &Shared<R>, cx: &mut Context<'_>) -> Poll<Outcome<S>> {
        if let Work::Queued(place, start) = &mut self.work {
            self.place = Some(ready!(place.as_mut().poll(cx)));
            self.work = start.take().map_or(Work::Ended, |start| start());
        }
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
            Work::Queued(..) | Work::Ended => Settled::ran(Err(Cause::Panic("polled after its end".to_string()))),
        };
        shared.live();
        self.place = None;
        Poll::Ready(Outcome { index: self.index, settled, left: shared.ledger.leave(self.index) })
    }
}
