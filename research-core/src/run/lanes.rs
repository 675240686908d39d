//! The local runner: one task inside the run's own future, several in lanes on the ambient tokio runtime.
//!
//! A lane is a spawned loop that takes one task after another. At first there are as many lanes as worker threads, so that
//! nodes that block a thread overlap; ready tasks cost no spawn of their own. When a task waits for the first time its
//! lane stays with it and a replacement starts, up to the concurrency limit, so that waiting tasks overlap as well.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use futures::task::AtomicWaker;
use tokio::runtime::Handle;
use tokio::task::{AbortHandle, yield_now};
use tracing::Span;

use super::flight::Flight;
use super::runner::{Call, Outcome, Settled, TaskRunner};
use super::task_env::{TaskEnv, parent_span};
use super::turn::Turn;
use crate::error::Cause;
use crate::state::State;

pub(crate) struct LocalRunner<S: State, R> {
    env: TaskEnv<S, R>,
    max_concurrency: usize,
    /// Somebody looks at outcomes as they come.
    eager: bool,
    work: Work<S, R>,
}

enum Work<S: State, R> {
    Idle,
    One(Flight<S>),
    Lanes(Arc<Lanes<S, R>>),
    /// Outcomes that are known without running anything.
    Refused(Vec<Outcome<S>>),
}

impl<S: State, R: Send + Sync + 'static> LocalRunner<S, R> {
    pub(crate) fn new(env: TaskEnv<S, R>, max_concurrency: usize, eager: bool) -> Self {
        Self { env, max_concurrency, eager, work: Work::Idle }
    }

    fn start_lanes(&self, calls: &mut Vec<Call<S>>) -> Work<S, R> {
        let Ok(runtime) = Handle::try_current() else {
            let refuse =
                |call: Call<S>| Outcome { index: call.index, settled: Settled::ran(Err(Cause::NoRuntime)), left: None };
            return Work::Refused(calls.drain(..).map(refuse).collect());
        };
        let first = runtime.metrics().num_workers().min(self.max_concurrency).min(calls.len());
        let lanes = Arc::new(Lanes {
            env: self.env.clone(),
            parent: parent_span(),
            missing: AtomicUsize::new(calls.len()),
            done: Mutex::new(Vec::with_capacity(calls.len())),
            queue: Mutex::new(calls.drain(..).collect()),
            live: AtomicUsize::new(first),
            // Tasks that wait for a place of their node keep no other from beginning: the places are the limit then.
            limit: if self.env.graph.limits_nodes() { usize::MAX } else { self.max_concurrency },
            eager: self.eager,
            reader: AtomicWaker::new(),
            handles: Mutex::default(),
            runtime,
        });
        for _ in 0..first {
            Lanes::open(&lanes);
        }
        Work::Lanes(lanes)
    }
}

impl<S: State, R: Send + Sync + 'static> TaskRunner<S> for LocalRunner<S, R> {
    fn start(&mut self, calls: &mut Vec<Call<S>>) {
        self.work = match calls.pop() {
            Some(call) if calls.is_empty() => Work::One(Flight::start(&self.env, call, &parent_span())),
            Some(call) => {
                calls.push(call);
                self.start_lanes(calls)
            }
            None => Work::Idle,
        };
    }

    fn next(&mut self, outcomes: &mut Vec<Outcome<S>>) -> impl Future<Output = ()> + Send {
        poll_fn(|cx| match &mut self.work {
            Work::Idle => Poll::Ready(()),
            Work::One(flight) => flight.poll(&self.env.shared, cx).map(|outcome| outcomes.push(outcome)),
            Work::Lanes(lanes) => {
                lanes.reader.register(cx.waker());
                lanes.collect(outcomes)
            }
            Work::Refused(refused) => {
                outcomes.append(refused);
                Poll::Ready(())
            }
        })
    }

    fn stop(&mut self, outcomes: &mut Vec<Outcome<S>>) {
        match std::mem::replace(&mut self.work, Work::Idle) {
            Work::Idle | Work::One(_) => {}
            Work::Lanes(lanes) => {
                lanes.abort();
                outcomes.append(&mut lock(&lanes.done));
            }
            Work::Refused(mut refused) => outcomes.append(&mut refused),
        }
    }
}

