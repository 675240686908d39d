//! Changes of a thread from outside: updates as if a node had returned them, and forks.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;

use crate::checkpoint::{CheckpointId, Durability, Metadata, Origin, RecordKey, TaskRecord, ThreadKey};
use crate::command::Command;
use crate::error::{ErrorKind, RunError, ThreadError};
use crate::graph::{Attached, CompiledGraph, Inner};
use crate::ledger::Ledger;
use crate::run::{
    Checkpoint, Durable, Entry, Follow, Opened, Outcome, PAUSE, Settled, ThreadOptions, apply, end_with, look_at,
    planned, position,
};
use crate::state::State;
use crate::stored::CallName;

/// An update of a thread from outside. It is done when awaited, and gives the checkpoint that it made.
#[must_use = "nothing changes until it is awaited"]
pub struct UpdateThread<S: State, R> {
    graph: CompiledGraph<S, R>,
    key: ThreadKey,
    at: Option<CheckpointId>,
    updates: Vec<(S::Update, Place)>,
    entry: Entry<S>,
}

/// Where an update is to come from.
#[derive(Clone)]
enum Place {
    /// The node that ran last.
    Last,
    Node(String),
    /// The end of the graph.
    End,
}

impl<S: State, R: Send + Sync + 'static> UpdateThread<S, R> {
    pub(super) fn new(graph: CompiledGraph<S, R>, key: ThreadKey, update: S::Update) -> Self {
        Self { graph, key, at: None, updates: vec![(update, Place::Last)], entry: Entry::Resume }
    }

    /// The node that the update is to come from: it counts as having run, and its edges and routes lead on. Without it, the node that
    /// ran last, when that is one node.
    pub fn as_node(mut self, node: impl Into<String>) -> Self {
        if let Some((_, place)) = self.updates.last_mut() {
            *place = Place::Node(node.into());
        }
        self
    }

    /// The update is to come from the end of the graph: whatever is due is dropped, and so is what joins wait for and what is asked.
    pub fn as_end(mut self) -> Self {
        if let Some((_, place)) = self.updates.last_mut() {
            *place = Place::End;
        }
        self
    }

    /// Fills a thread that is new: the update folds into the default state, and leads on as it does otherwise. Without it a thread
    /// that is new is an error.
    pub fn or_create(mut self) -> Self {
        self.entry = Entry::Any;
        self
    }

    /// One more update after this one, stored together with it: all of them or none.
    pub fn then(mut self, update: impl Into<S::Update>) -> Self {
        self.updates.push((update.into(), Place::Last));
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
        let Self { graph, key, at, updates, entry } = self;
        for look in 1.. {
            let (mut opened, records) = open(&graph, key.clone(), at, entry.clone()).await?;
            let made = write(&graph.inner, &mut opened, records, updates.clone(), at)?;
            if opened.claim(look).await? {
                opened.flush().await?;
                return Ok(made);
            }
        }
        Err(ErrorKind::Thread(ThreadError::NoThread))
    }
}

