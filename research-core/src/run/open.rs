//! How a run begins: from an input, or from what a thread holds.

mod done;
mod idle;
mod moved;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

pub(crate) use done::{Done, done};
pub(crate) use idle::wait_until_idle;
use moved::{Moves, leave_out_unreadable};

use super::checkpoint::Checkpoint;
use super::due;
use super::durable::{Durable, PAUSE, REASON, SPENT, place, record_name, take_spent};
use super::load::{Fitted, read};
use super::plan::begin;
use crate::checkpoint::{
    Batch, CheckpointId, Durability, DynCheckpointer, Loaded, Metadata, Origin, Query, RecordKey, RecordKind, Seen,
    StoreError, TaskRecord, ThreadKey,
};
use crate::clock::Clock;
use crate::codec::{Codec, Recorder};
use crate::error::{ErrorKind, ThreadError};
use crate::graph::Inner;
use crate::handle::Fingerprint;
use crate::interrupt::{AnswerError, Question};
use crate::journal::{Journal, RunLease};
use crate::ledger::Ledger;
use crate::state::{FieldSet, State, Update};
use crate::stored::{CallName, Due, Memories, OnChange, Reader, damaged, decode};

/// How a run is set in motion.
#[derive(Clone)]
pub(crate) enum Entry<S: State> {
    /// An update, folded into the state of the thread, or into the default state.
    Input(S::Update),
    /// What the thread has due.
    Resume,
    /// What the thread has due, or nothing where it is new.
    Any,
    /// An update where the thread is new, what it has due where it is not.
    InputOrResume(S::Update),
    /// A call of a subgraph: what it has due where the newest checkpoint is of this call, an update where it is not.
    Call {
        input: S::Update,
        /// The key of the metadata that names calls.
        key: &'static str,
        call: String,
        /// The state that the update folds into, where the newest checkpoint is not of this call.
        remembers: Remembers,
    },
}

/// What a call of a subgraph begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Remembers {
    /// The default state.
    Nothing,
    /// The state of this checkpoint, with the changes that were made to it from outside.
    At(CheckpointId),
    /// The newest state.
    Newest,
}

/// The thread that a run belongs to.
#[derive(Clone)]
pub(crate) struct ThreadOptions<S: State> {
    pub(crate) store: Arc<dyn DynCheckpointer>,
    pub(crate) codec: &'static dyn Codec<S>,
    pub(crate) key: ThreadKey,
    /// The checkpoint to go on from, where it is not the newest.
    pub(crate) at: Option<CheckpointId>,
    pub(crate) durability: Durability,
    pub(crate) metadata: Arc<Metadata>,
    /// Values, with the ids of the questions they answer.
    pub(crate) answers: Vec<(Option<String>, Value)>,
    /// Answers to questions that are not open any more are no error: they were taken before.
    pub(crate) answers_may_be_known: bool,
    pub(crate) on_change: OnChange,
}

/// A run that is ready to take its first step.
pub(crate) struct Opened<S: State> {
    pub(crate) checkpoint: Checkpoint<S>,
    pub(crate) durable: Option<Box<Durable<S>>>,
    pub(crate) revival: Revival<S>,
    /// What made the checkpoint, when it is to be saved before the first step.
    pub(crate) made: Option<Origin>,
    /// Ids of open questions that the input abandons.
    pub(crate) abandoned: Vec<String>,
    /// The updates of a subgraph that shares its parent's state, so far.
    pub(crate) diff: S::Update,
    /// The nodes that ran in the step that made the checkpoint, as far as the graph still has them.
    pub(crate) ran: Vec<u32>,
    /// The records of the checkpoint's due tasks.
    pub(crate) records: Vec<TaskRecord>,
    /// The facts that the checkpoint was stored with.
    pub(crate) facts: Arc<Metadata>,
    /// What was read of the thread.
    pub(crate) seen: Seen,
    /// The checkpoint that the run begins with and its parent, when it is queued to be stored already.
    pub(crate) saved: Option<(CheckpointId, Option<CheckpointId>)>,
}

