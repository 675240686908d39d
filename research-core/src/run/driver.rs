//! The one loop behind every way to run a graph: plan, execute, apply.

use std::sync::Arc;

use super::Finished;
use super::apply::apply;
use super::checkpoint::Checkpoint;
use super::plan::{Entry, begin, plan};
use super::report::Report;
use super::runner::TaskRunner;
use super::turn::Turn;
use crate::cx::Shared;
use crate::event::EventLog;
use crate::graph::Inner;
use crate::{ErrorKind, RunError, State};

pub(crate) struct Driver<S: State, R, T> {
    graph: Arc<Inner<S, R>>,
    shared: Arc<Shared<R>>,
    runner: T,
    report: Report<S>,
}

impl<S: State, R, T: TaskRunner<S>> Driver<S, R, T> {
    pub(crate) fn new(
        graph: Arc<Inner<S, R>>,
        shared: Arc<Shared<R>>,
        runner: T,
        log: Option<Arc<EventLog<S>>>,
    ) -> Self {
        let report = Report::new(Arc::clone(&graph.names), log);
        Self { graph, shared, runner, report }
    }

    pub(crate) async fn drive(mut self, entry: Entry<S>) -> Result<Finished<S>, RunError> {
        let (mut checkpoint, begun) = begin(&self.graph, entry);
        self.report.start(&self.shared.run_id, &checkpoint);
        let ended = match begun {
            Ok(()) => self.steps(&mut checkpoint).await,
            Err(kind) => Err(kind),
        };
        let Checkpoint { state, step: steps, .. } = checkpoint;
        let run_id = self.shared.run_id.to_string();
        match ended {
            Ok(()) => Ok(Finished { state: Arc::unwrap_or_clone(state), steps, run_id }),
            Err(kind) => Err(RunError::new(Arc::clone(&self.graph.name), kind, state)),
        }
    }

    async fn steps(&mut self, checkpoint: &mut Checkpoint<S>) -> Result<(), ErrorKind> {
        let limit = self.shared.step_limit;
        let (mut tasks, mut calls, mut outcomes) = (Vec::new(), Vec::new(), Vec::new());
        let mut turn = Turn::new(16);
        loop {
            plan(&self.graph, checkpoint, limit, &mut tasks, &mut calls)?;
            if tasks.is_empty() {
                return Ok(());
            }
            self.report.step(checkpoint, &tasks);
            self.runner.start(&mut calls);
            while outcomes.len() < tasks.len() {
                let settled = outcomes.len();
                self.runner.next(&mut outcomes).await;
                // Every outcome passes here as it comes, before its siblings have ended.
                self.report.outcomes(checkpoint, &tasks, &outcomes[settled..]);
            }
            if outcomes.len() > 1 {
                outcomes.sort_unstable_by_key(|outcome| outcome.index);
            }
            apply(&self.graph, checkpoint, &tasks, &mut outcomes)?;
            self.report.barrier(checkpoint).await;
            turn.done().await;
        }
    }
}
