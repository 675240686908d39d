//! A checked graph with every reference resolved.

/// A checked graph: every reference resolved to a position, [`END_INDEX`](crate::handle::END_INDEX) for the end.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) entries: Vec<u32>,
    /// What runs when the budget is spent.
    pub(super) wind_up: Option<u32>,
    pub(super) edges: Vec<(u32, u32)>,
    /// By position of the route in the builder: its source and its declared targets.
    pub(super) routes: Vec<(u32, Option<Vec<u32>>)>,
    pub(super) joins: Vec<Join>,
    /// Declared gotos.
    pub(super) gotos: Vec<(u32, Vec<u32>)>,
    /// Nodes that run when nothing else is due, each once.
    pub(super) deferred: Vec<u32>,
    /// By position of the policy in the builder: its node.
    pub(super) policies: Vec<u32>,
}

/// Fires when `need` of its sources have finished since its round began.
pub(crate) struct Join {
    pub(crate) target: u32,
    /// Each once, in the order of their names, so that a place among them means the same wherever the graph is built.
    pub(crate) sources: Box<[u32]>,
    /// From 1 to the number of sources.
    pub(crate) need: u32,
}
