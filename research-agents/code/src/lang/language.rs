//! Languages, and the kind of a file by its name.

use serde::{Deserialize, Serialize};

use crate::tree::RelPath;

/// A programming language whose files can be parsed if its feature is enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub enum Language {
    Rust,
    Python,
    TypeScript,
    Tsx,
    JavaScript,
    Go,
    Java,
    C,
    Cpp,
    CSharp,
    Ruby,
    Php,
}

/// What a file contains, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileKind {
    /// Code in a language whose structure is known.
    Code(Language),
    /// Documentation, data or configuration: text without code.
    Document,
    /// Anything else, such as code in other languages.
    Other,
}

impl Language {
    /// All languages, whether or not their features are enabled.
    pub const ALL: [Self; 12] = [
        Self::Rust,
        Self::Python,
        Self::TypeScript,
        Self::Tsx,
        Self::JavaScript,
        Self::Go,
        Self::Java,
        Self::C,
        Self::Cpp,
        Self::CSharp,
        Self::Ruby,
        Self::Php,
    ];

    /// Returns the language of a file name's extension, in lower case. `h` is C.
    pub fn from_extension(extension: &str) -> Option<Self> {
        Some(match extension {
            "rs" => Self::Rust,
            "py" | "pyi" => Self::Python,
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            "js" | "mjs" | "cjs" | "jsx" => Self::JavaScript,
            "go" => Self::Go,
            "java" => Self::Java,
            "c" | "h" => Self::C,
            "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "ipp" => Self::Cpp,
            "cs" => Self::CSharp,
            "rb" | "rake" | "gemspec" => Self::Ruby,
            "php" | "phtml" => Self::Php,
            _ => return None,
        })
    }

    /// Returns the name of the language.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::Python => "Python",
            Self::TypeScript => "TypeScript",
            Self::Tsx => "TSX",
            Self::JavaScript => "JavaScript",
            Self::Go => "Go",
            Self::Java => "Java",
            Self::C => "C",
            Self::Cpp => "C++",
            Self::CSharp => "C#",
            Self::Ruby => "Ruby",
            Self::Php => "PHP",
        }
    }
}

/// Extensions of documents, data and configuration, in lower case.
const DOCUMENTS: &[&str] = &[
    "md",
    "markdown",
    "rst",
    "txt",
    "adoc",
    "asciidoc",
    "org",
    "tex",
    "html",
    "htm",
    "xml",
    "svg",
    "json",
    "jsonl",
    "json5",
    "toml",
    "yaml",
    "yml",
    "ini",
    "cfg",
    "conf",
    "csv",
    "tsv",
    "lock",
    "po",
    "pot",
    "ftl",
    "properties",
    "log",
    "man",
    "1",
    "3",
    "5",
    "7",
    "8",
    "css",
    "scss",
    "less",
];

/// Names of documents without an extension, in lower case.
const DOCUMENT_NAMES: &[&str] = &[
    "readme",
    "license",
    "licence",
    "copying",
    "changelog",
    "changes",
    "news",
    "authors",
    "contributing",
    "notice",
    "todo",
    "history",
    "install",
    "maintainers",
];

impl FileKind {
    /// Returns the kind of a file by its name.
    pub fn of_path(path: &RelPath) -> Self {
        let extension = path.extension();
        if let Some(language) = Language::from_extension(&extension) {
            return Self::Code(language);
        }

        let name = path.name().to_lowercase();
        let is_document =
            DOCUMENTS.contains(&extension.as_str()) || DOCUMENT_NAMES.contains(&name.as_str());
        if is_document {
            Self::Document
        } else {
            Self::Other
        }
    }
}
