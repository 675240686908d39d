//! Runs: the options of one, and the two ways to take part in it, to its end or event by event.

mod apply;
mod checkpoint;
mod driver;
mod due;
mod durable;
mod finished;
mod flight;
mod lanes;
mod launch;
mod load;
mod open;
mod options;
mod plan;
mod report;
mod runner;
mod settings;
mod spans;
#[cfg(feature = "testing")]
mod stepped;
mod stream;
mod supervise;
mod task_env;
mod turn;
mod watch;
mod wire;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use serde_json::Value;

pub(crate) use apply::{Follow, apply};
pub(crate) use checkpoint::Checkpoint;
pub(crate) use driver::Ended;
pub use durable::StoredFailure;
pub(crate) use durable::{Durable, PAUSE, stored_failures};
pub(crate) use finished::RunFuture;
pub use finished::{Finished, Incomplete};
pub(crate) use launch::{Launch, position};
pub(crate) use load::{Fitted, read};
pub(crate) use open::{Entry, Opened, Remembers, ThreadOptions, done, look_at, open_questions};
pub use options::Budget;
pub(crate) use plan::{end_with, planned};
pub(crate) use runner::{Outcome, Settled};
pub(crate) use settings::Settings;
#[cfg(feature = "testing")]
pub(crate) use stepped::{Control, Order};
pub use stream::RunStream;
pub(crate) use stream::last;

use crate::checkpoint::{CheckpointId, Checkpointer, Durability, Metadata, ThreadKey};
use crate::clock::{Clock, IdSource, Random, SystemClock};
use crate::end::FailurePolicy;
use crate::error::{ErrorKind, RunError, ThreadError};
use crate::event::{Emit, EventLog, Modes, Sink, StreamOptions};
use crate::graph::{Attached, Breakpoints, CompiledGraph};
use crate::interrupt::AnswerError;
use crate::journal::IfIdle;
use crate::persist::Persist;
use crate::state::State;

/// A run that has not started: set its options, then await it or call [`stream`](Run::stream).
///
/// A graph with resources starts only once [`resources`](Run::resources) has given them.
///
/// ```
/// # use research_core::{Cx, END, Graph, State};
/// # #[derive(Clone, Debug, Default, State)]
/// # struct Count { n: u32 }
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let mut g = Graph::<Count, u32>::new("count");
/// let up = g.node("up", |cx| async move { Ok(Count::update().n(cx.state.n + *cx.resources)) });
/// g.entry(up).edge(up, END);
/// let graph = g.compile()?;
///
/// let done = graph.run(Count::update().n(1)).resources(41).await?;
/// assert_eq!(done.state.n, 42);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It is a future, so that it can be awaited, spawned and joined as it is. Once it has been polled, options have no effect.
#[must_use = "a run does nothing until it is awaited or its stream is read"]
pub struct Run<S: State, R, P>(Stage<S, R, P>);

/// How far a run has come.
enum Stage<S: State, R, P> {
    Prepared(Box<Prepared<S, R, P>>),
    Running(RunFuture<S>),
    /// It has ended, or is being taken to the next stage.
    Over,
}

/// What a run was told before it starts.
struct Prepared<S: State, R, P> {
    graph: CompiledGraph<S, R>,
    entry: Entry<S>,
    resources: P,
    settings: Settings,
    thread: Option<Box<OnThread>>,
}

/// What a run on a thread has besides.
#[derive(Default)]
struct OnThread {
    name: Option<Arc<str>>,
    at: Option<CheckpointId>,
    durability: Option<Durability>,
    metadata: Metadata,
    answers: Vec<(Option<String>, Value)>,
}

/// A run that was given no resources.
#[derive(Clone, Copy, Debug)]
pub struct MissingResources;

/// The resources that a run was given.
pub struct Supplied<R>(Arc<R>);

impl<R> fmt::Debug for Supplied<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Supplied(..)")
    }
}

