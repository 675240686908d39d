//! A graph that passed its checks: what runs.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::attached::Attached;
use super::cached::AttachedCache;
use super::defaults::Defaults;
use super::defer::Deferred;
use super::draft::{Decide, Draft};
use super::fingerprint::fingerprint;
use super::input::InputCodec;
use super::plan::{Join, Plan};
use super::policies::Settled;
use super::problem::closest;
use super::sketch::Drawn;
use crate::checkpoint::namespace::segment;
use crate::command::{NamedTask, Target};
use crate::error::{Cause, NodeError, RetryHint, RunError};
use crate::handle::{END_INDEX, Fingerprint, Node, Sent};
use crate::node::Body;
use crate::policy::{Class, Classify, NodeBudget, NodePolicy};
use crate::state::{FieldSet, State};
use crate::stored::OnChange;

/// A checked graph. Cheap to clone; all clones share it.
pub struct CompiledGraph<S: State, R = ()> {
    pub(crate) inner: Arc<Inner<S, R>>,
    /// Where its cached nodes look.
    pub(crate) cache: Option<AttachedCache<S>>,
    /// Where its threads are kept.
    pub(crate) attached: Option<Attached<S>>,
    /// What becomes of threads that another version of it wrote.
    pub(crate) on_change: OnChange,
    pub(crate) defaults: Arc<Defaults>,
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
    /// What runs when the budget is spent.
    pub(crate) wind_up: Option<u32>,
    /// The fields that admit one write a step.
    pub(crate) plain: FieldSet,
    /// The version that it gave itself; 0 without one.
    pub(crate) version: u64,
    /// Stable over processes and releases; see [`Fingerprint`].
    pub(crate) fingerprint: u64,
    by_name: BTreeMap<Arc<str>, u32>,
    deferred: Deferred,
    classify: Option<Classify>,
}

pub(crate) struct NodeEntry<S: State, R> {
    pub(crate) body: Box<dyn Body<S, R>>,
    /// Place of its name among all names: the order in which tasks of a step fold.
    pub(crate) rank: u32,
    /// How its input is kept; `None` when it takes none.
    pub(crate) input: Option<InputCodec>,
    /// It runs when nothing else is due.
    pub(crate) deferred: bool,
    /// For drawings: the graph that runs inside of it.
    pub(crate) child: Option<Arc<dyn Drawn>>,
    /// Static targets, without `END`.
    pub(crate) edges: Box<[u32]>,
    pub(crate) routes: Box<[Route<S>]>,
    /// Joins it is a source of: the join's position and the source's place in it.
    pub(crate) joins: Box<[(u32, u32)]>,
    /// Where its commands can lead; `None` when it returns commands and that is not declared.
    pub(crate) gotos: Option<Box<[u32]>>,
    /// For drawings: it has an edge to the end.
    pub(crate) ends: bool,
    /// What is done when it fails, hangs, or need not run; `None` when nothing.
    pub(crate) policy: Option<Arc<NodePolicy<S, R>>>,
    /// How many tasks of it run at once; `None` without a limit of its own.
    pub(crate) max_concurrency: Option<usize>,
    pub(crate) budget: Option<NodeBudget>,
}

pub(crate) struct Route<S> {
    pub(crate) decide: Decide<S>,
    /// Where it can lead; `None` when that was not declared.
    pub(crate) targets: Option<Box<[u32]>>,
}

impl<S: State, R> NodeEntry<S, R> {
    /// Where its commands may lead, when that was declared and is to be held.
    pub(crate) fn declared_gotos(&self) -> Option<&[u32]> {
        self.gotos.as_deref().filter(|targets| !targets.is_empty())
    }

    /// Whether it runs with an input of its own.
    pub(crate) const fn takes_input(&self) -> bool {
        self.input.is_some()
    }
}

impl<S: State, R> CompiledGraph<S, R> {
    pub(super) fn new(graph: Draft<S, R>, plan: Plan) -> Self {
        let Fingerprint(fingerprint) = fingerprint(&graph, &plan);
        let deferred = Deferred::new(&plan);
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
        for (position, join) in (0..).zip(&plan.joins) {
            for (place, source) in (0..).zip(&join.sources) {
                ways[*source as usize].joins.push((position, place));
            }
        }
        let (mut policies, count) = (graph.policies, graph.nodes.len());
        let classify = policies.classify.take();
        let nodes = graph
            .nodes
            .into_iter()
            .zip(routes)
            .zip(ways)
            .zip(policies.settle(&plan.policies, count))
            .zip(0..)
            .filter_map(|((((def, routes), ways), settled), index)| {
                let Settled { policy, max_concurrency, budget } = settled;
                let ends = ways.edges.contains(&END_INDEX);
                Some(NodeEntry {
                    body: def.body?,
                    rank: ranks[&index],
                    input: def.input,
                    child: def.child,
                    deferred: plan.deferred.binary_search(&index).is_ok(),
                    edges: ways.edges.into_iter().filter(|to| *to != END_INDEX).collect(),
                    routes: routes.into(),
                    joins: ways.joins.into(),
                    gotos: ways.gotos.or_else(|| (!def.may_goto).then(Vec::new)).map(Into::into),
                    ends,
                    policy,
                    max_concurrency,
                    budget,
                })
            })
            .collect();
        let entry_routes =
            graph.entry_routes.into_iter().map(|def| Route { decide: def.decide, targets: None }).collect();
        let joins = plan.joins.into();
        let entries = plan.entries.into_iter().filter(|entry| *entry != END_INDEX).collect();
        let (id, name, plain) = (graph.id, graph.name.into(), FieldSet::plain::<S>());
        let inner = Inner {
            id,
            name,
            names,
            nodes,
            entries,
            entry_routes,
            joins,
            wind_up: plan.wind_up.filter(|node| *node != END_INDEX),
            plain,
            version: graph.version,
            fingerprint,
            by_name,
            deferred,
            classify,
        };
        Self {
            inner: Arc::new(inner),
            cache: None,
            attached: None,
            on_change: OnChange::default(),
            defaults: Arc::default(),
        }
    }

