//! The pure half after a step: outcomes in, next checkpoint out.
//!
//! No clock, no random source, no hash order, no I/O: the same outcomes, in task-path order, always give the same
//! checkpoint. Everything that can be refused is refused before the state changes; only a panic in a reducer that the user
//! gave ends a fold half-way.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::checkpoint::Checkpoint;
use super::runner::Outcome;
use crate::command::{Command, Next, Target, Targets};
use crate::error::panic_message;
use crate::graph::{Inner, Route, Unresolved};
use crate::handle::{END_INDEX, Sent};
use crate::{Cause, ErrorKind, FieldSet, State, TaskFailure, Update};

/// Routes and folds the outcomes of one step, which stand in task-path order. The checkpoint changes only on success, but
/// for the state when a reducer panics.
pub(crate) fn apply<S: State, R>(
    graph: &Inner<S, R>,
    checkpoint: &mut Checkpoint<S>,
    tasks: &[u32],
    outcomes: &mut Vec<Outcome<S>>,
) -> Result<(), ErrorKind> {
    let step = checkpoint.step + 1;
    // Every task has released its snapshot, so this copies only where somebody else still holds one.
    let state = Arc::make_mut(&mut checkpoint.state);
    let mut router = Router::new(graph, step);
    for outcome in outcomes.iter_mut() {
        match &mut outcome.result {
            Ok(command) => router.route(tasks[outcome.index], outcome.index, command, state),
            Err(_) => router.failed = true,
        }
    }
    if router.failed {
        return Err(router.into_error(tasks, outcomes));
    }
    let overwritten = check_writes(graph, tasks, outcomes, step)?;
    state.reset_ephemeral();
    for outcome in outcomes.drain(..) {
        if let Ok(command) = outcome.result {
            let node = &graph.names[tasks[outcome.index] as usize];
            router.fold(node, outcome.index, command.update, state, overwritten);
        }
    }
    router.finish(checkpoint)?;
    checkpoint.order_nodes(graph);
    checkpoint.step = step;
    Ok(())
}

/// Refuses two writes of one plain field and two overwrites of one folded field; gives back what is overwritten.
fn check_writes<S: State, R>(
    graph: &Inner<S, R>,
    tasks: &[u32],
    outcomes: &[Outcome<S>],
    step: u64,
) -> Result<FieldSet, ErrorKind> {
    let (mut plain, mut overwritten) = (FieldSet::EMPTY, FieldSet::EMPTY);
    if outcomes.len() < 2 {
        return Ok(overwritten);
    }
    for outcome in outcomes {
        let Ok(command) = &outcome.result else { continue };
        let (writes, overwrites) = (command.update.written().and(graph.plain), command.update.overwritten());
        let clash = plain.and(writes).or(overwritten.and(overwrites));
        if let Some(field) = clash.first() {
            return Err(conflict(graph, tasks, outcomes, field, outcome.index, step));
        }
        (plain, overwritten) = (plain.or(writes), overwritten.or(overwrites));
    }
    Ok(overwritten)
}

#[cold]
fn conflict<S: State, R>(
    graph: &Inner<S, R>,
    tasks: &[u32],
    outcomes: &[Outcome<S>],
    field: usize,
    second: usize,
    step: u64,
) -> ErrorKind {
    let overwrite = !S::FIELDS[field].plain;
    let writes = |command: &Command<S>| {
        let set = if overwrite { command.update.overwritten() } else { command.update.written() };
        set.has(field)
    };
    let first = outcomes.iter().find(|outcome| outcome.result.as_ref().is_ok_and(writes));
    let name = |index: usize| graph.names[tasks[index] as usize].to_string();
    let nodes = [name(first.map_or(second, |outcome| outcome.index)), name(second)];
    ErrorKind::Conflict { field: S::FIELDS[field].name, nodes, overwrite, step }
}

/// Collects where the tasks of a step lead.
pub(crate) struct Router<'a, S: State, R> {
    graph: &'a Inner<S, R>,
    step: u64,
    nodes: Vec<u32>,
    sends: Vec<Sent>,
    /// Sources of joins that finished.
    arrivals: Vec<(u32, u32)>,
    failures: Vec<TaskFailure>,
    failed: bool,
}

impl<'a, S: State, R> Router<'a, S, R> {
    pub(crate) fn new(graph: &'a Inner<S, R>, step: u64) -> Self {
        let (nodes, sends, arrivals, failures) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { graph, step, nodes, sends, arrivals, failures, failed: false }
    }

