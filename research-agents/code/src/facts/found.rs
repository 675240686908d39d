//! Symbols, uses and implementations that the query of a grammar finds.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tree_sitter::{QueryCursor, QueryCursorOptions, StreamingIterator, Tree};

use crate::facts::clock::Clock;
use crate::facts::fact::{
    FileFacts, Implementation, Reference, ReferenceKind, Symbol, SymbolKind, base_name,
};
use crate::facts::lines::LineIndex;
use crate::facts::walk::Walked;
use crate::lang::{Grammar, Language};

/// Maximum number of characters of a signature.
const SIGNATURE: usize = 200;

/// Maximum number of bytes of a receiver.
const RECEIVER: usize = 80;

/// A definition: its kind, its bytes, those of its name and of its owner, and whether it counts
/// only outside of functions.
type Defined = (
    SymbolKind,
    Range<usize>,
    Range<usize>,
    Option<Range<usize>>,
    bool,
);

/// What the query has found.
#[derive(Default)]
pub(crate) struct Found {
    symbols: Vec<Defined>,
    references: HashMap<(usize, usize), ReferenceKind>,
    implementations: Vec<(Range<usize>, Range<usize>)>,
}

impl Found {
    /// Runs the query of a grammar. `None` if the time is over.
    pub(crate) fn query(
        grammar: &Grammar,
        tree: &Tree,
        bytes: &[u8],
        clock: &Clock<'_>,
    ) -> Option<Self> {
        let mut found = Self::default();
        let names = grammar.query.capture_names();
        let mut cursor = QueryCursor::new();
        let mut progress = |_: &tree_sitter::QueryCursorState| clock.flow();
        let options = QueryCursorOptions::new().progress_callback(&mut progress);
        let root = tree.root_node();
        let mut matches = cursor.matches_with_options(&grammar.query, root, bytes, options);

        while let Some(one) = matches.next() {
            let (mut name, mut definition, mut owner) = (None, None, None);
            let (mut of, mut by) = (None, None);
            let mut is_global = false;
            for capture in one.captures {
                let span = capture.node.byte_range();
                let kind = names
                    .get(capture.index as usize)
                    .copied()
                    .unwrap_or_default();
                match kind {
                    "name" => name = Some(span),
                    "owner" => owner = Some(span),
                    "trait" => of = Some(span),
                    "implementor" => by = Some(span),
                    "call" => found.refer(span, ReferenceKind::Call),
                    "import" => found.refer(span, ReferenceKind::Import),
                    "type" => found.refer(span, ReferenceKind::Type),
                    kind => {
                        if let Some(kind) = kind.strip_prefix("def.") {
                            is_global = kind == "global";
                            definition = Some((SymbolKind::from_name(kind), span));
                        }
                    }
                }
            }

            if let (Some((kind, span)), Some(name)) = (definition, name) {
                found.symbols.push((kind, span, name, owner, is_global));
            }
            if let (Some(of), Some(by)) = (of, by) {
                found.implementations.push((of, by));
            }
        }
        (!clock.is_over()).then_some(found)
    }

    /// Notes a use. A call is more than a type, and an import more than a call.
    pub(crate) fn refer(&mut self, span: Range<usize>, kind: ReferenceKind) {
        let rank = |kind| match kind {
            ReferenceKind::Import => 2,
            ReferenceKind::Call => 1,
            ReferenceKind::Type => 0,
        };
        let known = self
            .references
            .entry((span.start, span.end))
            .or_insert(kind);
        if rank(kind) > rank(*known) {
            *known = kind;
        }
    }

    /// Puts the facts of a file together.
    pub(crate) fn into_facts(
        mut self,
        language: Language,
        bytes: &[u8],
        lines: &LineIndex,
        walked: Walked,
        tree: &Tree,
    ) -> FileFacts {
        for span in walked.calls {
            self.refer(span, ReferenceKind::Call);
        }
        for (kind, span, name) in walked.definitions {
            self.symbols.push((kind, span, name, None, false));
        }
        for (of, by) in walked.derives {
            self.refer(of.clone(), ReferenceKind::Type);
            self.implementations.push((of, by));
        }

        let symbols = self.symbols(bytes, lines);
        FileFacts {
            language,
            references: self.references(&symbols, bytes, lines),
            implementations: self.implementations(bytes, lines),
            symbols,
            imports: walked.imports,
            bindings: walked.bindings,
            regions: walked.regions,
            lines: lines.count(),
            has_errors: tree.root_node().has_error(),
            is_generated: is_generated(bytes),
        }
    }

    fn symbols(&mut self, bytes: &[u8], lines: &LineIndex) -> Vec<Symbol> {
        // Several patterns may find one definition; the first one names its kind, unless that is a
        // general one, and any of them its owner.
        let mut owners: HashMap<usize, Range<usize>> = HashMap::new();
        for (_, _, name, owner, _) in &self.symbols {
            if let Some(owner) = owner {
                owners.insert(name.start, owner.clone());
            }
        }
        let is_general = |kind: SymbolKind| kind == SymbolKind::Type;
        self.symbols
            .sort_by_key(|(kind, _, name, ..)| (name.start, name.end, is_general(*kind)));
        let mut seen = HashSet::new();
        self.symbols
            .retain(|(_, _, name, ..)| seen.insert((name.start, name.end)));
        self.symbols
            .sort_by_key(|(_, span, name, ..)| (span.start, usize::MAX - span.end, name.start));

        let mut symbols: Vec<Symbol> = Vec::with_capacity(self.symbols.len());
        let mut open: Vec<usize> = Vec::new();
        for (kind, span, name_span, _, is_global) in self.symbols.drain(..) {
            while open
                .last()
                .is_some_and(|at| symbols[*at].span.end < span.end || symbols[*at].span == span)
            {
                open.pop();
            }
            let parent = open.last().copied();
            let outer = parent.map(|at| symbols[at].kind);
            if is_global && outer.is_some_and(SymbolKind::is_function) {
                continue;
            }
            open.push(symbols.len());
            symbols.push(Symbol {
                name: text(bytes, &name_span),
                kind: in_context(kind, outer),
                lines: (
                    lines.line(span.start),
                    lines.line(span.end.saturating_sub(1)),
                ),
                signature: signature(bytes, &span),
                owner: owners
                    .get(&name_span.start)
                    .map(|owner| base_name(&text(bytes, owner)).to_owned()),
                span,
                name_span,
                parent,
            });
        }
        symbols
    }

