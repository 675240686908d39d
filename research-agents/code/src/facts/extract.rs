//! Extracts the facts of a file from its syntax tree.

use std::collections::{HashMap, HashSet};
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tree_sitter::{
    Node, ParseOptions, Parser, QueryCursor, QueryCursorOptions, StreamingIterator, Tree,
};

use crate::facts::fact::{
    FileFacts, Implementation, Reference, ReferenceKind, Region, RegionKind, Symbol, SymbolKind,
};
use crate::facts::lines::LineIndex;
use crate::lang::{Grammar, Language, grammar};

/// Maximum time for one file. A pathological file costs this much and is reported.
const FILE_TIME: Duration = Duration::from_secs(5);

/// Maximum number of characters of a signature.
const SIGNATURE: usize = 200;

/// Outcome of an extraction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Extraction {
    /// The facts of the file.
    Facts(FileFacts),
    /// The feature of the language is disabled.
    NoGrammar,
    /// The file took longer than five seconds.
    TooSlow,
    /// The caller has cancelled.
    Cancelled,
}

/// Extracts the facts of a file. A file with syntax errors has the facts of its other parts.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use research_agents_code::facts::{Extraction, extract};
/// use research_agents_code::lang::Language;
///
/// # if cfg!(feature = "rust") {
/// let code = b"fn main() { run(1); }";
/// let Extraction::Facts(facts) = extract(Language::Rust, code, &AtomicBool::new(false)) else {
///     panic!("the feature `rust` is enabled");
/// };
/// assert_eq!(facts.symbols[0].name, "main");
/// assert_eq!(facts.references[0].name, "run");
/// # }
/// ```
pub fn extract(language: Language, bytes: &[u8], is_cancelled: &AtomicBool) -> Extraction {
    let Some(grammar) = grammar(language) else {
        return Extraction::NoGrammar;
    };
    let clock = Clock {
        end: Instant::now() + FILE_TIME,
        is_cancelled,
    };
    let Some(tree) = parse(grammar, bytes, &clock) else {
        return clock.outcome();
    };

    let lines = LineIndex::new(bytes);
    let mut found = Found::default();
    if !query(grammar, &tree, bytes, &clock, &mut found) {
        return clock.outcome();
    }
    let Some(regions) = regions(&tree, &clock) else {
        return clock.outcome();
    };
    Extraction::Facts(found.into_facts(language, bytes, &lines, regions, &tree))
}

/// The limits of an extraction.
struct Clock<'c> {
    end: Instant,
    is_cancelled: &'c AtomicBool,
}

impl Clock<'_> {
    fn is_over(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed) || Instant::now() >= self.end
    }

    fn flow(&self) -> ControlFlow<()> {
        if self.is_over() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Returns why an extraction ended.
    fn outcome(&self) -> Extraction {
        if self.is_cancelled.load(Ordering::Relaxed) {
            Extraction::Cancelled
        } else {
            Extraction::TooSlow
        }
    }
}

fn parse(grammar: &Grammar, bytes: &[u8], clock: &Clock<'_>) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&grammar.language).ok()?;
    let mut progress = |_: &tree_sitter::ParseState| clock.flow();
    parser.parse_with_options(
        &mut |at, _| bytes.get(at..).unwrap_or_default(),
        None,
        Some(ParseOptions::new().progress_callback(&mut progress)),
    )
}

/// What the query has found.
#[derive(Default)]
struct Found {
    symbols: Vec<(SymbolKind, Range<usize>, Range<usize>)>,
    references: HashMap<(usize, usize), ReferenceKind>,
    implementations: Vec<(Range<usize>, Range<usize>)>,
}

