//! The one loop behind every way to run a graph: plan, execute, record, apply, store.

mod broken;
mod tally;

use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use tokio::time::Instant;
use tracing::Instrument;

use super::apply::{Follow, Refusal, apply};
use super::checkpoint::Checkpoint;
use super::durable::{Durable, PAUSE};
use super::finished::Finished;
use super::open::Revival;
use super::options::{Budget, Stops};
use super::plan::{due, plan};
use super::report::Report;
use super::runner::{Call, Outcome, Settled, TaskRunner};
use super::spans;
use super::turn::Turn;
use super::watch::Watch;
use crate::caller::{Shared, StopOnDrop};
use crate::checkpoint::{Batch, CheckpointId, Durability, Origin, RecordKey, RecordKind, TaskRecord};
use crate::end::{End, FailurePolicy};
use crate::error::{Cause, ErrorKind, RunError};
use crate::event::{EventKind, TaskSource};
use crate::graph::Inner;
use crate::handle::Sent;
use crate::interrupt::Question;
use crate::journal::Held;
use crate::ledger::Left;
use crate::state::{FieldSet, State, Update};

/// Everything that drives one run.
pub(crate) struct Driver<S: State, R, T> {
    pub(crate) graph: Arc<Inner<S, R>>,
    pub(crate) shared: Arc<Shared<R>>,
    pub(crate) runner: T,
    pub(crate) report: Report<S>,
    pub(crate) checkpoint: Checkpoint<S>,
    /// Behind a pointer, because a run without a thread is to be small.
    pub(crate) durable: Option<Box<Durable<S>>>,
    pub(crate) watch: Watch,
    pub(crate) stops: Stops,
    pub(crate) budget: Option<Budget>,
    pub(crate) policy: FailurePolicy,
    /// The updates so far, of a subgraph that shares its parent's state.
    pub(crate) diff: Option<S::Update>,
    /// The checkpoint that the run begins with and its parent, when it is queued to be stored already.
    pub(crate) saved: Option<(CheckpointId, Option<CheckpointId>)>,
    pub(crate) refused: Vec<(String, String)>,
    pub(crate) step_limit: u64,
    pub(crate) started: Instant,
    pub(crate) _stop: StopOnDrop,
    pub(crate) held: Option<Held>,
}

/// A run that ended, with what a parent graph wants to know.
pub(crate) struct Ended<S: State> {
    pub(crate) finished: Finished<S>,
    /// Nodes of the parent graph that it led to.
    pub(crate) left: Option<Vec<String>>,
    pub(crate) diff: Option<S::Update>,
    /// What it spent, by counter.
    pub(crate) spent: BTreeMap<String, u64>,
    /// Names of questions whose answers were of the wrong type, with the reason; they stay open.
    pub(crate) refused: Vec<(String, String)>,
}

/// What is due in the step that runs, kept where it is stored only when the run ends.
struct Kept {
    nodes: Vec<u32>,
    deferred: Vec<u32>,
    sends: Vec<Sent>,
}

/// The buffers of a step, used again by the next.
struct Step<S: State> {
    tasks: Vec<u32>,
    calls: Vec<Call<S>>,
    outcomes: Vec<Outcome<S>>,
    /// How many of the outcomes are recorded.
    recorded: usize,
}

impl<S: State, R, T: TaskRunner<S>> Driver<S, R, T> {
    pub(crate) async fn drive(
        mut self: Box<Self>,
        made: Option<Origin>,
        revival: Revival<S>,
    ) -> Result<Ended<S>, RunError> {
        let first = self.checkpoint.step;
        let ended = self.steps(made, revival).await;
        // What was written so far is waited for whatever the end is; an earlier error is the one to report, unless it comes
        // from the loss of the thread.
        let flushed = match &self.durable {
            Some(durable) => durable.flush().await,
            None => Ok(()),
        };
        if let Some(held) = &mut self.held {
            held.release().await;
        }
        let steps = self.checkpoint.step - first;
        let checkpoint = self.durable.as_ref().and_then(|durable| durable.head);
        let Checkpoint { state, left, spent, .. } = self.checkpoint;
        let run_id = self.shared.run_id.to_string();
        let ended = match flushed {
            Err(ErrorKind::Store(error)) if ended.is_ok() || error.is_conflict() => Err(ErrorKind::Store(error)),
            _ => ended,
        };
        match ended {
            Ok(end) => {
                let state = Arc::unwrap_or_clone(state);
                let finished = Finished { state, steps, run_id, end, checkpoint };
                Ok(Ended { finished, left, diff: self.diff, spent, refused: self.refused })
            }
            Err(kind) => Err(RunError::new(Arc::clone(&self.graph.name), kind, state).after(self.checkpoint.step)),
        }
    }