    fn references(
        &mut self,
        symbols: &[Symbol],
        bytes: &[u8],
        lines: &LineIndex,
    ) -> Vec<Reference> {
        // The block of an implementation names its type, which is a use and not a definition.
        let defined: HashSet<(usize, usize)> = symbols
            .iter()
            .filter(|symbol| symbol.kind != SymbolKind::Impl)
            .map(|symbol| (symbol.name_span.start, symbol.name_span.end))
            .collect();

        let mut references: Vec<Reference> = self
            .references
            .drain()
            .filter(|(span, _)| !defined.contains(span))
            .map(|((start, end), kind)| Reference {
                name: text(bytes, &(start..end)),
                kind,
                line: lines.line(start),
                receiver: match kind {
                    ReferenceKind::Call => receiver(bytes, start),
                    ReferenceKind::Import | ReferenceKind::Type => None,
                },
                span: start..end,
            })
            .collect();
        references.sort_by_key(|reference| (reference.span.start, reference.span.end));
        references
    }

    fn implementations(&mut self, bytes: &[u8], lines: &LineIndex) -> Vec<Implementation> {
        let mut found: Vec<Implementation> = self
            .implementations
            .drain(..)
            .map(|(of, by)| Implementation {
                of: text(bytes, &of),
                by: text(bytes, &by),
                line: lines.line(of.start),
                span: of,
            })
            .collect();
        found.sort_by_key(|found| found.span.start);
        found.dedup();
        found
    }
}

fn text(bytes: &[u8], span: &Range<usize>) -> String {
    String::from_utf8_lossy(bytes.get(span.clone()).unwrap_or_default()).into_owned()
}

/// Returns the kind of a symbol within another: functions of classes and traits are methods.
fn in_context(kind: SymbolKind, parent: Option<SymbolKind>) -> SymbolKind {
    match (kind, parent) {
        (SymbolKind::Function, Some(parent)) if parent.is_type() && parent != SymbolKind::Enum => {
            SymbolKind::Method
        }
        (kind, _) => kind,
    }
}

/// Returns the text of a definition up to its body, on one line.
fn signature(bytes: &[u8], span: &Range<usize>) -> String {
    let end = span.end.min(span.start + 4 * SIGNATURE + 200);
    let text = String::from_utf8_lossy(bytes.get(span.start..end).unwrap_or_default());
    let mut signature = String::new();
    let mut characters = 0;

    for word in text.split_whitespace() {
        let is_body = word.starts_with('{') || word == "=>";
        let width = word.chars().count();
        if is_body || characters + width > SIGNATURE {
            break;
        }
        if !signature.is_empty() {
            signature.push(' ');
            characters += 1;
        }
        signature.push_str(word);
        characters += width;
        if word.ends_with('{') || (word.ends_with(':') && signature.contains(')')) {
            break;
        }
    }
    signature.trim_end_matches(['{', ':', ' ']).to_owned()
}

/// Returns what is before the name of a call and joined to it.
pub(crate) fn receiver(bytes: &[u8], name: usize) -> Option<String> {
    let before = bytes.get(..name)?;
    let before = before.trim_ascii_end();
    let joint = ["?.", "->", "::", "."]
        .iter()
        .find(|joint| before.ends_with(joint.as_bytes()))?;
    let before = before.get(..before.len() - joint.len())?.trim_ascii_end();

    let is_part = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'_' | b'.' | b':' | b'$' | b'@' | b'\\')
            || !byte.is_ascii()
    };
    let start = before
        .iter()
        .rposition(|byte| !is_part(byte))
        .map_or(0, |at| at + 1);
    let chain = before.get(start..)?;
    let chain = chain.get(chain.len().saturating_sub(RECEIVER)..)?;
    let chain = String::from_utf8_lossy(chain);
    let chain = chain.trim_matches(['.', ':']);
    // `a.b().c()` and `x[0].c()`: the object is the result of an expression.
    let is_result = chain.is_empty() || before.ends_with(b")") || before.ends_with(b"]");
    Some(if is_result {
        "()".to_owned()
    } else {
        chain.to_owned()
    })
}

/// Returns whether a mark in the first lines says that a file is generated.
fn is_generated(bytes: &[u8]) -> bool {
    /// Number of bytes of a file that may hold a mark.
    const HEAD: usize = 400;
    const MARKS: &[&str] = &[
        "@generated",
        "Code generated",
        "DO NOT EDIT",
        "Generated by",
    ];
    let head = String::from_utf8_lossy(bytes.get(..HEAD).unwrap_or(bytes));
    head.lines().take(6).any(|line| {
        let is_comment = line.trim_start().starts_with(['/', '#', '*', '<', '-']);
        is_comment && MARKS.iter().any(|mark| line.contains(mark))
    })
}
