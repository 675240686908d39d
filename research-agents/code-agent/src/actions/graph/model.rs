//! Nodes and edges of the graph of symbols.

use std::collections::HashMap;

use research_agents_code::tree::RelPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kind of an edge. Every edge has weight 1.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// A symbol contains another.
    Contains,
    /// A file defines a symbol.
    Defines,
    /// A symbol names another as a type.
    References,
    /// A symbol calls another.
    Calls,
    /// A file imports a symbol.
    Imports,
    /// A type inherits from or implements another.
    Inherits,
}

/// A symbol or a file.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// `path::Qualified.name`, or the path of a file.
    pub(super) id: String,
    pub(super) name: String,
    pub(super) path: RelPath,
    pub(super) kind: &'static str,
    pub(super) lines: (usize, usize),
    pub(super) is_top: bool,
    pub(super) is_file: bool,
}

/// An edge, with the line that shows it.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) kind: EdgeKind,
    pub(super) line: usize,
}

/// The symbols of a scope and how they are connected.
#[derive(Clone, Debug, Default)]
pub(super) struct CodeGraph {
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Edge>,
    /// Edges of each node, outgoing and incoming.
    pub(super) of_node: Vec<(Vec<usize>, Vec<usize>)>,
    pub(super) by_name: HashMap<String, Vec<usize>>,
    pub(super) by_id: HashMap<String, usize>,
    /// What is not in the graph.
    pub(super) notes: Vec<String>,
}

impl CodeGraph {
    pub(super) fn add_node(&mut self, node: Node) -> usize {
        let at = self.nodes.len();
        self.by_id.entry(node.id.clone()).or_insert(at);
        if !node.is_file {
            self.by_name.entry(node.name.clone()).or_default().push(at);
        }
        self.nodes.push(node);
        self.of_node.push((Vec::new(), Vec::new()));
        at
    }

    pub(super) fn add_edge(&mut self, from: usize, to: usize, kind: EdgeKind, line: usize) {
        let is_known = self.of_node[from].0.iter().any(|edge| {
            let edge = &self.edges[*edge];
            edge.to == to && edge.kind == kind
        });
        if from == to || is_known {
            return;
        }
        let at = self.edges.len();
        self.edges.push(Edge {
            from,
            to,
            kind,
            line,
        });
        self.of_node[from].0.push(at);
        self.of_node[to].1.push(at);
    }

    /// Returns the nodes that an id or a name means.
    pub(super) fn find(&self, text: &str) -> Vec<usize> {
        if let Some(node) = self.by_id.get(text) {
            return vec![*node];
        }
        let name = text.rsplit(['.', ':']).next().unwrap_or(text);
        let named = self.by_name.get(name).cloned().unwrap_or_default();
        let ends = |node: &usize| {
            let id = self.nodes[*node].id.replace("::", ".");
            id.ends_with(&text.replace("::", "."))
        };
        named.into_iter().filter(ends).collect()
    }
}
