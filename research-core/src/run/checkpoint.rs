//! Where a run stands between two steps.

use std::sync::Arc;

use crate::State;
use crate::graph::Inner;
use crate::handle::Sent;

/// All that a run needs to go on: the state, what is due, what joins wait for.
pub(crate) struct Checkpoint<S> {
    pub(crate) state: Arc<S>,
    /// Steps completed.
    pub(crate) step: u64,
    /// Nodes due next, each once, in the order of their names.
    pub(crate) nodes: Vec<u32>,
    /// Tasks sent, in the order of their emission.
    pub(crate) sends: Vec<Sent>,
    /// By join.
    pub(crate) joins: Box<[Arrived]>,
}

/// Which sources of a join have finished since it last fired.
pub(crate) struct Arrived {
    by_source: Box<[bool]>,
    missing: usize,
}

impl Arrived {
    fn none_of(sources: usize) -> Self {
        Self { by_source: vec![false; sources].into(), missing: sources }
    }

    /// Notes a source.
    pub(crate) fn arrive(&mut self, source: usize) {
        if !std::mem::replace(&mut self.by_source[source], true) {
            self.missing -= 1;
        }
    }

    /// Says whether the join fires, and re-arms it if so.
    pub(crate) fn fire(&mut self) -> bool {
        let fires = self.missing == 0;
        if fires {
            *self = Self::none_of(self.by_source.len());
        }
        fires
    }
}

impl<S: State> Checkpoint<S> {
    /// The place before the first step, with nothing due.
    pub(crate) fn new<R>(graph: &Inner<S, R>, state: S) -> Self {
        let joins = graph.joins.iter().map(|join| Arrived::none_of(join.sources.len())).collect();
        Self { state: Arc::new(state), step: 0, nodes: Vec::new(), sends: Vec::new(), joins }
    }

    /// Puts the due nodes in the order of their names, each once.
    pub(crate) fn order_nodes<R>(&mut self, graph: &Inner<S, R>) {
        if self.nodes.len() > 1 {
            self.nodes.sort_unstable_by_key(|node| graph.nodes[*node as usize].rank);
            self.nodes.dedup();
        }
    }
}