    /// The name of the graph.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// What tells this graph from another one, for threads that outlive a release.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint(self.inner.fingerprint)
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
    Misfit { target: String, reason: String },
}

impl<S: State, R> Inner<S, R> {
    /// The position of a target that a route or a command named; `None` for the end.
    pub(crate) fn resolve(&self, target: &Target) -> Result<Option<u32>, Unresolved> {
        let index = match target {
            Target::Sent(sent) => return self.resolve_sent(sent.node).map(Some),
            Target::NamedTask(task) => return self.resolve_sent(self.named_task(task)?.node).map(Some),
            Target::Node(node) if node.index == END_INDEX => return Ok(None),
            Target::Node(node) if node.graph == self.id => node.index,
            Target::Node(_) => return Err(Unresolved::Foreign),
            Target::Name(name) => self.named(name)?,
        };
        if self.nodes[index as usize].takes_input() {
            return Err(Unresolved::NeedsInput { target: self.names[index as usize].to_string() });
        }
        Ok(Some(index))
    }

    /// The task of a name, with its input in the type that it takes.
    pub(crate) fn named_task(&self, task: &NamedTask) -> Result<Sent, Unresolved> {
        let index = self.named(&task.name)?;
        let misfit = |reason: String| Unresolved::Misfit { target: task.name.to_string(), reason };
        let codec = self.nodes[index as usize].input.as_ref().ok_or_else(|| misfit("it takes none".to_string()))?;
        let input = (codec.decode)(&task.input).map_err(|error| misfit(error.to_string()))?;
        Ok(Sent { node: Node { graph: self.id, index }, input })
    }

    fn named(&self, name: &str) -> Result<u32, Unresolved> {
        self.position(name).ok_or_else(|| Unresolved::Unknown {
            target: name.to_string(),
            suggestion: closest(name, self.by_name.keys().map(|known| &**known)),
        })
    }

    /// Whether another attempt can help against an error.
    pub(crate) fn class(&self, error: &NodeError) -> Class {
        let own = self.classify.as_ref().map_or(Class::retryable(), |classify| classify(error));
        match (own, error.subgraph().and_then(RunError::hint)) {
            (own, None) => own,
            (Class::Terminal, _) | (_, Some(RetryHint::Terminal)) => Class::Terminal,
            (Class::Retryable { after }, Some(RetryHint::After(least))) => {
                Class::after(after.unwrap_or(least).max(least))
            }
        }
    }

    /// What a run of this graph that failed says of another attempt of the node that ran it.
    pub(crate) fn retry_hint(&self, error: &RunError) -> Option<RetryHint> {
        let hint = |cause: &Cause| match cause {
            Cause::Error(error) | Cause::Handler { error, .. } => match self.class(error) {
                Class::Terminal => Some(RetryHint::Terminal),
                Class::Retryable { after } => after.map(RetryHint::After),
            },
            Cause::TimedOut { .. } => None,
            // A mistake in the program, or a result that is there and is only refused.
            _ => Some(RetryHint::Terminal),
        };
        if error.is_conflict() {
            return Some(RetryHint::Terminal);
        }
        let later = |one: Option<RetryHint>, other: Option<RetryHint>| match (one, other) {
            (Some(RetryHint::After(one)), Some(RetryHint::After(other))) => Some(RetryHint::After(one.max(other))),
            (Some(RetryHint::Terminal), _) | (_, Some(RetryHint::Terminal)) => Some(RetryHint::Terminal),
            (one, other) => one.or(other),
        };
        error.failures().iter().map(|failure| hint(&failure.cause)).fold(None, later)
    }

    /// Whether a declaration of targets, where there is one, has `target`, in which `None` is the end.
    pub(crate) fn declares(targets: Option<&[u32]>, target: Option<u32>) -> bool {
        targets.is_none_or(|targets| targets.contains(&target.unwrap_or(END_INDEX)))
    }

