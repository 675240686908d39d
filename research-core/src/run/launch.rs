//! From options to a run: opens the thread, builds what the loop needs, drives it.

use std::sync::Arc;

use tracing::Instrument;

use super::Settings;
use super::driver::{Driver, Ended};
use super::durable::Durable;
use super::lanes::LocalRunner;
use super::open::{Entry, NotOpened, Opened, ThreadOptions, open, open_thread};
use super::options::{Breakpoints, Stops};
use super::report::Report;
use super::runner::{Rim, TaskRunner};
use super::settings::Rare;
use super::watch::Watch;
use crate::caller::{Caller, Shared};
use crate::checkpoint::Origin;
use crate::event::{Emit, EventKind, Sink};
use crate::graph::{AttachedCache, Inner, closest};
use crate::journal::Held;
use crate::ledger::Ledger;
use crate::{ErrorKind, RunError, State, ThreadError};

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
    pub(crate) caller: Option<Box<Caller<R>>>,
    pub(crate) sink: Option<Sink<S>>,
    pub(crate) emit: Option<Arc<dyn Emit>>,
    /// The graph is a subgraph that shares the state of its parent, which wants to know what was changed.
    pub(crate) shares_state: bool,
}

impl<S: State, R: Send + Sync + 'static> Launch<S, R> {
    /// Runs to the end.
    pub(crate) async fn go(self) -> Result<Ended<S>, RunError> {
        self.go_with(LocalRunner::new).await
    }

    /// Runs to the end, with tasks executed by the runner that `runner` makes of what they are started with, the greatest number of them
    /// at once, and whether their outcomes are wanted as they come.
    pub(crate) async fn go_with<T: TaskRunner<S>>(
        self,
        runner: impl FnOnce(Rim<S, R>, usize, bool) -> T,
    ) -> Result<Ended<S>, RunError> {
        let graph = Arc::clone(&self.graph);
        let fail = |kind| RunError::new(Arc::clone(&graph.name), kind, Arc::new(S::default()));
        let Self { graph, cache, resources, entry, thread, settings, run_id, path, caller, sink, emit, shares_state } =
            self;
        let Settings { step_limit, max_concurrency, clock, random, policy, deadline, rare, .. } = settings;
        let Rare { budget, before, after, run_limit, step_time, cancel, drain } =
            rare.map_or_else(Rare::default, |rare| *rare);
        let ledger = Ledger::default();
        let report = Report::new(Arc::clone(&graph.names), sink);
        report.start(&run_id);
        let span = super::spans::run(&graph.name, &run_id, thread.as_ref().map(|on| &*on.key.thread), &path);
        let stops = stops(&graph, before, after, thread.is_some()).map_err(fail)?;
        let opened = match thread {
            None => open(&graph, entry),
            Some(thread) => open_thread(&graph, entry, thread, &ledger, Arc::clone(&run_id), Arc::clone(&clock)).await,
        };
        let Opened { checkpoint, durable, revival, made, abandoned, diff, .. } =
            opened.map_err(|NotOpened { kind, state }| {
                RunError::new(Arc::clone(&graph.name), kind, state.unwrap_or_default())
            })?;
        if made == Some(Origin::Input) || durable.is_none() {
            ledger.turn_page(checkpoint.step + 1);
        }
        ledger.open(checkpoint.step + 1);
        report.opened(checkpoint.step, &checkpoint.state);
        if !abandoned.is_empty() {
            report.note(checkpoint.step, EventKind::Abandoned { questions: abandoned });
        }
        let _held = durable.as_ref().map(|durable| Held::new(Arc::clone(&durable.journal)));
        let durability = durable.as_ref().map(|durable| durable.mode).unwrap_or_default();
        let records = durable.as_ref().is_some_and(Durable::records_as_they_come);
        let started = clock.now();
        let shared = Arc::new(Shared {
            resources,
            run_id,
            names: Arc::clone(&graph.names),
            last_step: checkpoint.step.saturating_add(step_limit),
            max_concurrency,
            policy,
            clock: Arc::clone(&clock),
            random,
            deadline: run_limit.and_then(|limit| started.checked_add(limit)).or(deadline),
            events: emit,
            ledger,
            journal: durable.as_ref().map(|durable| Arc::clone(&durable.journal)),
            durability,
            path,
            caller,
        });
        let eager = report.is_on() || records || policy == crate::FailurePolicy::CancelSiblings;
        let rim = Rim { graph: Arc::clone(&graph), shared: Arc::clone(&shared), cache };
        let runner = runner(rim, max_concurrency, eager);
        let watch = Watch::new(cancel, drain, &clock, run_limit, step_time);
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
            refused: Vec::new(),
            step_limit,
            started,
        };
        driver.drive(made, revival).instrument(span).await
    }
}

/// The positions of the nodes to pause at.
fn stops<S: State, R>(
    graph: &Inner<S, R>,
    before: Option<Breakpoints>,
    after: Option<Breakpoints>,
    has_thread: bool,
) -> Result<Stops, ErrorKind> {
    if before.is_none() && after.is_none() {
        return Ok(Stops::default());
    }
    if !has_thread {
        return Err(ErrorKind::Thread(ThreadError::NoThread));
    }
    let positions = |breakpoints: Option<Breakpoints>| match breakpoints {
        None => Ok(Vec::new()),
        Some(Breakpoints::All) => Ok((0..).take(graph.nodes.len()).collect()),
        Some(Breakpoints::Nodes(names)) => names.into_iter().map(|name| position(graph, name)).collect(),
    };
    Ok(Stops { before: positions(before)?, after: positions(after)? })
}

/// The position of the node of a name that the host gave.
pub(crate) fn position<S: State, R>(graph: &Inner<S, R>, name: String) -> Result<u32, ErrorKind> {
    graph.position(&name).ok_or_else(|| {
        let suggestion = closest(&name, graph.names.iter().map(|known| &**known));
        ErrorKind::Thread(ThreadError::UnknownNode { name, suggestion })
    })
}
