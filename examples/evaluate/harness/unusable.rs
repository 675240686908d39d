//! The error of what was given and cannot be used.

use std::io;

/// What was given cannot be used; says what to do.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unusable(String);

impl Unusable {
    /// In words.
    pub fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }

    /// A file or folder that cannot be read or written.
    pub fn file(path: &str, error: &io::Error) -> Self {
        let remedy = match error.kind() {
            io::ErrorKind::NotFound => "check the path",
            io::ErrorKind::PermissionDenied => "name one that you may use",
            _ => "name another",
        };
        Self(format!("{path}: {error}; {remedy}"))
    }
}
