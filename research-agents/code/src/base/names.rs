//! The names of a file: what a search over all files needs of its facts.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::facts::{FileFacts, Implementation, ReferenceKind, SymbolKind};

/// Names that are stored once.
#[derive(Debug, Default)]
pub(crate) struct Names {
    known: Mutex<HashSet<Arc<str>>>,
}

impl Names {
    fn intern(&self, names: &mut HashSet<Arc<str>>, name: &str) -> Arc<str> {
        if let Some(known) = names.get(name) {
            return Arc::clone(known);
        }
        let name: Arc<str> = Arc::from(name);
        names.insert(Arc::clone(&name));
        name
    }
}

/// A symbol.
#[derive(Debug)]
pub(crate) struct NamedSymbol {
    pub(crate) name: Arc<str>,
    pub(crate) kind: SymbolKind,
    pub(crate) owner: Option<Arc<str>>,
    /// Index of the symbol around it.
    pub(crate) parent: Option<u32>,
    pub(crate) lines: (u32, u32),
}

/// A call.
#[derive(Debug)]
pub(crate) struct NamedCall {
    pub(crate) name: Arc<str>,
    /// Index of the innermost function around it.
    pub(crate) within: Option<u32>,
    /// Index in [`FileFacts::references`].
    pub(crate) reference: u32,
}

/// A type that implements another.
#[derive(Debug)]
pub(crate) struct NamedImplementation {
    pub(crate) of: Arc<str>,
    pub(crate) by: Arc<str>,
    /// Line of the name of the base.
    pub(crate) line: u32,
    /// First line of the type or block that names it.
    pub(crate) first: u32,
}

/// The names of a file.
#[derive(Debug)]
pub(crate) struct FileNames {
    pub(crate) symbols: Vec<NamedSymbol>,
    pub(crate) calls: Vec<NamedCall>,
    pub(crate) implementations: Vec<NamedImplementation>,
    pub(crate) is_generated: bool,
}

impl FileNames {
    /// Takes the names from the facts of a file.
    pub(crate) fn new(facts: &FileFacts, names: &Names) -> Self {
        let mut known = names.known.lock().unwrap_or_else(PoisonError::into_inner);
        let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let symbols = facts
            .symbols
            .iter()
            .map(|symbol| NamedSymbol {
                name: names.intern(&mut known, &symbol.name),
                kind: symbol.kind,
                owner: facts
                    .owner(symbol)
                    .map(|owner| names.intern(&mut known, owner)),
                parent: symbol.parent.map(narrow),
                lines: (narrow(symbol.lines.0), narrow(symbol.lines.1)),
            })
            .collect();

        let around = functions_around(facts);
        let calls = facts
            .references
            .iter()
            .enumerate()
            .filter(|(_, reference)| reference.kind == ReferenceKind::Call)
            .map(|(at, reference)| NamedCall {
                name: names.intern(&mut known, &reference.name),
                within: around.get(at).copied().flatten().map(narrow),
                reference: narrow(at),
            })
            .collect();
        let implementations = facts
            .implementations
            .iter()
            .map(|found| NamedImplementation {
                of: names.intern(&mut known, &found.of),
                by: names.intern(&mut known, crate::facts::base_name(&found.by)),
                line: narrow(found.line),
                first: narrow(first_line(facts, found)),
            })
            .collect();
        Self {
            symbols,
            calls,
            implementations,
            is_generated: facts.is_generated,
        }
    }
}

/// Returns the innermost function around each reference. Symbols and references are in the order
/// of the file.
fn functions_around(facts: &FileFacts) -> Vec<Option<usize>> {
    let mut around = Vec::with_capacity(facts.references.len());
    let mut open: Vec<usize> = Vec::new();
    let mut next = 0;

    for reference in &facts.references {
        while let Some(symbol) = facts
            .symbols
            .get(next)
            .filter(|symbol| symbol.span.start <= reference.span.start)
        {
            if symbol.kind.is_function() {
                open.push(next);
            }
            next += 1;
        }
        open.retain(|at| facts.symbols[*at].span.end > reference.span.start);
        around.push(open.last().copied());
    }
    around
}

/// Returns the first line of the type or block that an implementation belongs to; for an attribute
/// that derives it, the line of the type's name below.
fn first_line(facts: &FileFacts, found: &Implementation) -> usize {
    /// Maximum number of lines of a header.
    const HEADER: usize = 12;
    /// Maximum number of lines of attributes.
    const ATTRIBUTES: usize = 120;
    let types = || facts.symbols.iter().filter(|symbol| symbol.kind.is_type());
    let around = types()
        .filter(|symbol| symbol.span.contains(&found.span.start))
        .map(|symbol| symbol.lines.0)
        .max()
        .filter(|first| found.line - first <= HEADER);

    let derives_for = || {
        types()
            .filter(|symbol| symbol.name == found.by && symbol.span.start > found.span.start)
            .map(|symbol| symbol.lines.0)
            .min()
            .filter(|line| line - found.line <= ATTRIBUTES)
    };
    around.or_else(derives_for).unwrap_or(found.line)
}