/// What an earlier execution of the first step left.
pub(crate) struct Revival<S: State> {
    pub(crate) done: Vec<Done<S>>,
    /// By task, the questions it waits for, where it is not to run again yet.
    pub(crate) waiting: BTreeMap<usize, Vec<Question>>,
    /// The run paused here at a breakpoint, and passes it now.
    pub(crate) paused: bool,
}

impl<S: State> Default for Revival<S> {
    fn default() -> Self {
        Self { done: Vec::new(), waiting: BTreeMap::new(), paused: false }
    }
}

/// A run that could not begin, with its state where the input was folded already.
pub(crate) struct NotOpened<S> {
    pub(crate) kind: ErrorKind,
    pub(crate) state: Option<Arc<S>>,
}

impl<S> From<ErrorKind> for NotOpened<S> {
    fn from(kind: ErrorKind) -> Self {
        Self { kind, state: None }
    }
}

/// A run without a thread.
pub(crate) fn open<S: State, R>(graph: &Inner<S, R>, entry: Entry<S>) -> Result<Opened<S>, NotOpened<S>> {
    let (Entry::Input(input) | Entry::InputOrResume(input) | Entry::Call { input, .. }) = entry else {
        return Err(ErrorKind::Thread(ThreadError::NoThread).into());
    };
    let checkpoint = begun(begin(graph, S::default(), input))?;
    Ok(Opened {
        checkpoint,
        durable: None,
        revival: Revival::default(),
        made: None,
        abandoned: Vec::new(),
        diff: S::Update::default(),
        ran: Vec::new(),
        records: Vec::new(),
        facts: Arc::default(),
        seen: Seen::default(),
        saved: None,
    })
}

/// The checkpoint that a run begins with.
fn begun<S: State>((checkpoint, begun): (Checkpoint<S>, Result<(), ErrorKind>)) -> Result<Checkpoint<S>, NotOpened<S>> {
    match begun {
        Ok(()) => Ok(checkpoint),
        Err(kind) => Err(NotOpened { kind, state: Some(checkpoint.state) }),
    }
}

/// How often a thread is read again because somebody wrote to it between the check and the claim. After that it is claimed as it
/// is, so that a run which writes without a pause can be taken over.
const LOOKS: usize = 64;

/// A run on a thread. Everything that can refuse the run is checked before the thread is claimed: a refused run harms none that
/// works on the thread.
pub(crate) async fn open_thread<S: State, R>(
    graph: &Inner<S, R>,
    entry: Entry<S>,
    options: ThreadOptions<S>,
    run: Arc<str>,
    clock: Arc<dyn Clock>,
    lease: Option<&RunLease>,
) -> Result<(Opened<S>, Ledger), NotOpened<S>> {
    let failed = |error| ErrorKind::Store(Arc::new(error));
    for look in 1.. {
        let ledger = Ledger::default();
        let mut opened =
            look_at(graph, entry.clone(), options.clone(), &ledger, Arc::clone(&run), Arc::clone(&clock)).await?;
        opened.save_first(graph)?;
        opened.seen.lease = lease.map(RunLease::token);
        if opened.claim(look).await? {
            if let Some(durable) =
                opened.durable.as_ref().filter(|durable| durable.mode != Durability::Exit && opened.saved.is_none())
            {
                durable.flush().await?;
            }
            return Ok((opened, ledger));
        }
        // The thread has changed, or another run has taken the lease because this one was too slow to claim the thread.
        if let Some(lease) = lease
            && !lease.renew().await.map_err(failed)?
        {
            return Err(failed(lease.lost()).into());
        }
        tokio::task::yield_now().await;
    }
    Err(ErrorKind::Thread(ThreadError::NoThread).into())
}

