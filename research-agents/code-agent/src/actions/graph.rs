//! Actions on the graph of symbols: what is around them, which of them matter, and how one reaches
//! another.

mod build;
mod model;
mod walk;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use self::build::build;
use self::model::CodeGraph;
pub use self::model::EdgeKind;
use self::walk::{expand, pack, trace};
use crate::actions::action::Action;
use crate::actions::context::ActionContext;
use crate::actions::result::ActionResult;
use crate::run::{EvidenceDraft, Provenance};
use crate::space::{View, lines_of};

/// Maximum depth of an expansion. A request above it is clamped, which the result says.
const MAX_DEPTH: i64 = 3;
/// Maximum number of nodes of a result.
const MAX_NODES: i64 = 100;
/// Maximum number of nodes whose lines are evidence.
const MAX_EVIDENCE: usize = 20;

/// Finds what is around symbols.
#[derive(Clone, Copy, Debug, Default)]
pub struct GraphExpand;

/// Picks the symbols that matter most.
#[derive(Clone, Copy, Debug, Default)]
pub struct GraphPack;

/// Finds how one symbol reaches another.
#[derive(Clone, Copy, Debug, Default)]
pub struct GraphTrace;

/// Where to start, and how far to look.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ExpandInput {
    /// Names or ids (`path::Qualified.name`) of symbols.
    seeds: Vec<String>,
    /// Kinds of edges: contains, defines, references, calls, imports, inherits. All if empty.
    #[serde(default)]
    edge_types: Vec<EdgeKind>,
    /// Number of edges from a seed, 1 to 3.
    #[serde(default = "two")]
    depth: i64,
    /// Maximum number of nodes, at most 100.
    #[serde(default = "fifty")]
    limit: i64,
}

/// Which symbols to pick from.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct PackInput {
    /// Ids of symbols; the whole scope if empty.
    #[serde(default)]
    node_ids: Vec<String>,
    /// Number of symbols to pick, at most 50.
    #[serde(default = "ten")]
    target_count: i64,
}

/// Two symbols.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct TraceInput {
    /// Name or id of the first symbol.
    from_symbol: String,
    /// Name or id of the last symbol.
    to_symbol: String,
    /// Kinds of edges; calls if empty.
    #[serde(default)]
    edge_types: Vec<EdgeKind>,
}

fn two() -> i64 {
    2
}

fn ten() -> i64 {
    10
}

fn fifty() -> i64 {
    50
}

/// Clamps a number and notes if it was out of range.
fn clamped(name: &str, value: i64, most: i64, notes: &mut Vec<String>) -> usize {
    let clamped = value.clamp(1, most);
    if clamped != value {
        notes.push(format!("{name} {value} was set to {clamped}"));
    }
    usize::try_from(clamped).unwrap_or(1)
}

impl Action for GraphExpand {
    const NAME: &'static str = "graph_expand";
    const DESCRIPTION: &'static str = "Finds the symbols around some symbols by calls, imports, \
        inheritance, references and containment.";
    type Input = ExpandInput;

    async fn execute(&self, input: ExpandInput, cx: &ActionContext) -> ActionResult {
        cx.blocking(move |view| {
            let graph = match build(view) {
                Ok(graph) => graph,
                Err(error) => return ActionResult::failed(error),
            };
            let mut notes = graph.notes.clone();
            let depth = clamped("depth", input.depth, MAX_DEPTH, &mut notes);
            let limit = clamped("limit", input.limit, MAX_NODES, &mut notes);
            let seeds: Vec<usize> = input
                .seeds
                .iter()
                .flat_map(|seed| graph.find(seed))
                .collect();
            if seeds.is_empty() {
                return ActionResult::failed("no symbol has the name or id of a seed");
            }

            let (nodes, edges) = expand(&graph, &seeds, &input.edge_types, depth, limit);
            let described: Vec<Value> = edges
                .iter()
                .filter_map(|edge| graph.edges.get(*edge))
                .map(|edge| {
                    json!({
                        "from": graph.nodes[edge.from].id,
                        "to": graph.nodes[edge.to].id,
                        "type": edge.kind,
                        "weight": 1.0,
                    })
                })
                .collect();
            let summary = format!("{} symbols and {} edges", nodes.len(), described.len());
            ActionResult::done(summary)
                .with_evidence(evidence(view, &graph, &nodes))
                .with_data(json!({
                    "nodes": described_nodes(&graph, &nodes),
                    "edges": described,
                    "notes": notes,
                }))
        })
        .await
    }
}

