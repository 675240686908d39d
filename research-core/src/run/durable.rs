//! The writing side of a run on a thread: checkpoints at barriers, records of tasks as they finish.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::checkpoint::Checkpoint;
use super::due;
use super::runner::Outcome;
use super::wire::encode_command;
use crate::checkpoint::{
    Batch, CheckpointId, CheckpointRecord, Durability, Header, Metadata, Origin, RecordKey, RecordKind, TaskRecord,
};
use crate::clock::Clock;
use crate::codec::{Codec, Recorder};
use crate::command::{Next, Target};
use crate::error::ErrorKind;
use crate::event::TaskSource;
use crate::graph::Inner;
use crate::handle::{END, Node};
use crate::interrupt::Question;
use crate::journal::Journal;
use crate::ledger::Left;
use crate::persist::CodecError;
use crate::state::State;
use crate::stored::{Reader, SubgraphMemory, put_bytes, put_number};

/// Checkpoints that may wait to be written in [`Durability::Async`].
const BACKLOG: usize = 8;

/// The task of the record that says that a run paused at a breakpoint.
pub(crate) const PAUSE: u32 = u32::MAX;

/// In the record of a result, this bit of the attempt says that it tells what the task's subgraph remembers.
pub(crate) const HAS_MEMORY: u64 = 1 << 32;

/// The name of the record of what a task spent in executions that did not finish it.
pub(crate) const SPENT: &str = "spent";

/// The name of the record of why a task failed.
pub(crate) const REASON: &str = "reason";

/// Why a task of the step that is due failed in the last run, as any process reads it from the thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StoredFailure {
    /// Name of the node.
    pub node: String,
    /// Position of the task in the step's task-path order, counted from 0.
    pub task: usize,
    /// The attempt that failed, counted from 1.
    pub attempt: u32,
    /// Why.
    pub message: String,
    /// The node finished, and its route failed: a resumed run asks the route again.
    pub is_route: bool,
}

/// The failures among the records of a checkpoint, of tasks that have not finished since.
pub(crate) fn stored_failures(records: &[TaskRecord]) -> Vec<StoredFailure> {
    let is_done =
        |task: u32| records.iter().any(|record| record.key.kind == RecordKind::Done && record.key.task == task);
    let reasons = records.iter().filter(|record| record.key.kind == RecordKind::Failed && record.key.name == REASON);
    let read = reasons.filter_map(|record| serde_json::from_slice::<StoredFailure>(&record.data).ok());
    // A result that was recorded since takes the place of the failure; that of a failed route was there before.
    read.filter(|failure| failure.is_route || !is_done(place(failure.task))).collect()
}

pub(crate) struct Durable<S: State> {
    pub(crate) journal: Arc<Journal>,
    pub(crate) recorder: Recorder<S>,
    pub(crate) mode: Durability,
    /// The newest checkpoint of the thread and namespace.
    pub(crate) head: Option<CheckpointId>,
    /// The checkpoint that the state was made from.
    pub(crate) parent: Option<CheckpointId>,
    pub(crate) base: CheckpointId,
    pub(crate) run: Arc<str>,
    pub(crate) metadata: Arc<Metadata>,
    pub(crate) clock: Arc<dyn Clock>,
    /// What made the state, when no checkpoint of it was written yet.
    pub(crate) unsaved: Option<Origin>,
    /// The nodes that ran since the last checkpoint; kept for [`Durability::Exit`].
    pub(crate) ran: Vec<u32>,
    /// Where an earlier execution of the step that runs recorded why tasks failed.
    pub(crate) reasons: Vec<RecordKey>,
    /// Where earlier executions of the step that runs recorded their questions.
    pub(crate) asked: BTreeMap<u32, Vec<RecordKey>>,
}

