//! Finds everything that is wrong with a graph before it runs.

use std::collections::{BTreeMap, BTreeSet};

use super::draft::{Draft, JoinDef};
use super::plan::{Join, Plan};
use super::policies::Setting;
use super::problem::{BuildError, Problem, closest};
use super::source::Source;
use super::ways::Ways;
use crate::command::Target;
use crate::handle::END_INDEX;
use crate::state::State;

pub(super) fn check<S: State, R>(graph: &Draft<S, R>) -> Result<Plan, BuildError> {
    let mut checker = Checker { graph, names: BTreeMap::new(), problems: Vec::new(), is_resolved: true };
    checker.names();
    let plan = checker.resolve();
    let writes = checker.writes();
    // Reachability over unresolved references would only repeat the problems above in other words. A slip is taken for what it
    // was meant to be.
    if checker.is_resolved {
        checker.reachability(&plan);
        checker.double_writes(&plan, &writes);
    }
    match checker.problems {
        problems if problems.is_empty() => Ok(plan),
        problems => Err(BuildError { graph: graph.name.clone(), problems }),
    }
}

struct Checker<'a, S: State, R> {
    graph: &'a Draft<S, R>,
    names: BTreeMap<&'a str, u32>,
    problems: Vec<Problem>,
    /// Every reference leads to a node, as far as it can be guessed.
    is_resolved: bool,
}

impl<'a, S: State, R> Checker<'a, S, R> {
    fn name(&self, index: u32) -> String {
        self.graph.nodes.get(index as usize).map_or_else(|| "END".to_string(), |node| node.name.clone())
    }

    fn names(&mut self) {
        for (index, node) in (0..).zip(&self.graph.nodes) {
            if self.names.insert(&node.name, index).is_some() {
                self.problems.push(Problem::DuplicateName { name: node.name.clone() });
                self.is_resolved = false;
            }
            match node.definitions {
                0 => {
                    let takes_input = node.input.is_some();
                    self.problems.push(Problem::Undefined { node: node.name.clone(), takes_input });
                    self.is_resolved = false;
                }
                1 if !node.fits => self.problems.push(Problem::DefinedWithoutInput { node: node.name.clone() }),
                1 => {}
                _ => self.problems.push(Problem::DefinedTwice { node: node.name.clone() }),
            }
        }
        for node in self.graph.nodes.iter().filter(|node| node.keeps_for_thread && node.input.is_some()) {
            self.problems.push(Problem::PerThreadTask { node: node.name.clone() });
        }
        for _ in 0..self.graph.strays {
            self.problems.push(Problem::ForeignHandle { place: "a definition".to_string() });
        }
    }

    fn resolve(&mut self) -> Plan {
        let graph = self.graph;
        if graph.entries.is_empty() && graph.entry_routes.is_empty() {
            self.problems.push(Problem::NoEntry);
            self.is_resolved = false;
        }
        let entries = graph.entries.iter().filter_map(|to| self.target("the entry", to, true)).collect();
        let wind_up = graph.wind_up.as_ref().and_then(|to| self.target("the node for a spent budget", to, true));
        let mut edges = Vec::new();
        for (from, to) in &graph.edges {
            let place = format!("an edge from {}", self.show(from));
            let ends = (self.source(&place, from), self.target(&place, to, true));
            if let (Some(from), Some(to)) = ends {
                edges.push((from, to));
            }
        }
        let mut routes = Vec::new();
        for (from, route) in &graph.routes {
            let place = format!("a route from {}", self.show(from));
            let targets = route.targets.as_ref().map(|targets| self.targets(&place, targets));
            if let Some(from) = self.source(&place, from) {
                routes.push((from, targets));
            }
        }
        let joins = graph.joins.iter().filter_map(|join| self.join(join)).collect();
        let mut gotos = Vec::new();
        for (from, targets) in &graph.gotos {
            let place = format!("a declared goto of {}", self.show(from));
            let targets = self.targets(&place, targets);
            if let Some(from) = self.source(&place, from) {
                gotos.push((from, targets));
            }
        }
        let mut deferred: Vec<u32> = graph.deferred.iter().filter_map(|node| self.deferred(node)).collect();
        deferred.sort_unstable();
        deferred.dedup();
        let policies = self.policies();
        Plan { entries, wind_up, edges, routes, joins, gotos, deferred, policies }
    }

