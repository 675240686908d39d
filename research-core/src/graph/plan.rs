//! A checked graph with every reference resolved.

/// A checked graph: every reference resolved to a position, [`END_INDEX`](crate::handle::END_INDEX) for the end.
pub(super) struct Plan {
    pub(super) entries: Vec<u32>,
    pub(super) edges: Vec<(u32, u32)>,
    /// By position of the route in the builder: its source and its declared targets.
    pub(super) routes: Vec<(u32, Option<Vec<u32>>)>,
    pub(super) joins: Vec<(Vec<u32>, u32)>,
    /// Declared gotos.
    pub(super) gotos: Vec<(u32, Vec<u32>)>,
}
