//! The facts of a file.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::lang::Language;

/// Kind of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub enum SymbolKind {
    Function,
    Class,
    Method,
    Struct,
    Enum,
    Interface,
    Type,
    Trait,
    /// A block that implements a type or a trait for one.
    Impl,
    Module,
    /// A variable, constant, field or variant.
    Variable,
    Unknown,
}

impl SymbolKind {
    /// Returns the name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Class => "class",
            Self::Method => "method",
            Self::Struct => "struct",
            Self::Enum => "enum",
            Self::Interface => "interface",
            Self::Type => "type",
            Self::Trait => "trait",
            Self::Impl => "impl",
            Self::Module => "module",
            Self::Variable => "variable",
            Self::Unknown => "unknown",
        }
    }

    /// Returns whether symbols of this kind have members.
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class | Self::Struct | Self::Enum | Self::Interface | Self::Trait | Self::Impl
        )
    }

    /// Returns whether symbols of this kind can be called.
    pub fn is_function(self) -> bool {
        matches!(self, Self::Function | Self::Method)
    }

    /// Returns the kind with this name.
    pub(crate) fn from_name(name: &str) -> Self {
        match name {
            "function" => Self::Function,
            "class" => Self::Class,
            "method" => Self::Method,
            "struct" => Self::Struct,
            "enum" => Self::Enum,
            "interface" => Self::Interface,
            "type" => Self::Type,
            "trait" => Self::Trait,
            "impl" => Self::Impl,
            "module" => Self::Module,
            "variable" | "global" => Self::Variable,
            _ => Self::Unknown,
        }
    }
}

/// A symbol that a file defines or declares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// Name as it is written.
    pub name: String,
    /// Kind.
    pub kind: SymbolKind,
    /// Bytes of the whole definition.
    pub span: Range<usize>,
    /// Bytes of the name.
    pub name_span: Range<usize>,
    /// First and last line of the definition, counted from 1.
    pub lines: (usize, usize),
    /// Text of the definition up to its body, on one line, at most 200 characters.
    pub signature: String,
    /// Index of the innermost symbol around it, in [`FileFacts::symbols`].
    pub parent: Option<usize>,
    /// The type that it belongs to, where it is defined outside of the block of that type, as the
    /// methods of Go and C++ are.
    pub owner: Option<String>,
}

/// How a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReferenceKind {
    /// It is called, constructed, or applied as a macro, decorator or attribute.
    Call,
    /// It is imported.
    Import,
    /// It names a type.
    Type,
}

/// A use of a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// Name as it is written.
    pub name: String,
    /// How it is used.
    pub kind: ReferenceKind,
    /// Bytes of the name.
    pub span: Range<usize>,
    /// Line, counted from 1.
    pub line: usize,
    /// What is written before the name of a call and joined to it by `.`, `::` or `->`, such as
    /// `self.parser`; `()` for the result of another call.
    pub receiver: Option<String>,
}

/// A name that a file imports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The module or file, as it is written, such as `crate::tree`, `..models` or `./util`.
    pub module: String,
    /// The imported name; `*` for everything, empty for the module itself.
    pub name: String,
    /// The name that it has in this file.
    pub local: String,
    /// Line, counted from 1.
    pub line: usize,
}

/// A variable, parameter or field with its written type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// The variable.
    pub name: String,
    /// Last part of the name of its type, without references, boxes and parameters.
    pub of: String,
    /// First byte of the variable.
    pub at: usize,
}

/// A type that implements a trait or interface, or inherits from a class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Implementation {
    /// The trait, interface or class.
    pub of: String,
    /// The type, as it is written.
    pub by: String,
    /// Bytes of the name of the trait.
    pub span: Range<usize>,
    /// Line of the name of the trait, counted from 1.
    pub line: usize,
}

/// Kind of a region that is not code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegionKind {
    /// A comment, or a string that documents a definition.
    Comment,
    /// A string or character literal.
    String,
}