    fn join(&mut self, JoinDef { from, need, to }: &JoinDef) -> Option<Join> {
        let place = format!("the join into {}", self.show(&Source(to.clone())));
        let mut sources: Vec<u32> = from.iter().filter_map(|from| self.source(&place, from)).collect();
        let all_known = sources.len() == from.len();
        sources.sort_by_cached_key(|source| self.name(*source));
        sources.dedup();
        let target = self.target(&place, to, true)?;
        let need = need.unwrap_or(sources.len());
        if from.is_empty() {
            self.is_resolved = false;
            self.problems.push(Problem::EmptyJoin { target: self.name(target) });
        } else if all_known && !(1..=sources.len()).contains(&need) {
            let target = self.name(target);
            self.problems.push(Problem::JoinNeed { target, need, sources: sources.len() });
        }
        Some(Join { target, sources: sources.into(), need: u32::try_from(need).unwrap_or(u32::MAX) })
    }

    /// By position of the policy in the builder, its node; without the ones that do not fit.
    fn policies(&mut self) -> Vec<u32> {
        let (graph, mut seen) = (self.graph, BTreeSet::new());
        let mut nodes = Vec::new();
        for (node, setting) in &graph.policies.of_nodes {
            let method = setting.method();
            let Some(index) = self.source(&format!("`.{method}(…)`"), node) else { continue };
            let takes_input = graph.nodes[index as usize].input.is_some();
            if !seen.insert((index, method)) {
                self.problems.push(Problem::SetTwice { node: self.name(index), method });
            } else if takes_input && matches!(setting, Setting::Cache { by_input: false, .. }) {
                self.problems.push(Problem::CachedWithoutInput { node: self.name(index) });
            }
            nodes.push(index);
        }
        nodes
    }

    fn deferred(&mut self, node: &Source) -> Option<u32> {
        let index = self.target("a deferral", &node.0, false)?;
        if index == END_INDEX {
            self.problems.push(Problem::DeferredEnd);
        } else if self.graph.nodes[index as usize].input.is_some() {
            self.problems.push(Problem::DeferredTask { node: self.name(index) });
        }
        Some(index)
    }

    fn targets(&mut self, place: &str, targets: &[Target]) -> Vec<u32> {
        targets.iter().filter_map(|target| self.target(place, target, false)).collect()
    }

    fn source(&mut self, place: &str, source: &Source) -> Option<u32> {
        let index = self.target(place, &source.0, false)?;
        if index == END_INDEX {
            self.problems.push(Problem::EndAsSource { place: place.to_string() });
            self.is_resolved = false;
            return None;
        }
        Some(index)
    }

    fn target(&mut self, place: &str, target: &Target, by_edge: bool) -> Option<u32> {
        let node = match target {
            Target::Node(node) => *node,
            Target::Sent(sent) => sent.node,
            Target::Name(name) => return self.named(place, name, by_edge),
            Target::NamedTask(task) => return self.named(place, &task.name, by_edge),
        };
        if node.index == END_INDEX {
            return Some(END_INDEX);
        }
        if node.graph != self.graph.id {
            self.problems.push(Problem::ForeignHandle { place: place.to_string() });
            self.is_resolved = false;
            return None;
        }
        Some(node.index).filter(|index| self.takes_no_input(place, *index, by_edge))
    }

    /// The node of a name, or the one that a slip was meant to be.
    fn named(&mut self, place: &str, name: &str, by_edge: bool) -> Option<u32> {
        if let Some(index) = self.names.get(name).copied() {
            return Some(index).filter(|index| self.takes_no_input(place, *index, by_edge));
        }
        let suggestion = closest(name, self.names.keys().copied());
        let found = suggestion.as_deref().and_then(|meant| self.names.get(meant).copied());
        self.is_resolved &= found.is_some();
        let (place, name) = (place.to_string(), name.to_string());
        self.problems.push(Problem::UnknownNode { place, name, suggestion });
        found
    }

