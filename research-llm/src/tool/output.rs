//! What a tool gives back: text for the model, or an error whose text goes to the model.

use std::error::Error;

use serde::Serialize;
use serde_json::Value;

use crate::error::Cause;

/// What a tool answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolOutput {
    /// The text for the model. It is data: whatever it says, it is no instruction of the program.
    pub content: String,
}

impl ToolOutput {
    /// Answers with a text.
    pub fn new(content: impl Into<String>) -> Self {
        Self { content: content.into() }
    }

    /// Answers with JSON.
    ///
    /// # Errors
    /// [`ToolError::Failed`] if the value cannot be written as JSON, such as a map whose keys are no strings.
    pub fn json<T: Serialize + ?Sized>(value: &T) -> Result<Self, ToolError> {
        serde_json::to_string(value).map(Self::new).map_err(|error| ToolError::failed(Box::new(error)))
    }
}

impl From<String> for ToolOutput {
    fn from(content: String) -> Self {
        Self { content }
    }
}

impl From<&str> for ToolOutput {
    fn from(content: &str) -> Self {
        Self::new(content)
    }
}

impl From<Value> for ToolOutput {
    fn from(value: Value) -> Self {
        Self::new(value.to_string())
    }
}

/// Why a tool did not answer. The text goes to the model, so that it can call again or do without.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// The arguments are not what the tool takes.
    #[error("the arguments do not fit{}: {problem}", at(path))]
    #[non_exhaustive]
    InvalidArguments {
        /// The place; empty for the whole.
        path: String,
        /// What is wrong there.
        problem: String,
    },
    /// The tool tried and failed.
    #[error("the tool failed: {source}")]
    #[non_exhaustive]
    Failed {
        /// Why.
        source: Cause,
    },
}

fn at(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!(" at `{path}`") }
}

impl ToolError {
    /// The arguments are not what the tool takes.
    #[cold]
    pub fn invalid_arguments(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::InvalidArguments { path: path.into(), problem: problem.into() }
    }

    /// The tool tried and failed. An error that is a [`ToolError`] already stays what it is.
    #[cold]
    #[must_use]
    pub fn failed(error: Box<dyn Error + Send + Sync>) -> Self {
        match error.downcast::<Self>() {
            Ok(error) => *error,
            Err(error) => Self::Failed { source: error.into() },
        }
    }
}
