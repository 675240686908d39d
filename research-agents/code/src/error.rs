//! Why a code base could not be opened, read or searched.

use std::io;
use std::path::PathBuf;

/// Why an operation on a code base failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CodeError {
    /// The root cannot be opened.
    #[error(
        "cannot open the code base {}: {source}; name a folder that can be read",
        path.display()
    )]
    Root {
        /// The folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A path is absolute, leaves the root, or is not valid.
    #[error("`{path}` is not a path of the code base: {reason}")]
    Path {
        /// The path as it was given.
        path: String,
        /// Why it is refused.
        reason: &'static str,
    },
    /// No file with this path can be read: it does not exist, or it is excluded.
    #[error(
        "`{path}` is not among the files of the code base; it may be hidden, ignored or excluded \
         as a secret"
    )]
    NotListed {
        /// The path.
        path: String,
    },
    /// A file that was listed can no longer be read.
    #[error("cannot read `{path}`: {source}")]
    Read {
        /// The path.
        path: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A file is too large, or is not a regular file.
    #[error("`{path}` cannot be read as text: {reason}")]
    NotText {
        /// The path.
        path: String,
        /// Why.
        reason: &'static str,
    },
    /// A glob of a scope is not valid.
    #[error("the scope `{scope}` is not a valid glob: {source}")]
    Scope {
        /// The glob.
        scope: String,
        /// What the parser reports.
        source: globset::Error,
    },
    /// A name or pattern to search for is not valid.
    #[error("`{pattern}` cannot be searched for: {reason}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// Why.
        reason: String,
    },
    /// A question cannot be answered.
    #[error("the question cannot be answered: {reason}")]
    Question {
        /// Why.
        reason: &'static str,
    },
    /// Lines outside of a file were requested.
    #[error("`{path}` has {lines} lines; line {line} does not exist")]
    Line {
        /// The path.
        path: String,
        /// The requested line, counted from 1.
        line: usize,
        /// Number of lines of the file.
        lines: usize,
    },
}
