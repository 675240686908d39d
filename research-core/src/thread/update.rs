//! Changes of a thread from outside: updates as if a node had returned them, and forks.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;

use crate::checkpoint::{CheckpointId, Metadata, Origin, RecordKey, TaskRecord, ThreadKey};
use crate::clock::IdSource;
use crate::command::Command;
use crate::graph::{Attached, CompiledGraph, Inner};
use crate::ledger::Ledger;
use crate::run::{
    Checkpoint, Durable, Entry, Follow, Opened, Outcome, PAUSE, Settled, ThreadOptions, apply, open_thread, planned,
    position,
};
use crate::{Durability, ErrorKind, RandomIds, RunError, State, SystemClock, ThreadError};

/// An update of a thread from outside. It is done when awaited, and gives the checkpoint that it made.
#[must_use = "nothing changes until it is awaited"]
pub struct UpdateThread<S: State, R> {
    graph: CompiledGraph<S, R>,
    key: ThreadKey,
    at: Option<CheckpointId>,
    updates: Vec<(S::Update, Option<String>)>,
}

impl<S: State, R: Send + Sync + 'static> UpdateThread<S, R> {
    pub(super) fn new(graph: CompiledGraph<S, R>, key: ThreadKey, update: S::Update) -> Self {
        Self { graph, key, at: None, updates: vec![(update, None)] }
    }

    /// The node that the update is to come from: it counts as having run, and its edges and routes lead on. Without it, the node that
    /// ran last, when that is one node.
    pub fn as_node(mut self, node: impl Into<String>) -> Self {
        if let Some((_, name)) = self.updates.last_mut() {
            *name = Some(node.into());
        }
        self
    }

    /// One more update after this one, stored together with it: all of them or none.
    pub fn then(mut self, update: impl Into<S::Update>) -> Self {
        self.updates.push((update.into(), None));
        self
    }

    /// Updates an older checkpoint, as another branch; the newer ones stay.
    pub fn from_checkpoint(mut self, id: CheckpointId) -> Self {
        self.at = Some(id);
        self
    }

    async fn go(self) -> Result<CheckpointId, RunError> {
        let name = Arc::clone(&self.graph.inner.name);
        self.update().await.map_err(|kind| RunError::new(name, kind, Arc::new(S::default())))
    }

    async fn update(self) -> Result<CheckpointId, ErrorKind> {
        let Self { graph, key, at, updates } = self;
        let (opened, records) = open(&graph, key, at).await?;
        let Opened { mut checkpoint, durable, ran, facts, .. } = opened;
        let mut durable = durable.ok_or(ErrorKind::Thread(ThreadError::NoThread))?;
        durable.metadata = facts;
        let graph = &graph.inner;
        let (mut ran, mut records) = (ran, records);
        let mut made = CheckpointId(0);
        // Those of an older checkpoint belong to the branch that is left.
        let mut branches = at.is_some();
        for (update, node) in updates {
            let node = match node {
                Some(name) => position(graph, name)?,
                None => last(graph, &ran)?,
            };
            let before = planned(graph, &checkpoint);
            let calls = match std::mem::take(&mut branches) {
                true => Vec::new(),
                false => calls(graph, &checkpoint, &before, &durable),
            };
            checkpoint.nodes.retain(|due| *due != node);
            checkpoint.deferred.retain(|due| *due != node);
            let mut outcomes =
                vec![Outcome { index: 0, settled: Settled::ran(Ok(Command::from_update(update))), left: None }];
            let follow = Follow { recorder: Some(&mut durable.recorder), diff: None, keeps_state: false };
            apply(graph, &mut checkpoint, &[node], &mut outcomes, follow).map_err(|refusal| refusal.kind)?;
            let after = planned(graph, &checkpoint);
            checkpoint.calls = calls
                .into_iter()
                .filter_map(|(task, call)| Some((moved(&before, &after, node, task)?, call)))
                .collect();
            let kept = carried(&before, &after, node, &records);
            made = durable
                .save(graph, &checkpoint, Origin::Update, &[node], |id| Durable::<S>::at(id, &kept))
                .map_err(ErrorKind::Codec)?;
            (ran, records) = (vec![node], kept);
        }
        durable.flush().await?;
        Ok(made)
    }
}

impl<S: State, R: Send + Sync + 'static> IntoFuture for UpdateThread<S, R> {
    type Output = Result<CheckpointId, RunError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.go())
    }
}

