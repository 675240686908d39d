//! The pure half after a step: outcomes in, next checkpoint out.
//!
//! No clock, no random source, no hash order, no I/O: the same outcomes, in task-path order, always give the same
//! checkpoint. Everything that can be refused is refused before the state changes; only a panic in a reducer that the user
//! gave ends a fold half-way.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::checkpoint::Checkpoint;
use super::runner::Outcome;
use crate::codec::Recorder;
use crate::command::{Command, Next, Target, Targets};
use crate::error::{Cause, ErrorKind, TaskFailure};
use crate::graph::{Inner, Route, Unresolved};
use crate::handle::{END_INDEX, Sent};
use crate::panics::panic_message;
use crate::state::{FieldSet, State, Update};

/// What follows a fold, apart from the checkpoint itself.
pub(crate) struct Follow<'a, S: State> {
    /// Notes what changes, when the run is stored.
    pub(crate) recorder: Option<&'a mut Recorder<S>>,
    /// Gathers the updates of a subgraph that shares the state of its parent.
    pub(crate) diff: Option<&'a mut S::Update>,
    /// The state of before is stored even when the step is refused.
    pub(crate) keeps_state: bool,
}

/// A step that was refused at its barrier. Boxed wherever it is returned: it is large, and nearly never there.
pub(crate) struct Refusal {
    pub(crate) kind: ErrorKind,
    /// Positions of the tasks whose results are the reason, so that they run again.
    pub(crate) rejected: Vec<usize>,
}

impl From<ErrorKind> for Box<Refusal> {
    #[cold]
    fn from(kind: ErrorKind) -> Self {
        Self::new(Refusal { kind, rejected: Vec::new() })
    }
}

/// Routes and folds the outcomes of one step, which stand in task-path order and are all of finished tasks. They are
/// taken only on success, as far as somebody records them. The checkpoint changes only on success, but for the state
/// when a reducer panics and nobody keeps it.
#[inline]
pub(crate) fn apply<S: State, R>(
    graph: &Inner<S, R>,
    checkpoint: &mut Checkpoint<S>,
    tasks: &[u32],
    outcomes: &mut Vec<Outcome<S>>,
    follow: Follow<'_, S>,
) -> Result<(), Box<Refusal>> {
    let Follow { mut recorder, diff, keeps_state } = follow;
    let step = checkpoint.step + 1;
    // Only a reducer of the user's own can fail once the fold has begun.
    let may_panic = recorder.is_some() && S::FIELDS.iter().any(|field| field.reducer == "with");
    let before = (may_panic && keeps_state).then(|| Arc::clone(&checkpoint.state));
    // Every task has released its snapshot, so this copies only where somebody else still holds one.
    let state = Arc::make_mut(&mut checkpoint.state);
    let due = (checkpoint.nodes.len(), checkpoint.sends.len());
    let mut router = Router::new(graph, step);
    // What is due goes on in the same buffers, so that a step allocates none.
    router.nodes = std::mem::take(&mut checkpoint.nodes);
    router.sends = std::mem::take(&mut checkpoint.sends);
    for outcome in outcomes.iter_mut() {
        if let Ok(command) = &mut outcome.settled.result {
            router.route(tasks[outcome.index], outcome.index, command, state);
        }
    }
    let folded = router.refused().and_then(|()| {
        let overwritten = check_writes(graph, tasks, outcomes, step)?;
        if let Some(recorder) = &mut recorder {
            let updates = outcomes.iter().filter_map(|outcome| outcome.settled.result.as_ref().ok());
            recorder.before(state, updates.map(|command| &command.update), overwritten).map_err(ErrorKind::Codec)?;
        }
        if let Some(diff) = diff {
            for command in outcomes.iter().filter_map(|outcome| outcome.settled.result.as_ref().ok()) {
                diff.absorb(command.update.clone(), overwritten);
            }
        }
        state.reset_ephemeral();
        let mut fold = |index: usize, update| {
            router.fold(&graph.names[tasks[index] as usize], index, update, state, overwritten);
        };
        if may_panic {
            let commands =
                outcomes.iter().filter_map(|outcome| Some((outcome.index, outcome.settled.result.as_ref().ok()?)));
            commands.for_each(|(index, command)| fold(index, command.update.clone()));
        } else {
            let commands = outcomes.drain(..).filter_map(|outcome| Some((outcome.index, outcome.settled.result.ok()?)));
            commands.for_each(|(index, command)| fold(index, command.update));
        }
        router.refused()
    });
    if let Err(refusal) = folded {
        router.nodes.truncate(due.0);
        router.sends.truncate(due.1);
        (checkpoint.nodes, checkpoint.sends) = (router.nodes, router.sends);
        if let (Some(before), Some(recorder)) = (before, recorder) {
            checkpoint.state = before;
            recorder.force_full();
        }
        return Err(refusal);
    }
    outcomes.clear();
    router.advance(checkpoint);
    checkpoint.order_nodes(graph);
    checkpoint.step = step;
    Ok(())
}

