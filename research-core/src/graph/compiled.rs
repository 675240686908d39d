//! A graph that passed its checks: what runs.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::draft::{Decide, Draft};
use super::plan::Plan;
use super::problem::closest;
use crate::command::Target;
use crate::handle::{END_INDEX, Node};
use crate::node::Body;
use crate::{FieldSet, State};

/// A checked graph. Cheap to clone; all clones share it.
pub struct CompiledGraph<S: State, R = ()> {
    pub(crate) inner: Arc<Inner<S, R>>,
}

/// The graph as the engine reads it: positions instead of names.
pub(crate) struct Inner<S: State, R> {
    pub(crate) id: u32,
    pub(crate) name: Arc<str>,
    pub(crate) names: Arc<[Arc<str>]>,
    pub(crate) nodes: Box<[NodeEntry<S, R>]>,
    pub(crate) entries: Box<[u32]>,
    pub(crate) entry_routes: Box<[Route<S>]>,
    pub(crate) joins: Box<[Join]>,
    /// The fields that admit one write a step.
    pub(crate) plain: FieldSet,
    by_name: BTreeMap<Arc<str>, u32>,
}

pub(crate) struct NodeEntry<S: State, R> {
    pub(crate) body: Box<dyn Body<S, R>>,
    /// Place of its name among all names: the order in which tasks of a step fold.
    pub(crate) rank: u32,
    pub(crate) takes_input: bool,
    /// Static targets, without `END`.
    pub(crate) edges: Box<[u32]>,
    pub(crate) routes: Box<[Route<S>]>,
    /// Joins it is a source of: the join's position and the source's place in it.
    pub(crate) joins: Box<[(u32, u32)]>,
    /// For drawings: where its commands can lead; `None` when it returns commands and that is not declared.
    pub(crate) gotos: Option<Box<[u32]>>,
    /// For drawings: it has an edge to the end.
    pub(crate) ends: bool,
}

pub(crate) struct Route<S> {
    pub(crate) decide: Decide<S>,
    pub(crate) targets: Option<Box<[u32]>>,
}

pub(crate) struct Join {
    pub(crate) target: u32,
    pub(crate) sources: Box<[u32]>,
}

impl<S: State, R> CompiledGraph<S, R> {
    pub(super) fn new(graph: Draft<S, R>, plan: Plan) -> Self {
        let names: Arc<[Arc<str>]> = graph.nodes.iter().map(|node| Arc::from(&*node.name)).collect();
        let by_name: BTreeMap<Arc<str>, u32> = names.iter().map(Arc::clone).zip(0..).collect();
        let mut routes: Vec<Vec<Route<S>>> = graph.nodes.iter().map(|_| Vec::new()).collect();
        for ((_, def), (from, targets)) in graph.routes.into_iter().zip(plan.routes) {
            let targets = targets.map(Into::into);
            routes[from as usize].push(Route { decide: def.decide, targets });
        }
        let ranks: BTreeMap<u32, u32> = by_name.values().copied().zip(0..).collect();
        let mut ways: Vec<NodeWays> = graph.nodes.iter().map(|_| NodeWays::default()).collect();
        for (from, to) in &plan.edges {
            ways[*from as usize].edges.push(*to);
        }
        for (from, to) in plan.gotos {
            ways[from as usize].gotos.get_or_insert_default().extend(to);
        }
        for (join, (sources, _)) in (0..).zip(&plan.joins) {
            for (place, source) in (0..).zip(sources) {
                ways[*source as usize].joins.push((join, place));
            }
        }
        let nodes = graph
            .nodes
            .into_iter()
            .zip(routes)
            .zip(ways)
            .zip(0..)
            .filter_map(|(((def, routes), ways), index)| {
                let ends = ways.edges.contains(&END_INDEX);
                Some(NodeEntry {
                    body: def.body?,
                    rank: ranks[&index],
                    takes_input: def.takes_input,
                    edges: ways.edges.into_iter().filter(|to| *to != END_INDEX).collect(),
                    routes: routes.into(),
                    joins: ways.joins.into(),
                    gotos: ways.gotos.or_else(|| (!def.may_goto).then(Vec::new)).map(Into::into),
                    ends,
                })
            })
            .collect();
        let entry_routes =
            graph.entry_routes.into_iter().map(|def| Route { decide: def.decide, targets: None }).collect();
        let joins = plan.joins.into_iter().map(|(sources, target)| Join { target, sources: sources.into() }).collect();
        let entries = plan.entries.into_iter().filter(|entry| *entry != END_INDEX).collect();
        let (id, name, plain) = (graph.id, graph.name.into(), FieldSet::plain::<S>());
        Self { inner: Arc::new(Inner { id, name, names, nodes, entries, entry_routes, joins, plain, by_name }) }
    }

    /// The name of the graph.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The names of the nodes, in the order of their declaration.
    pub fn node_names(&self) -> impl Iterator<Item = &str> {
        self.inner.names.iter().map(|name| &**name)
    }
}

/// What leads out of one node, gathered in one pass over the plan.
#[derive(Default)]
struct NodeWays {
    edges: Vec<u32>,
    gotos: Option<Vec<u32>>,
    joins: Vec<(u32, u32)>,
}

/// A dynamic target that could not be resolved.
pub(crate) enum Unresolved {
    Unknown { target: String, suggestion: Option<String> },
    Foreign,
    NeedsInput { target: String },
}

impl<S: State, R> Inner<S, R> {
    /// The position of a target that a route or a command named; `None` for the end.
    pub(crate) fn resolve(&self, target: &Target) -> Result<Option<u32>, Unresolved> {
        let index = match target {
            Target::Sent(sent) => return self.resolve_sent(sent.node).map(Some),
            Target::Node(node) if node.index == END_INDEX => return Ok(None),
            Target::Node(node) if node.graph == self.id => node.index,
            Target::Node(_) => return Err(Unresolved::Foreign),
            Target::Name(name) => *self.by_name.get(&**name).ok_or_else(|| Unresolved::Unknown {
                target: name.to_string(),
                suggestion: closest(name, self.by_name.keys().map(|known| &**known)),
            })?,
        };
        if self.nodes[index as usize].takes_input {
            return Err(Unresolved::NeedsInput { target: self.names[index as usize].to_string() });
        }
        Ok(Some(index))
    }

    /// The position of the task that something was sent to.
    pub(crate) fn resolve_sent(&self, node: Node) -> Result<u32, Unresolved> {
        if node.graph == self.id { Ok(node.index) } else { Err(Unresolved::Foreign) }
    }
}

impl<S: State, R> Clone for CompiledGraph<S, R> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}

impl<S: State, R> fmt::Debug for CompiledGraph<S, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledGraph").field("name", &self.inner.name).field("nodes", &self.inner.names).finish()
    }
}