/// Reads a thread and makes a run of it that is ready but for its claim.
pub(crate) async fn look_at<S: State, R>(
    graph: &Inner<S, R>,
    entry: Entry<S>,
    options: ThreadOptions<S>,
    ledger: &Ledger,
    run: Arc<str>,
    clock: Arc<dyn Clock>,
) -> Result<Opened<S>, NotOpened<S>> {
    let ThreadOptions { store, codec, key, at, durability, metadata, mut answers, answers_may_be_known, on_change } =
        options;
    let failed = |error| ErrorKind::Store(Arc::new(error));
    let mut loaded = store.read(&key, at).await.map_err(failed)?;
    if let (Some(checkpoint), None) = (at, &loaded) {
        let thread = key.thread.to_string();
        return Err(ErrorKind::Thread(ThreadError::NoCheckpoint { thread, checkpoint }).into());
    }
    let seen = match (at, &loaded) {
        (None, loaded) => Seen::head(loaded.as_ref().map(|loaded| loaded.header.id))
            .records(loaded.iter().flat_map(|loaded| &loaded.records)),
        (Some(_), _) => {
            let newest = store.list(&key, &Query::all().limit(1)).await.map_err(failed)?;
            Seen::head(newest.first().map(|header| header.id))
        }
    };
    let head = seen.head;
    let entry = match entry {
        Entry::Call { key, call, .. } if loaded.as_ref().is_some_and(|loaded| is_call(loaded, key, &call)) => {
            Entry::Resume
        }
        Entry::Call { input, remembers, .. } => {
            loaded = match remembers {
                Remembers::Nothing => None,
                Remembers::Newest => loaded,
                Remembers::At(id) => remembered(&*store, &key, id, loaded).await.map_err(failed)?,
            };
            Entry::Input(input)
        }
        entry => entry,
    };
    let from = loaded.as_ref().map_or_else(
        || (CheckpointId(0), Arc::clone(&run)),
        |loaded| (loaded.header.id, Arc::clone(&loaded.header.run)),
    );
    let thread = key.thread.to_string();
    let journal = Arc::new(Journal::new(store, key, Arc::clone(&run), from));
    let durable = |recorder: Recorder<S>| Durable {
        recorder,
        mode: durability,
        head,
        parent: loaded.as_ref().map(|loaded| loaded.header.id),
        base: loaded.as_ref().map_or(CheckpointId(1), |loaded| loaded.header.base),
        run,
        metadata,
        clock,
        unsaved: None,
        ran: Vec::new(),
        asked: BTreeMap::new(),
        reasons: Vec::new(),
        journal: Arc::clone(&journal),
    };
    if answers_may_be_known {
        let open: Vec<Question> =
            loaded.iter().flat_map(|loaded| open_questions(&loaded.records).map(|(_, question)| question)).collect();
        let open: BTreeSet<&str> = open.iter().map(|question| &*question.id).collect();
        answers.retain(|(id, _)| id.as_deref().is_some_and(|id| open.contains(id)));
    }
    let opened = match (entry, &loaded) {
        (Entry::Resume, None) => Err(ErrorKind::Thread(ThreadError::Empty { thread }).into()),
        (Entry::Any, None) => {
            let recorder = Recorder::new(codec);
            Ok(Opened {
                checkpoint: Checkpoint::new(graph, S::default()),
                durable: Some(Box::new(durable(recorder))),
                revival: Revival::default(),
                made: None,
                abandoned: Vec::new(),
                diff: S::Update::default(),
                ran: Vec::new(),
                records: Vec::new(),
                facts: Arc::default(),
                seen: Seen::default(),
                saved: None,
            })
        }
        (Entry::Resume | Entry::Any | Entry::InputOrResume(_), Some(loaded)) => {
            let opened = resume(graph, loaded, codec, &on_change, durable)?;
            match at {
                // Another branch begins with a copy; what is known about the old branch stays there.
                Some(_) if answers.is_empty() => Ok(fork(opened)),
                Some(_) => Err(ErrorKind::Answer(AnswerError::NothingPending).into()),
                None => Ok(revive(graph, opened, loaded, codec, answers, ledger)?),
            }
        }
        (Entry::Input(_) | Entry::InputOrResume(_) | Entry::Call { .. }, _) if !answers.is_empty() => {
            Err(ErrorKind::Answer(AnswerError::NothingPending).into())
        }
        (Entry::Input(input) | Entry::InputOrResume(input) | Entry::Call { input, .. }, loaded) => {
            let (mut state, mut recorder) = (S::default(), Recorder::new(codec));
            let (mut abandoned, mut memories) = (Vec::new(), Memories::default());
            if let Some(loaded) = loaded {
                let Fitted { restored, due, .. } = read(graph, codec, loaded, &on_change, |_| true)?;
                memories = due.memories;
                (state, recorder) = (restored.state, restored.recorder);
                abandoned = open_questions(&loaded.records).map(|(_, question)| question.id).collect();
                if Some(loaded.header.id) != head {
                    recorder.force_full();
                }
            }
            recorder.before(&state, std::iter::once(&input), input.overwritten()).map_err(ErrorKind::Codec)?;
            recorder.clear_notes();
            let mut checkpoint = begun(begin(graph, state, input))?;
            checkpoint.memories = memories;
            Ok(Opened {
                checkpoint,
                durable: Some(Box::new(durable(recorder))),
                revival: Revival::default(),
                made: Some(Origin::Input),
                abandoned,
                diff: S::Update::default(),
                ran: Vec::new(),
                records: Vec::new(),
                facts: Arc::default(),
                seen: Seen::default(),
                saved: None,
            })
        }
    };
    opened.map(|opened| Opened { seen, ..opened })
}