    async fn steps(&mut self, made: Option<Origin>, revival: Revival<S>) -> Result<End, ErrorKind> {
        let mut paused = revival.paused;
        if let Some(origin) = made {
            if let Some(pause) = self.barrier(origin, &[]).await? {
                return self.exit(Ok(pause));
            }
            paused = true;
        }
        let mut revival = Some(revival);
        let first = self.checkpoint.step;
        if !paused && let Some(pause) = self.pause(&[]) {
            return self.pause_at(pause);
        }
        let mut step = Step { tasks: Vec::new(), calls: Vec::new(), outcomes: Vec::new(), recorded: 0 };
        let mut turn = Turn::new(16);
        // Whether anybody looks at barriers, or can end the run at one.
        let watched = self.durable.is_some() || self.report.is_on() || !self.stops.is_empty();
        let bounded = self.watch.is_set() || self.budget.is_some() || self.graph.has_budgets();
        let plain = !watched && !bounded && self.policy == FailurePolicy::LetSiblingsFinish;
        loop {
            if bounded || self.checkpoint.step - first >= self.step_limit {
                let was_wound_up = self.checkpoint.wound_up;
                if let Some(end) = self.boundary(first).await? {
                    return self.exit(Ok(end));
                }
                // What an earlier execution left is about other tasks then.
                revival = revival.filter(|_| was_wound_up == self.checkpoint.wound_up);
            }
            let kept = self.keep();
            plan(&self.graph, &mut self.checkpoint, &mut step.tasks, &mut step.calls);
            if step.tasks.is_empty() {
                return self.exit(Ok(End::Complete));
            }
            if let Some(revival) = revival.take() {
                self.revive(revival, &mut step);
            }
            self.report.step(self.checkpoint.step + 1, &step.tasks);
            // Each future in another one, and each that is moved into a span, costs as much as a small step.
            let executed = if plain && !spans::are_wanted() {
                self.runner.start(&mut step.calls);
                while step.outcomes.len() < step.tasks.len() {
                    self.runner.next(&mut step.outcomes).await;
                }
                self.refuse_parent(&mut step.outcomes);
                Ok(())
            } else if spans::are_wanted() {
                let span = spans::step(self.checkpoint.step + 1, step.tasks.len());
                self.execute(&mut step).instrument(span).await
            } else {
                self.execute(&mut step).await
            };
            let broken = match executed {
                Ok(()) if step.outcomes.iter().all(is_done) => self.fold(&mut step).err(),
                Ok(()) => None,
                Err(kind) => Some(kind.into()),
            };
            if broken.is_some() || !step.outcomes.is_empty() {
                if let Some(Kept { nodes, deferred, sends }) = kept {
                    (self.checkpoint.nodes, self.checkpoint.deferred, self.checkpoint.sends) = (nodes, deferred, sends);
                }
                return self.broken(&mut step, broken);
            }
            if watched && let Some(pause) = self.barrier(Origin::Step, &step.tasks).await? {
                return self.exit(Ok(pause));
            }
            if turn.is_over() {
                turn.give_way().await;
            }
        }
    }

    /// What can end a run between two steps.
    async fn boundary(&mut self, first: u64) -> Result<Option<End>, ErrorKind> {
        if self.checkpoint.is_over() {
            return Ok(None);
        }
        let step = self.checkpoint.step;
        if let Some(kind) = self.stopped(step + 1) {
            self.save_on_exit()?;
            return Err(kind);
        }
        if self.watch.drains() {
            return Ok(Some(End::Drained));
        }
        if let Some(counter) = self.overspent(first) {
            self.report.note(step, EventKind::BudgetSpent { counter: counter.clone() });
            let Some(node) = self.graph.wind_up else { return Ok(Some(End::Spent { counter })) };
            if let Some(pause) = self.wind_up(node).await? {
                return Ok(Some(pause));
            }
        }
        if step - first >= self.step_limit {
            self.save_on_exit()?;
            return Err(ErrorKind::StepLimit { limit: self.step_limit, due: due(&self.graph, &self.checkpoint) });
        }
        Ok(None)
    }

    /// Why `step` is not to begin.
    fn stopped(&mut self, step: u64) -> Option<ErrorKind> {
        self.watch.step();
        let mut now = std::task::Context::from_waker(std::task::Waker::noop());
        match self.watch.poll(&mut now, step) {
            Poll::Ready(kind) => Some(kind),
            Poll::Pending => None,
        }
    }