/// Runs the query of a grammar. Returns whether it came to its end.
fn query(
    grammar: &Grammar,
    tree: &Tree,
    bytes: &[u8],
    clock: &Clock<'_>,
    found: &mut Found,
) -> bool {
    let names = grammar.query.capture_names();
    let mut cursor = QueryCursor::new();
    let mut progress = |_: &tree_sitter::QueryCursorState| clock.flow();
    let options = QueryCursorOptions::new().progress_callback(&mut progress);
    let mut matches = cursor.matches_with_options(&grammar.query, tree.root_node(), bytes, options);

    while let Some(one) = matches.next() {
        let mut name = None;
        let mut definition = None;
        let (mut of, mut by) = (None, None);
        for capture in one.captures {
            let span = capture.node.byte_range();
            let kind = names
                .get(capture.index as usize)
                .copied()
                .unwrap_or_default();
            match kind {
                "name" => name = Some(span),
                "trait" => of = Some(span),
                "implementor" => by = Some(span),
                "call" => found.refer(span, ReferenceKind::Call),
                "import" => found.refer(span, ReferenceKind::Import),
                "type" => found.refer(span, ReferenceKind::Type),
                kind => {
                    if let Some(kind) = kind.strip_prefix("def.") {
                        definition = Some((SymbolKind::from_name(kind), span));
                    }
                }
            }
        }
        if let (Some((kind, span)), Some(name)) = (definition, name) {
            found.symbols.push((kind, span, name));
        }
        if let (Some(of), Some(by)) = (of, by) {
            found.implementations.push((of, by));
        }
    }
    !clock.is_over()
}

impl Found {
    /// Notes a use. A call is more than a type, and an import more than a call.
    fn refer(&mut self, span: Range<usize>, kind: ReferenceKind) {
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

    fn into_facts(
        mut self,
        language: Language,
        bytes: &[u8],
        lines: &LineIndex,
        regions: Vec<Region>,
        tree: &Tree,
    ) -> FileFacts {
        let text = |span: &Range<usize>| {
            String::from_utf8_lossy(bytes.get(span.clone()).unwrap_or_default()).into_owned()
        };

        // Several patterns may find one definition; the first one names its kind.
        let mut seen = HashSet::new();
        self.symbols
            .retain(|(_, _, name)| seen.insert((name.start, name.end)));
        self.symbols
            .sort_by_key(|(_, span, name)| (span.start, usize::MAX - span.end, name.start));

        let mut symbols: Vec<Symbol> = Vec::with_capacity(self.symbols.len());
        let mut open: Vec<usize> = Vec::new();
        for (kind, span, name_span) in self.symbols {
            while open
                .last()
                .is_some_and(|at| symbols[*at].span.end < span.end || symbols[*at].span == span)
            {
                open.pop();
            }
            let parent = open.last().copied();
            open.push(symbols.len());
            symbols.push(Symbol {
                name: text(&name_span),
                kind: in_context(kind, parent.map(|at| symbols[at].kind)),
                lines: (
                    lines.line(span.start),
                    lines.line(span.end.saturating_sub(1)),
                ),
                signature: signature(bytes, &span),
                span,
                name_span,
                parent,
            });
        }

        // The block of an implementation names its type, which is a use and no definition.
        let defined: HashSet<(usize, usize)> = symbols
            .iter()
            .filter(|symbol| symbol.kind != SymbolKind::Impl)
            .map(|symbol| (symbol.name_span.start, symbol.name_span.end))
            .collect();
        let mut references: Vec<Reference> = self
            .references
            .into_iter()
            .filter(|(span, _)| !defined.contains(span))
            .map(|((start, end), kind)| Reference {
                name: text(&(start..end)),
                kind,
                line: lines.line(start),
                span: start..end,
            })
            .collect();
        references.sort_by_key(|reference| (reference.span.start, reference.span.end));

        let mut implementations: Vec<Implementation> = self
            .implementations
            .into_iter()
            .map(|(of, by)| Implementation {
                of: text(&of),
                by: text(&by),
                line: lines.line(of.start),
                span: of,
            })
            .collect();
        implementations.sort_by_key(|found| found.span.start);
        implementations.dedup();

        FileFacts {
            language,
            symbols,
            references,
            implementations,
            regions,
            lines: lines.count(),
            has_errors: tree.root_node().has_error(),
        }
    }
}

/// Returns the kind of a symbol within another: functions of classes and traits are methods.
fn in_context(kind: SymbolKind, parent: Option<SymbolKind>) -> SymbolKind {
    use SymbolKind::{Class, Function, Impl, Interface, Method, Struct, Trait};
    match (kind, parent) {
        (Function, Some(Class | Impl | Interface | Struct | Trait)) => Method,
        (kind, _) => kind,
    }
}

/// Returns the text of a definition up to its body, on one line.
fn signature(bytes: &[u8], span: &Range<usize>) -> String {
    let text = String::from_utf8_lossy(bytes.get(span.clone()).unwrap_or_default());
    let mut signature = String::new();
    for word in text.split_whitespace() {
        let is_body = word.starts_with('{') || word == "=>";
        if is_body || signature.chars().count() + word.chars().count() > SIGNATURE {
            break;
        }
        if !signature.is_empty() {
            signature.push(' ');
        }
        signature.push_str(word);
        if word.ends_with('{') || (word.ends_with(':') && signature.contains(')')) {
            break;
        }
    }
    signature.trim_end_matches(['{', ':', ' ']).to_owned()
}

/// Returns the comments and strings of a file, in order. `None` if the time is over.
fn regions(tree: &Tree, clock: &Clock<'_>) -> Option<Vec<Region>> {
    /// Number of nodes between two looks at the clock.
    const NODES: usize = 4_096;
    let mut regions: Vec<Region> = Vec::new();
    let mut cursor = tree.walk();
    let mut seen = 0;
    loop {
        seen += 1;
        if seen % NODES == 0 && clock.is_over() {
            return None;
        }

        let node = cursor.node();
        let kind = region_kind(&node);
        if let Some(kind) = kind {
            regions.push(Region {
                kind,
                span: node.byte_range(),
            });
        }

        // What is inserted into a string is code again, and is found below it.
        let is_leaf = kind == Some(RegionKind::Comment);
        if !is_leaf && cursor.goto_first_child() {
            continue;
        }
        loop {
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return Some(regions);
            }
        }
    }
}

