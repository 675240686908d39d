//! The attempts at one task that has a policy: its cache, its time limits, its retries, its error handler.

mod caught;
mod limits;
mod remember;

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::time::Instant;
use tracing::{Instrument, Span};

pub(super) use caught::Caught;
use limits::Limits;
use remember::Remember;

use super::runner::{Call, Settled};
use super::task_env::{TaskEnv, task_span};
use crate::attempt::{Attempt, Current};
use crate::checkpoint::{Batch, Durability, RecordKey, RecordKind, TaskRecord};
use crate::command::Command;
use crate::cx::Cx;
use crate::error::{Cause, NodeError};
use crate::event::{TaskSource, TaskTag};
use crate::graph::{Computing, Turn};
use crate::handle::Input;
use crate::interrupt::{Interrupted, NotDurable};
use crate::node::NodeFuture;
use crate::policy::{Class, FailedTask, Failure, Handle, NodePolicy};
use crate::state::State;

/// Runs a task under the policy of its node.
pub(crate) async fn supervise<S: State, R: Send + Sync + 'static>(
    env: TaskEnv<S, R>,
    policy: Arc<NodePolicy<S, R>>,
    call: Call<S>,
    parent: Span,
) -> Settled<S> {
    let Call { index, node, input, step, snapshot } = call;
    Task { env, policy, tag: TaskTag { step, index, node }, input, snapshot, parent }.settle().await
}

struct Task<S: State, R> {
    env: TaskEnv<S, R>,
    policy: Arc<NodePolicy<S, R>>,
    tag: TaskTag,
    input: Option<Input>,
    snapshot: Arc<S>,
    parent: Span,
}