    /// Makes the node due that brings the run to its end, and nothing else. From now on that is where the thread stands.
    async fn wind_up(&mut self, node: u32) -> Result<Option<End>, ErrorKind> {
        self.checkpoint.clear_due();
        self.checkpoint.nodes.push(node);
        self.checkpoint.order_nodes(&self.graph);
        self.checkpoint.wound_up = true;
        self.shared.ledger.turn_page(self.checkpoint.step + 1);
        let pause = self.pause(&[]);
        self.store(Origin::Step, &[], pause.as_ref()).await?;
        Ok(pause)
    }

    /// What of the budget is used up.
    fn overspent(&self, first: u64) -> Option<String> {
        if self.checkpoint.wound_up {
            return None;
        }
        if let Some(counter) = self.graph.spent_node(&self.checkpoint.spent) {
            return Some(counter);
        }
        let budget = self.budget.as_ref()?;
        if budget.steps.is_some_and(|steps| self.checkpoint.step - first >= steps) {
            return Some("steps".to_string());
        }
        let spent = |counter: &str| self.checkpoint.spent.get(counter).copied().unwrap_or(0);
        if let Some((counter, _)) = budget.counters.iter().find(|(counter, limit)| spent(counter) >= **limit) {
            return Some(counter.clone());
        }
        let wall = budget.wall?;
        let now = self.shared.clock.instant();
        (now.saturating_duration_since(self.started) >= wall).then(|| "wall".to_string())
    }

    fn keep(&self) -> Option<Kept> {
        let durable = self.durable.as_ref().filter(|durable| durable.mode == Durability::Exit)?;
        durable.unsaved.map(|_| Kept {
            nodes: self.checkpoint.nodes.clone(),
            deferred: self.checkpoint.deferred.clone(),
            sends: self.checkpoint.sends.clone(),
        })
    }

    /// Takes the results that were recorded from the calls, and the tasks that still wait for an answer.
    fn revive(&mut self, revival: Revival<S>, step: &mut Step<S>) {
        let Revival { done, waiting, .. } = revival;
        let names = &self.graph.names;
        for done in done {
            // A record of another node belongs to tasks that were planned otherwise, such as before a budget was spent.
            if step.tasks.get(done.index).is_none_or(|node| *names[*node as usize] != *done.node) {
                continue;
            }
            let settled = Settled { result: Ok(done.command), attempt: done.attempt, source: TaskSource::Restored };
            let left = Left { spent: done.spent, memory: done.memory, ..Left::default() };
            step.outcomes.push(Outcome { index: done.index, settled, left: Some(Box::new(left)) });
        }
        let mut known = vec![false; step.tasks.len()];
        step.outcomes.iter().for_each(|outcome| known[outcome.index] = true);
        for (index, questions) in waiting {
            let asks = questions.first().is_some_and(|question| {
                let own = step.tasks.get(index).map(|node| &*names[*node as usize]);
                own == Some(&*question.node) || question.namespace != *self.namespace()
            });
            if asks && !std::mem::replace(&mut known[index], true) {
                step.outcomes.push(waiting_again(index, questions));
            }
        }
        step.calls.retain(|call| !known[call.index]);
        step.recorded = step.outcomes.len();
    }

    fn namespace(&self) -> Arc<str> {
        match &self.durable {
            Some(durable) => Arc::clone(&durable.journal.key().namespace),
            None => Arc::from(""),
        }
    }

    /// Runs the tasks of a step and records them as they finish. An error stops those that run.
    async fn execute(&mut self, step: &mut Step<S>) -> Result<(), ErrorKind> {
        let number = self.checkpoint.step + 1;
        self.report.outcomes(number, &step.tasks, &step.outcomes);
        if step.outcomes.len() == step.tasks.len() {
            return Ok(());
        }
        self.runner.start(&mut step.calls);
        while step.outcomes.len() < step.tasks.len() {
            let known = step.outcomes.len();
            if let Err(kind) = self.next(&mut step.outcomes, number).await {
                self.runner.stop(&mut step.outcomes);
                self.report.outcomes(number, &step.tasks, &step.outcomes[known..]);
                return Err(kind);
            }
            self.refuse_parent(&mut step.outcomes[known..]);
            // The last ones are recorded by the checkpoint that follows at once, or where the step breaks.
            let more_to_come = step.outcomes.len() < step.tasks.len();
            let records = if more_to_come { self.records_as_they_come(step) } else { Vec::new() };
            self.report.outcomes(number, &step.tasks, &step.outcomes[known..]);
            if self.policy == FailurePolicy::CancelSiblings && step.outcomes[known..].iter().any(failed) {
                let known = step.outcomes.len();
                self.runner.stop(&mut step.outcomes);
                self.report.outcomes(number, &step.tasks, &step.outcomes[known..]);
                self.push(records);
                return Ok(());
            }
            if !records.is_empty() {
                self.push(records);
                if let Some(durable) = &self.durable {
                    durable.settle().await?;
                }
            }
        }
        Ok(())
    }