/// The routes that fail among those of finished tasks of a step that does not complete: they are part of what went wrong.
/// With them the positions of the tasks that are to run again for it.
pub(crate) fn failing_routes<S: State, R>(
    graph: &Inner<S, R>,
    checkpoint: &mut Checkpoint<S>,
    tasks: &[u32],
    outcomes: &mut [Outcome<S>],
) -> (Vec<TaskFailure>, Vec<usize>) {
    let step = checkpoint.step + 1;
    let state = Arc::make_mut(&mut checkpoint.state);
    let mut router = Router::new(graph, step);
    for outcome in outcomes.iter_mut().filter(|outcome| !outcome.asks()) {
        if let Ok(command) = &mut outcome.settled.result {
            router.route(tasks[outcome.index], outcome.index, command, state);
        }
    }
    let Rare { failures, rejected, .. } = router.rare.map_or_else(Rare::default, |rare| *rare);
    (failures, rejected)
}

/// Refuses two writes of one plain field and two overwrites of one folded field; gives back what is overwritten.
fn check_writes<S: State, R>(
    graph: &Inner<S, R>,
    tasks: &[u32],
    outcomes: &[Outcome<S>],
    step: u64,
) -> Result<FieldSet, Box<Refusal>> {
    let (mut plain, mut overwritten) = (FieldSet::EMPTY, FieldSet::EMPTY);
    if outcomes.len() < 2 {
        return Ok(overwritten);
    }
    for outcome in outcomes {
        let Ok(command) = &outcome.settled.result else { continue };
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
) -> Box<Refusal> {
    let overwrite = !S::FIELDS[field].plain;
    let writes = |command: &Command<S>| {
        let set = if overwrite { command.update.overwritten() } else { command.update.written() };
        set.has(field)
    };
    let writers = outcomes.iter().filter(|outcome| outcome.settled.result.as_ref().is_ok_and(writes));
    let rejected: Vec<usize> = writers.map(|outcome| outcome.index).collect();
    let name = |index: usize| graph.names[tasks[index] as usize].to_string();
    let nodes = [name(rejected.first().copied().unwrap_or(second)), name(second)];
    Box::new(Refusal { kind: ErrorKind::Conflict { field: S::FIELDS[field].name, nodes, overwrite, step }, rejected })
}

/// Where a declared list of targets stands.
type Declared<'a> = Option<&'a [u32]>;

/// Collects where the tasks of a step lead.
pub(crate) struct Router<'a, S: State, R> {
    graph: &'a Inner<S, R>,
    step: u64,
    nodes: Vec<u32>,
    sends: Vec<Sent>,
    /// Sources of joins that finished.
    arrivals: Vec<(u32, u32)>,
    rare: Option<Box<Rare>>,
}

/// What few steps come to.
#[derive(Default)]
struct Rare {
    /// Nodes of the parent graph that a command led to.
    left: Option<Vec<String>>,
    failures: Vec<TaskFailure>,
    /// Positions of the tasks whose results are of no use to keep: only running again can change them. Where a route failed
    /// the result stays, and the route alone is asked again.
    rejected: Vec<usize>,
}