impl<S: State, R: Send + Sync + 'static> Task<S, R> {
    async fn settle(&self) -> Settled<S> {
        if let Some(handler) = &self.policy.handler
            && let Some(failed) = self.failed_before()
        {
            return self.handle(&**handler, failed, None).await;
        }
        let remember = Remember::new(&self.env, &self.policy, self.tag, &self.snapshot, self.input.as_ref());
        if let Some(remember) = &remember
            && let Some(command) = remember.recall().await
        {
            return Settled { result: Ok(command), attempt: 1, source: TaskSource::Cached };
        }
        // Of many tasks with one key at once the first computes it. The others run themselves only if it leaves no result.
        let mut computing: Option<Computing> = None;
        if let Some(remember) = &remember {
            match remember.join() {
                Turn::First(first) => computing = Some(first),
                // Nobody adds a permit: it ends when the semaphore closes.
                Turn::Wait(over) => drop(over.acquire().await),
            }
            // Whoever computed it may also have ended between the first look and this turn.
            if let Some(command) = remember.recall().await {
                return Settled { result: Ok(command), attempt: 1, source: TaskSource::Cached };
            }
        }
        let settled = self.attempts().await;
        if let (Some(remember), Ok(command), TaskSource::Ran) = (&remember, &settled.result, settled.source)
            && !self.env.shared.ledger.asks(self.tag.index)
        {
            remember.keep(command).await;
        }
        drop(computing);
        settled
    }

    async fn attempts(&self) -> Settled<S> {
        let began = self.env.shared.clock.instant();
        let mut number = 1;
        loop {
            let cause = match self.attempt(number).await {
                Err(cause) if !self.asks(&cause) => cause,
                result => return Settled { result, attempt: number, source: TaskSource::Ran },
            };
            let Some(wait) = self.wait(&cause, number, began) else { return self.give_up(cause, number).await };
            tracing::debug!(
                target: "research_core", parent: &self.parent, node = self.node(), step = self.tag.step,
                task = self.tag.index, attempt = number, ?wait, error = %cause, "a task failed and is tried again"
            );
            self.env.shared.ledger.retract(self.tag.index);
            self.env.shared.live();
            if !wait.is_zero() {
                self.env.shared.clock.sleep(wait).await;
            }
            number += 1;
        }
    }

    async fn attempt(&self, number: u32) -> Result<Command<S>, Cause> {
        let span = task_span(&self.env, self.tag, number, &self.parent);
        let attempt = Arc::new(Attempt::new(number));
        let cx = self.context(&attempt);
        let body = &self.env.graph.nodes[self.tag.node as usize].body;
        let mut node = span.in_scope(|| Caught::start(|| body.call(cx, self.input.clone())));
        // Made after the node's future and so dropped before it: its destructors must not write any more.
        let current = Current::new(&attempt);
        let timeout = self.policy.timeout.unwrap_or_default();
        let mut limits = Limits::new(timeout, &self.env.shared.clock, &attempt);
        let result = poll_fn(|cx| match node.poll(cx) {
            Poll::Pending => limits.poll(cx).map(Err),
            ready => ready,
        })
        .instrument(span.clone())
        .await;
        if let Err(cause @ Cause::TimedOut { .. }) = &result {
            tracing::warn!(
                target: "research_core", parent: &span, node = self.node(), step = self.tag.step, task = self.tag.index,
                attempt = number, "an attempt {cause}"
            );
        }
        if result.is_ok() {
            current.keep();
        }
        result
    }

    /// How long to wait before the next attempt; `None` when there is none.
    fn wait(&self, cause: &Cause, made: u32, began: Instant) -> Option<Duration> {
        let retry = self.policy.retry.as_ref()?;
        let error = match cause {
            Cause::Error(error) => Some(error),
            Cause::TimedOut { .. } => None,
            _ => return None,
        };
        if !retry.admits(made, error) {
            return None;
        }
        let after = match error.map_or(Class::retryable(), |error| self.env.graph.class(error)) {
            Class::Retryable { after } => after,
            Class::Terminal => return None,
        };
        let shared = &self.env.shared;
        let wait = after.unwrap_or_else(|| retry.wait(made, self.env.shared.random.fraction()));
        let now = shared.clock.instant();
        let elapsed = now.saturating_duration_since(began);
        let in_time = self.env.shared.deadline.is_none_or(|end| wait < end.saturating_duration_since(now));
        (in_time && retry.allows_start(elapsed.saturating_add(wait))).then_some(wait)
    }

    async fn give_up(&self, cause: Cause, attempt: u32) -> Settled<S> {
        if let Some(handler) = &self.policy.handler {
            let failed = FailedTask { node: self.node().to_string(), attempt, message: cause.to_string() };
            // A store that does not take the record ends the run; a later one begins with the node.
            if self.record(&failed).await {
                return self.handle(&**handler, failed, Some(cause)).await;
            }
        }
        Settled { result: Err(cause), attempt, source: TaskSource::Ran }
    }

    /// Runs the error handler.
    async fn handle(&self, handler: &dyn Handle<S, R>, failed: FailedTask, cause: Option<Cause>) -> Settled<S> {
        let FailedTask { attempt: number, message, .. } = failed;
        let cause = cause.map(Arc::new);
        let failure = Failure {
            node: Arc::clone(&self.env.shared.names[self.tag.node as usize]),
            attempt: number,
            message: message.clone(),
            cause: cause.clone(),
        };
        let attempt = Arc::new(Attempt::new(number));
        let cx = self.context(&attempt);
        let span = task_span(&self.env, self.tag, number, &self.parent);
        let mut handler = span.in_scope(|| Caught::start(|| -> NodeFuture<S> { handler.call(cx, failure) }));
        let current = Current::new(&attempt);
        let result = poll_fn(|cx| handler.poll(cx)).instrument(span).await;
        let result = match result {
            Ok(command) => {
                current.keep();
                Ok(command)
            }
            Err(cause) if self.asks(&cause) => Err(cause),
            Err(second) => {
                self.withdraw();
                let failure = cause.and_then(Arc::into_inner).unwrap_or_else(|| Cause::Error(NodeError::msg(message)));
                let error = match second {
                    Cause::Error(error) => error,
                    other => NodeError::msg(other.to_string()),
                };
                Err(Cause::Handler { error, failure: Box::new(failure) })
            }
        };
        Settled { result, attempt: number, source: TaskSource::Handled }
    }

    /// Whether a failed attempt stopped to wait for an answer, rather than failed.
    fn asks(&self, cause: &Cause) -> bool {
        let stopped = matches!(cause, Cause::Error(error)
            if error.downcast_ref::<Interrupted>().is_some() || error.downcast_ref::<NotDurable>().is_some());
        stopped || self.env.shared.ledger.asks(self.tag.index)
    }

    /// The failure of an earlier run whose handler did not end.
    fn failed_before(&self) -> Option<FailedTask> {
        FailedTask::decode(&self.env.shared.ledger.failed(self.tag.index)?, self.node())
    }

    /// Records that the handler is due; says whether that worked, or nothing is to be recorded.
    async fn record(&self, failed: &FailedTask) -> bool {
        let shared = &self.env.shared;
        let Some((journal, key)) = shared.journal.as_ref().zip(self.record_key()) else { return true };
        let Ok(data) = failed.encode() else { return false };
        let mut batch = Batch::default();
        batch.records.push(TaskRecord::new(key, data));
        journal.push(batch, None);
        shared.durability == Durability::Exit || journal.flush().await.is_ok()
    }

    /// Takes the record back: the task failed as a whole, and a later run begins it anew.
    fn withdraw(&self) {
        if let Some((journal, key)) = self.env.shared.journal.as_ref().zip(self.record_key()) {
            let mut batch = Batch::default();
            batch.removed.push(key);
            journal.push(batch, None);
        }
    }

    fn record_key(&self) -> Option<RecordKey> {
        let at = self.env.shared.journal.as_ref()?.at();
        let place = u32::try_from(self.tag.index).ok()?;
        Some(RecordKey::new(at, place, RecordKind::Failed, ""))
    }

    fn context(&self, attempt: &Arc<Attempt>) -> Cx<S, R> {
        Cx::new(Arc::clone(&self.snapshot), Arc::clone(&self.env.shared), self.tag, Some(Arc::clone(attempt)))
    }

    fn node(&self) -> &str {
        &self.env.shared.names[self.tag.node as usize]
    }
}