impl<S: State> Opened<S> {
    /// Queues the checkpoint that the run begins with, unless it is kept for the exit: what cannot be written is known before
    /// the claim.
    fn save_first<R>(&mut self, graph: &Inner<S, R>) -> Result<(), ErrorKind> {
        let (Some(origin), Some(durable)) = (self.made, &mut self.durable) else { return Ok(()) };
        if durable.mode != Durability::Exit || origin == Origin::Fork {
            let parent = durable.parent;
            let saved = durable.save(graph, &self.checkpoint, origin, &[], |_| Vec::new());
            self.saved = Some((saved.map_err(ErrorKind::Codec)?, parent));
        }
        Ok(())
    }

    /// Waits until everything that was queued is stored.
    pub(crate) async fn flush(&self) -> Result<(), ErrorKind> {
        match &self.durable {
            Some(durable) => durable.flush().await,
            None => Ok(()),
        }
    }

    /// Takes the thread over if it is still as it was read, or if it was looked at too often; says whether it did.
    pub(crate) async fn claim(&self, look: usize) -> Result<bool, ErrorKind> {
        let Some(durable) = &self.durable else { return Ok(true) };
        let seen = Some(&self.seen).filter(|_| look <= LOOKS);
        durable.journal.claim(seen).await.map_err(|error| ErrorKind::Store(Arc::new(error)))
    }
}

/// The checkpoint that a subgraph remembers: `id`, or what updates from outside made of it since. Where it was removed, the one
/// before it.
async fn remembered(
    store: &dyn DynCheckpointer,
    key: &ThreadKey,
    id: CheckpointId,
    newest: Option<Loaded>,
) -> Result<Option<Loaded>, StoreError> {
    let Some(newest) = newest.filter(|newest| newest.header.id >= id) else {
        return store.read(key, None).await;
    };
    if newest.header.id == id {
        return Ok(Some(newest));
    }
    // What runs have written since is of branches that were left, or of runs that were lost.
    let since = store.list(key, &Query::all()).await?;
    let since = since.iter().take_while(|header| header.id > id).filter(|header| header.origin == Origin::Update);
    let mut edited = id;
    for header in since.collect::<Vec<_>>().into_iter().rev() {
        if header.parent == Some(edited) {
            edited = header.id;
        }
    }
    if let Some(loaded) = store.read(key, Some(edited)).await? {
        return Ok(Some(loaded));
    }
    let before = store.list(key, &Query::all().before(id).limit(1)).await?;
    match before.first() {
        Some(header) => store.read(key, Some(header.id)).await,
        None => Ok(None),
    }
}

fn is_call(loaded: &Loaded, key: &str, call: &str) -> bool {
    loaded.header.metadata.get(key).and_then(Value::as_str) == Some(call)
}

