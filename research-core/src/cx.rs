//! What a node gets: the snapshot, the resources, its place in the run, and what it may ask of the engine.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::ops::Deref;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::attempt::Attempt;
use crate::caller::{Caller, Outer, Shared};
use crate::checkpoint::{Durability, RecordKey, RecordKind, TaskRecord};
use crate::error::NodeError;
use crate::event::{Custom, Emitted, TaskTag};
use crate::interrupt::{Ask, Interrupted, KeyIsUsed, KeyKind, Question, TaskIsOver};
use crate::persist::wire::{decode, to_bytes};
use crate::state::{Snapshot, State};

/// The context of one task.
///
/// ```
/// use research_core::{Cx, NodeError, State};
///
/// #[derive(Clone, Default, State)]
/// struct Draft {
///     title: String,
/// }
/// struct App {
///     prefix: String,
/// }
///
/// async fn name(cx: Cx<Draft, App>) -> Result<DraftUpdate, NodeError> {
///     cx.emit("naming");
///     Ok(Draft::update().title(format!("{}{}", cx.resources.prefix, cx.state.title)))
/// }
/// ```
pub struct Cx<S, R = ()> {
    /// The state as the last barrier left it; the same for all tasks of the step.
    pub state: Snapshot<S>,
    /// What the host gave to [`Run::resources`](crate::Run::resources).
    pub resources: Resources<R>,
    tag: TaskTag,
    attempt: Option<Arc<Attempt>>,
}

impl<S: State, R> Cx<S, R> {
    pub(crate) fn new(state: Arc<S>, shared: Arc<Shared<R>>, tag: TaskTag, attempt: Option<Arc<Attempt>>) -> Self {
        Self { state: Snapshot(state), resources: Resources(shared), tag, attempt }
    }

    /// Writes `value` to the run's event log, if somebody reads it. The task's update comes after it.
    pub fn emit(&self, value: impl Serialize + Any + Send + Sync) {
        self.heartbeat();
        if let Some(events) = &self.resources.0.events
            && self.is_current()
        {
            events.emit(self.tag, Arc::clone(self.name()), Emitted::Custom(Custom::new(value)));
        }
    }

    /// Writes a piece of a message, such as a token of a model, to the run's event log, if somebody reads it. Pieces with the
    /// same `message` belong together, in their order.
    pub fn message(&self, message: impl Into<Arc<str>>, text: impl Into<String>) {
        self.heartbeat();
        if let Some(events) = &self.resources.0.events
            && self.is_current()
        {
            events.emit(self.tag, Arc::clone(self.name()), Emitted::Message { id: message.into(), text: text.into() });
        }
    }

    /// Asks a person and waits for the answer: the first time the task ends here, with what its siblings do kept, and the run
    /// ends as [interrupted](crate::End::Interrupted). When the answer is given, the node runs again from its first line,
    /// and this returns the answer. Effects before it that must happen once belong into [`once`](Cx::once).
    ///
    /// # Errors
    ///
    /// Always, the first time: let the error pass with `?`. Also when this execution of the task has used the key before, when the run has no thread that could keep the question, and
    /// in what outlives the attempt or the step of its task.
    ///
    /// ```
    /// use research_core::{Ask, Cx, NodeError, State};
    /// use serde_json::json;
    ///
    /// #[derive(Clone, Default, State)]
    /// struct Mail {
    ///     text: String,
    ///     sent: bool,
    /// }
    ///
    /// async fn send(cx: Cx<Mail>) -> Result<MailUpdate, NodeError> {
    ///     let yes: bool = cx.interrupt(Ask::new("send", json!({ "text": cx.state.text }))).await?;
    ///     Ok(Mail::update().sent(yes))
    /// }
    /// ```
    pub async fn interrupt<A: DeserializeOwned>(&self, ask: impl Into<Ask>) -> Result<A, NodeError> {
        let Ask { key, payload, schema } = ask.into();
        let shared = &self.resources.0;
        if !self.is_current() {
            return Err(TaskIsOver.into());
        }
        if !self.take_key(KeyKind::Question, &key) {
            return Err(KeyIsUsed { kind: KeyKind::Question, key }.into());
        }
        if let Some(answer) = shared.ledger.answer(self.tag, &key) {
            match serde_json::from_value(answer) {
                Ok(answer) => return Ok(answer),
                Err(error) => shared.ledger.refuse(self.tag, key.clone(), error.to_string()),
            }
        }
        let (namespace, at) = match &shared.journal {
            Some(journal) => (journal.key().namespace.to_string(), journal.at().0),
            None if shared.asks_without_thread => (String::new(), 0),
            None => return Err(shared.why_not_durable("a question").into()),
        };
        let id = question_id(&namespace, at, self.tag.index, &key);
        let question = Question { id, key, node: self.node().to_string(), namespace, payload, schema };
        shared.ledger.raise(self.tag, question);
        Err(Interrupted.into())
    }