    /// The position of the node of this name.
    pub(crate) fn position(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    /// The node that runs the graph which a path leads into, and the rest of the path; `None` where it is the name of a node of
    /// this graph, or leads nowhere.
    pub(crate) fn inner_path<'p>(&self, path: &'p str) -> Option<(u32, &'p str)> {
        if self.by_name.contains_key(path) {
            return None;
        }
        let (first, rest) = path.split_once('/')?;
        let node = (0..).zip(&*self.names).find(|(_, name)| segment(name) == first)?.0;
        let child = self.nodes[node as usize].child.as_ref()?;
        child.has_node(rest).then_some((node, rest))
    }

    /// Whether any node runs a graph.
    pub(crate) fn has_children(&self) -> bool {
        self.nodes.iter().any(|node| node.child.is_some())
    }

    /// Whether the tasks of any node have a limit of their own.
    pub(crate) fn limits_nodes(&self) -> bool {
        self.nodes.iter().any(|node| node.max_concurrency.is_some())
    }

    /// Whether any node has a budget.
    pub(crate) fn has_budgets(&self) -> bool {
        self.nodes.iter().any(|node| node.budget.is_some())
    }

    /// The first node whose budget is spent, as the name of what it has used up.
    pub(crate) fn spent_node(&self, spent: &BTreeMap<String, u64>) -> Option<String> {
        let mut nodes = self.nodes.iter().zip(&*self.names);
        nodes.find_map(|(node, name)| node.budget.as_ref()?.spent_counter(name, spent))
    }

    /// Whether any node waits until nothing else is due.
    pub(crate) fn has_deferred(&self) -> bool {
        !self.deferred.is_empty()
    }

    /// Of the pending deferred nodes those that run first, in the order of their names: no other pending one leads to them.
    pub(crate) fn first_deferred(&self, pending: &[u32]) -> Vec<u32> {
        let mut first = self.deferred.first(pending);
        first.sort_unstable_by_key(|node| self.nodes[*node as usize].rank);
        first.dedup();
        first
    }

    /// A text that names a join by what it is, the same wherever the graph is built. Of equal joins all but the first have a
    /// number.
    pub(crate) fn join_key(&self, index: usize) -> String {
        let describe = |join: &Join| {
            let name = |index: &u32| match self.names.get(*index as usize) {
                Some(name) => Value::from(&**name).to_string(),
                None => "END".to_string(),
            };
            let sources: Vec<String> = join.sources.iter().map(name).collect();
            format!("{} of {} into {}", join.need, sources.join(", "), name(&join.target))
        };
        let join = &self.joins[index];
        let equal =
            |other: &&Join| (other.target, &other.sources, other.need) == (join.target, &join.sources, join.need);
        match self.joins[..index].iter().filter(equal).count() {
            0 => describe(join),
            before => format!("{} #{}", describe(join), before + 1),
        }
    }

    /// The position of the task that something was sent to.
    pub(crate) fn resolve_sent(&self, node: Node) -> Result<u32, Unresolved> {
        if node.graph == self.id { Ok(node.index) } else { Err(Unresolved::Foreign) }
    }
}

impl<S: State, R> Clone for CompiledGraph<S, R> {
    fn clone(&self) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            cache: self.cache.clone(),
            attached: self.attached.clone(),
            on_change: self.on_change.clone(),
            defaults: Arc::clone(&self.defaults),
        }
    }
}

impl<S: State, R> fmt::Debug for CompiledGraph<S, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledGraph").field("name", &self.inner.name).field("nodes", &self.inner.names).finish()
    }
}

#[cfg(test)]
mod tests {
    use crate::{END, Graph};

    #[derive(Clone, Debug, Default, crate::State)]
    #[state(crate = crate)]
    struct Empty {}

    #[test]
    fn the_key_of_a_join_does_not_depend_on_the_order_of_declaration_and_tells_equal_joins_apart() {
        let keys = |names: [&str; 3], sources: [&str; 2]| {
            let mut g = Graph::<Empty>::new("g");
            for name in names {
                let node = g.node(name, |_cx| async { Ok(()) });
                g.entry(node).edge(node, END);
            }
            g.join(sources, "c").join_any(sources, "c").join(sources, END).join(sources, "c");
            let graph = g.compile().unwrap();
            (0..4).map(|join| graph.inner.join_key(join)).collect::<Vec<_>>()
        };
        let expected = [
            r#"2 of "a, \"b\"", "b" into "c""#,
            r#"1 of "a, \"b\"", "b" into "c""#,
            r#"2 of "a, \"b\"", "b" into END"#,
            r#"2 of "a, \"b\"", "b" into "c" #2"#,
        ];
        assert_eq!(keys(["a, \"b\"", "b", "c"], ["b", "a, \"b\""]), expected);
        assert_eq!(keys(["c", "b", "a, \"b\""], ["a, \"b\"", "b"]), expected);
    }
}
