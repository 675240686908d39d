//! Every way that a run can take through a graph, for questions of reachability.

use std::collections::BTreeMap;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Dfs, EdgeFiltered, Reversed, Walker};

use super::draft::Draft;
use super::plan::Plan;
use crate::handle::END_INDEX;
use crate::state::State;

/// Every way that a run can take, for reachability. Edges that a join makes carry its position.
pub(super) struct Ways {
    graph: DiGraph<(), Option<usize>>,
    nodes: usize,
    /// By place, the loop that it is part of.
    loops: Vec<usize>,
}

impl Ways {
    pub(super) fn new<S: State, R>(graph: &Draft<S, R>, plan: &Plan) -> Self {
        let nodes = graph.nodes.len();
        let mut ways = Self { graph: DiGraph::new(), nodes, loops: Vec::new() };
        for _ in 0..nodes + 3 {
            ways.graph.add_node(());
        }
        // What can go anywhere leads to one place from which everything is reached.
        for index in (0..).take(nodes) {
            ways.graph.add_edge(ways.anywhere(), ways.at(index), None);
        }
        ways.graph.add_edge(ways.anywhere(), ways.at(END_INDEX), None);
        for to in plan.entries.iter().chain(&plan.wind_up) {
            ways.graph.add_edge(ways.start(), ways.at(*to), None);
        }
        if !graph.entry_routes.is_empty() {
            ways.graph.add_edge(ways.start(), ways.anywhere(), None);
        }
        for (from, to) in &plan.edges {
            ways.graph.add_edge(ways.at(*from), ways.at(*to), None);
        }
        for (from, targets) in &plan.routes {
            ways.lead(*from, targets.as_deref());
        }
        for (position, join) in plan.joins.iter().enumerate() {
            for from in &join.sources {
                ways.graph.add_edge(ways.at(*from), ways.at(join.target), Some(position));
            }
        }
        let mut declared: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (from, targets) in &plan.gotos {
            declared.entry(*from).or_default().extend(targets);
        }
        for (index, _) in (0..).zip(&graph.nodes).filter(|(index, node)| node.may_goto || declared.contains_key(index))
        {
            ways.lead(index, declared.get(&index).map(Vec::as_slice));
        }
        ways.loops = vec![0; ways.graph.node_count()];
        for (position, members) in kosaraju_scc(&ways.graph).into_iter().enumerate() {
            members.into_iter().for_each(|member| ways.loops[member.index()] = position);
        }
        ways
    }

    /// Whether a run can come from each of the two to the other.
    pub(super) fn in_one_loop(&self, a: u32, b: u32) -> bool {
        self.loops[self.at(a).index()] == self.loops[self.at(b).index()]
    }

    fn lead(&mut self, from: u32, targets: Option<&[u32]>) {
        match targets {
            None => {
                self.graph.add_edge(self.at(from), self.anywhere(), None);
            }
            Some(targets) => targets.iter().for_each(|to| {
                self.graph.add_edge(self.at(from), self.at(*to), None);
            }),
        }
    }

    fn at(&self, index: u32) -> NodeIndex {
        if index == END_INDEX { NodeIndex::new(self.nodes) } else { NodeIndex::new(index as usize) }
    }

    fn start(&self) -> NodeIndex {
        NodeIndex::new(self.nodes + 1)
    }

    fn anywhere(&self) -> NodeIndex {
        NodeIndex::new(self.nodes + 2)
    }

    /// By node, whether a run can come to it, without the ways that one join makes.
    pub(super) fn reached(&self, without: Option<usize>) -> Vec<bool> {
        let ways = EdgeFiltered::from_fn(&self.graph, |edge| without.is_none() || *edge.weight() != without);
        self.mark(Dfs::new(&ways, self.start()).iter(&ways))
    }

    /// By node, whether a run can come from it to the end.
    pub(super) fn leading_out(&self) -> Vec<bool> {
        let back = Reversed(&self.graph);
        self.mark(Dfs::new(back, self.at(END_INDEX)).iter(back))
    }

    fn mark(&self, seen: impl Iterator<Item = NodeIndex>) -> Vec<bool> {
        let mut marks = vec![false; self.graph.node_count()];
        seen.for_each(|node| marks[node.index()] = true);
        marks
    }
}
