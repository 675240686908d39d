//! What a store keeps: checkpoints, records of tasks, and the questions that are asked about them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::Value;

/// Facts about a checkpoint that the host gave to the run; a [`Query`] filters by them.
pub type Metadata = BTreeMap<String, Value>;

/// The history that checkpoints belong to: a thread, and a namespace in it.
///
/// The root graph has the empty namespace; each subgraph that persists has its own, in which those of its own subgraphs nest.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadKey {
    /// The thread, as the host named it.
    pub thread: Arc<str>,
    /// The namespace, empty for the root graph.
    pub namespace: Arc<str>,
}

impl ThreadKey {
    /// The root namespace of a thread.
    pub fn root(thread: impl Into<Arc<str>>) -> Self {
        Self { thread: thread.into(), namespace: Arc::from("") }
    }

    /// A namespace of a thread.
    pub fn new(thread: impl Into<Arc<str>>, namespace: impl Into<Arc<str>>) -> Self {
        Self { thread: thread.into(), namespace: namespace.into() }
    }
}

impl fmt::Display for ThreadKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.namespace {
            "" => f.write_str(&self.thread),
            namespace => write!(f, "{}/{namespace}", self.thread),
        }
    }
}

/// Number of a checkpoint in its thread and namespace: 1 for the first, and one more for each that was written after it,
/// whatever its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CheckpointId(pub u64);

impl fmt::Display for CheckpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What made a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// The input of a run.
    Input,
    /// A step.
    Step,
    /// An update from outside, as if a node had returned it.
    Update,
    /// A copy of an older checkpoint, from which another branch goes on.
    Fork,
}

impl Origin {
    /// A stable number, for stores.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Input => 0,
            Self::Step => 1,
            Self::Update => 2,
            Self::Fork => 3,
        }
    }

    /// The origin of a number that [`code`](Origin::code) gave.
    #[must_use]
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Input),
            1 => Some(Self::Step),
            2 => Some(Self::Update),
            3 => Some(Self::Fork),
            _ => None,
        }
    }
}

/// A checkpoint without its state.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Header {
    /// Its number.
    pub id: CheckpointId,
    /// The checkpoint it was made from; `None` for the first.
    pub parent: Option<CheckpointId>,
    /// The checkpoint whose body is the first that is needed to read this one's state: all bodies from `base` to `id`,
    /// without gaps in the numbers, fold to it.
    pub base: CheckpointId,
    /// Id of the run that wrote it.
    pub run: Arc<str>,
    /// When it was made, by the run's clock, to the millisecond.
    pub at: SystemTime,
    /// Steps completed since the input.
    pub step: u64,
    /// What made it.
    pub origin: Origin,
    /// Facts that the host gave to the run.
    pub metadata: Arc<Metadata>,
    /// What is due next, and what the engine must know to go on; opaque to a store.
    pub next: Vec<u8>,
}

impl Header {
    /// A header; for stores that read one back.
    #[expect(clippy::too_many_arguments, reason = "one argument for each column of a row")]
    #[must_use]
    pub const fn new(
        id: CheckpointId,
        parent: Option<CheckpointId>,
        base: CheckpointId,
        run: Arc<str>,
        at: SystemTime,
        step: u64,
        origin: Origin,
        metadata: Arc<Metadata>,
        next: Vec<u8>,
    ) -> Self {
        Self { id, parent, base, run, at, step, origin, metadata, next }
    }
}

/// A checkpoint as it is written.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CheckpointRecord {
    /// Everything but the state.
    pub header: Header,
    /// What changed in the state since the parent, or all of it when `base` is the checkpoint itself; opaque to a store but for
    /// [`squash`](super::squash).
    pub body: Vec<u8>,
}

impl CheckpointRecord {
    /// A checkpoint of a header and a body.
    #[must_use]
    pub const fn new(header: Header, body: Vec<u8>) -> Self {
        Self { header, body }
    }
}

/// What a record of a task is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RecordKind {
    /// The task finished; the data is its result.
    Done,
    /// The task failed for good, and its error handler is due.
    Failed,
    /// The task waits for the answer to a question.
    Question,
    /// The answer to a question.
    Answer,
    /// The result of a side effect that happens once.
    Once,
}

impl RecordKind {
    /// A stable number, for stores.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Question => 2,
            Self::Answer => 3,
            Self::Once => 4,
        }
    }

    /// The kind of a number that [`code`](RecordKind::code) gave.
    #[must_use]
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Done),
            1 => Some(Self::Failed),
            2 => Some(Self::Question),
            3 => Some(Self::Answer),
            4 => Some(Self::Once),
            _ => None,
        }
    }
}

