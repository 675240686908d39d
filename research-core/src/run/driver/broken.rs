//! The end of a run whose step did not complete: what is kept of the step, and what is told of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Driver, Step, failed, is_done, pause_record};
use crate::checkpoint::{Batch, RecordKey};
use crate::end::End;
use crate::error::{Cause, ErrorKind, RunError, TaskFailure};
use crate::event::EventKind;
use crate::interrupt::Question;
use crate::ledger::Pause;
use crate::run::apply::{Refusal, failing_routes, failure};
use crate::run::durable::StoredFailure;
use crate::run::runner::TaskRunner;
use crate::state::State;

impl<S: State, R, T: TaskRunner<S>> Driver<S, R, T> {
    /// Ends a run whose step did not complete: what finished is recorded, and the questions.
    pub(super) fn broken(&mut self, step: &mut Step<S>, refusal: Option<Box<Refusal>>) -> Result<End, ErrorKind> {
        self.save_on_exit()?;
        let number = self.checkpoint.step + 1;
        let (mut questions, mut pause): (Vec<Question>, Pause) = Default::default();
        let mut records = self.records(step);
        step.outcomes.sort_unstable_by_key(|outcome| outcome.index);
        let mut failures: Vec<TaskFailure> = Vec::new();
        let (mut kind, mut rejected) =
            refusal.map_or((None, Vec::new()), |refusal| (Some(refusal.kind), refusal.rejected));
        if kind.is_none() && step.outcomes.iter().any(failed) {
            (failures, rejected) = failing_routes(&self.graph, &mut self.checkpoint, &step.tasks, &mut step.outcomes);
        }
        if let Some(durable) = &mut self.durable {
            let rejected: BTreeSet<usize> = rejected.into_iter().collect();
            let removed: BTreeSet<RecordKey> = rejected.iter().map(|task| durable.done_key(*task)).collect();
            records.retain(|record| !removed.contains(&record.key));
            let mut batch = Batch { records, ..Batch::default() };
            let mut ended = step.outcomes.iter().peekable();
            for task in 0..step.tasks.len() {
                match ended.next_if(|outcome| outcome.index == task) {
                    Some(outcome) if is_done(outcome) && !rejected.contains(&task) => {}
                    Some(outcome) => durable.spent(task, outcome.left.as_deref(), &mut batch),
                    // It was stopped, and what it has spent is spent.
                    None => durable.spent(task, self.shared.ledger.leave(task).as_deref(), &mut batch),
                }
            }
            batch.removed.extend(removed);
            durable.questions(step.outcomes.iter(), &mut batch);
            let names = &self.graph.names;
            durable.failed(&reasons(step, &failures, |node| names[node as usize].to_string()), &mut batch);
            durable.journal.push(batch, None);
        }
        for outcome in step.outcomes.drain(..) {
            let node = &self.graph.names[step.tasks[outcome.index] as usize];
            let asks = outcome.asks();
            if let Some(left) = outcome.left {
                let id = |name: String| {
                    let of = |question: &&Question| question.key == name || question.id == name;
                    left.questions.iter().find(of).map_or(name.clone(), |question| question.id.clone())
                };
                self.refused.extend(left.refused.into_iter().map(|(name, reason)| (id(name), reason)));
                questions.extend(left.questions);
                if let Some(Pause { before, after }) = left.pause {
                    pause.before.extend(before);
                    pause.after.extend(after);
                }
            }
            if let (Err(cause), false) = (outcome.settled.result, asks) {
                kind = kind.or_else(|| lost(&cause));
                failures.push(failure(node, number, outcome.index, outcome.settled.attempt, cause));
            }
        }
        match kind {
            Some(kind) => Err(kind),
            None if !failures.is_empty() => {
                failures.sort_by_key(|failure| failure.task);
                Err(ErrorKind::Tasks(failures))
            }
            None if questions.is_empty() => Ok(self.paused_inside(pause)),
            None => {
                self.report.note(number, EventKind::Interrupted { questions: questions.clone() });
                Ok(End::Interrupted(questions))
            }
        }
    }

    /// Records that subgraphs paused, so that whoever reads the thread sees it.
    fn paused_inside(&self, Pause { mut before, mut after }: Pause) -> End {
        for names in [&mut before, &mut after] {
            names.sort();
            names.dedup();
        }
        let end = End::Paused { before, after };
        if let Some(durable) = &self.durable {
            let record = pause_record(durable.journal.at(), &end);
            let mut batch = Batch::default();
            batch.removed.push(record.key.clone());
            batch.records.push(record);
            durable.journal.push(batch, None);
        }
        end
    }
}

/// Why tasks of a step failed: themselves, or their routes.
fn reasons<S: State>(step: &Step<S>, routes: &[TaskFailure], name: impl Fn(u32) -> String) -> Vec<StoredFailure> {
    let own = step.outcomes.iter().filter(|outcome| !outcome.asks()).filter_map(|outcome| {
        let message = outcome.settled.result.as_ref().err()?.to_string();
        let node = name(step.tasks[outcome.index]);
        Some(StoredFailure { node, task: outcome.index, attempt: outcome.settled.attempt, message, is_route: false })
    });
    let of_routes = routes.iter().map(|TaskFailure { node, task, attempt, cause, .. }| {
        let (node, task, attempt) = (node.clone(), *task, *attempt);
        StoredFailure { node, task, attempt, message: cause.to_string(), is_route: true }
    });
    own.chain(of_routes).collect()
}

/// The conflict that the subgraph of a task ran into, because another writer has the thread now.
fn lost(cause: &Cause) -> Option<ErrorKind> {
    let Cause::Error(error) = cause else { return None };
    match error.downcast_ref::<RunError>()?.kind() {
        ErrorKind::Store(error) if error.is_conflict() => Some(ErrorKind::Store(Arc::clone(error))),
        _ => None,
    }
}
