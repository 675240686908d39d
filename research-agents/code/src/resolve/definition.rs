//! Where a name is defined.

use serde::{Deserialize, Serialize};

use crate::base::Place;
use crate::facts::{FileFacts, LineIndex, Symbol, SymbolKind};
use crate::lang::Language;
use crate::tree::RelPath;

/// A definition or declaration of a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// The file.
    pub path: RelPath,
    /// SHA-256 of its content, in hexadecimal.
    pub hash: String,
    /// Language of the file.
    pub language: Language,
    /// What the file is for the project.
    pub place: Place,
    /// Name as it is written.
    pub name: String,
    /// Name with those of the symbols around it, joined by `.`.
    pub qualified: String,
    /// Kind.
    pub kind: SymbolKind,
    /// The type or class that it belongs to.
    pub owner: Option<String>,
    /// First and last line of the definition, counted from 1.
    pub lines: (usize, usize),
    /// Line of the name, counted from 1.
    pub name_line: usize,
    /// Text up to the body, on one line.
    pub signature: String,
    /// Whether only its signature is written here, as in a header.
    pub is_declaration: bool,
    /// Whether it is within another function.
    pub is_local: bool,
    /// Index in [`FileFacts::symbols`].
    pub symbol: usize,
}

impl Definition {
    /// Creates the definition of a symbol of a file.
    pub(crate) fn new(
        path: &RelPath,
        hash: &str,
        place: Place,
        (facts, bytes): (&FileFacts, &[u8]),
        at: usize,
        symbol: &Symbol,
    ) -> Self {
        let lines = LineIndex::new(bytes);
        let mut is_local = false;
        let mut is_tested = false;
        let mut outer = symbol.parent.and_then(|at| facts.symbols.get(at));
        while let Some(symbol) = outer {
            is_local |= symbol.kind.is_function();
            is_tested |= symbol.kind == SymbolKind::Module
                && matches!(symbol.name.as_str(), "tests" | "test");
            outer = symbol.parent.and_then(|at| facts.symbols.get(at));
        }

        Self {
            path: path.clone(),
            hash: hash.to_owned(),
            language: facts.language,
            place: if is_tested && place == Place::Source {
                Place::Test
            } else {
                place
            },
            name: symbol.name.clone(),
            qualified: facts.qualified_name(symbol),
            kind: symbol.kind,
            owner: facts.owner(symbol).map(str::to_owned),
            lines: symbol.lines,
            name_line: lines.line(symbol.name_span.start),
            signature: symbol.signature.clone(),
            is_declaration: is_declaration(facts.language, symbol, bytes),
            is_local,
            symbol: at,
        }
    }

    /// Returns the rank of a definition: sources before tests and copies, bodies before
    /// declarations, types and functions before variables.
    pub(crate) fn rank(&self) -> (Place, bool, bool, u8) {
        let kind = match self.kind {
            SymbolKind::Impl => 3,
            SymbolKind::Module => 2,
            SymbolKind::Variable | SymbolKind::Unknown => 1,
            _ => 0,
        };
        (self.place, self.is_local, self.is_declaration, kind)
    }
}

/// Returns whether a function has no body, in the languages where that is a declaration.
fn is_declaration(language: Language, symbol: &Symbol, bytes: &[u8]) -> bool {
    if !symbol.kind.is_function() || language == Language::Ruby {
        return false;
    }
    let text = bytes.get(symbol.span.clone()).unwrap_or_default();
    if language == Language::Python {
        // An overload or a stub.
        return text.trim_ascii_end().ends_with(b": ...") || text.ends_with(b"\n    ...");
    }
    let is_macro = text.starts_with(b"#") || text.starts_with(b"macro_rules");
    !is_macro && !text.contains(&b'{') && !text.windows(2).any(|pair| pair == b"=>")
}