    /// Follows one finished task: its command, then its node's own edges, joins and routes.
    fn route(&mut self, node: u32, task: usize, command: &mut Command<S>, state: &mut S) {
        let graph = self.graph;
        let entry = &graph.nodes[node as usize];
        if let Some(goto) = command.goto.take() {
            self.follow(&graph.names[node as usize], task, goto.targets);
            if !goto.also {
                return;
            }
        }
        self.nodes.extend_from_slice(&entry.edges);
        self.arrivals.extend_from_slice(&entry.joins);
        if !entry.routes.is_empty() {
            let name = &graph.names[node as usize];
            // The routes themselves are caught one by one: what can panic here is a reducer.
            let asked = catch_unwind(AssertUnwindSafe(|| {
                command
                    .update
                    .peek(state, |state| entry.routes.iter().for_each(|route| self.decide(name, task, route, state)));
            }));
            if let Err(payload) = asked {
                self.fail(name, task, Cause::ReducerPanic(panic_message(payload)));
            }
        }
    }

    /// Folds one update. A panic is one of a reducer that the user gave.
    pub(crate) fn fold(&mut self, node: &str, task: usize, update: S::Update, state: &mut S, overwritten: FieldSet) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| update.fold(state, overwritten))) {
            self.fail(node, task, Cause::ReducerPanic(panic_message(payload)));
        }
    }

    /// Asks one route.
    pub(crate) fn decide(&mut self, node: &str, task: usize, route: &Route<S>, state: &S) {
        match catch_unwind(AssertUnwindSafe(|| (route.decide)(state))) {
            Ok(Ok(targets)) => self.follow(node, task, targets),
            Ok(Err(error)) => self.fail(node, task, Cause::Route(error)),
            Err(payload) => self.fail(node, task, Cause::RoutePanic(panic_message(payload))),
        }
    }

    fn follow(&mut self, node: &str, task: usize, targets: Targets) {
        match targets.0 {
            Next::Nowhere => {}
            Next::One(target) => self.go(node, task, target),
            Next::Many(targets) => targets.into_iter().for_each(|target| self.go(node, task, target)),
            Next::Sends(sends) => sends.into_iter().for_each(|sent| self.send(node, task, sent)),
        }
    }

    fn go(&mut self, node: &str, task: usize, target: Target) {
        match target {
            Target::Sent(sent) => self.send(node, task, *sent),
            target => match self.graph.resolve(&target) {
                Ok(index) => self.nodes.extend(index),
                Err(unresolved) => self.unresolved(node, task, unresolved),
            },
        }
    }

    fn send(&mut self, node: &str, task: usize, sent: Sent) {
        match self.graph.resolve_sent(sent.node) {
            Ok(_) => self.sends.push(sent),
            Err(unresolved) => self.unresolved(node, task, unresolved),
        }
    }

    #[cold]
    fn unresolved(&mut self, node: &str, task: usize, unresolved: Unresolved) {
        let cause = match unresolved {
            Unresolved::Unknown { target, suggestion } => Cause::UnknownTarget { target, suggestion },
            Unresolved::Foreign => Cause::ForeignHandle,
            Unresolved::NeedsInput { target } => Cause::NeedsInput { target },
        };
        self.fail(node, task, cause);
    }

    #[cold]
    fn fail(&mut self, node: &str, task: usize, cause: Cause) {
        self.failed = true;
        self.failures.push(failure(node, self.step, task, cause));
    }

    /// Makes the collected targets due, or gives back the failures.
    pub(crate) fn finish(self, checkpoint: &mut Checkpoint<S>) -> Result<(), ErrorKind> {
        if self.failed {
            return Err(ErrorKind::Tasks(self.failures));
        }
        checkpoint.nodes.extend(self.nodes);
        checkpoint.sends.extend(self.sends);
        // All arrivals first: a source that ran several times in the step that fires counts for this firing alone.
        for (join, source) in &self.arrivals {
            checkpoint.joins[*join as usize].arrive(*source as usize);
        }
        for (join, _) in self.arrivals {
            let target = self.graph.joins[join as usize].target;
            if checkpoint.joins[join as usize].fire() && target != END_INDEX {
                checkpoint.nodes.push(target);
            }
        }
        Ok(())
    }

    /// All failures of the step, of tasks and of their routes, in task-path order.
    #[cold]
    fn into_error(mut self, tasks: &[u32], outcomes: &mut Vec<Outcome<S>>) -> ErrorKind {
        for outcome in outcomes.drain(..) {
            if let Err(cause) = outcome.result {
                let node = &self.graph.names[tasks[outcome.index] as usize];
                self.failures.push(failure(node, self.step, outcome.index, cause));
            }
        }
        self.failures.sort_by_key(|failure| failure.task);
        ErrorKind::Tasks(self.failures)
    }
}

fn failure(node: &str, step: u64, task: usize, cause: Cause) -> TaskFailure {
    TaskFailure { node: node.to_string(), step, task, attempt: 1, cause }
}