/// The node that ran last, when it is one.
fn last<S: State, R>(graph: &Inner<S, R>, ran: &[u32]) -> Result<u32, ErrorKind> {
    match ran {
        [node, rest @ ..] if rest.iter().all(|other| other == node) => Ok(*node),
        ran => {
            let mut nodes: Vec<String> = ran.iter().map(|node| graph.names[*node as usize].to_string()).collect();
            nodes.dedup();
            Err(ErrorKind::Thread(ThreadError::AmbiguousNode { nodes }))
        }
    }
}

/// The calls of subgraphs by tasks that are due, under the names that they have until now.
fn calls<S: State, R>(
    graph: &Inner<S, R>,
    checkpoint: &Checkpoint<S>,
    planned: &Planned,
    durable: &Durable<S>,
) -> Vec<(usize, String)> {
    let sent = checkpoint.sends.iter().map(|sent| sent.node.index).take(planned.1);
    let tasks = planned.0.iter().copied().chain(sent).enumerate();
    let calling = tasks.filter(|(_, node)| graph.nodes[*node as usize].child.is_some());
    let known = |task| checkpoint.calls.iter().find(|(of, _)| *of == task).map(|(_, call)| call.clone());
    let name = |task| known(task).unwrap_or_else(|| durable.journal.call(checkpoint.step + 1, task));
    calling.map(|(task, _)| (task, name(task))).collect()
}

/// The nodes that are due, and how many sent tasks follow them.
type Planned = (Vec<u32>, usize);

/// The new place of a task that is still due after an update as `node`. A task is its node, or its place among the sent ones.
fn moved(before: &Planned, after: &Planned, node: u32, task: usize) -> Option<usize> {
    match before.0.get(task) {
        Some(due) if *due == node => None,
        Some(due) => after.0.iter().position(|other| other == due),
        None => task.checked_sub(before.0.len()).filter(|sent| *sent < before.1).map(|sent| after.0.len() + sent),
    }
}

/// The records of tasks that are still due, at their new places: what is known about them stays known.
fn carried(before: &Planned, after: &Planned, node: u32, records: &[TaskRecord]) -> Vec<TaskRecord> {
    // A run that goes on gets past the breakpoint that it paused at, and not past one that the update leads to.
    let leads_on = after.1 > before.1 || after.0.iter().any(|due| !before.0.contains(due));
    let carry = |record: &TaskRecord| {
        let task = match record.key.task {
            PAUSE if leads_on => return None,
            PAUSE => PAUSE,
            task => u32::try_from(moved(before, after, node, task as usize)?).ok()?,
        };
        let RecordKey { checkpoint, kind, name, .. } = record.key.clone();
        Some(TaskRecord::new(RecordKey::new(checkpoint, task, kind, name), record.data.clone()))
    };
    records.iter().filter_map(carry).collect()
}

/// Copies an older checkpoint to the end of the history.
pub(super) async fn fork<S: State, R: Send + Sync + 'static>(
    graph: &CompiledGraph<S, R>,
    key: &ThreadKey,
    id: CheckpointId,
) -> Result<CheckpointId, RunError> {
    let name = Arc::clone(&graph.inner.name);
    let fork = async {
        let (opened, _) = open(graph, key.clone(), Some(id)).await?;
        let Opened { checkpoint, durable, facts, .. } = opened;
        let mut durable: Durable<S> = durable.ok_or(ErrorKind::Thread(ThreadError::NoThread))?;
        durable.metadata = facts;
        let made =
            durable.save(&graph.inner, &checkpoint, Origin::Fork, &[], |_| Vec::new()).map_err(ErrorKind::Codec)?;
        durable.flush().await?;
        Ok(made)
    };
    fork.await.map_err(|kind| RunError::new(name, kind, Arc::new(S::default())))
}

/// Takes the thread over. The records are those of the checkpoint's due tasks; a fork has none.
async fn open<S: State, R>(
    graph: &CompiledGraph<S, R>,
    key: ThreadKey,
    at: Option<CheckpointId>,
) -> Result<(Opened<S>, Vec<TaskRecord>), ErrorKind> {
    let Some(Attached { store, codec, on_change }) = graph.attached.clone() else {
        return Err(ErrorKind::Thread(ThreadError::NoCheckpointer));
    };
    let options = ThreadOptions {
        store,
        codec,
        key,
        at,
        durability: Durability::Sync,
        metadata: Arc::new(Metadata::new()),
        answers: Vec::new(),
        answers_may_be_known: true,
        on_change,
    };
    let run = RandomIds.run_id().into();
    let opened = open_thread(&graph.inner, Entry::Resume, options, &Ledger::default(), run, Arc::new(SystemClock))
        .await
        .map_err(|not| not.kind)?;
    let records = if at.is_some() { Vec::new() } else { opened.records.clone() };
    Ok((opened, records))
}