/// Which record of which task: there is one record for each key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct RecordKey {
    /// The checkpoint whose due tasks the task is one of.
    pub checkpoint: CheckpointId,
    /// Position in the task-path order of these tasks, counted from 0.
    pub task: u32,
    /// What it is about.
    pub kind: RecordKind,
    /// Tells records of one kind apart; empty where there is one.
    pub name: String,
}

impl RecordKey {
    /// A key.
    pub fn new(checkpoint: CheckpointId, task: u32, kind: RecordKind, name: impl Into<String>) -> Self {
        Self { checkpoint, task, kind, name: name.into() }
    }
}

/// Something that is known about a task of the step after a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskRecord {
    /// Which.
    pub key: RecordKey,
    /// What; opaque to a store.
    pub data: Vec<u8>,
}

impl TaskRecord {
    /// A record.
    #[must_use]
    pub const fn new(key: RecordKey, data: Vec<u8>) -> Self {
        Self { key, data }
    }
}

/// What is written at once: all of it or nothing.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Batch {
    /// New checkpoints, in order.
    pub checkpoints: Vec<CheckpointRecord>,
    /// Records of tasks. One whose key is there already replaces nothing: the first stays.
    pub records: Vec<TaskRecord>,
    /// Records to remove, before those of `records` are added.
    pub removed: Vec<RecordKey>,
    /// Checkpoints whose records are of no use any more, because the step they belong to is complete.
    pub settled: Vec<CheckpointId>,
}

impl Batch {
    /// Whether there is nothing to write.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.checkpoints.is_empty() && self.records.is_empty() && self.removed.is_empty() && self.settled.is_empty()
    }

    /// Adds a later batch.
    pub fn extend(&mut self, later: Self) {
        if self.is_empty() {
            *self = later;
            return;
        }
        let Self { checkpoints, records, removed, settled } = later;
        if !removed.is_empty() && !self.records.is_empty() {
            let removed: BTreeSet<&RecordKey> = removed.iter().collect();
            self.records.retain(|record| !removed.contains(&record.key));
        }
        self.checkpoints.extend(checkpoints);
        self.records.extend(records);
        self.removed.extend(removed);
        self.settled.extend(settled);
    }
}

/// A thread taken over by a writer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Claim {
    /// The fence: only the newest claim of a thread and namespace may write.
    pub epoch: u64,
    /// The newest checkpoint, if there is one.
    pub head: Option<CheckpointId>,
    /// The checkpoint that was asked for, or the newest.
    pub loaded: Option<Loaded>,
}

impl Claim {
    /// A claim.
    #[must_use]
    pub const fn new(epoch: u64, head: Option<CheckpointId>, loaded: Option<Loaded>) -> Self {
        Self { epoch, head, loaded }
    }
}

/// What a writer has read of a thread and namespace before it takes it over with
/// [`claim_if`](super::Checkpointer::claim_if).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Seen {
    /// The newest checkpoint, if there was one.
    pub head: Option<CheckpointId>,
    /// The keys of the records of the newest checkpoint, in ascending order; `None` where the writer does not
    /// depend on them.
    pub records: Option<Vec<RecordKey>>,
    /// The number of the lease under which the writer works; `None` where it works without one.
    pub lease: Option<u64>,
}

impl Seen {
    /// A writer that has read that this is the newest checkpoint, and nothing of its records.
    #[must_use]
    pub const fn head(head: Option<CheckpointId>) -> Self {
        Self { head, records: None, lease: None }
    }

    /// The writer has read these records of the newest checkpoint as well.
    #[must_use]
    pub fn records<'a>(mut self, records: impl IntoIterator<Item = &'a TaskRecord>) -> Self {
        let mut keys: Vec<RecordKey> = records.into_iter().map(|record| record.key.clone()).collect();
        keys.sort_unstable();
        self.records = Some(keys);
        self
    }

    /// Sets the lease under which the writer works. Defaults to none.
    #[must_use]
    pub const fn lease(mut self, token: u64) -> Self {
        self.lease = Some(token);
        self
    }
}

/// A checkpoint with all that is needed to read its state and to go on from it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Loaded {
    /// The checkpoint.
    pub header: Header,
    /// The bodies from its base to itself, in order.
    pub bodies: Vec<Vec<u8>>,
    /// The records of its due tasks, by task, then kind, then name.
    pub records: Vec<TaskRecord>,
}

