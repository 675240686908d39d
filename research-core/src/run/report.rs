//! Writes what happens in a graph's loop to the event log, if somebody reads it.

use std::future::poll_fn;
use std::sync::Arc;

use super::runner::Outcome;
use crate::checkpoint::CheckpointId;
use crate::event::{EventKind, EventTask, Modes, Sink};
use crate::state::{Snapshot, State};

pub(crate) struct Report<S: State> {
    names: Arc<[Arc<str>]>,
    sink: Option<Sink<S>>,
}

impl<S: State> Report<S> {
    pub(crate) fn new(names: Arc<[Arc<str>]>, sink: Option<Sink<S>>) -> Self {
        Self { names, sink }
    }

    /// Whether somebody reads.
    pub(crate) fn is_on(&self) -> bool {
        self.sink.is_some()
    }

    /// The run begins.
    pub(crate) fn start(&self, run_id: &Arc<str>) {
        self.note(0, EventKind::RunStarted { run_id: Arc::clone(run_id) });
    }

    /// The run has this state, after `step` steps, and is about to take its next one.
    pub(crate) fn opened(&self, step: u64, state: &Arc<S>) {
        let Some(sink) = &self.sink else { return };
        if sink.wants(Modes::VALUES) {
            sink.write(step, None, EventKind::Values(Snapshot(Arc::clone(state))));
        }
    }

    /// A step begins; `tasks` are the nodes of those that are due, in task-path order.
    pub(crate) fn step(&self, step: u64, tasks: &[u32]) {
        let Some(sink) = self.sink.as_ref().filter(|sink| sink.wants(Modes::STEPS | Modes::TASKS)) else { return };
        let mut moment = sink.moment(step);
        if sink.wants(Modes::STEPS) {
            moment.add(None, EventKind::StepStarted { tasks: tasks.len() });
        }
        if sink.wants(Modes::TASKS) {
            for index in 0..tasks.len() {
                moment.add(Some(self.task(tasks, index)), EventKind::TaskStarted);
            }
        }
    }

    /// Tasks of the step ended.
    pub(crate) fn outcomes(&self, step: u64, tasks: &[u32], outcomes: &[Outcome<S>]) {
        let Some(sink) = &self.sink else { return };
        let (updates, ends) = (sink.wants(Modes::UPDATES), sink.wants(Modes::TASKS));
        if !updates && !ends {
            return;
        }
        for outcome in outcomes {
            let task = || Some(self.task(tasks, outcome.index));
            if let Some(left) = outcome.left.as_ref().filter(|_| outcome.asks()) {
                // What its node returned does not count: it runs again.
                if ends {
                    sink.write(step, task(), EventKind::Asked { questions: left.questions.clone() });
                }
                continue;
            }
            let (update, error) = match &outcome.settled.result {
                Ok(command) => (updates.then(|| command.update.clone()), None),
                Err(cause) => (None, ends.then(|| cause.to_string())),
            };
            let mut moment = sink.moment(step);
            if let Some(update) = update {
                moment.add(task(), EventKind::Updated(update));
            }
            if ends {
                moment.add(task(), EventKind::TaskFinished { error, source: outcome.settled.source });
            }
        }
    }

    /// The step is complete; waits until the reader has caught up.
    pub(crate) async fn barrier(&self, step: u64, state: &Arc<S>) {
        let Some(sink) = &self.sink else { return };
        if sink.wants(Modes::VALUES | Modes::STEPS) {
            let mut moment = sink.moment(step);
            if sink.wants(Modes::VALUES) {
                moment.add(None, EventKind::Values(Snapshot(Arc::clone(state))));
            }
            if sink.wants(Modes::STEPS) {
                moment.add(None, EventKind::StepFinished);
            }
        }
        poll_fn(|cx| sink.poll_ready(cx)).await;
    }

    /// A checkpoint was made.
    pub(crate) fn checkpoint(&self, step: u64, id: CheckpointId, parent: Option<CheckpointId>) {
        if let Some(sink) = &self.sink
            && sink.wants(Modes::CHECKPOINTS)
        {
            sink.write(step, None, EventKind::Checkpoint { id, parent });
        }
    }

    /// Something that every reader gets.
    pub(crate) fn note(&self, step: u64, kind: EventKind<S>) {
        if let Some(sink) = &self.sink {
            sink.write(step, None, kind);
        }
    }

    fn task(&self, tasks: &[u32], index: usize) -> EventTask {
        EventTask { node: Arc::clone(&self.names[tasks[index] as usize]), index }
    }
}