    /// Performs a side effect once: its result is recorded at once, and a later execution of this task, after an interrupt, a
    /// failure or a crash, gets the recorded result. Each effect of a task has its own key: a node that repeats an effect numbers the
    /// keys.
    ///
    /// Only a crash between the end of the effect and the end of the record can repeat it; [`task_id`](Cx::task_id) is the
    /// idempotency key for that. A run without a thread remembers the result for the retries of the task.
    ///
    /// # Errors
    ///
    /// The effect's own, which is not recorded, a failure to record, and a key that this execution of the task has used before. What outlives the step of its task gets an error in
    /// place of the effect.
    pub async fn once<T, E>(
        &self,
        key: impl Into<String>,
        effect: impl Future<Output = Result<T, E>>,
    ) -> Result<T, NodeError>
    where
        T: Serialize + DeserializeOwned,
        E: Into<NodeError>,
    {
        let (key, shared) = (key.into(), &self.resources.0);
        if !shared.ledger.is_open(self.tag.step) {
            return Err(TaskIsOver.into());
        }
        if !self.take_key(KeyKind::Effect, &key) {
            return Err(KeyIsUsed { kind: KeyKind::Effect, key }.into());
        }
        if let Some(known) = shared.ledger.once(self.tag, &key) {
            return decode(&known).map_err(|error| NodeError::from(error.at(&key)));
        }
        // An effect that fails or is dropped did not take place, and may be tried again under its key.
        let mut unused = UnusedKey { cx: self, key: Some(&key) };
        let result = effect.await.map_err(Into::into)?;
        unused.key = None;
        drop(unused);
        self.heartbeat();
        let data = to_bytes(&result).map_err(|error| NodeError::from(error.at(&key)))?;
        let is_open = || shared.ledger.is_open(self.tag.step);
        let record = |at| {
            let place = u32::try_from(self.tag.index).unwrap_or(u32::MAX);
            let key = RecordKey::new(at, place, RecordKind::Once, key.clone());
            is_open().then(|| TaskRecord::new(key, data.clone()))
        };
        // An attempt that is over may record: its effect took place, and the next attempt is not to repeat it.
        let remembered = shared.ledger.remember(self.tag, key.clone(), data.clone());
        if !remembered || !shared.journal.as_ref().is_none_or(|journal| journal.record(record)) {
            return Err(TaskIsOver.into());
        }
        if let (Some(journal), true) = (&shared.journal, shared.durability != Durability::Exit) {
            journal.flush().await.map_err(|error| NodeError::from(Box::new(error) as Box<_>))?;
        }
        Ok(result)
    }

    /// Adds to a counter of the run's [budget](crate::Budget), such as tokens or calls. It counts even when the task fails, but
    /// not in what outlives the attempt or the step of its task.
    pub fn spend(&self, counter: impl Into<String>, amount: u64) {
        self.heartbeat();
        if self.is_current() {
            self.resources.0.spend(self.tag, counter.into(), amount);
        }
    }

    /// Says that the task is alive, for its idle time limit. [`emit`](Cx::emit), [`message`](Cx::message),
    /// [`spend`](Cx::spend) and the end of an effect of [`once`](Cx::once) say it too. Whatever a task of a subgraph says, and its
    /// end, counts for the task that runs the subgraph as well.
    pub fn heartbeat(&self) {
        self.resources.0.beat(self.attempt.as_deref());
    }

