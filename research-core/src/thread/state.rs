//! A checkpoint of a thread, as its owner sees it.

use std::fmt;
use std::sync::Arc;

use crate::checkpoint::{CheckpointId, Header, Loaded, Metadata, Origin, RecordKind};
use crate::codec::Codec;
use crate::graph::CompiledGraph;
use crate::run::{PAUSE, open_questions, read as read_checkpoint};
use crate::stored::{Due, OnChange};
use crate::{ErrorKind, Fingerprint, Question, State};

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
    /// The run paused here at a breakpoint.
    pub paused: bool,
    /// The version of the graph that wrote it.
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
    let on_change = graph.attached.as_ref().map_or_else(OnChange::default, |attached| attached.on_change.clone());
    let (restored, due) = read_checkpoint(&graph.inner, *codec, loaded, &on_change)?;
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
        paused: loaded.records.iter().any(|record| record.key.task == PAUSE),
        written_by: due.fingerprint,
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
