//! Why a call of a sub-agent failed.

use super::agent::InvalidInput;
use crate::Error;

/// Why a call of a sub-agent failed. The run goes on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubAgentError {
    /// No agent of that name is registered.
    #[error("no sub-agent is named `{name}`{}; there are: {}", hint(.suggestion.as_deref()), known.join(", "))]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The registered name that is most like it.
        suggestion: Option<String>,
        /// All registered names.
        known: Vec<String>,
    },
    /// An argument is missing, of the wrong type, or has a wrong value.
    #[error("sub-agent `{agent}` cannot take its arguments: {wrong}")]
    InvalidInput {
        /// The agent.
        agent: String,
        /// Which argument, and what is wrong with it.
        wrong: InvalidInput,
    },
    /// The agent returned something that is not of its own output schema.
    #[error("sub-agent `{agent}` returned a result that does not fit its schema at `{path}`")]
    InvalidOutput {
        /// The agent.
        agent: String,
        /// Where.
        path: String,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// The agent failed.
    #[error("sub-agent `{agent}` failed: {source}")]
    Failed {
        /// The agent.
        agent: String,
        /// Why.
        source: Box<Error>,
    },
}

impl SubAgentError {
    #[cold]
    pub(super) fn invalid_input(agent: &str, wrong: InvalidInput) -> Self {
        Self::InvalidInput { agent: agent.to_owned(), wrong }
    }

    #[cold]
    pub(super) fn output(agent: &str, path: &str, source: serde_json::Error) -> Self {
        Self::InvalidOutput { agent: agent.to_owned(), path: path.to_owned(), source }
    }

    #[cold]
    pub(super) fn failed(agent: &str, source: Error) -> Self {
        Self::Failed { agent: agent.to_owned(), source: Box::new(source) }
    }

    /// Whether no agent of that name is registered.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown { .. })
    }

    /// Whether an argument is wrong.
    pub fn is_invalid_input(&self) -> bool {
        matches!(self, Self::InvalidInput { .. })
    }
}

fn hint(suggestion: Option<&str>) -> String {
    suggestion.map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default()
}
