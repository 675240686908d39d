//! A checkpoint of a thread, as its owner sees it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::checkpoint::{CheckpointId, Header, Loaded, Metadata, Origin, RecordKind};
use crate::codec::Codec;
use crate::error::ErrorKind;
use crate::graph::CompiledGraph;
use crate::handle::Fingerprint;
use crate::interrupt::Question;
use crate::run::{Fitted, PAUSE, StoredFailure, done, open_questions, read as read_checkpoint, stored_failures};
use crate::state::State;
use crate::stored::{Due, SubgraphMemory};

/// What a thread holds at a checkpoint.
#[derive(Clone)]
#[non_exhaustive]
pub struct ThreadState<S> {
    /// The state; untracked fields have their default.
    pub state: S,
    /// The checkpoint.
    pub checkpoint: CheckpointId,
    /// The checkpoint it was made from.
    pub parent: Option<CheckpointId>,
    /// Id of the run that wrote it.
    pub run_id: String,
    /// Steps since the input.
    pub step: u64,
    /// What made it.
    pub origin: Origin,
    /// When it was made.
    pub at: std::time::SystemTime,
    /// What the host said about the run.
    pub metadata: Arc<Metadata>,
    /// The nodes and tasks that are due, in task-path order.
    pub next: Vec<String>,
    /// How many of the tasks that are due have a recorded result, and will not run again.
    pub recorded: usize,
    /// The questions that wait for an answer.
    pub questions: Vec<Question>,
    /// Why tasks that are due failed in the last run.
    pub failures: Vec<StoredFailure>,
    /// The run paused here at a breakpoint.
    pub paused: bool,
    /// What the subgraphs that are kept [for the thread](crate::Subgraph::per_thread) remember, by the names of their nodes.
    pub memories: BTreeMap<String, SubgraphMemory>,
    /// The [version](crate::Graph::version) that the graph which wrote it had given itself; 0 without one.
    pub version: u64,
    /// What tells the graph that wrote it from others.
    pub written_by: Fingerprint,
}

impl<S> ThreadState<S> {
    /// Whether nothing is due.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.next.is_empty()
    }

    /// Whether questions wait for an answer.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        !self.questions.is_empty()
    }
}

/// Leaves the state out, which may not be printable.
impl<S> fmt::Debug for ThreadState<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadState")
            .field("checkpoint", &self.checkpoint)
            .field("step", &self.step)
            .field("next", &self.next)
            .field("questions", &self.questions)
            .finish_non_exhaustive()
    }
}

pub(super) fn read<S: State, R>(
    graph: &CompiledGraph<S, R>,
    codec: &&'static dyn Codec<S>,
    loaded: &Loaded,
) -> Result<ThreadState<S>, ErrorKind> {
    let Fitted { restored, due, .. } = read_checkpoint(&graph.inner, *codec, loaded, &graph.on_change, |_| true)?;
    let Header { id, parent, run, at, step, origin, metadata, .. } = &loaded.header;
    let done = |record: &&crate::checkpoint::TaskRecord| record.key.kind == RecordKind::Done;
    Ok(ThreadState {
        state: restored.state,
        checkpoint: *id,
        parent: *parent,
        run_id: run.to_string(),
        step: *step,
        origin: *origin,
        at: *at,
        metadata: Arc::clone(metadata),
        recorded: loaded.records.iter().filter(done).count(),
        questions: open_questions(&loaded.records).map(|(_, question)| question).collect(),
        failures: stored_failures(&loaded.records),
        paused: loaded.records.iter().any(|record| record.key.task == PAUSE),
        version: due.version,
        written_by: due.fingerprint,
        memories: due.memories.known.clone(),
        next: next(due),
    })
}

/// What is due, by name.
pub(super) fn next(due: Due) -> Vec<String> {
    let mut next = due.nodes;
    next.extend(due.sends.into_iter().map(|(name, _)| name));
    next.extend(due.deferred);
    next
}

/// A task of the step that is due that has finished already: its result is recorded, and it does not run again.
#[non_exhaustive]
pub struct FinishedTask<S: State> {
    /// Name of the node.
    pub node: String,
    /// Position of the task in the step's task-path order, counted from 0.
    pub task: usize,
    /// The attempt that succeeded, counted from 1.
    pub attempt: u32,
    /// What it writes at the barrier.
    pub update: S::Update,
}

impl<S: State> fmt::Debug for FinishedTask<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FinishedTask")
            .field("node", &self.node)
            .field("task", &self.task)
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}

/// The tasks that have finished before the barrier, in task-path order.
pub(super) fn finished<S: State, R>(
    graph: &CompiledGraph<S, R>,
    codec: &'static dyn Codec<S>,
    loaded: &Loaded,
) -> Result<Vec<FinishedTask<S>>, ErrorKind> {
    let records = loaded.records.iter().filter(|record| record.key.kind == RecordKind::Done);
    let finished = records.map(|record| {
        let task = record.key.task as usize;
        let done = done(&graph.inner, codec, task, &record.data).map_err(ErrorKind::Codec)?;
        Ok(FinishedTask { node: done.node, task, attempt: done.attempt, update: done.command.update })
    });
    finished.collect()
}
