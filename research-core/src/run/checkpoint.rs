//! Where a run stands between two steps.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::graph::Inner;
use crate::handle::Sent;
use crate::state::State;
use crate::stored::{CallName, Memories};

/// All that a run needs to go on: the state, what is due, what joins wait for.
pub(crate) struct Checkpoint<S> {
    pub(crate) state: Arc<S>,
    /// Steps completed since the input.
    pub(crate) step: u64,
    /// Nodes due next, each once, in the order of their names.
    pub(crate) nodes: Vec<u32>,
    /// Nodes due when nothing else is, each once, in the order of their names.
    pub(crate) deferred: Vec<u32>,
    /// Tasks sent, in the order of their emission.
    pub(crate) sends: Vec<Sent>,
    /// By join.
    pub(crate) joins: Box<[Arrived]>,
    /// What was spent of the budget's counters since the input.
    pub(crate) spent: BTreeMap<String, u64>,
    /// The budget is spent and the node for that case was made due: budgets count no more.
    pub(crate) wound_up: bool,
    /// Nodes of the parent graph that a command of a subgraph led to; the subgraph is over then.
    pub(crate) left: Option<Vec<String>>,
    /// By place of the task, the names of calls of subgraphs that began before an update from outside.
    pub(crate) calls: Vec<CallName>,
    /// What subgraphs remember over all calls.
    pub(crate) memories: Memories,
}

/// Which sources of a join have arrived since its round began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arrived {
    pub(crate) by_source: Box<[bool]>,
    pub(crate) count: usize,
    /// It has fired in this round, and absorbs the stragglers.
    pub(crate) fired: bool,
}

impl Arrived {
    fn none_of(sources: usize) -> Self {
        Self { by_source: vec![false; sources].into(), count: 0, fired: false }
    }

    /// Notes a source. After the join has fired, the arrival of the last straggler or a second one of any source begins the
    /// next round.
    pub(crate) fn arrive(&mut self, source: usize) {
        if self.by_source[source] && self.fired {
            self.reset();
        }
        if !std::mem::replace(&mut self.by_source[source], true) {
            self.count += 1;
        }
        if self.fired && self.count == self.by_source.len() {
            self.reset();
        }
    }

    /// Says whether the join fires, having `need` arrivals for the first time in its round.
    pub(crate) fn fire(&mut self, need: usize) -> bool {
        let fires = !self.fired && self.count >= need;
        if fires && self.count == self.by_source.len() {
            self.reset();
        } else if fires {
            self.fired = true;
        }
        fires
    }

    fn reset(&mut self) {
        *self = Self::none_of(self.by_source.len());
    }
}

impl<S: State> Checkpoint<S> {
    /// The place before the first step, with nothing due.
    pub(crate) fn new<R>(graph: &Inner<S, R>, state: S) -> Self {
        let joins = graph.joins.iter().map(|join| Arrived::none_of(join.sources.len())).collect();
        Self {
            state: Arc::new(state),
            step: 0,
            nodes: Vec::new(),
            deferred: Vec::new(),
            sends: Vec::new(),
            joins,
            spent: BTreeMap::new(),
            wound_up: false,
            left: None,
            calls: Vec::new(),
            memories: Memories::default(),
        }
    }

    /// Whether nothing is due.
    pub(crate) fn is_over(&self) -> bool {
        self.nodes.is_empty() && self.sends.is_empty() && self.deferred.is_empty()
    }

    /// Drops all that is due.
    pub(crate) fn clear_due(&mut self) {
        self.nodes.clear();
        self.deferred.clear();
        self.sends.clear();
    }

    /// Puts the due nodes in the order of their names, each once, the deferred ones apart.
    #[inline]
    pub(crate) fn order_nodes<R>(&mut self, graph: &Inner<S, R>) {
        if self.nodes.len() > 1 || graph.has_deferred() {
            self.sort_nodes(graph);
        }
    }

    fn sort_nodes<R>(&mut self, graph: &Inner<S, R>) {
        if graph.has_deferred() {
            let deferred = self.nodes.extract_if(.., |node| graph.nodes[*node as usize].deferred);
            self.deferred.extend(deferred);
            order(graph, &mut self.deferred);
        }
        order(graph, &mut self.nodes);
    }
}

fn order<S: State, R>(graph: &Inner<S, R>, nodes: &mut Vec<u32>) {
    if nodes.len() > 1 {
        nodes.sort_unstable_by_key(|node| graph.nodes[*node as usize].rank);
        nodes.dedup();
    }
}