/// A run that is dropped in mid-step stops its tasks.
impl<S: State, R> Drop for LocalRunner<S, R> {
    fn drop(&mut self) {
        if let Work::Lanes(lanes) = &self.work
            && lanes.missing.load(Ordering::Acquire) > 0
        {
            lanes.abort();
        }
    }
}

struct Lanes<S: State, R> {
    env: TaskEnv<S, R>,
    /// The span that tasks belong to.
    parent: Span,
    queue: Mutex<VecDeque<Call<S>>>,
    done: Mutex<Vec<Outcome<S>>>,
    /// Tasks that have not ended.
    missing: AtomicUsize,
    /// Lanes that have not ended.
    live: AtomicUsize,
    limit: usize,
    eager: bool,
    reader: AtomicWaker,
    handles: Mutex<Vec<AbortHandle>>,
    runtime: Handle,
}

impl<S: State, R> Lanes<S, R> {
    /// Stops every task that has not ended, at its next await.
    fn abort(&self) {
        lock(&self.queue).clear();
        lock(&self.handles).iter().for_each(AbortHandle::abort);
    }
}

impl<S: State, R: Send + Sync + 'static> Lanes<S, R> {
    fn open(lanes: &Arc<Self>) {
        // Held over the spawn, so that whoever stops the lanes stops this one too, or has emptied the queue before it starts.
        let mut handles = lock(&lanes.handles);
        handles.push(lanes.runtime.spawn(Self::lane(Arc::clone(lanes))).abort_handle());
    }

    async fn lane(lanes: Arc<Self>) {
        let mut turn = Turn::new(4);
        while let Some(call) = lanes.pull() {
            let mut flight = Flight::start(&lanes.env, call, &lanes.parent);
            let mut waited = false;
            let outcome = poll_fn(|cx| {
                let polled = flight.poll(&lanes.env.shared, cx);
                if polled.is_pending() && !std::mem::replace(&mut waited, true) {
                    Self::replace(&lanes);
                }
                polled
            })
            .await;
            let failed = outcome.settled.result.is_err();
            lanes.finish(outcome);
            if failed && lanes.eager {
                // It may mean that those that wait for their turn are not to begin: whoever decides that goes first.
                yield_now().await;
            }
            if turn.is_over() {
                turn.give_way().await;
            }
        }
        lanes.live.fetch_sub(1, Ordering::Relaxed);
    }

    fn pull(&self) -> Option<Call<S>> {
        lock(&self.queue).pop_front()
    }

    /// Opens a lane in place of one that waits, when there is work for it and the limit allows it.
    fn replace(lanes: &Arc<Self>) {
        if lock(&lanes.queue).is_empty() {
            return;
        }
        // Taken before the lane opens: two lanes that wait at the same moment must not both take the last place.
        let take = |live| (live < lanes.limit).then_some(live + 1);
        if lanes.live.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok() {
            Self::open(lanes);
        }
    }

    fn finish(&self, outcome: Outcome<S>) {
        lock(&self.done).push(outcome);
        if self.missing.fetch_sub(1, Ordering::AcqRel) == 1 || self.eager {
            self.reader.wake();
        }
    }

    fn collect(&self, outcomes: &mut Vec<Outcome<S>>) -> Poll<()> {
        if !self.eager && self.missing.load(Ordering::Acquire) > 0 {
            return Poll::Pending;
        }
        let mut done = lock(&self.done);
        if done.is_empty() {
            return Poll::Pending;
        }
        if outcomes.is_empty() {
            std::mem::swap(outcomes, &mut done);
        } else {
            outcomes.append(&mut done);
        }
        Poll::Ready(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
