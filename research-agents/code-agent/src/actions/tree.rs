//! Actions on the syntax tree of one file.

use std::sync::Arc;

use research_agents_code::facts::{FileFacts, Symbol};
use research_agents_code::tree::{FileBytes, RelPath};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::actions::action::Action;
use crate::actions::context::ActionContext;
use crate::actions::result::ActionResult;
use crate::run::{EvidenceDraft, Provenance};
use crate::space::{MAX_SPAN_LINES, View, lines_of};

/// Maximum number of symbols that an action returns as evidence.
const MAX_SYMBOLS: usize = 20;

/// Maximum number of symbols of an outline.
const MAX_OUTLINE: usize = 500;

/// Lists the symbols of a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct TsOutline;

/// Finds a symbol of a file by its name.
#[derive(Clone, Copy, Debug, Default)]
pub struct TsFindSymbol;

/// Finds the innermost symbol around a line.
#[derive(Clone, Copy, Debug, Default)]
pub struct TsEnclosingSymbol;

/// A file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct FileInput {
    /// Path beneath the root.
    file_path: String,
}

/// A name in a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct NameInput {
    /// Path beneath the root.
    file_path: String,
    /// Name of the symbol, or its qualified name such as `Type.method`.
    name: String,
}

/// A line in a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct LineInput {
    /// Path beneath the root.
    file_path: String,
    /// Line, counted from 1.
    line: usize,
}

/// A file with its facts.
struct Parsed {
    path: RelPath,
    file: FileBytes,
    facts: Arc<FileFacts>,
}

fn failed(error: impl ToString) -> Box<ActionResult> {
    Box::new(ActionResult::failed(error))
}

impl Parsed {
    fn open(view: &View, path: &str) -> Result<Self, Box<ActionResult>> {
        let path = view.path(path).map_err(failed)?;
        let (file, facts) = view.facts(&path).map_err(failed)?;
        let facts = facts.ok_or_else(|| {
            failed(format!(
                "the language of `{path}` is not known to this build"
            ))
        })?;
        Ok(Self { path, file, facts })
    }

    /// Returns the lines of a symbol as evidence, at most as many as one action opens.
    fn evidence(&self, symbol: &Symbol) -> Option<EvidenceDraft> {
        let (first, last) = symbol.lines;
        let last = last.min(first + MAX_SPAN_LINES - 1);
        let name = self.facts.qualified_name(symbol);
        let draft = lines_of(
            &self.path,
            &self.file.bytes,
            (first, last),
            "symbol",
            Provenance::Treesitter,
        )?;
        Some(EvidenceDraft {
            symbol_id: Some(format!("{}::{name}", self.path)),
            symbol_kind: Some(symbol.kind.name().to_owned()),
            ..draft
        })
    }

    /// Returns a symbol as JSON, with the symbols in it.
    fn node(&self, at: usize, left: &mut usize) -> Option<Value> {
        *left = left.checked_sub(1)?;
        let symbol = self.facts.symbols.get(at)?;
        let line_start = self.file.bytes[..symbol.name_span.start]
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let parent = symbol.parent.and_then(|at| self.facts.symbols.get(at));

        let children: Vec<Value> = (0..self.facts.symbols.len())
            .filter(|child| self.facts.symbols[*child].parent == Some(at))
            .filter_map(|child| self.node(child, left))
            .collect();
        Some(json!({
            "name": symbol.name,
            "kind": symbol.kind.name(),
            "lines": [symbol.lines.0, symbol.lines.1],
            "column": symbol.name_span.start - line_start,
            "signature": symbol.signature,
            "parent": parent.map(|parent| &parent.name),
            "docstring": docstring(&self.facts, &self.file.bytes, symbol),
            "children": children,
        }))
    }
}

/// Returns the comment directly above a symbol, or the first one in it, on one line.
fn docstring(facts: &FileFacts, bytes: &[u8], symbol: &Symbol) -> Option<String> {
    /// Maximum number of characters.
    const MAX: usize = 200;
    let is_blank = |range: std::ops::Range<usize>| {
        bytes
            .get(range)
            .is_some_and(|between| between.iter().all(u8::is_ascii_whitespace))
    };

    let above = facts.regions.iter().rev().find(|region| {
        region.kind == research_agents_code::facts::RegionKind::Comment
            && region.span.end <= symbol.span.start
    });
    let inside = facts.regions.iter().find(|region| {
        region.kind == research_agents_code::facts::RegionKind::Comment
            && symbol.span.contains(&region.span.start)
    });
    let region = above
        .filter(|region| is_blank(region.span.end..symbol.span.start))
        .or(inside)?;
    let text = String::from_utf8_lossy(bytes.get(region.span.clone())?).into_owned();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(line.chars().take(MAX).collect())
}