/// Queues the checkpoints of the updates; gives the last one. Whatever refuses one of them does so here, before the thread is
/// claimed.
fn write<S: State, R>(
    graph: &Inner<S, R>,
    opened: &mut Opened<S>,
    mut records: Vec<TaskRecord>,
    updates: Vec<(S::Update, Place)>,
    at: Option<CheckpointId>,
) -> Result<CheckpointId, ErrorKind> {
    let Opened { checkpoint, durable, ran, facts, .. } = opened;
    let durable = durable.as_mut().ok_or(ErrorKind::Thread(ThreadError::NoThread))?;
    durable.metadata = Arc::clone(facts);
    let mut made = CheckpointId(0);
    // Those of an older checkpoint belong to the branch that is left.
    let mut branches = at.is_some();

    for (update, node) in updates {
        let node = match node {
            Place::Node(name) => position(graph, name)?,
            Place::Last => last(graph, ran)?,
            Place::End => {
                let recorder = &mut durable.recorder;
                end_with(graph, checkpoint, update, recorder)?;
                made =
                    durable.save(graph, checkpoint, Origin::Update, &[], |_| Vec::new()).map_err(ErrorKind::Codec)?;
                (*ran, records) = (Vec::new(), Vec::new());
                continue;
            }
        };
        let before = planned(graph, checkpoint);
        let calls = match std::mem::take(&mut branches) {
            true => Vec::new(),
            false => calls(graph, checkpoint, &before, durable),
        };

        // The node counts as having run, and leads on.
        checkpoint.nodes.retain(|due| *due != node);
        checkpoint.deferred.retain(|due| *due != node);
        let mut outcomes =
            vec![Outcome { index: 0, settled: Settled::ran(Ok(Command::from_update(update))), left: None }];
        let follow = Follow { recorder: Some(&mut durable.recorder), diff: None, keeps_state: false };
        apply(graph, checkpoint, &[node], &mut outcomes, follow).map_err(|refusal| refusal.kind)?;

        // What is known of the tasks that are still due moves with them.
        let after = planned(graph, checkpoint);
        checkpoint.calls = calls
            .into_iter()
            .filter_map(|call| Some(CallName { task: moved(&before, &after, node, call.task)?, ..call }))
            .collect();
        let kept = carried(&before, &after, node, &records);
        made = durable
            .save(graph, checkpoint, Origin::Update, &[node], |id| Durable::<S>::at(id, &kept))
            .map_err(ErrorKind::Codec)?;
        (*ran, records) = (vec![node], kept);
    }
    Ok(made)
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
) -> Vec<CallName> {
    let sent = checkpoint.sends.iter().map(|sent| sent.node.index).take(planned.1);
    let tasks = planned.0.iter().copied().chain(sent).enumerate();
    let calling = tasks.filter(|(_, node)| graph.nodes[*node as usize].child.is_some());
    let known = |task| checkpoint.calls.iter().find(|call| call.task == task).cloned();
    let named = |task| CallName { task, call: durable.journal.call(checkpoint.step + 1, task), node: None };
    calling.map(|(task, _)| known(task).unwrap_or_else(|| named(task))).collect()
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
        for look in 1.. {
            let (mut opened, _) = open(graph, key.clone(), Some(id), Entry::Resume).await?;
            let Opened { checkpoint, durable, facts, .. } = &mut opened;
            let durable: &mut Durable<S> = durable.as_mut().ok_or(ErrorKind::Thread(ThreadError::NoThread))?;
            durable.metadata = Arc::clone(facts);
            let made =
                durable.save(&graph.inner, checkpoint, Origin::Fork, &[], |_| Vec::new()).map_err(ErrorKind::Codec)?;
            if opened.claim(look).await? {
                opened.flush().await?;
                return Ok(made);
            }
        }
        Err(ErrorKind::Thread(ThreadError::NoThread))
    };
    fork.await.map_err(|kind| RunError::new(name, kind, Arc::new(S::default())))
}

/// Reads the thread. The records are those of the checkpoint's due tasks; a fork has none.
async fn open<S: State, R>(
    graph: &CompiledGraph<S, R>,
    key: ThreadKey,
    at: Option<CheckpointId>,
    entry: Entry<S>,
) -> Result<(Opened<S>, Vec<TaskRecord>), ErrorKind> {
    let Some(Attached { store, codec }) = graph.attached.clone() else {
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
        on_change: graph.on_change.clone(),
    };
    let run = graph.defaults.ids.run_id().into();
    let opened = look_at(&graph.inner, entry, options, &Ledger::default(), run, Arc::clone(&graph.defaults.clock))
        .await
        .map_err(|not| not.kind)?;
    let records = if at.is_some() { Vec::new() } else { opened.records.clone() };
    Ok((opened, records))
}
