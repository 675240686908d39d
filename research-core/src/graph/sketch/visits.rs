//! What a run visited: counts and times by node, to be drawn.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

use crate::event::{Event, EventKind, TaskSource};
use crate::state::State;

/// How often the nodes of a graph ran, for how long, and which one after which.
///
/// Gather it from the events of a run, or of several, and give it to [`to_mermaid_with`](crate::CompiledGraph::to_mermaid_with)
/// or [`to_dot_with`](crate::CompiledGraph::to_dot_with).
///
/// ```
/// use futures::StreamExt;
/// use research_core::{END, Graph, State, Visits};
/// # #[derive(Clone, Debug, Default, State)]
/// # struct Count { n: u32 }
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let mut g = Graph::<Count>::new("count");
/// let up = g.node("up", |cx| async move { Ok(Count::update().n(cx.state.n + 1)) });
/// g.entry(up).route_to(up, [up, END], move |s: &Count| if s.n < 3 { up } else { END });
/// let graph = g.compile()?;
///
/// let mut visits = Visits::new();
/// let mut run = graph.run(Count::update()).stream();
/// while let Some(event) = run.next().await {
///     visits.observe(&event);
/// }
/// assert_eq!(visits.node("up").map(|up| up.runs), Some(3));
/// assert!(graph.to_mermaid_with(&visits).contains("up<br/>×3"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Visits {
    /// By namespace, empty for the root graph.
    graphs: BTreeMap<String, GraphVisits>,
    pub(in crate::graph) subgraphs: bool,
}

/// How often one node ran, and for how long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Visit {
    /// Runs that ended, the failed ones among them. A result that was restored from a store is no run.
    pub runs: u64,
    /// Runs that failed, those that an error handler made good among them.
    pub failures: u64,
    /// How often it stopped to wait for an answer.
    pub asked: u64,
    /// Time from start to end of all runs together, waiting for their turn included and waiting for answers not. Runs at the
    /// same time count each for itself.
    pub time: Duration,
    /// By node, in how many runs that one had run in the step before.
    after: BTreeMap<String, u64>,
    /// Runs in the first step.
    entered: u64,
}

impl Visit {
    /// Runs in the step after one in which `node` ran, whatever led from there to here.
    #[must_use]
    pub fn after(&self, node: &str) -> u64 {
        self.after.get(node).copied().unwrap_or(0)
    }

    /// Runs in the first step after an input.
    #[must_use]
    pub const fn entered(&self) -> u64 {
        self.entered
    }
}

impl Visits {
    /// No visits. Events of subgraphs are passed by.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// No visits. Events of subgraphs count for their nodes, and drawings expand subgraphs to show them.
    ///
    /// How often one node of a subgraph ran after another is not counted where several runs of the subgraph overlap.
    #[must_use]
    pub fn with_subgraphs() -> Self {
        Self { subgraphs: true, ..Self::default() }
    }

    /// Takes one event into account. Of interest are those of [`Modes::TASKS`](crate::Modes::TASKS), in their order.
    pub fn observe<S: State>(&mut self, event: &Event<S>) {
        if !self.subgraphs && !event.namespace.is_empty() {
            return;
        }
        let graph = self.graph(&event.namespace);
        let Some(task) = &event.task else {
            if let EventKind::RunStarted { .. } = event.kind {
                // What ran in the same step of an earlier run leads nowhere in this one.
                graph.ran.clear();
            }
            return;
        };
        let place = (event.step, task.index);
        match &event.kind {
            EventKind::TaskStarted => graph.open.entry(place).or_default().push(event.at),
            EventKind::Asked { .. } => {
                let time = graph.close(place, event.at);
                let visit = graph.visit(&task.node);
                visit.asked += 1;
                visit.time += time;
            }
            EventKind::TaskFinished { error, source } => {
                let time = graph.close(place, event.at);
                graph.enter(event.step);
                if *source != TaskSource::Restored {
                    let failed = error.is_some() || *source == TaskSource::Handled;
                    graph.finish(&task.node, time, failed);
                }
                graph.ran.insert(task.node.to_string());
            }
            _ => {}
        }
    }

    /// Adds a run of a node of the root graph that ended well, for histories that are kept in another way.
    pub fn visit(&mut self, node: &str, time: Duration) {
        let visit = self.graph("").visit(node);
        visit.runs += 1;
        visit.time += time;
    }

    /// The visits of one node of the root graph; `None` when it did not run.
    #[must_use]
    pub fn node(&self, name: &str) -> Option<&Visit> {
        self.node_of("", name)
    }

    /// The visits of one node of the subgraph with this [namespace](Event::namespace), whichever task ran it; `None` when it
    /// did not run.
    #[must_use]
    pub fn node_of(&self, namespace: &str, name: &str) -> Option<&Visit> {
        self.graphs.get(&without_places(namespace))?.nodes.get(name)
    }

    /// The nodes that ran: namespace, name and visits, in this order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &Visit)> {
        self.graphs
            .iter()
            .flat_map(|(namespace, graph)| graph.nodes.iter().map(move |(name, visit)| (&**namespace, &**name, visit)))
    }

    fn graph(&mut self, namespace: &str) -> &mut GraphVisits {
        self.graphs.entry(without_places(namespace)).or_default()
    }
}

/// A namespace without the places of the tasks that run the subgraphs in it.
fn without_places(namespace: &str) -> String {
    let name = |part: &'_ str| -> usize {
        match part.rsplit_once(':') {
            Some((name, place)) if !place.is_empty() && place.bytes().all(|digit| digit.is_ascii_digit()) => name.len(),
            _ => part.len(),
        }
    };
    namespace.split('/').map(|part| &part[..name(part)]).collect::<Vec<_>>().join("/")
}

/// The visits of one graph, and where its run stands.
#[derive(Clone, Debug, Default)]
struct GraphVisits {
    nodes: BTreeMap<String, Visit>,
    /// When the tasks that have not ended began, by step and place in it. Runs of one subgraph that overlap share a place; for
    /// the sum of their times it does not matter which began when.
    open: BTreeMap<(u64, usize), Vec<SystemTime>>,
    /// The last step in which a task ended.
    step: u64,
    /// The nodes that ran in that step.
    ran: BTreeSet<String>,
    /// The nodes that ran in the step before it.
    before: BTreeSet<String>,
}

impl GraphVisits {
    fn visit(&mut self, node: &str) -> &mut Visit {
        self.nodes.entry(node.to_string()).or_default()
    }

    /// Ends a task, and says how long it took.
    fn close(&mut self, place: (u64, usize), at: SystemTime) -> Duration {
        let Some(began) = self.open.get_mut(&place).and_then(Vec::pop) else { return Duration::ZERO };
        if self.open.get(&place).is_some_and(Vec::is_empty) {
            self.open.remove(&place);
        }
        // A clock that was set back in between measures nothing.
        at.duration_since(began).unwrap_or_default()
    }

    /// Makes `step` the one whose tasks end.
    fn enter(&mut self, step: u64) {
        if step == self.step {
            return;
        }
        let ran = std::mem::take(&mut self.ran);
        self.before = if step == self.step + 1 { ran } else { BTreeSet::new() };
        self.step = step;
    }

    fn finish(&mut self, node: &str, time: Duration, failed: bool) {
        let (before, entered) = (std::mem::take(&mut self.before), self.step == 1);
        let visit = self.visit(node);
        visit.runs += 1;
        visit.failures += u64::from(failed);
        visit.time += time;
        visit.entered += u64::from(entered);
        for node in &before {
            *visit.after.entry(node.clone()).or_default() += 1;
        }
        self.before = before;
    }
}
