//! Walks on the graph: what is around, what matters, and paths.

use std::collections::{BTreeSet, HashMap, VecDeque};

use super::model::{CodeGraph, EdgeKind};

/// Maximum number of edges of a path.
const MAX_PATH: usize = 5;

/// Returns the nodes around some nodes, nearest first, and the edges between them.
pub(super) fn expand(
    graph: &CodeGraph,
    seeds: &[usize],
    kinds: &[EdgeKind],
    depth: usize,
    limit: usize,
) -> (Vec<usize>, Vec<usize>) {
    let mut order = Vec::new();
    let mut seen = BTreeSet::new();
    let mut queue: VecDeque<(usize, usize)> = seeds.iter().map(|seed| (*seed, 0)).collect();
    while let Some((node, distance)) = queue.pop_front() {
        if order.len() >= limit {
            break;
        }
        if !seen.insert(node) {
            continue;
        }
        order.push(node);
        if distance < depth {
            let (out, into) = &graph.of_node[node];
            for edge in out.iter().chain(into) {
                let edge = &graph.edges[*edge];
                if kinds.is_empty() || kinds.contains(&edge.kind) {
                    let other = if edge.from == node {
                        edge.to
                    } else {
                        edge.from
                    };
                    queue.push_back((other, distance + 1));
                }
            }
        }
    }

    let shown: BTreeSet<usize> = order.iter().copied().collect();
    let edges = (0..graph.edges.len()).filter(|at| {
        let edge = &graph.edges[*at];
        (kinds.is_empty() || kinds.contains(&edge.kind))
            && shown.contains(&edge.from)
            && shown.contains(&edge.to)
    });
    let edges = edges.collect();
    (order, edges)
}

/// Returns the nodes with the highest scores, with their scores and reasons. Connections count
/// most, then the kind, a moderate size, and a place at the top of its file.
pub(super) fn pack(
    graph: &CodeGraph,
    among: &[usize],
    count: usize,
) -> Vec<(usize, f64, Vec<String>)> {
    let mut scored: Vec<(usize, f64, Vec<String>)> = among
        .iter()
        .filter(|node| !graph.nodes[**node].is_file)
        .map(|at| {
            let node = &graph.nodes[*at];
            let connected = graph.of_node[*at].0.len() + graph.of_node[*at].1.len();
            let kind = match node.kind {
                "class" | "struct" | "trait" | "interface" | "enum" => 3.0,
                "function" => 2.0,
                "method" => 1.0,
                _ => 0.5,
            };
            let lines = node.lines.1 - node.lines.0 + 1;
            let size = (lines.min(100) as f64) / 100.0;
            let top = if node.is_top { 1.0 } else { 0.0 };

            let reasons = vec![
                format!("{connected} connections"),
                node.kind.to_owned(),
                format!("{lines} lines"),
                if node.is_top { "top level" } else { "nested" }.to_owned(),
            ];
            let score = (connected as f64).ln_1p() * 2.0 + kind + size + top;
            (*at, (score * 1_000.0).round() / 1_000.0, reasons)
        })
        .collect();

    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    scored.dedup_by_key(|(node, ..)| *node);
    scored.truncate(count);
    scored
}

/// Returns the edges of a shortest path, searched from both ends.
pub(super) fn trace(
    graph: &CodeGraph,
    from: &[usize],
    to: &[usize],
    kinds: &[EdgeKind],
) -> Option<Vec<usize>> {
    // How each node was reached: the edge, and the number of edges before it.
    let mut ahead: HashMap<usize, Option<usize>> = from.iter().map(|node| (*node, None)).collect();
    let mut behind: HashMap<usize, Option<usize>> = to.iter().map(|node| (*node, None)).collect();
    let (mut front, mut back) = (from.to_vec(), to.to_vec());
    let mut length = 0;

    loop {
        let meeting = front
            .iter()
            .chain(&back)
            .find(|node| ahead.contains_key(node) && behind.contains_key(node));
        if let Some(meeting) = meeting {
            return Some(join(graph, *meeting, &ahead, &behind));
        }
        if length >= MAX_PATH || front.is_empty() || back.is_empty() {
            return None;
        }
        length += 1;

        // The smaller side takes the next step.
        if front.len() <= back.len() {
            front = step(graph, &front, kinds, &mut ahead, true);
        } else {
            back = step(graph, &back, kinds, &mut behind, false);
        }
    }
}

fn step(
    graph: &CodeGraph,
    nodes: &[usize],
    kinds: &[EdgeKind],
    reached: &mut HashMap<usize, Option<usize>>,
    is_forward: bool,
) -> Vec<usize> {
    let mut next = Vec::new();
    for node in nodes {
        let (out, into) = &graph.of_node[*node];
        for at in if is_forward { out } else { into } {
            let edge = &graph.edges[*at];
            let other = if is_forward { edge.to } else { edge.from };
            if kinds.contains(&edge.kind) && !reached.contains_key(&other) {
                reached.insert(other, Some(*at));
                next.push(other);
            }
        }
    }

    next
}

fn join(
    graph: &CodeGraph,
    meeting: usize,
    ahead: &HashMap<usize, Option<usize>>,
    behind: &HashMap<usize, Option<usize>>,
) -> Vec<usize> {
    let mut path = Vec::new();
    let mut node = meeting;
    while let Some(Some(edge)) = ahead.get(&node) {
        path.push(*edge);
        node = graph.edges[*edge].from;
    }
    path.reverse();

    node = meeting;
    while let Some(Some(edge)) = behind.get(&node) {
        path.push(*edge);
        node = graph.edges[*edge].to;
    }
    path
}