impl<'a, S: State, R> Router<'a, S, R> {
    pub(crate) fn new(graph: &'a Inner<S, R>, step: u64) -> Self {
        let (nodes, sends, arrivals) = (Vec::new(), Vec::new(), Vec::new());
        Self { graph, step, nodes, sends, arrivals, rare: None }
    }

    /// Follows one finished task: its command, then its node's own edges, joins and routes.
    pub(crate) fn route(&mut self, node: u32, task: usize, command: &mut Command<S>, state: &mut S) {
        let graph = self.graph;
        let entry = &graph.nodes[node as usize];
        if let Some(goto) = &command.goto {
            if goto.parent {
                self.leave(&goto.targets);
                return;
            }
            let failures = self.failures();
            self.follow_command(node, task, &goto.targets);
            if self.failures() > failures {
                self.rare().rejected.push(task);
            }
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
                self.panicked(name, task, payload);
            }
        }
    }

    /// Folds one update. A panic is one of a reducer that the user gave.
    pub(crate) fn fold(&mut self, node: &str, task: usize, update: S::Update, state: &mut S, overwritten: FieldSet) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| update.fold(state, overwritten))) {
            self.panicked(node, task, payload);
        }
    }

    /// Asks one route.
    pub(crate) fn decide(&mut self, node: &str, task: usize, route: &Route<S>, state: &S) {
        match catch_unwind(AssertUnwindSafe(|| (route.decide)(state))) {
            Ok(Ok(targets)) => self.follow(node, task, targets, route.targets.as_deref()),
            Ok(Err(error)) => self.fail(node, task, Cause::Route(error)),
            Err(payload) => self.fail(node, task, Cause::RoutePanic(panic_message(payload))),
        }
    }

    fn leave(&mut self, targets: &Targets) {
        let left = self.rare().left.get_or_insert_default();
        let mut name = |target: &Target| {
            if let Target::Name(name) = target
                && !left.iter().any(|known| **known == **name)
            {
                left.push(name.to_string());
            }
        };
        match &targets.0 {
            Next::One(target) => name(target),
            Next::Many(targets) => targets.iter().for_each(name),
            Next::Nowhere | Next::Sends(_) => {}
        }
    }

    fn follow(&mut self, node: &str, task: usize, targets: Targets, declared: Declared<'_>) {
        match targets.0 {
            Next::Nowhere => {}
            Next::One(target) => self.go(node, task, target, declared),
            Next::Many(targets) => targets.into_iter().for_each(|target| self.go(node, task, target, declared)),
            Next::Sends(sends) => sends.into_iter().for_each(|sent| self.send(node, task, sent, declared)),
        }
    }

    /// As [`follow`](Router::follow), leaving the command whole: the step may still be refused, and its results kept.
    fn follow_command(&mut self, node: u32, task: usize, targets: &Targets) {
        let graph = self.graph;
        let name = &graph.names[node as usize];
        let declared = graph.nodes[node as usize].declared_gotos();
        match &targets.0 {
            Next::Nowhere => {}
            Next::One(target) => self.go(name, task, target.clone(), declared),
            Next::Many(targets) => targets.iter().for_each(|target| self.go(name, task, target.clone(), declared)),
            Next::Sends(sends) => sends.iter().for_each(|sent| self.send(name, task, sent.clone(), declared)),
        }
    }

    fn go(&mut self, node: &str, task: usize, target: Target, declared: Declared<'_>) {
        match target {
            Target::Sent(sent) => self.send(node, task, *sent, declared),
            Target::NamedTask(named) => match self.graph.named_task(&named) {
                Ok(sent) => self.send(node, task, sent, declared),
                Err(unresolved) => self.unresolved(node, task, unresolved),
            },
            target => match self.graph.resolve(&target) {
                Ok(index) if Inner::<S, R>::declares(declared, index) => self.nodes.extend(index),
                Ok(index) => self.undeclared(node, task, index),
                Err(unresolved) => self.unresolved(node, task, unresolved),
            },
        }
    }

    fn send(&mut self, node: &str, task: usize, sent: Sent, declared: Declared<'_>) {
        match self.graph.resolve_sent(sent.node) {
            Ok(index) if Inner::<S, R>::declares(declared, Some(index)) => self.sends.push(sent),
            Ok(index) => self.undeclared(node, task, Some(index)),
            Err(unresolved) => self.unresolved(node, task, unresolved),
        }
    }

    #[cold]
    fn undeclared(&mut self, node: &str, task: usize, target: Option<u32>) {
        let target = target.map_or_else(|| "END".to_string(), |index| self.graph.names[index as usize].to_string());
        self.fail(node, task, Cause::UndeclaredTarget { target });
    }

    #[cold]
    fn unresolved(&mut self, node: &str, task: usize, unresolved: Unresolved) {
        let cause = match unresolved {
            Unresolved::Unknown { target, suggestion } => Cause::UnknownTarget { target, suggestion },
            Unresolved::Foreign => Cause::ForeignHandle,
            Unresolved::NeedsInput { target } => Cause::NeedsInput { target },
            Unresolved::Misfit { target, reason } => Cause::InputMisfit { target, reason },
        };
        self.fail(node, task, cause);
    }

    #[cold]
    fn panicked(&mut self, node: &str, task: usize, payload: Box<dyn Any + Send>) {
        self.rare().rejected.push(task);
        self.fail(node, task, Cause::ReducerPanic(panic_message(payload)));
    }

    fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// How many failures there are.
    fn failures(&self) -> usize {
        self.rare.as_ref().map_or(0, |rare| rare.failures.len())
    }

    #[cold]
    fn fail(&mut self, node: &str, task: usize, cause: Cause) {
        let failure = failure(node, self.step, task, 1, cause);
        self.rare().failures.push(failure);
    }

    /// The failures so far, as a refusal.
    fn refused(&mut self) -> Result<(), Box<Refusal>> {
        if self.failures() == 0 {
            return Ok(());
        }
        let rare = self.rare();
        let (failures, rejected) = (std::mem::take(&mut rare.failures), std::mem::take(&mut rare.rejected));
        Err(Box::new(Refusal { kind: ErrorKind::Tasks(failures), rejected }))
    }

    /// Makes the collected targets due besides `entries`, or gives back the failures.
    pub(crate) fn begin(mut self, entries: &[u32], checkpoint: &mut Checkpoint<S>) -> Result<(), ErrorKind> {
        self.refused().map_err(|refusal| refusal.kind)?;
        self.nodes.extend_from_slice(entries);
        self.advance(checkpoint);
        Ok(())
    }

    #[inline]
    fn advance(&mut self, checkpoint: &mut Checkpoint<S>) {
        if let Some(left) = self.rare.as_mut().and_then(|rare| rare.left.take()) {
            checkpoint.left = Some(left);
            checkpoint.clear_due();
            return;
        }
        checkpoint.nodes = std::mem::take(&mut self.nodes);
        checkpoint.sends = std::mem::take(&mut self.sends);
        if self.arrivals.is_empty() {
            return;
        }
        // A source that ran several times in the step arrives once. Those that arrived before come last, so that stragglers of
        // a round are absorbed before another source begins the next one.
        let mut arrivals = std::mem::take(&mut self.arrivals);
        arrivals.sort_unstable_by_key(|&(join, source)| {
            (checkpoint.joins[join as usize].by_source[source as usize], join, source)
        });
        arrivals.dedup();
        for (join, source) in &arrivals {
            checkpoint.joins[*join as usize].arrive(*source as usize);
        }
        for (join, _) in arrivals {
            let graph = &self.graph.joins[join as usize];
            if checkpoint.joins[join as usize].fire(graph.need as usize) && graph.target != END_INDEX {
                checkpoint.nodes.push(graph.target);
            }
        }
    }
}

pub(crate) fn failure(node: &str, step: u64, task: usize, attempt: u32, cause: Cause) -> TaskFailure {
    TaskFailure { node: node.to_string(), step, task, attempt, cause }
}