/// A comment or a string.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// Its kind.
    pub kind: RegionKind,
    /// Its bytes.
    pub span: Range<usize>,
}

/// What a file contains, by its syntax tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFacts {
    /// The language.
    pub language: Language,
    /// Symbols, in the order of their first bytes.
    pub symbols: Vec<Symbol>,
    /// Uses of names, in the order of the file. A name that defines a symbol is not a use.
    pub references: Vec<Reference>,
    /// Implementations and inheritance.
    pub implementations: Vec<Implementation>,
    /// Imported names.
    pub imports: Vec<Import>,
    /// Variables of known types.
    pub bindings: Vec<Binding>,
    /// Comments and strings, in the order of the file.
    pub regions: Vec<Region>,
    /// Number of lines.
    pub lines: usize,
    /// Whether the parser found errors. Facts of the broken part may be missing.
    pub has_errors: bool,
    /// Whether a mark in its first lines says that it is generated.
    pub is_generated: bool,
}

impl FileFacts {
    /// Returns the innermost symbol around a byte.
    pub fn enclosing(&self, byte: usize) -> Option<&Symbol> {
        self.symbols
            .iter()
            .filter(|symbol| symbol.span.contains(&byte))
            .min_by_key(|symbol| symbol.span.len())
    }

    /// Returns the name of a symbol with those of the symbols around it, joined by `.`.
    pub fn qualified_name(&self, symbol: &Symbol) -> String {
        let mut names = vec![symbol.name.as_str()];
        names.extend(symbol.owner.as_deref());
        let mut parent = symbol.parent;
        while let Some(outer) = parent.and_then(|at| self.symbols.get(at)) {
            names.push(&outer.name);
            names.extend(outer.owner.as_deref());
            parent = outer.parent;
        }
        names.reverse();
        names.join(".")
    }

    /// Returns the type or class that a symbol belongs to, without its parameters.
    pub fn owner<'f>(&'f self, symbol: &'f Symbol) -> Option<&'f str> {
        if let Some(owner) = &symbol.owner {
            return Some(base_name(owner));
        }
        let outer = self.symbols.get(symbol.parent?)?;
        outer.kind.is_type().then(|| base_name(&outer.name))
    }

    /// Returns the region around a byte.
    pub fn region(&self, byte: usize) -> Option<&Region> {
        let after = self
            .regions
            .partition_point(|region| region.span.start <= byte);
        let region = self.regions.get(after.checked_sub(1)?)?;
        region.span.contains(&byte).then_some(region)
    }
}

/// Wrappers that a method call looks through.
const TRANSPARENT: &[&str] = &[
    "Box", "Arc", "Rc", "Cow", "Pin", "Ref", "RefMut", "Optional",
];

/// Returns the last part of the name of a type, without references, boxes and parameters.
pub(crate) fn base_name(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        text = text.trim_start_matches(['&', '*', '?', '(', '"', '\'', ' ', ':', '\\']);
        let rest = [
            "mut ", "dyn ", "impl ", "const ", "struct ", "class ", "unsafe ",
        ]
        .iter()
        .find_map(|word| text.strip_prefix(word));
        if let Some(rest) = rest {
            text = rest;
            continue;
        }

        let head = text
            .split(['<', '[', '(', ' ', '|', '{', '"', '\'', ')'])
            .next();
        let head = head.unwrap_or_default();
        let name = head.rsplit([':', '.', '\\']).next().unwrap_or_default();
        let inner = text.get(head.len() + 1..).unwrap_or_default();
        // A lifetime stands before the type that it belongs to: `&'a T`.
        if name.len() <= 1 && name.chars().all(char::is_lowercase) && text.contains(' ') {
            let next = text.split_once(' ').map_or("", |(_, rest)| rest);
            if !next.is_empty() {
                text = next;
                continue;
            }
        }
        if TRANSPARENT.contains(&name) && text[head.len()..].starts_with(['<', '[']) {
            text = inner;
            continue;
        }
        return name.trim_end_matches(['*', '&', '?', ';', ',', '>', ']']);
    }
}