impl<S: State> Durable<S> {
    pub(crate) fn codec(&self) -> &'static dyn Codec<S> {
        self.recorder.codec()
    }

    /// The number that the next checkpoint will have.
    pub(crate) fn next_id(&self) -> CheckpointId {
        CheckpointId(self.head.map_or(1, |head| head.0 + 1))
    }

    /// Whether results are recorded as they come.
    pub(crate) fn records_as_they_come(&self) -> bool {
        self.mode != Durability::Exit
    }

    /// Queues the checkpoint of a state, with records that belong to what is due after it.
    pub(crate) fn save<R>(
        &mut self,
        graph: &Inner<S, R>,
        checkpoint: &Checkpoint<S>,
        origin: Origin,
        ran: &[u32],
        records: impl FnOnce(CheckpointId) -> Vec<TaskRecord>,
    ) -> Result<CheckpointId, CodecError> {
        let mut next = Vec::with_capacity(64);
        due::encode(graph, checkpoint, ran, &mut next)?;
        let id = self.next_id();
        let taken = self.recorder.take(&checkpoint.state)?;
        if taken.full {
            self.base = id;
        }
        let header = Header::new(
            id,
            self.parent,
            self.base,
            Arc::clone(&self.run),
            self.clock.now(),
            checkpoint.step,
            origin,
            Arc::clone(&self.metadata),
            next,
        );
        let checkpoints = vec![CheckpointRecord::new(header, taken.body)];
        let mut batch = Batch { checkpoints, records: records(id), ..Batch::default() };
        // A branch that is left keeps its records; otherwise the step they belong to is over.
        if origin != Origin::Fork && self.parent == self.head {
            batch.settled = Vec::from_iter(self.parent);
        }
        self.journal.push(batch, Some(id));
        (self.head, self.parent, self.unsaved) = (Some(id), Some(id), None);
        self.asked.clear();
        self.reasons.clear();
        Ok(id)
    }

    /// Records of tasks that are due after another checkpoint now.
    pub(crate) fn at(id: CheckpointId, records: &[TaskRecord]) -> Vec<TaskRecord> {
        let at = |TaskRecord { key, data, .. }: &TaskRecord| {
            TaskRecord::new(RecordKey::new(id, key.task, key.kind, key.name.clone()), data.clone())
        };
        records.iter().map(at).collect()
    }

    /// The result of a task of `node` as a record, when it has finished.
    pub(crate) fn done_record<R>(
        &self,
        graph: &Inner<S, R>,
        node: u32,
        outcome: &Outcome<S>,
    ) -> Result<Option<TaskRecord>, CodecError> {
        let (false, Ok(command)) = (outcome.asks(), &outcome.settled.result) else { return Ok(None) };
        if command.goto.as_ref().is_some_and(|goto| leads_abroad(graph, &goto.targets.0)) {
            return Ok(None);
        }
        let mut data = Vec::new();
        put_bytes(&mut data, graph.names[node as usize].as_bytes());
        let memory = outcome.left.as_ref().and_then(|left| left.memory.as_ref());
        put_number(&mut data, u64::from(outcome.settled.attempt) | if memory.is_some() { HAS_MEMORY } else { 0 });
        put_spent(outcome.left.as_ref().map_or(&[][..], |left| &left.spent), &mut data);
        if let Some(SubgraphMemory { namespace, checkpoint }) = memory {
            put_bytes(&mut data, namespace.as_bytes());
            put_number(&mut data, checkpoint.0);
        }
        data.extend(encode_command(graph, self.codec(), command)?);
        Ok(Some(TaskRecord::new(self.done_key(outcome.index), data)))
    }

    /// Notes what a task spent that is to run again, in place of what was noted before, of which it is a part.
    pub(crate) fn spent(&self, task: usize, left: Option<&Left>, batch: &mut Batch) {
        let Some(left) = left.filter(|left| !left.spent.is_empty()) else { return };
        let key = RecordKey::new(self.journal.at(), place(task), RecordKind::Failed, SPENT);
        let mut data = Vec::new();
        put_spent(&left.spent, &mut data);
        batch.removed.push(key.clone());
        batch.records.push(TaskRecord::new(key, data));
    }

    /// Notes why tasks failed, in place of what was noted before.
    pub(crate) fn failed(&mut self, failures: &[StoredFailure], batch: &mut Batch) {
        batch.removed.append(&mut self.reasons);
        for failure in failures {
            let key = RecordKey::new(self.journal.at(), place(failure.task), RecordKind::Failed, REASON);
            self.reasons.push(key.clone());
            // Texts and numbers always serialize.
            batch.records.push(TaskRecord::new(key, serde_json::to_vec(failure).unwrap_or_default()));
        }
    }

    /// Where the result of a task is recorded.
    pub(crate) fn done_key(&self, task: usize) -> RecordKey {
        RecordKey::new(self.journal.at(), place(task), RecordKind::Done, "")
    }

    /// What is written when tasks wait for answers: their questions, in place of earlier ones, and the answers that were
    /// refused.
    pub(crate) fn questions<'a>(&self, outcomes: impl Iterator<Item = &'a Outcome<S>>, batch: &mut Batch)
    where
        S: 'a,
    {
        let at = self.journal.at();
        for outcome in outcomes {
            if outcome.settled.source == TaskSource::Restored {
                continue;
            }
            // It may ask others now, or the same in other words.
            batch.removed.extend(self.asked.get(&place(outcome.index)).into_iter().flatten().cloned());
            let Some(left) = &outcome.left else { continue };
            let key = |kind, name: &str| RecordKey::new(at, place(outcome.index), kind, name);
            batch.removed.extend(left.refused.iter().map(|(name, _)| key(RecordKind::Answer, name)));
            for question in &left.questions {
                let name = record_name(question, &self.journal.key().namespace);
                batch.records.push(TaskRecord::new(key(RecordKind::Question, name), encode_question(question)));
            }
        }
    }

    /// Waits as the durability demands after something was queued.
    pub(crate) async fn settle(&self) -> Result<(), ErrorKind> {
        match self.mode {
            Durability::Sync => self.journal.flush().await,
            Durability::Async => self.journal.relieve(BACKLOG).await,
            Durability::Exit => Ok(()),
        }
        .map_err(ErrorKind::Store)
    }

    /// Waits until everything that was queued is stored.
    pub(crate) async fn flush(&self) -> Result<(), ErrorKind> {
        self.journal.flush().await.map_err(ErrorKind::Store)
    }

    /// Notes a barrier that is not stored: what is due belongs to the checkpoint that will be.
    pub(crate) fn pass(&mut self, origin: Origin, ran: &[u32]) {
        self.unsaved = Some(origin);
        self.asked.clear();
        self.reasons.clear();
        self.ran.clear();
        self.ran.extend_from_slice(ran);
        self.journal.start_over(self.next_id());
    }
}