    fn takes_no_input(&mut self, place: &str, index: u32, by_edge: bool) -> bool {
        let node = &self.graph.nodes[index as usize];
        if by_edge && node.input.is_some() {
            self.problems.push(Problem::NeedsInput { place: place.to_string(), node: node.name.clone() });
            self.is_resolved = false;
            return false;
        }
        true
    }

    fn show(&self, source: &Source) -> String {
        match &source.0 {
            Target::Name(name) => format!("`{name}`"),
            Target::Node(node) if node.index == END_INDEX => "END".to_string(),
            Target::Node(node) if node.graph == self.graph.id => format!("`{}`", self.name(node.index)),
            _ => "a foreign node".to_string(),
        }
    }

    /// Declared writes by node, as positions of plain fields.
    fn writes(&mut self) -> BTreeMap<u32, Vec<usize>> {
        let mut writes: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (node, fields) in &self.graph.writes {
            let Some(node) = self.source("a declaration of writes", node) else { continue };
            for field in fields {
                match S::FIELDS.iter().position(|known| known.name == field) {
                    Some(position) => writes.entry(node).or_default().push(position),
                    None => self.problems.push(Problem::UnknownField {
                        node: self.name(node),
                        field: field.clone(),
                        suggestion: closest(field, S::FIELDS.iter().map(|known| known.name)),
                        fields: S::FIELDS.iter().map(|known| known.name).collect(),
                    }),
                }
            }
        }
        writes
    }

    fn reachability(&mut self, plan: &Plan) {
        let ways = Ways::new(self.graph, plan);
        let from_start = ways.reached(None);
        let to_end = ways.leading_out();
        for index in (0..).take(self.graph.nodes.len()) {
            if !from_start[index as usize] {
                self.problems.push(Problem::Unreachable { node: self.name(index) });
            } else if !to_end[index as usize] {
                self.problems.push(Problem::NoWayToEnd { node: self.name(index) });
            }
        }
        for (position, Join { target, sources, need }) in plan.joins.iter().enumerate() {
            // Only a join that leads back to one of its sources can be the sole way to it.
            if !sources.iter().any(|source| ways.in_one_loop(*source, *target)) {
                continue;
            }
            let without = ways.reached(Some(position));
            let lacking: Vec<&u32> =
                sources.iter().filter(|source| from_start[**source as usize] && !without[**source as usize]).collect();
            if sources.len() - lacking.len() < *need as usize {
                for source in lacking {
                    let (target, waits_for) = (self.name(*target), self.name(*source));
                    self.problems.push(Problem::JoinNeverFires { target, waits_for });
                }
            }
        }
    }

    /// Nodes that one entry or one node's edges make due together, and that declare the same plain field.
    fn double_writes(&mut self, plan: &Plan, writes: &BTreeMap<u32, Vec<usize>>) {
        // By what makes them due, `None` for the entry: only nodes that declare writes.
        let mut together: BTreeMap<Option<u32>, Vec<u32>> = BTreeMap::new();
        let due = plan.entries.iter().map(|to| (None, to)).chain(plan.edges.iter().map(|(from, to)| (Some(*from), to)));
        for (after, node) in due.filter(|(_, node)| writes.contains_key(node)) {
            together.entry(after).or_default().push(*node);
        }
        for (after, nodes) in together {
            let after = after.map_or_else(|| "the entry".to_string(), |index| format!("`{}`", self.name(index)));
            for (place, a) in nodes.iter().enumerate() {
                for b in nodes[place + 1..].iter().filter(|b| *b != a) {
                    let (Some(first), Some(second)) = (writes.get(a), writes.get(b)) else { continue };
                    for field in first.iter().filter(|field| S::FIELDS[**field].plain && second.contains(field)) {
                        self.problems.push(Problem::DoubleWrite {
                            field: S::FIELDS[*field].name.to_string(),
                            nodes: [self.name(*a), self.name(*b)],
                            after: after.clone(),
                        });
                    }
                }
            }
        }
    }
}