impl Loaded {
    /// A checkpoint that was read.
    #[must_use]
    pub const fn new(header: Header, bodies: Vec<Vec<u8>>, records: Vec<TaskRecord>) -> Self {
        Self { header, bodies, records }
    }
}

/// Which checkpoints of a history are wanted; newest first.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Query {
    /// Only those with a smaller number.
    pub before: Option<CheckpointId>,
    /// At most so many.
    pub limit: Option<usize>,
    /// Only those of this run.
    pub run: Option<String>,
    /// Only those of this origin.
    pub origin: Option<Origin>,
    /// Only those whose metadata have all of these values.
    pub metadata: Metadata,
}

impl Query {
    /// Every checkpoint.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// Only checkpoints with a number below `id`.
    #[must_use]
    pub const fn before(mut self, id: CheckpointId) -> Self {
        self.before = Some(id);
        self
    }

    /// At most `count`.
    #[must_use]
    pub const fn limit(mut self, count: usize) -> Self {
        self.limit = Some(count);
        self
    }

    /// Only checkpoints of this run.
    #[must_use]
    pub fn run(mut self, run: impl Into<String>) -> Self {
        self.run = Some(run.into());
        self
    }

    /// Only checkpoints of this origin.
    #[must_use]
    pub const fn origin(mut self, origin: Origin) -> Self {
        self.origin = Some(origin);
        self
    }

    /// Only checkpoints whose metadata have this value.
    #[must_use]
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.insert(key.into(), value.into());
        self
    }

    /// Whether a checkpoint is wanted, apart from `limit`; for stores that filter rows themselves.
    #[must_use]
    pub fn admits(&self, header: &Header) -> bool {
        self.before.is_none_or(|before| header.id < before)
            && self.run.as_ref().is_none_or(|run| **run == *header.run)
            && self.origin.is_none_or(|origin| origin == header.origin)
            && self.metadata.iter().all(|(key, value)| header.metadata.get(key) == Some(value))
    }
}

/// Which checkpoints of a thread may go. The newest checkpoint of each namespace always stays, and what stays can be read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Prune {
    /// Keep so many of the newest, in each namespace; at least 1.
    pub keep_last: usize,
    /// Of the others, remove only those made before this time.
    pub made_before: Option<SystemTime>,
    /// Of the others, keep those that wait for an answer.
    pub keep_interrupted: bool,
    /// Checkpoints that stay in any case, by namespace: others refer to them.
    pub kept: BTreeSet<(String, CheckpointId)>,
    /// Namespaces that go as a whole, with their newest checkpoint: nothing leads back to them.
    pub dropped: BTreeSet<String>,
}

impl Prune {
    /// Keeps the newest `count` (at least 1) and whatever waits for an answer.
    #[must_use]
    pub fn keep_last(count: usize) -> Self {
        Self {
            keep_last: count.max(1),
            made_before: None,
            keep_interrupted: true,
            kept: BTreeSet::new(),
            dropped: BTreeSet::new(),
        }
    }

    /// Removes only what is older than `age` at the time `now`.
    #[must_use]
    pub fn older_than(mut self, age: Duration, now: SystemTime) -> Self {
        self.made_before = Some(now.checked_sub(age).unwrap_or(SystemTime::UNIX_EPOCH));
        self
    }

    /// Keeps a checkpoint of a namespace in any case.
    #[must_use]
    pub fn keep(mut self, namespace: impl Into<String>, id: CheckpointId) -> Self {
        self.kept.insert((namespace.into(), id));
        self
    }

    /// Removes a namespace as a whole, whatever else is said of its checkpoints.
    #[must_use]
    pub fn drop_namespace(mut self, namespace: impl Into<String>) -> Self {
        self.dropped.insert(namespace.into());
        self
    }

    /// Returns whether a checkpoint of a namespace that is not dropped may go, which has so many newer ones there, was made at a
    /// time, and does or does not wait for an answer; for stores.
    #[must_use]
    pub fn admits(&self, namespace: &str, id: CheckpointId, newer: usize, at: SystemTime, waits: bool) -> bool {
        newer >= self.keep_last.max(1)
            && self.made_before.is_none_or(|before| at < before)
            && !(self.keep_interrupted && waits)
            && (self.kept.is_empty() || !self.kept.contains(&(namespace.to_string(), id)))
    }

    /// Whether checkpoints that wait for an answer stay. Default true.
    #[must_use]
    pub const fn keep_interrupted(mut self, keep: bool) -> Self {
        self.keep_interrupted = keep;
        self
    }
}
