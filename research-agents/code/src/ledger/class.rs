//! The classes of occurrences.

use serde::{Deserialize, Serialize};

/// What an occurrence of a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Class {
    /// It names what is defined or declared here.
    Definition,
    /// It is called, constructed, or applied as a macro, decorator or attribute.
    Call,
    /// It is imported.
    Import,
    /// It names a type.
    TypeUse,
    /// Another use in code, such as a value, a path or an argument.
    OtherCode,
    /// It is in a string.
    String,
    /// It is in a comment or a documentation string.
    Comment,
    /// It is in a document, in data or in configuration.
    Document,
    /// What it is cannot be told: code in a language that is not known.
    Unclassified,
}

impl Class {
    /// All classes.
    pub const ALL: [Self; 9] = [
        Self::Definition,
        Self::Call,
        Self::Import,
        Self::TypeUse,
        Self::OtherCode,
        Self::String,
        Self::Comment,
        Self::Document,
        Self::Unclassified,
    ];

    /// Returns the name of the class for one occurrence, and for several.
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Definition => ("definition", "definitions"),
            Self::Call => ("call", "calls"),
            Self::Import => ("import", "imports"),
            Self::TypeUse => ("use as a type", "uses as a type"),
            Self::OtherCode => ("other use in code", "other uses in code"),
            Self::String => ("in a string", "in strings"),
            Self::Comment => ("in a comment", "in comments"),
            Self::Document => ("in a document", "in documents"),
            Self::Unclassified => ("unclassified", "unclassified"),
        }
    }
}
