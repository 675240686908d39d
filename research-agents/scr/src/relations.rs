//! The graph of what findings say about what requires, enables or hinders what.
//!
//! ```
//! use research_agents_scr::memo::Finding;
//! use research_agents_scr::relations::{RelationKind, Relations};
//!
//! let findings = [
//!     Finding::new("Version 16 requires new disks. The budget enables new disks.", "a.md"),
//!     Finding::new("Version 16 depends on a second node. Version 16 adds indexes.", "b.md"),
//! ];
//! let relations = Relations::of(&findings);
//!
//! assert_eq!(relations.hubs()[0].name, "version 16");
//! let missing: Vec<&str> = relations.unsatisfied().map(|edge| edge.to.as_str()).collect();
//! assert_eq!(missing, ["second node"]);
//! assert_eq!(relations.of_kind(RelationKind::Enables).count(), 2);
//! ```

use std::collections::{BTreeMap, BTreeSet};

use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use research_agents_report::text::{content_stems, is_stop, words};
use serde::{Deserialize, Serialize};

use crate::memo::Finding;
use crate::update::delivery::sentences_of;

/// Maximum number of words of a name.
const LONGEST_NAME: usize = 4;
/// Number of relations from which a name is a hub.
const HUB: usize = 2;
/// Maximum number of requirements that are named because nothing meets them.
const MOST_UNMET: usize = 5;
/// Maximum number of hubs that are named.
const MOST_HUBS: usize = 5;

/// Words that relate what is before them to what is after them.
const VERBS: &[(&str, RelationKind)] = &[
    ("requires", RelationKind::Requires),
    ("require", RelationKind::Requires),
    ("needs", RelationKind::Requires),
    ("need", RelationKind::Requires),
    ("depends on", RelationKind::Requires),
    ("depend on", RelationKind::Requires),
    ("relies on", RelationKind::Requires),
    ("enables", RelationKind::Enables),
    ("enable", RelationKind::Enables),
    ("allows", RelationKind::Enables),
    ("provides", RelationKind::Enables),
    ("supports", RelationKind::Enables),
    ("adds", RelationKind::Enables),
    ("inhibits", RelationKind::Inhibits),
    ("prevents", RelationKind::Inhibits),
    ("blocks", RelationKind::Inhibits),
    ("breaks", RelationKind::Inhibits),
    ("competes with", RelationKind::CompetesWith),
    ("conflicts with", RelationKind::CompetesWith),
    ("deprecates", RelationKind::Deprecates),
    ("replaces", RelationKind::Deprecates),
    ("supersedes", RelationKind::Deprecates),
];

/// How two things are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RelationKind {
    /// The first one does not work without the second one.
    Requires,
    /// The first one makes the second one possible.
    Enables,
    /// The first one hinders the second one.
    Inhibits,
    /// Only one of them can be had.
    CompetesWith,
    /// The first one takes the place of the second one.
    Deprecates,
}

impl RelationKind {
    /// Returns whether one side of the relation is a disadvantage for the other one.
    pub fn is_adversarial(self) -> bool {
        matches!(self, Self::Inhibits | Self::CompetesWith | Self::Deprecates)
    }
}

/// A relation with the sentence that states it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Relation {
    /// The first name, in lower case.
    pub from: String,
    /// How it is related to the second one.
    pub kind: RelationKind,
    /// The second name, in lower case.
    pub to: String,
    /// Id of the finding.
    pub finding: String,
    /// The sentence.
    pub sentence: String,
}

/// A name with many relations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Hub {
    /// The name, in lower case.
    pub name: String,
    /// Number of its relations.
    pub relations: usize,
}

/// The relations of findings as a graph of names.
#[derive(Clone, Debug, Default)]
pub struct Relations {
    graph: DiGraph<String, Relation>,
}

impl Relations {
    /// Reads the relations that findings state in English.
    pub fn of<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Self {
        let mut graph = DiGraph::new();
        let mut nodes: BTreeMap<String, NodeIndex> = BTreeMap::new();
        for finding in findings {
            for sentence in sentences_of(finding) {
                let Some((from, kind, to)) = relation(&sentence) else {
                    continue;
                };
                let mut node = |name: &str| {
                    let known = nodes.entry(name.to_owned());
                    *known.or_insert_with(|| graph.add_node(name.to_owned()))
                };

                let (a, b) = (node(&from), node(&to));
                let relation = Relation {
                    from,
                    kind,
                    to,
                    finding: finding.id.clone(),
                    sentence,
                };
                graph.add_edge(a, b, relation);
            }
        }
        Self { graph }
    }

