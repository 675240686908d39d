//! Lines of a file with their bytes and the hash of these.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::tree::RelPath;

/// How a span was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Provenance {
    /// By the symbols of a syntax tree.
    SymbolIndex,
    /// By a search for whole words, classified by a syntax tree.
    Treesitter,
    /// By a search over calls from one symbol to another.
    Graph,
    /// By ranked search.
    Bm25,
    /// By its path and lines.
    Manual,
}

impl Provenance {
    /// Returns the name for a citation.
    pub fn name(self) -> &'static str {
        match self {
            Self::SymbolIndex => "symbol_index",
            Self::Treesitter => "treesitter",
            Self::Graph => "graph",
            Self::Bm25 => "bm25",
            Self::Manual => "manual",
        }
    }
}

/// Lines of a file as they were when they were read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// The file.
    pub path: RelPath,
    /// First line, counted from 1.
    pub first: usize,
    /// Last line, inclusive.
    pub last: usize,
    /// The bytes of the lines, with their line ends.
    pub bytes: Vec<u8>,
    /// SHA-256 of the bytes of the lines, in hexadecimal.
    pub hash: String,
    /// How it was found.
    pub provenance: Provenance,
    /// Qualified name of the symbol that it shows or is in.
    pub symbol: Option<String>,
    /// Kind of that symbol, such as `function`.
    pub kind: Option<String>,
    /// Score of the ranked search, where it was found by one.
    pub score: Option<f64>,
}

impl Span {
    /// Creates a span from its bytes.
    pub fn new(
        path: RelPath,
        (first, last): (usize, usize),
        bytes: Vec<u8>,
        provenance: Provenance,
    ) -> Self {
        Self {
            path,
            first,
            last,
            hash: hash(&bytes),
            bytes,
            provenance,
            symbol: None,
            kind: None,
            score: None,
        }
    }

    /// Sets the symbol that the span shows or is in.
    #[must_use]
    pub fn with_symbol(mut self, symbol: impl Into<String>, kind: &str) -> Self {
        self.symbol = Some(symbol.into());
        self.kind = Some(kind.to_owned());
        self
    }

    /// Returns the lines as text. Bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }

    /// Returns the place as `path:first-last`, with the path in a form that is one word.
    pub fn location(&self) -> String {
        format!("{}:{}-{}", self.path.encoded(), self.first, self.last)
    }
}

/// Returns the SHA-256 of bytes in hexadecimal.
pub(crate) fn hash(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
