//! From options to a run: opens the thread, builds what the loop needs, drives it.

use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, Either, select};
use tokio::sync::oneshot;
use tokio::time::Instant;
use tracing::{Instrument, Span};

use super::driver::{Driver, Ended};
use super::lanes::LocalRunner;
use super::open::{Entry, NotOpened, Opened, Revival, ThreadOptions, open, open_thread, wait_until_idle};
use super::options::{Budget, Stops};
use super::report::Report;
use super::runner::TaskRunner;
use super::settings::{Rare, Settings};
use super::task_env::TaskEnv;
use super::watch::Watch;
use crate::caller::{Caller, InnerStops, Places, Shared, StopOnDrop};
use crate::checkpoint::{Origin, StoreError};
use crate::clock::{Clock, Random};
use crate::end::FailurePolicy;
use crate::error::{ErrorKind, RunError, ThreadError};
use crate::event::{Emit, EventKind, Sink};
use crate::graph::{AttachedCache, Breakpoints, Inner, closest};
use crate::journal::{Held, IfIdle, LeaseGuard, LeaseOrder, RunLease};
use crate::ledger::Ledger;
use crate::state::State;

/// A run that is about to start.
pub(crate) struct Launch<S: State, R> {
    pub(crate) graph: Arc<Inner<S, R>>,
    pub(crate) cache: Option<AttachedCache<S>>,
    pub(crate) resources: Arc<R>,
    pub(crate) entry: Entry<S>,
    pub(crate) thread: Option<ThreadOptions<S>>,
    pub(crate) settings: Settings,
    pub(crate) run_id: Arc<str>,
    /// The [namespace](crate::Event::namespace) of the run's events.
    pub(crate) path: Arc<str>,
    /// The task that runs the graph, when it is a subgraph.
    pub(crate) caller: Option<Box<Caller>>,
    pub(crate) sink: Option<Sink<S>>,
    pub(crate) emit: Option<Arc<dyn Emit>>,
    /// The graph is a subgraph that shares the state of its parent, which wants to know what was changed.
    pub(crate) shares_state: bool,
}

impl<S: State, R: Send + Sync + 'static> Launch<S, R> {
    /// Runs to the end.
    pub(crate) fn go(self) -> BoxFuture<'static, Result<Ended<S>, RunError>> {
        self.go_with(LocalRunner::new)
    }

    /// Runs to the end, with tasks executed by the runner that `runner` makes of what they are started with, the greatest number of them
    /// at once, and whether their outcomes are wanted as they come.
    ///
    /// Graphs that run inside each other share one stack. What prepares a run is gone from it when the run begins, and what drives
    /// it stands on the heap.
    pub(crate) fn go_with<T: TaskRunner<S> + 'static>(
        self,
        runner: impl FnOnce(TaskEnv<S, R>, usize, bool) -> T + Send + 'static,
    ) -> BoxFuture<'static, Result<Ended<S>, RunError>> {
        if self.thread.is_some() {
            let preparing = Box::pin(self.prepare(runner));
            return Box::pin(async move { preparing.await?.drive().await });
        }
        match self.prepare_without_thread(runner) {
            Ok(ready) => ready.drive(),
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }

    /// Builds what the loop needs. Nothing is waited for, which spares short runs a future.
    #[inline(never)]
    fn prepare_without_thread<T: TaskRunner<S>>(
        self,
        runner: impl FnOnce(TaskEnv<S, R>, usize, bool) -> T,
    ) -> Result<Ready<S, R, T>, RunError> {
        let Begun { begun, entry, .. } = self.begin()?;
        let opened = open(&begun.graph, entry).map(|opened| (opened, Ledger::default()));
        begun.ready(opened, None, runner)
    }

    /// Opens the thread, and builds what the loop needs.
    async fn prepare<T: TaskRunner<S>>(
        self,
        runner: impl FnOnce(TaskEnv<S, R>, usize, bool) -> T,
    ) -> Result<Ready<S, R, T>, RunError> {
        let Begun { mut begun, entry, thread, if_idle } = self.begin()?;
        let Some(thread) = thread else {
            let opened = open(&begun.graph, entry).map(|opened| (opened, Ledger::default()));
            return begun.ready(opened, None, runner);
        };

        let mut lease = None;
        if let Some(IfIdle { limit, term }) = if_idle {
            let (store, thread) = (Arc::clone(&thread.store), Arc::clone(&thread.key.thread));
            let (run, clock) = (Arc::clone(&begun.run_id), Arc::clone(&begun.clock));
            let order = LeaseOrder { store, thread, run, clock, term };
            let waiting = wait_until_idle(&order, limit, &mut begun.watch).await;
            lease = Some(waiting.map_err(|kind| begun.fail(kind))?);
        }

        let held = lease.as_ref().and_then(LeaseGuard::lease).map(|lease| &**lease);
        let (run_id, clock) = (Arc::clone(&begun.run_id), Arc::clone(&begun.clock));
        let opened = open_thread(&begun.graph, entry, thread, run_id, clock, held).await;
        if let (Some(lease), Err(_)) = (&mut lease, &opened) {
            lease.release().await;
        }
        begun.ready(opened, lease, runner)
    }

    /// Builds what does not depend on the thread.
    fn begin(self) -> Result<Begun<S, R>, RunError> {
        let Self { graph, cache, resources, entry, thread, settings, run_id, path, caller, sink, emit, shares_state } =
            self;
        let Settings { step_limit, max_concurrency, clock, random, policy, deadline, rare, .. } = settings;
        let Rare { budget, before, after, run_limit, step_time, cancel, drain, if_idle } =
            rare.map_or_else(Rare::default, |rare| *rare);

        let report = Report::new(Arc::clone(&graph.names), sink);
        report.start(&run_id);
        let span = super::spans::run(&graph.name, &run_id, thread.as_ref().map(|on| &*on.key.thread), &path);
        let (stops, inner_stops) = stops(&graph, before, after, thread.is_some())
            .map_err(|kind| RunError::new(Arc::clone(&graph.name), kind, Arc::new(S::default())))?;
        let watch = Watch::new(cancel, drain, &clock, run_limit, step_time);

        let begun = Begin {
            graph,
            cache,
            resources,
            run_id,
            path,
            caller,
            emit,
            shares_state,
            step_limit,
            max_concurrency,
            clock,
            random,
            policy,
            deadline,
            run_limit,
            budget,
            report,
            span,
            stops,
            inner_stops,
            watch,
        };
        Ok(Begun { begun, entry, thread, if_idle })
    }
}

