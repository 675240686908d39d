//! Deferred nodes: which of them come before which.

use std::collections::{BTreeMap, BTreeSet};

use super::plan::Plan;

/// The order of the deferred nodes of a graph.
#[derive(Default)]
pub(super) struct Deferred {
    /// By deferred node, the deferred nodes that lead to it and that it does not lead back to.
    before: BTreeMap<u32, BTreeSet<u32>>,
}

impl Deferred {
    pub(super) fn new(plan: &Plan) -> Self {
        if plan.deferred.is_empty() {
            return Self::default();
        }
        let ways = ways(plan);
        let reached: BTreeMap<u32, BTreeSet<u32>> =
            plan.deferred.iter().map(|node| (*node, reached(&ways, *node))).collect();
        let leads = |from: &u32, to: &u32| reached.get(from).is_some_and(|nodes| nodes.contains(to));
        let earlier = |node: &u32| {
            plan.deferred.iter().copied().filter(|other| leads(other, node) && !leads(node, other)).collect()
        };
        Self { before: plan.deferred.iter().map(|node| (*node, earlier(node))).collect() }
    }

    /// Whether the graph has none.
    pub(super) fn is_empty(&self) -> bool {
        self.before.is_empty()
    }

    /// Those of the pending nodes that no other pending one comes before, in the order of `pending`; never none of some,
    /// since coming before is a strict partial order.
    pub(super) fn first(&self, pending: &[u32]) -> Vec<u32> {
        let waits = |node: &u32| {
            self.before.get(node).is_some_and(|earlier| pending.iter().any(|other| earlier.contains(other)))
        };
        pending.iter().copied().filter(|node| !waits(node)).collect()
    }
}

/// Where each node is known to lead. A decision whose targets were not declared is not known to lead anywhere.
fn ways(plan: &Plan) -> BTreeMap<u32, Vec<u32>> {
    let edges = plan.edges.iter().copied();
    let routes = plan.routes.iter().flat_map(|(from, targets)| targets.iter().flatten().map(|to| (*from, *to)));
    let gotos = plan.gotos.iter().flat_map(|(from, targets)| targets.iter().map(|to| (*from, *to)));
    let joins = plan.joins.iter().flat_map(|join| join.sources.iter().map(|from| (*from, join.target)));
    let mut ways: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (from, to) in edges.chain(routes).chain(gotos).chain(joins) {
        ways.entry(from).or_default().push(to);
    }
    ways
}

/// What a run can come to after `start`; `start` itself only where it is part of a loop.
fn reached(ways: &BTreeMap<u32, Vec<u32>>, start: u32) -> BTreeSet<u32> {
    let mut seen = BTreeSet::new();
    let mut open = vec![start];
    while let Some(node) = open.pop() {
        for to in ways.get(&node).into_iter().flatten() {
            if seen.insert(*to) {
                open.push(*to);
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever is pending, some of it runs; and what runs waits for nothing that is pending and could not wait for it.
        #[test]
        fn some_always_run_and_none_before_what_leads_to_it(
            edges in proptest::collection::vec((0_u32..8, 0_u32..8), 0..20),
            deferred in proptest::collection::btree_set(0_u32..8, 1..8),
            wanted in proptest::collection::vec(any::<bool>(), 8),
        ) {
            let deferred: Vec<u32> = deferred.into_iter().collect();
            let pending: Vec<u32> = deferred.iter().copied().filter(|node| wanted[*node as usize]).collect();
            let plan = Plan { edges, deferred, ..Plan::default() };
            // Reachability by brute force.
            let mut leads = [[false; 8]; 8];
            plan.edges.iter().for_each(|(from, to)| leads[*from as usize][*to as usize] = true);
            for over in 0..8 {
                for from in 0..8 {
                    for to in 0..8 {
                        leads[from][to] |= leads[from][over] && leads[over][to];
                    }
                }
            }
            let before = |a: u32, b: u32| leads[a as usize][b as usize] && !leads[b as usize][a as usize];
            let expected: Vec<u32> = pending
                .iter()
                .copied()
                .filter(|node| !pending.iter().any(|other| before(*other, *node)))
                .collect();
            prop_assert_eq!(Deferred::new(&plan).first(&pending), expected.clone());
            prop_assert_eq!(expected.is_empty(), pending.is_empty());
        }
    }
}