/// Returns the kind of a node that is a comment or the content of a string.
fn region_kind(node: &Node<'_>) -> Option<RegionKind> {
    let kind = node.kind();
    if kind.contains("comment") && node.is_named() {
        return Some(RegionKind::Comment);
    }

    let is_text = matches!(
        kind,
        "string_content"
            | "string_fragment"
            | "raw_string_literal"
            | "raw_string_content"
            | "interpreted_string_literal_content"
            | "raw_string_literal_content"
            | "string_literal_content"
            | "verbatim_string_literal"
            | "char_literal"
            | "character"
            | "character_literal"
            | "rune_literal"
            | "heredoc_content"
            | "heredoc_body"
            | "nowdoc_string"
            | "regex_pattern"
            | "template_string"
            | "string_value"
            | "text"
            | "jsx_text"
            | "system_lib_string"
            | "multiline_string_fragment"
            | "escape_sequence"
    );
    if !is_text || !node.is_named() {
        return None;
    }
    if kind == "template_string" {
        // Its fragments are found below it.
        return None;
    }

    let is_documentation = kind == "string_content" && documents(node);
    Some(if is_documentation {
        RegionKind::Comment
    } else {
        RegionKind::String
    })
}

/// Returns whether a string of Python is a statement by itself, and so documents what contains it.
fn documents(content: &Node<'_>) -> bool {
    content
        .parent()
        .filter(|string| string.kind() == "string")
        .and_then(|string| string.parent())
        .is_some_and(|statement| {
            statement.kind() == "expression_statement" && statement.named_child_count() == 1
        })
}