impl Action for GraphPack {
    const NAME: &'static str = "graph_pack";
    const DESCRIPTION: &'static str = "Picks the symbols that matter most, with the reasons.";
    type Input = PackInput;

    async fn execute(&self, input: PackInput, cx: &ActionContext) -> ActionResult {
        cx.blocking(move |view| {
            let graph = match build(view) {
                Ok(graph) => graph,
                Err(error) => return ActionResult::failed(error),
            };
            let mut notes = graph.notes.clone();
            let count = clamped("target_count", input.target_count, 50, &mut notes);
            let among: Vec<usize> = if input.node_ids.is_empty() {
                (0..graph.nodes.len()).collect()
            } else {
                input
                    .node_ids
                    .iter()
                    .flat_map(|id| graph.find(id))
                    .collect()
            };

            let picked = pack(&graph, &among, count);
            let nodes: Vec<usize> = picked.iter().map(|(node, ..)| *node).collect();
            let described: Vec<Value> = picked
                .iter()
                .map(|(node, score, reasons)| {
                    let id = &graph.nodes[*node].id;
                    json!({"id": id, "score": score, "reasons": reasons})
                })
                .collect();
            ActionResult::done(format!("{} symbols", nodes.len()))
                .with_evidence(evidence(view, &graph, &nodes))
                .with_data(json!({"nodes": described, "notes": notes}))
        })
        .await
    }
}

impl Action for GraphTrace {
    const NAME: &'static str = "graph_trace";
    const DESCRIPTION: &'static str =
        "Finds the shortest path of calls from one symbol to another, at most five steps.";
    type Input = TraceInput;

    async fn execute(&self, input: TraceInput, cx: &ActionContext) -> ActionResult {
        cx.blocking(move |view| {
            let graph = match build(view) {
                Ok(graph) => graph,
                Err(error) => return ActionResult::failed(error),
            };
            let (from, to) = (graph.find(&input.from_symbol), graph.find(&input.to_symbol));
            if from.is_empty() || to.is_empty() {
                return ActionResult::failed("no symbol has one of the names");
            }
            let kinds = match input.edge_types.is_empty() {
                true => vec![EdgeKind::Calls],
                false => input.edge_types,
            };

            let Some(path) = trace(&graph, &from, &to, &kinds) else {
                return ActionResult::done("no path within five steps")
                    .with_data(json!({"path": [], "notes": graph.notes}));
            };
            let sites = path.iter().filter_map(|edge| {
                let edge = graph.edges.get(*edge)?;
                let node = graph.nodes.get(edge.from)?;
                let file = view.read(&node.path).ok()?;
                let lines = (edge.line, edge.line);
                let site = lines_of(&node.path, &file.bytes, lines, "step", Provenance::Graph)?;
                Some(EvidenceDraft {
                    symbol_id: Some(node.id.clone()),
                    symbol_kind: Some(node.kind.to_owned()),
                    ..site
                })
            });
            let sites: Vec<EvidenceDraft> = sites.collect();
            let mut ids: Vec<&str> = Vec::new();
            for edge in path.iter().filter_map(|edge| graph.edges.get(*edge)) {
                ids.push(&graph.nodes[edge.from].id);
            }
            if let Some(last) = path.last().and_then(|edge| graph.edges.get(*edge)) {
                ids.push(&graph.nodes[last.to].id);
            }
            ActionResult::done(format!("a path of {} steps", path.len()))
                .with_data(json!({"path": ids, "notes": graph.notes}))
                .with_evidence(sites)
        })
        .await
    }
}

/// Returns the first lines of symbols as evidence.
fn evidence(view: &View, graph: &CodeGraph, nodes: &[usize]) -> Vec<EvidenceDraft> {
    let nodes = nodes.iter().filter_map(|node| graph.nodes.get(*node));
    let symbols = nodes.filter(|node| !node.is_file).take(MAX_EVIDENCE);
    symbols
        .filter_map(|node| {
            let file = view.read(&node.path).ok()?;
            let lines = (node.lines.0, node.lines.0);
            let line = lines_of(&node.path, &file.bytes, lines, "symbol", Provenance::Graph)?;
            Some(EvidenceDraft {
                symbol_id: Some(node.id.clone()),
                symbol_kind: Some(node.kind.to_owned()),
                ..line
            })
        })
        .collect()
}

fn described_nodes(graph: &CodeGraph, nodes: &[usize]) -> Vec<Value> {
    let nodes = nodes.iter().filter_map(|node| graph.nodes.get(*node));
    nodes
        .map(
            |node| json!({"id": node.id, "kind": node.kind, "lines": [node.lines.0, node.lines.1]}),
        )
        .collect()
}