/// Has the resources `R` that the nodes of a graph ask for.
#[diagnostic::on_unimplemented(
    message = "this run lacks the resources `{R}` of its graph",
    label = "started without resources",
    note = "call `.resources(…)` on the run before awaiting or streaming it"
)]
pub trait Provides<R> {
    /// The resources.
    #[doc(hidden)]
    fn provide(self) -> Arc<R>;
}

impl Provides<()> for MissingResources {
    fn provide(self) -> Arc<()> {
        Arc::new(())
    }
}

impl<R> Provides<R> for Supplied<R> {
    fn provide(self) -> Arc<R> {
        self.0
    }
}

impl<S: State, R> CompiledGraph<S, R> {
    /// Starts a run. `input` is an update, folded by the reducers into the state of the [thread](Run::thread), or into the
    /// default state; or a whole state.
    ///
    /// On a thread, the input replaces whatever was due or asked there. Nothing happens until the run is awaited or its stream
    /// is read.
    pub fn run(&self, input: impl Into<S::Update>) -> Run<S, R, MissingResources> {
        Run::new(self.clone(), Entry::Input(input.into()))
    }

    /// Goes on with what a [thread](Run::thread) has due: after a failure, a crash, a cancellation, a pause or an
    /// interrupt. What was recorded is not run again. A thread that is complete ends at once with its state.
    pub fn resume(&self) -> Run<S, R, MissingResources> {
        Run::new(self.clone(), Entry::Resume)
    }

    /// Starts a run where the [thread](Run::thread) is new, and [resumes](CompiledGraph::resume) it where it is not, so that
    /// the same call serves the first start of a program and each one after a crash.
    pub fn run_or_resume(&self, input: impl Into<S::Update>) -> Run<S, R, MissingResources> {
        Run::new(self.clone(), Entry::InputOrResume(input.into()))
    }
}

impl<S: State, R> Run<S, R, MissingResources> {
    fn new(graph: CompiledGraph<S, R>, entry: Entry<S>) -> Self {
        let settings = Settings::new(&graph.defaults);
        let prepared = Prepared { graph, entry, resources: MissingResources, settings, thread: None };
        Self(Stage::Prepared(Box::new(prepared)))
    }
}