    /// Returns whether what the task does is of no use any more: its attempt is over, its step, or its run, which may have been
    /// cancelled or dropped. For work that does not stop by itself when the task is dropped, such as that of
    /// `spawn_blocking`.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.resources.0.stop.is_set() || !self.is_current()
    }

    /// Ends when the attempt of the task or its run is over, for something that the task has spawned. See
    /// [`is_cancelled`](Cx::is_cancelled).
    pub async fn cancelled(&self) {
        let stopped = self.resources.0.stop.wait();
        match &self.attempt {
            None => stopped.await,
            Some(attempt) => {
                futures::future::select(std::pin::pin!(stopped), std::pin::pin!(attempt.ended())).await;
            }
        }
    }

    /// The attempt that runs, counted from 1.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.attempt.as_ref().map_or(1, |attempt| attempt.number)
    }

    /// Name of the node.
    #[must_use]
    pub fn node(&self) -> &str {
        self.name()
    }

    /// Step and place of the task.
    #[must_use]
    pub fn task(&self) -> TaskTag {
        self.tag
    }

    /// The same for every execution of this task, in this run and when it is resumed, and for no other task:
    /// `thread/checkpoint.step.place@run/node` with the run that made the checkpoint, or `run/step/place/node` in a run
    /// without a thread. In a subgraph of which nothing is kept the id of the task that runs it stands in place of the
    /// run. Use it as the idempotency key of side effects.
    #[must_use]
    pub fn task_id(&self) -> String {
        self.resources.0.task_id(self.tag)
    }

    /// Id of the run.
    #[must_use]
    pub fn run_id(&self) -> &str {
        &self.resources.0.run_id
    }

    /// The thread that the run belongs to, if it has one.
    #[must_use]
    pub fn thread(&self) -> Option<&str> {
        self.resources.0.journal.as_ref().map(|journal| &*journal.key().thread)
    }

    /// How many steps may still follow this one.
    #[must_use]
    pub fn steps_left(&self) -> u64 {
        self.resources.0.last_step.saturating_sub(self.tag.step)
    }

    /// Whether what this context is told still counts.
    fn is_current(&self) -> bool {
        self.resources.0.is_current(self.tag, self.attempt.as_deref())
    }

    fn take_key(&self, kind: KeyKind, key: &str) -> bool {
        match &self.attempt {
            Some(attempt) => attempt.keys().take(kind, key),
            None => self.resources.0.ledger.take_key(self.tag, kind, key),
        }
    }

    fn give_back_key(&self, kind: KeyKind, key: &str) {
        match &self.attempt {
            Some(attempt) => attempt.keys().give_back(kind, key),
            None => self.resources.0.ledger.give_back_key(self.tag, kind, key),
        }
    }

    pub(crate) fn shared(&self) -> &Arc<Shared<R>> {
        &self.resources.0
    }

    fn name(&self) -> &Arc<str> {
        &self.resources.0.names[self.tag.node as usize]
    }
}

impl<S: State, R: Send + Sync + 'static> Cx<S, R> {
    /// This task, for a subgraph that it runs.
    pub(crate) fn as_caller(&self) -> Caller {
        let shared = Arc::clone(&self.resources.0) as Arc<dyn Outer>;
        Caller { shared, tag: self.tag, attempt: self.attempt.clone() }
    }
}

/// Gives the key of an effect back, unless the effect took place.
struct UnusedKey<'a, S: State, R> {
    cx: &'a Cx<S, R>,
    key: Option<&'a str>,
}

impl<S: State, R> Drop for UnusedKey<'_, S, R> {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.cx.give_back_key(KeyKind::Effect, key);
        }
    }
}

/// Names a question among all of its thread.
pub(crate) fn question_id(namespace: &str, checkpoint: u64, task: usize, key: &str) -> String {
    format!("{namespace}#{checkpoint}.{task}:{key}")
}

impl<S, R> Clone for Cx<S, R> {
    fn clone(&self) -> Self {
        Self {
            state: self.state.clone(),
            resources: self.resources.clone(),
            tag: self.tag,
            attempt: self.attempt.clone(),
        }
    }
}

impl<S, R> fmt::Debug for Cx<S, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cx").field("tag", &self.tag).finish_non_exhaustive()
    }
}

/// The host's resources, shared by all tasks of a run. It derefs to them.
pub struct Resources<R>(Arc<Shared<R>>);

impl<R> Deref for Resources<R> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.0.resources
    }
}

impl<R> Clone for Resources<R> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<R: fmt::Debug> fmt::Debug for Resources<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
