//! Writes what happens in a run to its event log, if somebody reads it.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use super::checkpoint::Checkpoint;
use super::runner::Outcome;
use crate::event::{EventKind, EventLog, EventTask};
use crate::{Modes, Snapshot, State};

/// Events that may wait for the reader when the next step starts.
const READ_AHEAD: usize = 64;

pub(crate) struct Report<S: State> {
    names: Arc<[Arc<str>]>,
    log: Option<Arc<EventLog<S>>>,
}

impl<S: State> Report<S> {
    pub(crate) fn new(names: Arc<[Arc<str>]>, log: Option<Arc<EventLog<S>>>) -> Self {
        Self { names, log }
    }

    pub(crate) fn start(&self, run_id: &Arc<str>, checkpoint: &Checkpoint<S>) {
        let Some(log) = &self.log else { return };
        log.write(0, None, EventKind::RunStarted { run_id: Arc::clone(run_id) });
        values(log, checkpoint);
    }

    pub(crate) fn step(&self, checkpoint: &Checkpoint<S>, tasks: &[u32]) {
        let Some(log) = &self.log else { return };
        let step = checkpoint.step + 1;
        if log.wants(Modes::STEPS) {
            log.write(step, None, EventKind::StepStarted { tasks: tasks.len() });
        }
        if log.wants(Modes::TASKS) {
            for index in 0..tasks.len() {
                log.write(step, Some(self.task(tasks, index)), EventKind::TaskStarted);
            }
        }
    }

    pub(crate) fn outcomes(&self, checkpoint: &Checkpoint<S>, tasks: &[u32], outcomes: &[Outcome<S>]) {
        let Some(log) = &self.log else { return };
        let step = checkpoint.step + 1;
        for outcome in outcomes {
            let task = || Some(self.task(tasks, outcome.index));
            if let (Ok(command), true) = (&outcome.result, log.wants(Modes::UPDATES)) {
                log.write(step, task(), EventKind::Updated(command.update.clone()));
            }
            if log.wants(Modes::TASKS) {
                let error = outcome.result.as_ref().err().map(ToString::to_string);
                log.write(step, task(), EventKind::TaskFinished { error });
            }
        }
    }

    /// Reports the end of a step, and waits until the reader has caught up.
    pub(crate) async fn barrier(&self, checkpoint: &Checkpoint<S>) {
        let Some(log) = &self.log else { return };
        values(log, checkpoint);
        if log.wants(Modes::STEPS) {
            log.write(checkpoint.step, None, EventKind::StepFinished);
        }
        // No waker is needed: the stream that owns this future polls it again once it has handed out every event.
        poll_fn(|_| if log.waiting() <= READ_AHEAD { Poll::Ready(()) } else { Poll::Pending }).await;
    }

    fn task(&self, tasks: &[u32], index: usize) -> EventTask {
        EventTask { node: Arc::clone(&self.names[tasks[index] as usize]), index }
    }
}

fn values<S: State>(log: &EventLog<S>, checkpoint: &Checkpoint<S>) {
    if log.wants(Modes::VALUES) {
        log.write(checkpoint.step, None, EventKind::Values(Snapshot(Arc::clone(&checkpoint.state))));
    }
}