    /// Makes tasks fail that lead to the parent of a graph that has none.
    fn refuse_parent(&self, outcomes: &mut [Outcome<S>]) {
        if self.shared.caller.is_some() {
            return;
        }
        for outcome in outcomes {
            let goto = outcome.settled.result.as_ref().ok().and_then(|command| command.goto.as_deref());
            if let Some(goto) = goto.filter(|goto| goto.parent) {
                outcome.settled.result = Err(Cause::NoParent { target: goto.targets.first_name() });
            }
        }
    }

    fn records_as_they_come(&self, step: &mut Step<S>) -> Vec<TaskRecord> {
        match &self.durable {
            Some(durable) if durable.records_as_they_come() => self.records(step),
            _ => Vec::new(),
        }
    }

    /// The results that are not recorded yet, as records. One that cannot be written makes its task a failed one.
    fn records(&self, step: &mut Step<S>) -> Vec<TaskRecord> {
        let Some(durable) = &self.durable else { return Vec::new() };
        let mut records = Vec::new();
        for outcome in &mut step.outcomes[step.recorded..] {
            match durable.done_record(&self.graph, step.tasks[outcome.index], outcome) {
                Ok(record) => records.extend(record),
                Err(error) => outcome.settled.result = Err(Cause::Codec(error)),
            }
        }
        step.recorded = step.outcomes.len();
        records
    }

    fn push(&self, records: Vec<TaskRecord>) {
        if let Some(durable) = &self.durable {
            durable.journal.push(Batch { records, ..Batch::default() }, None);
        }
    }

    /// Waits for outcomes, while writes go on and whoever may stop the run is listened to.
    async fn next(&mut self, outcomes: &mut Vec<Outcome<S>>, step: u64) -> Result<(), ErrorKind> {
        // What is kept for the exit must not be written before the checkpoint that it belongs to.
        let durable = self.durable.as_ref().filter(|durable| durable.records_as_they_come());
        let journal = durable.map(|durable| &durable.journal).filter(|journal| !journal.is_quiet());
        if journal.is_none() && self.watch.is_idle() {
            self.runner.next(outcomes).await;
            return Ok(());
        }
        let watch = &mut self.watch;
        let mut next = pin!(self.runner.next(outcomes));
        poll_fn(|cx| {
            if let Some(Poll::Ready(Err(error))) = journal.map(|journal| journal.poll(cx)) {
                return Poll::Ready(Err(ErrorKind::Store(error)));
            }
            if let Poll::Ready(kind) = watch.poll(cx, step) {
                return Poll::Ready(Err(kind));
            }
            next.as_mut().poll(cx).map(Ok)
        })
        .await
    }

    /// Folds a step whose tasks have all finished. The outcomes are taken only on success.
    fn fold(&mut self, step: &mut Step<S>) -> Result<(), Box<Refusal>> {
        if step.outcomes.len() > 1 {
            step.outcomes.sort_unstable_by_key(|outcome| outcome.index);
        }
        let tallied = self.tally(step);
        let mut own = self.diff.as_ref().map(|_| S::Update::default());
        let keeps_state = self.durable.as_ref().is_some_and(|durable| durable.unsaved.is_some());
        let recorder = self.durable.as_mut().map(|durable| &mut durable.recorder);
        let follow = Follow { recorder, diff: own.as_mut(), keeps_state };
        // Recorded or not, sorting has mixed them; records are idempotent.
        step.recorded = 0;
        apply(&self.graph, &mut self.checkpoint, &step.tasks, &mut step.outcomes, follow)?;
        if let Some(tallied) = tallied {
            self.settle(*tallied);
        }
        if let (Some(diff), Some(own)) = (&mut self.diff, own) {
            if let Some(durable) = &mut self.durable {
                let mut note = Vec::new();
                durable.codec().write_update(&own, &mut note).map_err(ErrorKind::Codec)?;
                durable.recorder.note(&note);
            }
            diff.absorb(own, FieldSet::EMPTY);
        }
        self.shared.ledger.turn_page(self.checkpoint.step + 1);
        Ok(())
    }

