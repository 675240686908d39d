//! Evidence: lines of the code base that a run has read.

use std::fmt;

use research_agents_code::base::{Provenance as Found, Span};
use research_agents_code::tree::RelPath;
use research_agents_report::text::Untrusted;
use serde::{Deserialize, Serialize};

use crate::run::id::RunId;

/// How evidence was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Provenance {
    /// By ranked search over words.
    Bm25,
    /// By embeddings.
    Vector,
    /// By ranked search over words and embeddings together.
    Hybrid,
    /// By a language server.
    Lsp,
    /// By opening lines that were named.
    Manual,
    /// By the syntax tree of a file.
    Treesitter,
    /// By the graph of symbols.
    Graph,
    /// By the symbols and occurrences of the whole scope.
    SymbolIndex,
}

impl Provenance {
    /// Returns the name that citations show.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bm25 => "bm25",
            Self::Vector => "vector",
            Self::Hybrid => "hybrid",
            Self::Lsp => "lsp",
            Self::Manual => "manual",
            Self::Treesitter => "treesitter",
            Self::Graph => "graph",
            Self::SymbolIndex => "symbol_index",
        }
    }
}

impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Lines that an action has read. The run gives them an id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvidenceDraft {
    /// Path beneath the root.
    pub file_path: RelPath,
    /// First line, counted from 1.
    pub start_line: usize,
    /// Last line, inclusive.
    pub end_line: usize,
    /// The lines with their line ends. Bytes that are not UTF-8 are replaced, and a very long text
    /// is cut; the hash is that of all bytes as they are stored.
    pub content: Untrusted<String>,
    /// SHA-256 of the bytes of the lines, in hexadecimal.
    pub content_sha256: String,
    /// Why the lines were read.
    pub reason: String,
    /// How they were found.
    pub provenance: Provenance,
    /// Score of a search, if one found them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The symbol of the lines, as `path::Qualified.name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol_id: Option<String>,
    /// Kind of the symbol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol_kind: Option<String>,
}

impl From<Span> for EvidenceDraft {
    fn from(span: Span) -> Self {
        let provenance = match span.provenance {
            Found::Treesitter => Provenance::Treesitter,
            Found::Graph => Provenance::Graph,
            Found::Bm25 => Provenance::Bm25,
            Found::Manual => Provenance::Manual,
            _ => Provenance::SymbolIndex,
        };
        let text = span.text().into_owned();

        Self {
            symbol_id: span.symbol.map(|symbol| format!("{}::{symbol}", span.path)),
            symbol_kind: span.kind,
            file_path: span.path,
            start_line: span.first,
            end_line: span.last,
            content: Untrusted::new(text),
            content_sha256: span.hash,
            reason: "computed".to_owned(),
            provenance,
            score: span.score,
        }
    }
}

/// Evidence of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Id, such as `ev-1a2b3c4d-001`. Ids of a run have no gaps.
    pub id: String,
    /// The lines.
    #[serde(flatten)]
    pub lines: EvidenceDraft,
}

impl Evidence {
    /// Returns the place as a citation shows it: the encoded path and the lines.
    pub fn place(&self) -> String {
        let EvidenceDraft {
            file_path,
            start_line,
            end_line,
            ..
        } = &self.lines;
        format!("{}:{start_line}-{end_line}", file_path.encoded())
    }

    /// Returns the text of the lines for code that compares.
    pub fn text(&self) -> &str {
        self.lines.content.for_code()
    }
}

/// Adds lines to the evidence of a run and returns their ids, in order. Lines that are there
/// already, by place and content, keep the id that they have.
pub fn register(
    run: &RunId,
    known: &mut Vec<Evidence>,
    drafts: impl IntoIterator<Item = EvidenceDraft>,
) -> Vec<String> {
    let mut ids = Vec::new();

    for draft in drafts {
        let same = known.iter().find(|evidence| {
            let lines = &evidence.lines;
            lines.file_path == draft.file_path
                && lines.start_line == draft.start_line
                && lines.end_line == draft.end_line
                && lines.content_sha256 == draft.content_sha256
        });
        let id = match same {
            Some(evidence) => evidence.id.clone(),
            None => {
                let id = format!("ev-{}-{:03}", run.short(), known.len() + 1);
                known.push(Evidence {
                    id: id.clone(),
                    lines: draft,
                });
                id
            }
        };
        if !ids.contains(&id) {
            ids.push(id);
        }
    }

    ids
}
