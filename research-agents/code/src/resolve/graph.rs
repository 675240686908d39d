//! Calls from function to function, over the index of all files.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::base::{Index, Snapshot};
use crate::facts::{FileFacts, SymbolKind};
use crate::resolve::definition::Definition;
use crate::resolve::level::{Level, Site};
use crate::tree::RelPath;

/// A function: its file in the index, and its number there.
pub(crate) type Node = (u32, u32);

/// A call from a function to another.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) from: Node,
    pub(crate) to: Node,
    /// Line of the call, counted from 1.
    pub(crate) line: usize,
    pub(crate) level: Level,
}

/// Calls between functions, resolved when they are asked for.
pub(crate) struct CallGraph<'g> {
    files: &'g Snapshot,
    index: &'g Index,
    root: String,
    facts: HashMap<u32, Option<Arc<FileFacts>>>,
    is_cancelled: &'g AtomicBool,
}

/// Maximum number of functions of one name that an unresolved call may mean.
const MAX_POSSIBLE: usize = 8;

impl<'g> CallGraph<'g> {
    pub(crate) fn new(files: &'g Snapshot, index: &'g Index, is_cancelled: &'g AtomicBool) -> Self {
        Self {
            root: files.root_name(),
            files,
            index,
            facts: HashMap::new(),
            is_cancelled,
        }
    }

    /// Returns the file of a function.
    pub(crate) fn path(&self, node: Node) -> Option<&RelPath> {
        self.index.symbol(node).map(|(file, _)| &file.path)
    }

    /// Returns the qualified name of a function.
    pub(crate) fn name(&self, node: Node) -> String {
        let Some((file, symbol)) = self.index.symbol(node) else {
            return String::new();
        };
        match &symbol.owner {
            Some(owner) => format!("{owner}.{}", symbol.name),
            None => {
                let _ = file;
                symbol.name.to_string()
            }
        }
    }

    fn facts(&mut self, file: u32) -> Option<Arc<FileFacts>> {
        if let Some(known) = self.facts.get(&file) {
            return known.clone();
        }
        let found = self.index.files.get(file as usize).and_then(|indexed| {
            let content = self.files.read(&indexed.path).ok()?;
            // A file that has changed since is not the one of the index.
            let is_same = content.hash == indexed.hash;
            is_same
                .then(|| {
                    self.files
                        .facts_of(&indexed.path, &content, self.is_cancelled)
                })
                .flatten()
        });
        self.facts.insert(file, found.clone());
        found
    }

    /// Returns the calls in a function.
    pub(crate) fn calls_of(&mut self, node: Node) -> Vec<Edge> {
        let Some((file, _)) = self.index.symbol(node) else {
            return Vec::new();
        };
        let calls: Vec<(usize, Arc<str>)> = file
            .names
            .calls
            .iter()
            .filter(|call| call.within == Some(node.1))
            .map(|call| (call.reference as usize, Arc::clone(&call.name)))
            .collect();
        let mut edges = Vec::new();
        for (reference, name) in calls {
            edges.extend(self.resolve(node, reference, &name));
        }
        edges
    }

    /// Returns the calls of a function.
    pub(crate) fn calls_to(&mut self, node: Node) -> Vec<Edge> {
        let Some((_, symbol)) = self.index.symbol(node) else {
            return Vec::new();
        };
        let name = Arc::clone(&symbol.name);
        let places: Vec<(Node, usize)> = self
            .index
            .calls(&name)
            .iter()
            .filter_map(|at| {
                let (_, call) = self.index.call(*at)?;
                Some(((at.0, call.within?), call.reference as usize))
            })
            .collect();

        let mut edges = Vec::new();
        for (caller, reference) in places {
            if self.is_cancelled.load(Ordering::Relaxed) {
                break;
            }
            let found = self.resolve(caller, reference, &name);
            edges.extend(found.into_iter().filter(|edge| edge.to == node));
        }
        edges
    }

    /// Links a call to the functions that it may mean: the one that it is resolved to, or else all
    /// of the name if they are few.
    fn resolve(&mut self, from: Node, reference: usize, name: &str) -> Vec<Edge> {
        let Some(facts) = self.facts(from.0) else {
            return Vec::new();
        };
        let (Some(reference), Some(file)) = (
            facts.references.get(reference),
            self.index.files.get(from.0 as usize),
        ) else {
            return Vec::new();
        };
        let (nodes, definitions): (Vec<Node>, Vec<Definition>) = self
            .index
            .symbols(name)
            .iter()
            .filter_map(|at| Some((*at, self.definition(*at)?)))
            .unzip();

        let site = Site {
            path: &file.path,
            facts: &facts,
            at: reference.span.start,
            name,
            receiver: reference.receiver.as_deref(),
            root: &self.root,
        };
        let edge = |to: Node, level: Level| Edge {
            from,
            to,
            line: reference.line,
            level,
        };
        if let Some(to) = site.resolve(&definitions).and_then(|at| nodes.get(at)) {
            return vec![edge(*to, Level::Resolved)];
        }
        // A name without a receiver that is not resolved is a function of another project.
        let is_method = reference.receiver.is_some();
        let possible: Vec<Node> = nodes
            .into_iter()
            .zip(&definitions)
            .filter(|(_, definition)| !is_method || definition.owner.is_some())
            .map(|(node, _)| node)
            .collect();
        match possible.len() {
            1..=MAX_POSSIBLE => possible
                .into_iter()
                .map(|to| edge(to, Level::Possible))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Returns a function of the index as a definition. The parts that need its file are left out.
    fn definition(&self, at: Node) -> Option<Definition> {
        let (file, symbol) = self.index.symbol(at)?;
        if !symbol.kind.is_function() {
            return None;
        }
        let mut qualified = vec![symbol.name.to_string()];
        qualified.extend(symbol.owner.iter().map(ToString::to_string));
        let mut is_local = false;
        let mut outer = symbol.parent;
        while let Some(parent) = outer.and_then(|at| file.names.symbols.get(at as usize)) {
            is_local |= parent.kind.is_function();
            if parent.kind == SymbolKind::Module {
                qualified.push(parent.name.to_string());
            }
            outer = parent.parent;
        }
        qualified.reverse();

        Some(Definition {
            path: file.path.clone(),
            hash: file.hash.clone(),
            language: file.language,
            place: file.place,
            name: symbol.name.to_string(),
            qualified: qualified.join("."),
            kind: symbol.kind,
            owner: symbol.owner.as_ref().map(ToString::to_string),
            lines: (symbol.lines.0 as usize, symbol.lines.1 as usize),
            name_line: symbol.lines.0 as usize,
            signature: String::new(),
            is_declaration: symbol.lines.0 == symbol.lines.1,
            is_local,
            symbol: at.1 as usize,
        })
    }
}