/// The checkpoint as it was stored.
fn resume<S: State, R>(
    graph: &Inner<S, R>,
    loaded: &Loaded,
    codec: &'static dyn Codec<S>,
    on_change: &OnChange,
    durable: impl FnOnce(Recorder<S>) -> Durable<S>,
) -> Result<Opened<S>, ErrorKind> {
    // Of a run that goes on, the inputs and results of tasks have to be readable too.
    let is_readable = |record: &TaskRecord| {
        record.key.kind != RecordKind::Done || done(graph, codec, record.key.task as usize, &record.data).is_ok()
    };
    let fits = |due: &Due| {
        due::restore(graph, due, &mut Checkpoint::new(graph, S::default())).is_ok()
            && loaded.records.iter().all(is_readable)
    };
    let Fitted { restored, due, is_migrated } = read(graph, codec, loaded, on_change, fits)?;
    let mut checkpoint = Checkpoint::new(graph, restored.state);
    checkpoint.step = loaded.header.step;
    let changed = |misfits| {
        let graph = Fingerprint(graph.fingerprint);
        ErrorKind::Thread(ThreadError::Changed { stored: due.fingerprint, graph, misfits })
    };
    due::restore(graph, &due, &mut checkpoint).map_err(changed)?;
    let (durable, mut records) = (durable(restored.recorder), loaded.records.clone());
    if is_migrated || due.fingerprint != Fingerprint(graph.fingerprint) {
        let moves = Moves::new(graph, loaded, &due, &checkpoint).map_err(ErrorKind::Codec)?;
        records = moves.records(&records).map_err(ErrorKind::Codec)?;
        if moves.any() || records != loaded.records {
            checkpoint.calls = moves.calls(&due.calls, &durable.journal, checkpoint.step + 1);
        }
        let unreadable = leave_out_unreadable(graph, codec, &mut records);
        if !unreadable.is_empty() && !matches!(on_change, OnChange::Migrate(_)) {
            return Err(changed(unreadable));
        }
    }
    let mut diff = S::Update::default();
    for note in restored.notes {
        diff.absorb(codec.read_update(&note).map_err(ErrorKind::Codec)?, FieldSet::EMPTY);
    }
    let durable = Some(Box::new(durable));
    let ran = due.ran.iter().filter_map(|name| graph.position(name)).collect();
    let facts = Arc::clone(&loaded.header.metadata);
    let (revival, abandoned) = (Revival::default(), Vec::new());
    let (seen, saved) = (Seen::default(), None);
    Ok(Opened { checkpoint, durable, revival, made: None, abandoned, diff, ran, records, facts, seen, saved })
}

fn fork<S: State>(mut opened: Opened<S>) -> Opened<S> {
    // Calls of subgraphs that began belong to the old branch.
    opened.checkpoint.calls.clear();
    if let Some(durable) = &mut opened.durable {
        durable.recorder.force_full();
    }
    opened.made = Some(Origin::Fork);
    opened
}

/// The names of calls as they are stored.
fn due_calls(loaded: &Loaded) -> Result<Vec<CallName>, ErrorKind> {
    decode(&loaded.header.next).map(|due| due.calls).map_err(ErrorKind::Codec)
}

