//! Runs: the options of one, and the two ways to take part in it, to its end or event by event.

mod apply;
mod checkpoint;
mod driver;
mod lanes;
mod plan;
mod report;
mod runner;
mod stream;
mod turn;

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;

pub use stream::RunStream;

use crate::cx::Shared;
use crate::event::{Emit, EventLog};
use crate::graph::{CompiledGraph, Inner};
use crate::{Clock, IdSource, Modes, RandomIds, RunError, State, SystemClock};
use driver::Driver;
use lanes::LocalRunner;
use plan::Entry;

/// Steps that a run may take unless [`Run::step_limit`] says otherwise.
const STEP_LIMIT: u64 = 1_000;
/// Tasks of a step in flight at once unless [`Run::max_concurrency`] says otherwise.
const MAX_CONCURRENCY: usize = 1_024;

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
#[must_use = "a run does nothing until it is awaited or its stream is read"]
pub struct Run<S: State, R, P> {
    graph: Arc<Inner<S, R>>,
    input: S::Update,
    resources: P,
    options: Options,
}

struct Options {
    step_limit: u64,
    max_concurrency: usize,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
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
    /// Starts a run. `input` is an update, folded by the reducers into the default state, or a whole state.
    ///
    /// Nothing happens until the run is awaited or its stream is read.
    pub fn run(&self, input: impl Into<S::Update>) -> Run<S, R, MissingResources> {
        Run::new(Arc::clone(&self.inner), input.into())
    }
}

impl<S: State, R> Run<S, R, MissingResources> {
    fn new(graph: Arc<Inner<S, R>>, input: S::Update) -> Self {
        let options = Options {
            step_limit: STEP_LIMIT,
            max_concurrency: MAX_CONCURRENCY,
            clock: Arc::new(SystemClock),
            ids: Arc::new(RandomIds),
        };
        Self { graph, input, resources: MissingResources, options }
    }

    /// What nodes see as `cx.resources`: an `R` or an `Arc<R>`.
    pub fn resources(self, resources: impl Into<Arc<R>>) -> Run<S, R, Supplied<R>> {
        let Self { graph, input, options, .. } = self;
        Run { graph, input, resources: Supplied(resources.into()), options }
    }
}

impl<S: State, R: Send + Sync + 'static, P> Run<S, R, P> {
    /// The number of steps after which a run that has not ended fails. A chain of `n` nodes takes `n`. Default 1,000.
    pub fn step_limit(mut self, limit: u64) -> Self {
        self.options.step_limit = limit;
        self
    }

    /// How many tasks of a step are in flight at once; the others wait their turn. At least 1; default 1,024.
    pub fn max_concurrency(mut self, tasks: usize) -> Self {
        self.options.max_concurrency = tasks.max(1);
        self
    }

    /// The clock that dates events. Default [`SystemClock`].
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.options.clock = Arc::new(clock);
        self
    }

    /// What names the run. Default [`RandomIds`].
    pub fn ids(mut self, ids: impl IdSource) -> Self {
        self.options.ids = Arc::new(ids);
        self
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
        let log = Arc::new(EventLog::new(modes, Arc::clone(&self.options.clock)));
        RunStream::new(self.start(Some(Arc::clone(&log))), log)
    }

    fn start(self, log: Option<Arc<EventLog<S>>>) -> RunFuture<S>
    where
        P: Provides<R>,
    {
        let Self { graph, input, resources, options } = self;
        let run_id = options.ids.run_id();
        let shared = Arc::new(Shared {
            resources: resources.provide(),
            run_id: run_id.into(),
            names: Arc::clone(&graph.names),
            step_limit: options.step_limit,
            events: log.as_ref().map(|log| Arc::clone(log) as Arc<dyn Emit>),
        });
        let eager = log.is_some();
        let runner = LocalRunner::new(Arc::clone(&graph), Arc::clone(&shared), options.max_concurrency, eager);
        Box::pin(Driver::new(graph, shared, runner, log).drive(Entry::Input(input)))
    }
}

/// A run on its way to its end.
pub(crate) type RunFuture<S> = Pin<Box<dyn Future<Output = Result<Finished<S>, RunError>> + Send>>;

impl<S: State, R: Send + Sync + 'static, P: Provides<R>> IntoFuture for Run<S, R, P> {
    type Output = Result<Finished<S>, RunError>;
    type IntoFuture = RunFuture<S>;

    fn into_future(self) -> RunFuture<S> {
        self.start(None)
    }
}

impl<S: State, R, P> fmt::Debug for Run<S, R, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("graph", &self.graph.name).finish_non_exhaustive()
    }
}

/// A run that reached the end of its graph.
#[derive(Clone)]
#[non_exhaustive]
pub struct Finished<S> {
    /// The final state.
    pub state: S,
    /// Steps it took.
    pub steps: u64,
    /// Id of the run.
    pub run_id: String,
}

/// Leaves the state out, which may not be printable.
impl<S> fmt::Debug for Finished<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Finished").field("steps", &self.steps).field("run_id", &self.run_id).finish_non_exhaustive()
    }
}