    /// Stores the checkpoint of a barrier as the durability demands, and reports it. Gives the end of a run that pauses here.
    async fn barrier(&mut self, origin: Origin, ran: &[u32]) -> Result<Option<End>, ErrorKind> {
        let pause = self.pause(ran);
        self.store(origin, ran, pause.as_ref()).await?;
        if origin == Origin::Step {
            self.report.barrier(self.checkpoint.step, &self.checkpoint.state).await;
        }
        Ok(pause)
    }

    /// Stores the checkpoint as the durability demands.
    async fn store(&mut self, origin: Origin, ran: &[u32], pause: Option<&End>) -> Result<(), ErrorKind> {
        let Some(durable) = &mut self.durable else { return Ok(()) };
        if let Some((id, parent)) = self.saved.take() {
            if let Some(pause) = pause {
                let records = vec![pause_record(id, pause)];
                durable.journal.push(Batch { records, ..Batch::default() }, None);
            }
            self.report.checkpoint(self.checkpoint.step, id, parent);
            return durable.settle().await;
        }
        if durable.mode == Durability::Exit && pause.is_none() && origin != Origin::Fork {
            durable.pass(origin, ran);
            return Ok(());
        }
        let parent = durable.parent;
        let records = |id| pause.map(|pause| pause_record(id, pause)).into_iter().collect();
        let id = durable.save(&self.graph, &self.checkpoint, origin, ran, records).map_err(ErrorKind::Codec)?;
        self.report.checkpoint(self.checkpoint.step, id, parent);
        durable.settle().await
    }

    /// The breakpoints that the run has come to.
    fn pause(&self, ran: &[u32]) -> Option<End> {
        // After its last step a graph has nothing to go on with, but the graph around it has.
        if self.stops.is_empty() || (self.checkpoint.is_over() && self.shared.caller.is_none()) {
            return None;
        }
        let names = |nodes: &mut dyn Iterator<Item = u32>| -> Vec<String> {
            nodes.map(|node| self.graph.names[node as usize].to_string()).collect()
        };
        let next = due(&self.graph, &self.checkpoint);
        let before = next
            .into_iter()
            .filter(|name| self.graph.position(name).is_some_and(|node| self.stops.before.contains(&node)));
        let before: Vec<String> = before.collect();
        let after = names(&mut ran.iter().copied().filter(|node| self.stops.after.contains(node)));
        (!before.is_empty() || !after.is_empty()).then_some(End::Paused { before, after })
    }

    /// Records a pause at the checkpoint that the run began with.
    fn pause_at(&mut self, pause: End) -> Result<End, ErrorKind> {
        if let Some(durable) = &self.durable {
            let mut batch = Batch::default();
            batch.records.push(pause_record(durable.journal.at(), &pause));
            durable.journal.push(batch, None);
        }
        self.exit(Ok(pause))
    }

    /// Ends a run between two steps.
    fn exit(&mut self, end: Result<End, ErrorKind>) -> Result<End, ErrorKind> {
        self.save_on_exit()?;
        end
    }

    /// Stores what was kept until the end.
    fn save_on_exit(&mut self) -> Result<(), ErrorKind> {
        let Some(durable) = &mut self.durable else { return Ok(()) };
        let Some(origin) = durable.unsaved else { return Ok(()) };
        let (parent, ran) = (durable.parent, std::mem::take(&mut durable.ran));
        let id = durable.save(&self.graph, &self.checkpoint, origin, &ran, |_| Vec::new()).map_err(ErrorKind::Codec)?;
        self.report.checkpoint(self.checkpoint.step, id, parent);
        Ok(())
    }
}

fn is_done<S: State>(outcome: &Outcome<S>) -> bool {
    outcome.settled.result.is_ok() && !outcome.asks()
}

fn failed<S: State>(outcome: &Outcome<S>) -> bool {
    outcome.settled.result.is_err() && !outcome.asks()
}

/// A task that was not run, because its question is still open.
fn waiting_again<S: State>(index: usize, questions: Vec<Question>) -> Outcome<S> {
    let left = Left { questions, ..Left::default() };
    let result = Err(Cause::Error(crate::interrupt::Interrupted.into()));
    Outcome { index, settled: Settled { result, attempt: 1, source: TaskSource::Restored }, left: Some(Box::new(left)) }
}

fn pause_record(at: CheckpointId, pause: &End) -> TaskRecord {
    let names = match pause {
        End::Paused { before, after } => serde_json::json!({ "before": before, "after": after }),
        _ => serde_json::Value::Null,
    };
    TaskRecord::new(RecordKey::new(at, PAUSE, RecordKind::Question, "pause"), names.to_string().into_bytes())
}