impl Action for TsOutline {
    const NAME: &'static str = "ts_outline";
    const DESCRIPTION: &'static str = "Lists the symbols of a file with their lines.";
    type Input = FileInput;

    async fn execute(&self, input: FileInput, cx: &ActionContext) -> ActionResult {
        cx.blocking(move |view| {
            let parsed = match Parsed::open(view, &input.file_path) {
                Ok(parsed) => parsed,
                Err(failure) => return *failure,
            };
            let mut left = MAX_OUTLINE;
            let symbols = &parsed.facts.symbols;
            let top = (0..symbols.len()).filter(|at| symbols[*at].parent.is_none());
            let outline: Vec<Value> = top.filter_map(|at| parsed.node(at, &mut left)).collect();

            let evidence = symbols
                .iter()
                .filter(|symbol| symbol.parent.is_none())
                .take(MAX_SYMBOLS)
                .filter_map(|symbol| heading(&parsed, symbol));
            let (count, path) = (symbols.len(), parsed.path.encoded());
            ActionResult::done(format!("{count} symbols in {path}"))
                .with_evidence(evidence.collect())
                .with_data(json!({
                    "language": parsed.facts.language.name(),
                    "has_errors": parsed.facts.has_errors,
                    "symbols": outline,
                }))
        })
        .await
    }
}

/// Returns the first line of a symbol as evidence.
fn heading(parsed: &Parsed, symbol: &Symbol) -> Option<EvidenceDraft> {
    let whole = parsed.evidence(symbol)?;
    let lines = (symbol.lines.0, symbol.lines.0);
    let first = lines_of(
        &parsed.path,
        &parsed.file.bytes,
        lines,
        "outline",
        Provenance::Treesitter,
    )?;
    Some(EvidenceDraft {
        symbol_id: whole.symbol_id,
        symbol_kind: whole.symbol_kind,
        ..first
    })
}

impl Action for TsFindSymbol {
    const NAME: &'static str = "ts_find_symbol";
    const DESCRIPTION: &'static str = "Reads the definitions of a name in a file.";
    type Input = NameInput;

    async fn execute(&self, input: NameInput, cx: &ActionContext) -> ActionResult {
        cx.blocking(move |view| {
            let parsed = match Parsed::open(view, &input.file_path) {
                Ok(parsed) => parsed,
                Err(failure) => return *failure,
            };
            let wanted = input.name.replace("::", ".");
            let found: Vec<&Symbol> = parsed
                .facts
                .symbols
                .iter()
                .filter(|symbol| {
                    symbol.name == wanted || parsed.facts.qualified_name(symbol) == wanted
                })
                .collect();
            if found.is_empty() {
                let path = parsed.path.encoded();
                return ActionResult::failed(format!("{path} defines no symbol of this name"));
            }

            let mut left = MAX_OUTLINE;
            let at = |symbol: &&Symbol| {
                let mut all = parsed.facts.symbols.iter();
                all.position(|one| std::ptr::eq(one, *symbol))
            };
            let nodes: Vec<Value> = found
                .iter()
                .filter_map(at)
                .filter_map(|at| parsed.node(at, &mut left))
                .collect();
            let evidence = found.iter().take(MAX_SYMBOLS);
            let evidence = evidence.filter_map(|symbol| parsed.evidence(symbol));
            ActionResult::done(format!("{} definitions", found.len()))
                .with_evidence(evidence.collect())
                .with_data(json!({ "symbols": nodes }))
        })
        .await
    }
}

impl Action for TsEnclosingSymbol {
    const NAME: &'static str = "ts_enclosing_symbol";
    const DESCRIPTION: &'static str = "Reads the innermost symbol around a line of a file.";
    type Input = LineInput;

    async fn execute(&self, input: LineInput, cx: &ActionContext) -> ActionResult {
        cx.blocking(move |view| {
            let parsed = match Parsed::open(view, &input.file_path) {
                Ok(parsed) => parsed,
                Err(failure) => return *failure,
            };
            let around = parsed
                .facts
                .symbols
                .iter()
                .filter(|symbol| (symbol.lines.0..=symbol.lines.1).contains(&input.line))
                .min_by_key(|symbol| symbol.span.len());

            match around.and_then(|symbol| Some((symbol, parsed.evidence(symbol)?))) {
                Some((symbol, evidence)) => {
                    let name = parsed.facts.qualified_name(symbol);
                    let kind = symbol.kind.name();
                    ActionResult::done(format!("line {} is in a {kind}", input.line))
                        .with_data(json!({"name": name, "kind": kind}))
                        .with_evidence(vec![evidence])
                }
                None => ActionResult::failed(format!("line {} is in no symbol", input.line)),
            }
        })
        .await
    }
}