/// Puts what was recorded about the due tasks where they find it, and takes the answers in.
fn revive<S: State, R>(
    graph: &Inner<S, R>,
    mut opened: Opened<S>,
    loaded: &Loaded,
    codec: &'static dyn Codec<S>,
    answers: Vec<(Option<String>, Value)>,
    ledger: &Ledger,
) -> Result<Opened<S>, ErrorKind> {
    let has_moved = opened.records != loaded.records || opened.checkpoint.calls != due_calls(loaded)?;
    if let Some(durable) = opened.durable.as_mut().filter(|_| has_moved) {
        // Their tasks have other places in this graph: from now on the thread is one of it.
        let records = |id| Durable::<S>::at(id, &opened.records);
        durable.save(graph, &opened.checkpoint, Origin::Update, &opened.ran, records).map_err(ErrorKind::Codec)?;
    }
    let mut revival =
        Revival { paused: opened.records.iter().any(|record| record.key.task == PAUSE), ..Revival::default() };
    for record in &opened.records {
        let (task, name) = (record.key.task as usize, record.key.name.clone());
        match record.key.kind {
            RecordKind::Done => revival.done.push(done(graph, codec, task, &record.data).map_err(ErrorKind::Codec)?),
            RecordKind::Failed if name == SPENT => {
                for (counter, amount) in
                    take_spent(&mut Reader(&record.data)).ok_or_else(|| ErrorKind::Codec(damaged()))?
                {
                    ledger.put_spent(task, counter, amount);
                }
            }
            RecordKind::Failed if name == REASON => {}
            RecordKind::Failed => ledger.put_failed(task, String::from_utf8_lossy(&record.data).into_owned()),
            RecordKind::Once => ledger.put_once(task, name, record.data.clone()),
            RecordKind::Answer => {
                let value = serde_json::from_slice(&record.data).map_err(|_| ErrorKind::Codec(damaged()))?;
                ledger.put_answer(task, name, value);
            }
            RecordKind::Question => {}
        }
    }
    for call in &opened.checkpoint.calls {
        ledger.put_call(call.clone());
    }
    for (task, question) in open_questions(&opened.records) {
        revival.waiting.entry(task).or_default().push(question);
    }
    if let Some(durable) = &mut opened.durable {
        let keys = opened.records.iter().map(|record| &record.key);
        let questions = keys.filter(|key| key.kind == RecordKind::Question && key.task != PAUSE);
        for key in questions {
            let key = RecordKey { checkpoint: durable.journal.at(), ..key.clone() };
            durable.asked.entry(key.task).or_default().push(key);
        }
        let reasons = opened.records.iter().map(|record| &record.key).filter(|key| key.name == REASON);
        let reasons = reasons.filter(|key| key.kind == RecordKind::Failed);
        durable.reasons = reasons.map(|key| RecordKey { checkpoint: durable.journal.at(), ..key.clone() }).collect();
        let namespace = Arc::clone(&durable.journal.key().namespace);
        let mut batch = Batch::default();
        for (task, name, value) in assign(&revival.waiting, &namespace, answers).map_err(ErrorKind::Answer)? {
            let key = RecordKey::new(durable.journal.at(), place(task), RecordKind::Answer, name.clone());
            // A JSON value always serializes.
            batch.records.push(TaskRecord::new(key, serde_json::to_vec(&value).unwrap_or_default()));
            ledger.put_answer(task, name, value);
            revival.waiting.remove(&task);
        }
        if !batch.is_empty() {
            durable.journal.push(batch, None);
        }
    }
    opened.revival = revival;
    Ok(opened)
}

/// Finds the question of each answer: task, name of the record, value.
fn assign(
    waiting: &BTreeMap<usize, Vec<Question>>,
    namespace: &str,
    answers: Vec<(Option<String>, Value)>,
) -> Result<Vec<(usize, String, Value)>, AnswerError> {
    let all: BTreeMap<&str, (usize, &Question)> = waiting
        .iter()
        .flat_map(|(task, questions)| questions.iter().map(|question| (&*question.id, (*task, question))))
        .collect();
    let open = || waiting.values().flatten().map(|question| question.id.clone()).collect();
    let mut assigned = Vec::new();
    for (id, value) in answers {
        let (task, question) = match &id {
            _ if all.is_empty() => return Err(AnswerError::NothingPending),
            None => match all.values().next() {
                Some(one) if all.len() == 1 => *one,
                _ => return Err(AnswerError::Ambiguous { open: open() }),
            },
            Some(id) => match all.get(&**id) {
                Some(found) => *found,
                None => return Err(AnswerError::Unknown { id: id.clone(), open: open() }),
            },
        };
        assigned.push((task, record_name(question, namespace).to_string(), value));
    }
    Ok(assigned)
}

/// The questions without an answer among the records of a checkpoint, with their tasks.
pub(crate) fn open_questions(records: &[TaskRecord]) -> impl Iterator<Item = (usize, Question)> {
    let of = |kind| records.iter().filter(move |record| record.key.kind == kind && record.key.task != PAUSE);
    let answered: BTreeSet<(u32, &str)> =
        of(RecordKind::Answer).map(|record| (record.key.task, &*record.key.name)).collect();
    let finished: BTreeSet<u32> = of(RecordKind::Done).map(|record| record.key.task).collect();
    of(RecordKind::Question).filter_map(move |record| {
        let open = !answered.contains(&(record.key.task, &*record.key.name)) && !finished.contains(&record.key.task);
        let question = serde_json::from_slice(&record.data).ok()?;
        open.then_some((record.key.task as usize, question))
    })
}
