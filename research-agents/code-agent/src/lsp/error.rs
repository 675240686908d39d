//! Why a language server gave no answer.

use std::path::PathBuf;

use crate::lsp::spec::SpecError;
use crate::space::SpaceError;

/// Why a language server gave no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LspError {
    /// No server is configured for the file.
    #[error(
        "no language server is configured for `{extension}` files; the syntax tree and the \
         occurrences answer without one"
    )]
    NoServer {
        /// Extension of the file.
        extension: String,
    },
    /// The program may not be started.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The program cannot be started.
    #[error("cannot start the language server {}: {problem}", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// Why.
        problem: String,
    },
    /// The server ended, again after it was restarted.
    #[error("the language server ended")]
    Ended,
    /// The server answered nothing in time.
    #[error("the language server gave no answer in 30 seconds")]
    Timeout,
    /// The server refused the request.
    #[error("the language server refuses: {problem}")]
    Refused {
        /// What it says.
        problem: String,
    },
    /// The file cannot be read.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// The line does not exist.
    #[error("line {line} does not exist")]
    Line {
        /// The line.
        line: usize,
    },
}
