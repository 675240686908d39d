//! Builds the graph of symbols from the facts of the files in the scope.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use research_agents_code::facts::{FileFacts, ReferenceKind};
use research_agents_code::lang::FileKind;
use research_agents_code::tree::RelPath;

use super::model::{CodeGraph, EdgeKind, Node};
use crate::space::{SpaceError, View};

/// Maximum number of files.
const MAX_FILES: usize = 5_000;
/// Maximum number of threads that parse files.
const MAX_THREADS: usize = 8;
/// A name with more definitions connects nothing: which of them is meant cannot be told.
const MAX_CANDIDATES: usize = 4;

/// Builds the graph of the scope.
pub(super) fn build(view: &View) -> Result<CodeGraph, SpaceError> {
    let mut paths = view.paths()?;
    paths.retain(|path| matches!(FileKind::of_path(path), FileKind::Code(_)));
    let mut graph = CodeGraph::default();
    if paths.len() > MAX_FILES {
        let note = format!(
            "{} of {} files are in the graph; narrow the scope for the others",
            MAX_FILES,
            paths.len()
        );
        graph.notes.push(note);
        paths.truncate(MAX_FILES);
    }

    let parsed = parse(view, &paths);
    let unread = paths.len() - parsed.len();
    if unread > 0 {
        graph
            .notes
            .push(format!("{unread} files could not be parsed"));
    }

    let files: Vec<Vec<usize>> = parsed
        .iter()
        .map(|(path, facts)| add_symbols(&mut graph, path, facts))
        .collect();
    for ((_, facts), nodes) in parsed.iter().zip(&files) {
        add_uses(&mut graph, facts, nodes);
    }
    Ok(graph)
}

fn parse(view: &View, paths: &[RelPath]) -> Vec<(RelPath, Arc<FileFacts>)> {
    let next = AtomicUsize::new(0);
    let parsed = Mutex::new(Vec::new());
    let threads = thread::available_parallelism().map_or(1, usize::from);

    thread::scope(|scope| {
        for _ in 0..threads.min(MAX_THREADS) {
            scope.spawn(|| {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if view.cancel_flag().load(Ordering::Relaxed) {
                        break;
                    }
                    if let Ok((_, Some(facts))) = view.facts(path) {
                        let mut parsed = parsed.lock().unwrap_or_else(PoisonError::into_inner);
                        parsed.push((path.clone(), facts));
                    }
                }
            });
        }
    });

    let mut parsed = parsed.into_inner().unwrap_or_else(PoisonError::into_inner);
    parsed.sort_by(|(a, _), (b, _): &(RelPath, Arc<FileFacts>)| a.cmp(b));
    parsed
}

/// Adds a file and its symbols. Returns their nodes: the file, then the symbols in order.
fn add_symbols(graph: &mut CodeGraph, path: &RelPath, facts: &FileFacts) -> Vec<usize> {
    let file = graph.add_node(Node {
        id: path.to_string(),
        name: path.name().to_owned(),
        path: path.clone(),
        kind: "file",
        lines: (1, facts.lines.max(1)),
        is_top: true,
        is_file: true,
    });

    let mut nodes = vec![file];
    for symbol in &facts.symbols {
        let node = graph.add_node(Node {
            id: format!("{path}::{}", facts.qualified_name(symbol)),
            name: symbol.name.clone(),
            path: path.clone(),
            kind: symbol.kind.name(),
            lines: symbol.lines,
            is_top: symbol.parent.is_none(),
            is_file: false,
        });
        nodes.push(node);
    }

    for (at, symbol) in facts.symbols.iter().enumerate() {
        let line = symbol.lines.0;
        match symbol.parent {
            Some(parent) => {
                graph.add_edge(nodes[parent + 1], nodes[at + 1], EdgeKind::Contains, line);
            }
            None => graph.add_edge(file, nodes[at + 1], EdgeKind::Defines, line),
        }
    }
    nodes
}

/// Adds what the symbols of a file use.
fn add_uses(graph: &mut CodeGraph, facts: &FileFacts, nodes: &[usize]) {
    let around = |byte: usize| {
        let enclosing = facts.enclosing(byte);
        let at = enclosing.and_then(|symbol| {
            let mut all = facts.symbols.iter();
            all.position(|one| std::ptr::eq(one, symbol))
        });
        at.map_or(nodes[0], |at| nodes[at + 1])
    };

    for reference in &facts.references {
        let kind = match reference.kind {
            ReferenceKind::Call => EdgeKind::Calls,
            ReferenceKind::Import => EdgeKind::Imports,
            _ => EdgeKind::References,
        };
        let from = match kind {
            EdgeKind::Imports => nodes[0],
            _ => around(reference.span.start),
        };
        for to in meant(graph, &reference.name, nodes) {
            graph.add_edge(from, to, kind, reference.line);
        }
    }

    for implementation in &facts.implementations {
        for by in meant(graph, &implementation.by, nodes) {
            for of in meant(graph, &implementation.of, nodes) {
                graph.add_edge(by, of, EdgeKind::Inherits, implementation.line);
            }
        }
    }
}

/// Returns the symbols that a name may mean: those of the same file, else those of all files.
fn meant(graph: &CodeGraph, name: &str, nodes: &[usize]) -> Vec<usize> {
    let named = graph.by_name.get(name).map_or(&[][..], Vec::as_slice);
    let here: Vec<usize> = named
        .iter()
        .filter(|node| nodes.binary_search(node).is_ok())
        .copied()
        .collect();
    match (here.is_empty(), named.len() <= MAX_CANDIDATES) {
        (false, _) => here,
        (true, true) => named.to_vec(),
        (true, false) => Vec::new(),
    }
}