/// Whether a result leads to a node of another graph, which has no name here, or to a task with an input of another type. The
/// barrier refuses it.
fn leads_abroad<S: State, R>(graph: &Inner<S, R>, next: &Next) -> bool {
    let is_foreign = |node: Node| node.graph != graph.id && node != END;
    let leads = |target: &Target| match target {
        Target::Node(node) => is_foreign(*node),
        Target::Sent(sent) => is_foreign(sent.node),
        Target::NamedTask(task) => graph.named_task(task).is_err(),
        Target::Name(_) => false,
    };
    match next {
        Next::Nowhere => false,
        Next::One(target) => leads(target),
        Next::Many(targets) => targets.iter().any(leads),
        Next::Sends(sends) => sends.iter().any(|sent| is_foreign(sent.node)),
    }
}

fn put_spent(spent: &[(String, u64)], out: &mut Vec<u8>) {
    put_number(out, spent.len() as u64);
    for (counter, amount) in spent {
        put_bytes(out, counter.as_bytes());
        put_number(out, *amount);
    }
}

/// Reads counters with amounts.
pub(crate) fn take_spent(reader: &mut Reader<'_>) -> Option<Vec<(String, u64)>> {
    reader.list(|reader| Some((reader.text()?.to_string(), reader.number()?)))
}

/// The name of a question's record: its key, or its id where it comes from a subgraph.
pub(crate) fn record_name<'a>(question: &'a Question, namespace: &str) -> &'a str {
    if question.namespace == namespace { &question.key } else { &question.id }
}

pub(crate) fn encode_question(question: &Question) -> Vec<u8> {
    // Texts and JSON values always serialize.
    serde_json::to_vec(question).unwrap_or_default()
}

pub(crate) fn place(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX - 1)
}