/// A run that has begun, and what it is to begin with.
struct Begun<S: State, R> {
    begun: Begin<S, R>,
    entry: Entry<S>,
    thread: Option<ThreadOptions<S>>,
    if_idle: Option<IfIdle>,
}

/// What a run has before it is known where it begins.
struct Begin<S: State, R> {
    graph: Arc<Inner<S, R>>,
    cache: Option<AttachedCache<S>>,
    resources: Arc<R>,
    run_id: Arc<str>,
    path: Arc<str>,
    caller: Option<Box<Caller>>,
    emit: Option<Arc<dyn Emit>>,
    shares_state: bool,
    step_limit: u64,
    max_concurrency: usize,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    policy: FailurePolicy,
    deadline: Option<Instant>,
    run_limit: Option<Duration>,
    budget: Option<Budget>,
    report: Report<S>,
    span: Span,
    stops: Stops,
    inner_stops: InnerStops,
    watch: Watch,
}

impl<S: State, R: Send + Sync + 'static> Begin<S, R> {
    fn fail(&self, kind: ErrorKind) -> RunError {
        RunError::new(Arc::clone(&self.graph.name), kind, Arc::new(S::default()))
    }

    /// Builds what the loop needs from where the run begins.
    fn ready<T: TaskRunner<S>>(
        self,
        opened: Result<(Opened<S>, Ledger), NotOpened<S>>,
        lease: Option<LeaseGuard>,
        runner: impl FnOnce(TaskEnv<S, R>, usize, bool) -> T,
    ) -> Result<Ready<S, R, T>, RunError> {
        let Self { graph, cache, resources, run_id, path, caller, emit, report, span, clock, mut watch, .. } = self;
        let Self { shares_state, step_limit, max_concurrency, random, policy, deadline, run_limit, .. } = self;
        let Self { budget, stops, inner_stops, .. } = self;
        let (Opened { checkpoint, durable, revival, made, saved, abandoned, diff, .. }, ledger) =
            opened.map_err(|NotOpened { kind, state }| {
                RunError::new(Arc::clone(&graph.name), kind, state.unwrap_or_default())
            })?;

        if made == Some(Origin::Input) || durable.is_none() {
            ledger.turn_page(checkpoint.step + 1);
        }
        ledger.open(checkpoint.step + 1);
        if durable.is_some() {
            ledger.put_memories(checkpoint.memories.clone());
        }
        report.opened(checkpoint.step, &checkpoint.state);
        if !abandoned.is_empty() {
            report.note(checkpoint.step, EventKind::Abandoned { questions: abandoned });
        }

        let keeper = lease.as_ref().and_then(LeaseGuard::lease).map(|lease| Keeper::new(lease, &mut watch));
        let held = durable.as_ref().map(|durable| Held::new(Arc::clone(&durable.journal), lease));
        let durability = durable.as_ref().map(|durable| durable.mode).unwrap_or_default();
        let records = durable.as_ref().is_some_and(|durable| durable.records_as_they_come());
        let started = clock.instant();
        let places = match &caller {
            Some(caller) => caller.shared.places(),
            None => (graph.has_children() || graph.limits_nodes()).then(|| Places::new(max_concurrency)),
        };
        let stop = Arc::default();
        let shared = Arc::new(Shared {
            resources,
            run_id,
            names: Arc::clone(&graph.names),
            last_step: checkpoint.step.saturating_add(step_limit),
            max_concurrency,
            places,
            policy,
            clock,
            random,
            deadline: run_limit.and_then(|limit| started.checked_add(limit)).or(deadline),
            events: emit,
            ledger,
            journal: durable.as_ref().map(|durable| Arc::clone(&durable.journal)),
            durability,
            path,
            asks_without_thread: false,
            stop: Arc::clone(&stop),
            depth: caller.as_ref().map_or(0, |caller| caller.shared.depth() + 1),
            caller,
            inner_stops,
        });

        let eager = report.is_on() || records || policy == FailurePolicy::CancelSiblings;
        let env = TaskEnv { graph: Arc::clone(&graph), shared: Arc::clone(&shared), cache };
        let runner = runner(env, max_concurrency, eager);
        let diff = shares_state.then_some(diff);
        let driver = Driver {
            graph,
            shared,
            runner,
            report,
            checkpoint,
            durable,
            watch,
            stops,
            budget,
            policy,
            diff,
            saved,
            refused: Vec::new(),
            step_limit,
            started,
            _stop: StopOnDrop(stop),
            held,
        };
        Ok(Ready { driver: Box::new(driver), made, revival, span, keeper })
    }
}