    /// Returns the relations, in the order of the findings.
    pub fn iter(&self) -> impl Iterator<Item = &Relation> {
        self.graph.edge_weights()
    }

    /// Returns the relations of a kind.
    pub fn of_kind(&self, kind: RelationKind) -> impl Iterator<Item = &Relation> {
        self.iter().filter(move |relation| relation.kind == kind)
    }

    /// Returns the names with the most relations, the most first, then by name.
    pub fn hubs(&self) -> Vec<Hub> {
        let mut hubs: Vec<Hub> = self
            .graph
            .node_indices()
            .map(|node| Hub {
                name: self.graph[node].clone(),
                relations: self.graph.edges(node).count()
                    + self
                        .graph
                        .edges_directed(node, petgraph::Direction::Incoming)
                        .count(),
            })
            .filter(|hub| hub.relations >= HUB)
            .collect();
        hubs.sort_by(|a, b| b.relations.cmp(&a.relations).then(a.name.cmp(&b.name)));
        hubs.truncate(MOST_HUBS);
        hubs
    }

    /// Returns the requirements that no finding says are met: nothing enables what is required.
    pub fn unsatisfied(&self) -> impl Iterator<Item = &Relation> {
        let is_met = |node: NodeIndex| {
            let mut incoming = self
                .graph
                .edges_directed(node, petgraph::Direction::Incoming);
            incoming.any(|edge| edge.weight().kind == RelationKind::Enables)
        };
        let edges = self.graph.edge_references();
        edges
            .filter(move |edge| {
                edge.weight().kind == RelationKind::Requires && !is_met(edge.target())
            })
            .map(|edge| edge.weight())
    }

    /// Returns the requirements that nothing meets and that name something of a question.
    pub(crate) fn unmet(&self, question: &str) -> Vec<&Relation> {
        let asked: BTreeSet<String> = content_stems(question).into_iter().collect();
        let names = |text: &str| content_stems(text).iter().any(|stem| asked.contains(stem));
        let unmet = self.unsatisfied();
        let unmet = unmet.filter(|relation| names(&relation.from) || names(&relation.to));
        unmet.take(MOST_UNMET).collect()
    }

    /// Returns the relations in which one side is a disadvantage for the other one.
    pub fn adversarial(&self) -> impl Iterator<Item = &Relation> {
        self.iter()
            .filter(|relation| relation.kind.is_adversarial())
    }
}

/// Returns what an English sentence relates to what. `None` for a sentence that denies, and one
/// without a verb of the list between two names.
fn relation(sentence: &str) -> Option<(String, RelationKind, String)> {
    let all = words(sentence);
    let lower: Vec<&str> = all.iter().map(|word| word.lower.as_str()).collect();
    let denies = |word: &&str| matches!(*word, "not" | "no" | "never" | "cannot" | "t" | "without");
    if lower.iter().any(denies) {
        return None;
    }

    let (at, length, kind) = VERBS.iter().find_map(|(verb, kind)| {
        let verb: Vec<&str> = verb.split(' ').collect();
        let at = lower
            .windows(verb.len())
            .position(|window| *window == *verb)?;
        Some((at, verb.len(), *kind))
    })?;
    let from = name(&lower[..at], true)?;
    let to = name(&lower[at + length..], false)?;
    (from != to).then_some((from, kind, to))
}

/// Returns the name at the end or at the start of words: the content words next to the verb, with
/// numbers.
fn name(words: &[&str], is_before: bool) -> Option<String> {
    let is_name = |word: &&&str| !is_stop(word) || word.contains(|c: char| c.is_ascii_digit());
    let kept: Vec<&str> = if is_before {
        let end = words.iter().rev().take_while(is_name).take(LONGEST_NAME);
        end.copied().collect::<Vec<_>>().into_iter().rev().collect()
    } else {
        let start = words.iter().skip_while(|word| !is_name(word));
        let start = start.take_while(is_name).take(LONGEST_NAME);
        start.copied().collect()
    };

    (!kept.is_empty()).then(|| kept.join(" "))
}