impl<S: State, R: Send + Sync + 'static, P> Run<S, R, P> {
    /// What nodes see as `cx.resources`: an `R` or an `Arc<R>`.
    pub fn resources(self, resources: impl Into<Arc<R>>) -> Run<S, R, Supplied<R>> {
        Run(match self.0 {
            Stage::Prepared(prepared) => {
                let Prepared { graph, entry, settings, thread, .. } = *prepared;
                let resources = Supplied(resources.into());
                Stage::Prepared(Box::new(Prepared { graph, entry, resources, settings, thread }))
            }
            Stage::Running(running) => Stage::Running(running),
            Stage::Over => Stage::Over,
        })
    }

    /// The number of steps after which a run that has not ended fails. A chain of `n` nodes takes `n`. Default 1,000.
    pub fn step_limit(self, limit: u64) -> Self {
        self.set(|prepared| prepared.settings.step_limit = limit)
    }

    /// How many tasks of a step are in flight at once; the others wait their turn. At least 1; default 1,024.
    pub fn max_concurrency(self, tasks: usize) -> Self {
        self.set(|prepared| prepared.settings.max_concurrency = tasks.max(1))
    }

    /// The clock that dates events, and by which retries wait and time limits run. Default [`SystemClock`](crate::SystemClock).
    pub fn clock(self, clock: impl Clock) -> Self {
        self.set(|prepared| prepared.settings.clock = Arc::new(clock))
    }

    /// What names the run. Default [`RandomIds`](crate::RandomIds).
    pub fn ids(self, ids: impl IdSource) -> Self {
        self.set(|prepared| prepared.settings.ids = Arc::new(ids))
    }

    /// What spreads retries over time. Default [`SystemRandom`](crate::SystemRandom).
    pub fn random(self, random: impl Random) -> Self {
        self.set(|prepared| prepared.settings.random = Arc::new(random))
    }

    /// What becomes of the siblings of a task that fails. Default [`FailurePolicy::LetSiblingsFinish`].
    pub fn on_failure(self, policy: FailurePolicy) -> Self {
        self.set(|prepared| prepared.settings.policy = policy)
    }

    /// What the run may use up.
    pub fn budget(self, budget: Budget) -> Self {
        self.set(|prepared| prepared.settings.rare().budget = Some(budget))
    }

    /// The longest time for the run. What finished is kept, and the run fails. Needs a clock that can [sleep](Clock::sleep).
    pub fn timeout(self, limit: Duration) -> Self {
        self.set(|prepared| prepared.settings.rare().run_limit = Some(limit))
    }

    /// The longest time for each step. What finished is kept, and the run fails.
    pub fn step_timeout(self, limit: Duration) -> Self {
        self.set(|prepared| prepared.settings.rare().step_time = Some(limit))
    }

    /// Stops the run when `signal` ends, for example `token.cancelled_owned()` of a `tokio_util` `CancellationToken`. Tasks
    /// that run are dropped; what finished is kept; the run fails as [cancelled](RunError::is_cancelled).
    pub fn cancel_on(self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        self.set(|prepared| prepared.settings.rare().cancel = Some(Box::pin(signal)))
    }

    /// Ends the run at the next barrier after `signal` has ended, as [`End::Drained`](crate::End::Drained).
    pub fn drain_on(self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        self.set(|prepared| prepared.settings.rare().drain = Some(Box::pin(signal)))
    }

    /// Pauses the run before any of these nodes runs, which may be nodes of subgraphs. Needs a thread;
    /// [`resume`](CompiledGraph::resume) goes on.
    pub fn interrupt_before(self, nodes: impl Into<Breakpoints>) -> Self {
        self.set(|prepared| prepared.settings.rare().before = Some(nodes.into()))
    }

    /// Pauses the run after any of these nodes ran, which may be nodes of subgraphs. Needs a thread;
    /// [`resume`](CompiledGraph::resume) goes on.
    pub fn interrupt_after(self, nodes: impl Into<Breakpoints>) -> Self {
        self.set(|prepared| prepared.settings.rare().after = Some(nodes.into()))
    }

    /// The thread that keeps the run: its state, its history, and what is due. The graph, or the run, needs a
    /// [checkpointer](CompiledGraph::with_checkpointer).
    pub fn thread(self, name: impl Into<Arc<str>>) -> Self {
        self.set(|prepared| prepared.on_thread().name = Some(name.into()))
    }

    /// Goes on from an older checkpoint of the thread, as another branch; the newer ones stay. Its tasks run again, and its
    /// questions are asked again.
    pub fn from_checkpoint(self, id: CheckpointId) -> Self {
        self.set(|prepared| prepared.on_thread().at = Some(id))
    }

    /// Sets what the run does when another run works on the [thread](Run::thread): it is [refused](IfIdle::refuse) with
    /// [`ThreadError::Busy`](crate::ThreadError::Busy), or it [waits](IfIdle::wait). Defaults to taking the thread over, so
    /// that the other run ends with a [conflict](RunError::is_thread_conflict).
    ///
    /// It needs a store that keeps leases, as those of this library do; another one ends the run at its start with an error of
    /// the kind [`Unsupported`](crate::StoreErrorKind::Unsupported). Cancellation and the time limit of the run hold while it
    /// waits; a run that is to [drain](Run::drain_on) stops waiting and is refused.
    ///
    /// ```
    /// # use research_core::{Cx, END, Graph, IfIdle, MemoryCheckpointer, State, ThreadError};
    /// # #[derive(Clone, Debug, Default, State)]
    /// # struct Count { n: u32 }
    /// # tokio::runtime::Runtime::new()?.block_on(async {
    /// # let mut g = Graph::<Count>::new("count");
    /// # let up = g.node("up", |cx: Cx<Count>| async move {
    /// #     tokio::task::yield_now().await;
    /// #     Ok(Count::update().n(cx.state.n + 1))
    /// # });
    /// # g.entry(up).edge(up, END);
    /// # let graph = g.compile()?.with_checkpointer(MemoryCheckpointer::new());
    /// let run = || graph.run(Count::update()).thread("t").if_idle(IfIdle::refuse());
    /// let (first, second) = futures::future::join(run().into_future(), run().into_future()).await;
    /// assert_eq!(first?.state.n, 1);
    /// assert!(matches!(second.unwrap_err().find(), Some(ThreadError::Busy { .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn if_idle(self, if_idle: IfIdle) -> Self {
        self.set(|prepared| prepared.settings.rare().if_idle = Some(if_idle))
    }

    /// The store for this run, in place of the graph's.
    pub fn checkpointer(self, store: impl Checkpointer) -> Self
    where
        S: Persist,
    {
        self.set(|prepared| prepared.graph = prepared.graph.clone().with_checkpointer(store))
    }

    /// When checkpoints are written. Default [`Durability::Sync`].
    pub fn durability(self, durability: Durability) -> Self {
        self.set(|prepared| prepared.on_thread().durability = Some(durability))
    }

    /// A fact that is stored with the checkpoints of this run, for [queries](crate::checkpoint::Query).
    pub fn metadata(self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.set(|prepared| {
            prepared.on_thread().metadata.insert(key.into(), value.into());
        })
    }

    /// Answers the one question that is open on the thread. `null` is an answer, too.
    ///
    /// An answer that cannot be taken ends the run at its start with an [`AnswerError`](crate::AnswerError), and nothing is
    /// written.
    pub fn answer(self, value: impl Into<Value>) -> Self {
        self.set(|prepared| prepared.on_thread().answers.push((None, value.into())))
    }

    /// Answers the question of this id. Questions that get no answer now stay open.
    pub fn answer_to(self, id: impl Into<String>, value: impl Into<Value>) -> Self {
        self.set(|prepared| prepared.on_thread().answers.push((Some(id.into()), value.into())))
    }

    /// The events of the run, in order, without [`Modes::VALUES`]. The run advances while the stream is read.
    #[must_use = "a run does nothing until its stream is read"]
    pub fn stream(self) -> RunStream<S>
    where
        P: Provides<R>,
    {
        self.stream_modes(Modes::default())
    }

    /// The events of the chosen kinds.
    #[must_use = "a run does nothing until its stream is read"]
    pub fn stream_modes(self, modes: Modes) -> RunStream<S>
    where
        P: Provides<R>,
    {
        self.stream_with(StreamOptions::new().modes(modes))
    }

    /// The events, as the options say.
    #[must_use = "a run does nothing until its stream is read"]
    pub fn stream_with(self, options: StreamOptions) -> RunStream<S>
    where
        P: Provides<R>,
    {
        let clock = match &self.0 {
            Stage::Prepared(prepared) => Arc::clone(&prepared.settings.clock),
            Stage::Running(_) | Stage::Over => Arc::new(SystemClock),
        };
        let log = Arc::new(EventLog::new(options, clock));
        let running = match self.0 {
            Stage::Prepared(prepared) => prepared.start(Some(Arc::clone(&log))),
            Stage::Running(running) => running,
            Stage::Over => Box::pin(std::future::pending()),
        };
        RunStream::new(running, log)
    }

    /// A run whose tasks end in the order that `control` says.
    #[cfg(feature = "testing")]
    pub(crate) fn start_stepped(self, control: Arc<Control>) -> RunFuture<S>
    where
        P: Provides<R>,
    {
        match self.0 {
            Stage::Prepared(prepared) => prepared.start_stepped(control),
            Stage::Running(running) => running,
            Stage::Over => Box::pin(std::future::pending()),
        }
    }

    fn set(mut self, change: impl FnOnce(&mut Prepared<S, R, P>)) -> Self {
        if let Stage::Prepared(prepared) = &mut self.0 {
            change(prepared);
        }
        self
    }
}