/// A run that can be driven.
struct Ready<S: State, R, T> {
    driver: Box<Driver<S, R, T>>,
    made: Option<Origin>,
    revival: Revival<S>,
    span: Span,
    keeper: Option<Keeper>,
}

impl<S: State, R: Send + Sync + 'static, T: TaskRunner<S> + 'static> Ready<S, R, T> {
    fn drive(self) -> BoxFuture<'static, Result<Ended<S>, RunError>> {
        let Self { driver, made, revival, span, keeper } = self;
        let run = driver.drive(made, revival);
        match keeper {
            Some(keeper) => Box::pin(keeper.keep(run.instrument(span))),
            None if span.is_disabled() => Box::pin(run),
            None => Box::pin(run.instrument(span)),
        }
    }
}

/// Renews the lease of the thread while the run works.
struct Keeper {
    lease: Arc<RunLease>,
    lost: oneshot::Sender<StoreError>,
}

impl Keeper {
    fn new(lease: &Arc<RunLease>, watch: &mut Watch) -> Self {
        let (lost, is_lost) = oneshot::channel();
        watch.stop_when_lost(is_lost);
        Self { lease: Arc::clone(lease), lost }
    }

    /// Runs to the end. A run that loses its lease is told to stop.
    async fn keep<T>(self, run: impl Future<Output = T>) -> T {
        let Self { lease, lost } = self;
        match select(Box::pin(run), Box::pin(lease.keep())).await {
            Either::Left((done, _)) => done,
            Either::Right((error, run)) => {
                // A run that has ended meanwhile no longer listens.
                drop(lost.send(error));
                run.await
            }
        }
    }
}

/// The positions of the nodes to pause at, and where the subgraphs are to pause.
fn stops<S: State, R>(
    graph: &Inner<S, R>,
    before: Option<Breakpoints>,
    after: Option<Breakpoints>,
    has_thread: bool,
) -> Result<(Stops, InnerStops), ErrorKind> {
    if before.is_none() && after.is_none() {
        return Ok(Default::default());
    }
    if !has_thread {
        return Err(ErrorKind::Thread(ThreadError::NoThread));
    }
    let mut inside = InnerStops::new();
    let mut positions = |breakpoints: Option<Breakpoints>, is_before: bool| {
        let names = match breakpoints {
            None => return Ok(Vec::new()),
            Some(Breakpoints::All) => return Ok((0..).take(graph.nodes.len()).collect()),
            Some(Breakpoints::Nodes(names)) => names,
        };
        let mut own = Vec::new();
        for name in names {
            match graph.inner_path(&name) {
                Some((node, path)) => {
                    let stop = inside.entry(node).or_default();
                    if is_before { &mut stop.before } else { &mut stop.after }.push(path.to_string());
                }
                None => own.push(position(graph, name)?),
            }
        }
        Ok(own)
    };
    let (before, after) = (positions(before, true)?, positions(after, false)?);
    Ok((Stops { before, after }, inside))
}

/// The position of the node of a name that the host gave.
pub(crate) fn position<S: State, R>(graph: &Inner<S, R>, name: String) -> Result<u32, ErrorKind> {
    graph.position(&name).ok_or_else(|| {
        let suggestion = closest(&name, graph.names.iter().map(|known| &**known));
        ErrorKind::Thread(ThreadError::UnknownNode { name, suggestion })
    })
}