impl<S: State, R, P> Prepared<S, R, P> {
    fn on_thread(&mut self) -> &mut OnThread {
        self.thread.get_or_insert_default()
    }
}

impl<S: State, R: Send + Sync + 'static, P: Provides<R>> Prepared<S, R, P> {
    fn start(self, log: Option<Arc<EventLog<S>>>) -> RunFuture<S> {
        match self.launch(log) {
            Ok(launch) => Box::pin(async move {
                let name = Arc::clone(&launch.graph.name);
                finish(name, launch.go().await?)
            }),
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }

    /// As [`start`](Prepared::start), for a run that is polled already.
    fn start_now(self) -> RunFuture<S> {
        match self.launch(None) {
            Ok(launch) => {
                let (name, running) = (Arc::clone(&launch.graph.name), launch.go());
                Box::pin(async move { finish(name, running.await?) })
            }
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }

    #[cfg(feature = "testing")]
    fn start_stepped(self, control: Arc<Control>) -> RunFuture<S> {
        match self.launch(None) {
            Ok(launch) => Box::pin(async move {
                let name = Arc::clone(&launch.graph.name);
                let runner = |env, _, _| stepped::SteppedRunner::new(env, control);
                finish(name, launch.go_with(runner).await?)
            }),
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }

    fn launch(self, log: Option<Arc<EventLog<S>>>) -> Result<Launch<S, R>, RunError> {
        let Self { graph, entry, resources, settings, thread } = self;
        let CompiledGraph { inner, cache, attached, on_change, defaults } = graph;
        let refused = |error| RunError::new(Arc::clone(&inner.name), ErrorKind::Thread(error), Arc::new(S::default()));
        let thread = match thread.map(|thread| *thread) {
            None => None,
            Some(OnThread { name: None, .. }) => return Err(refused(ThreadError::NoThread)),
            Some(OnThread { name: Some(name), at, durability, metadata, answers }) => {
                let attached = attached.ok_or_else(|| refused(ThreadError::NoCheckpointer))?;
                let Attached { store, codec } = attached;
                Some(ThreadOptions {
                    store,
                    codec,
                    key: ThreadKey::root(name),
                    at,
                    durability: durability.unwrap_or(defaults.durability),
                    metadata: Arc::new(metadata),
                    answers,
                    answers_may_be_known: false,
                    on_change,
                })
            }
        };
        Ok(Launch {
            run_id: settings.ids.run_id().into(),
            graph: inner,
            cache,
            resources: resources.provide(),
            entry,
            thread,
            settings,
            path: Arc::from(""),
            caller: None,
            sink: log.as_ref().map(|log| Sink::Root(Arc::clone(log))),
            emit: log.map(|log| log as Arc<dyn Emit>),
            shares_state: false,
        })
    }
}

/// What a host is told of a run that ended.
fn finish<S: State>(graph: Arc<str>, ended: Ended<S>) -> Result<Finished<S>, RunError> {
    let Ended { finished, refused, .. } = ended;
    match refused.into_iter().next() {
        None => Ok(finished),
        Some((id, reason)) => {
            let error = ErrorKind::Answer(AnswerError::WrongType { id, reason });
            Err(RunError::new(graph, error, Arc::new(finished.state)))
        }
    }
}

impl<S: State, R: Send + Sync + 'static, P: Provides<R>> Future for Run<S, R, P> {
    type Output = Result<Finished<S>, RunError>;

    /// Polled after its end, it stays pending.
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut running = match std::mem::replace(&mut self.0, Stage::Over) {
            Stage::Prepared(prepared) => prepared.start_now(),
            Stage::Running(running) => running,
            Stage::Over => return Poll::Pending,
        };
        let polled = running.as_mut().poll(cx);
        if polled.is_pending() {
            self.0 = Stage::Running(running);
        }
        polled
    }
}

/// What it holds is never pinned in place.
impl<S: State, R, P> Unpin for Run<S, R, P> {}

impl<S: State, R, P> fmt::Debug for Run<S, R, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut f = f.debug_struct("Run");
        if let Stage::Prepared(prepared) = &self.0 {
            f.field("graph", &prepared.graph.inner.name);
        }
        f.finish_non_exhaustive()
    }
}
