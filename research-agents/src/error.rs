//! The error of this crate, and the nine categories that users see.

use serde::{Deserialize, Serialize};

use research_core::{BuildError, RunError};
use research_llm::{ErrorKind as ModelErrorKind, ModelError};
use research_mcp::{McpError, McpErrorKind};

use crate::kernel::PromptError;
use crate::subagent::SubAgentError;

/// The nine categories of errors. Users see the category and a message; what may be tried again follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCategory {
    /// A prompt, or prompt and answer together, exceed what the model can hold.
    TokenLimit,
    /// Too many requests in a span of time.
    RateLimit,
    /// A server could not be reached, or the connection broke.
    Connection,
    /// No answer in time.
    Timeout,
    /// A key is missing or wrong.
    Authentication,
    /// A provider failed on its side.
    ServerError,
    /// A tool refused a call or returned something unusable.
    McpToolError,
    /// A sub-agent refused its arguments or failed.
    SubAgentError,
    /// None of the above.
    Unknown,
}

impl ErrorCategory {
    /// The name in events, such as `rate_limit`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TokenLimit => "token_limit",
            Self::RateLimit => "rate_limit",
            Self::Connection => "connection",
            Self::Timeout => "timeout",
            Self::Authentication => "authentication",
            Self::ServerError => "server_error",
            Self::McpToolError => "mcp_tool_error",
            Self::SubAgentError => "sub_agent_error",
            Self::Unknown => "unknown",
        }
    }

    /// Whether the same may succeed when it is tried again.
    pub fn is_retryable(self) -> bool {
        matches!(self, Self::TokenLimit | Self::RateLimit | Self::Connection | Self::Timeout | Self::ServerError)
    }
}

/// What can go wrong in a research system.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The question has no word.
    #[error("the question is blank; ask something about the data")]
    BlankQuestion,
    /// The thread holds the research of another question.
    #[error("the thread `{thread}` holds the research of another question, {stored:?}; ask that one to go on with it, or use another thread")]
    OtherQuestion {
        /// The thread.
        thread: String,
        /// Its question.
        stored: String,
    },
    /// A setting is out of its range.
    #[error("`{key}` {problem}")]
    Config {
        /// The setting.
        key: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// A condition of the filters is none that a field can be compared by.
    #[error("the filter on `{field}` {problem}")]
    Condition {
        /// The field.
        field: String,
        /// What is wrong, and what to write instead.
        problem: String,
    },
    /// Filters are not a JSON object.
    #[error("the filters are no JSON object: {problem}")]
    Filters {
        /// What is wrong, with line and column.
        problem: String,
    },
    /// The data tool has no such field.
    #[error("tool `{tool}` has no field `{field}`{}; its fields are: {}", hint(.suggestion.as_deref()), valid.join(", "))]
    UnknownField {
        /// The tool.
        tool: String,
        /// The field that was asked for.
        field: String,
        /// The field that is most like it.
        suggestion: Option<String>,
        /// All fields.
        valid: Vec<String>,
    },
    /// A tool was asked for that no server has.
    #[error("no tool is named `{name}`{}; there are: {}", hint(.suggestion.as_deref()), known.join(", "))]
    UnknownTool {
        /// The name that was asked for.
        name: String,
        /// The tool that is most like it.
        suggestion: Option<String>,
        /// All tools.
        known: Vec<String>,
    },
    /// No data source is left: nothing can be researched.
    #[error("there is no data source: {}", if problems.is_empty() { "no server offers a tool".to_owned() } else { problems.join("; ") })]
    NoDataSource {
        /// What is wrong with each of them.
        problems: Vec<String>,
        /// The typed cause, when listing the tools failed as a whole.
        source: Option<Box<McpError>>,
    },
    /// The run ended before anything was gathered, so that there is nothing to report.
    #[error("nothing could be found out: {reason}")]
    NothingGathered {
        /// What went wrong.
        reason: String,
        /// Category of what went wrong.
        category: ErrorCategory,
    },
    /// A model failed.
    #[error(transparent)]
    Model(Box<ModelError>),
    /// A tool, or the server of one, failed.
    #[error(transparent)]
    Tool(Box<McpError>),
    /// A sub-agent failed.
    #[error(transparent)]
    SubAgent(Box<SubAgentError>),
    /// A prompt does not fit its template.
    #[error(transparent)]
    Prompt(#[from] PromptError),
    /// A value could not be written as JSON.
    #[error("a value cannot be written as JSON")]
    Json(#[from] serde_json::Error),
    /// The graph is wrongly built.
    #[error(transparent)]
    Graph(#[from] BuildError),
    /// The run of the graph failed.
    #[error("{}", run_text(.0))]
    Run(Box<RunError>),
    /// An error of the host's own parts.
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
}

macro_rules! from_boxed {
    ($($variant:ident: $error:ty),*) => {$(
        impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Self::$variant(Box::new(error))
            }
        }
    )*};
}
from_boxed!(Model: ModelError, Tool: McpError, SubAgent: SubAgentError, Run: RunError);

impl Error {
    /// An error of the host's own parts, such as one of its sub-agents.
    pub fn other(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Other(error.into())
    }

    /// The error that a node raised, where a run ended with one; else this error itself.
    pub fn root(&self) -> &Self {
        match self {
            Self::Run(run) => run.find::<Self>().map_or(self, Self::root),
            other => other,
        }
    }

    /// The category. Typed causes decide; no text is guessed at.
    pub fn category(&self) -> ErrorCategory {
        match self.root() {
            Self::Model(error) => of_model(error),
            Self::Tool(error) => of_tool(error),
            Self::NoDataSource { source: Some(error), .. } => of_tool(error),
            Self::NoDataSource { .. } => ErrorCategory::Connection,
            Self::Filters { .. } | Self::Condition { .. } | Self::UnknownField { .. } | Self::UnknownTool { .. } => {
                ErrorCategory::McpToolError
            }
            Self::SubAgent(error) => match &**error {
                SubAgentError::Failed { source, .. } if source.category() != ErrorCategory::Unknown => {
                    source.category()
                }
                _ => ErrorCategory::SubAgentError,
            },
            Self::NothingGathered { category, .. } => *category,
            _ => ErrorCategory::Unknown,
        }
    }

    /// Whether the same may succeed when it is tried again.
    pub fn is_retryable(&self) -> bool {
        match self.root() {
            Self::Model(error) => error.is_retryable(),
            root => root.category().is_retryable(),
        }
    }
}

fn of_model(error: &ModelError) -> ErrorCategory {
    match error.kind() {
        ModelErrorKind::TokenLimit => ErrorCategory::TokenLimit,
        ModelErrorKind::RateLimit => ErrorCategory::RateLimit,
        ModelErrorKind::Connection => ErrorCategory::Connection,
        ModelErrorKind::Timeout => ErrorCategory::Timeout,
        ModelErrorKind::Authentication => ErrorCategory::Authentication,
        ModelErrorKind::ServerError => ErrorCategory::ServerError,
        // An answer that stays malformed after all attempts is a failure of the sub-agent that asked.
        ModelErrorKind::InvalidOutput => ErrorCategory::SubAgentError,
        _ => ErrorCategory::Unknown,
    }
}

fn of_tool(error: &McpError) -> ErrorCategory {
    match error.kind() {
        McpErrorKind::Connect | McpErrorKind::Closed | McpErrorKind::NoServer => ErrorCategory::Connection,
        McpErrorKind::Timeout => ErrorCategory::Timeout,
        _ => ErrorCategory::McpToolError,
    }
}

fn run_text(error: &RunError) -> String {
    error.find::<Error>().map_or_else(|| error.to_string(), ToString::to_string)
}

fn hint(suggestion: Option<&str>) -> String {
    suggestion.map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_category_is_the_one_it_serializes_to() {
        for category in [
            ErrorCategory::TokenLimit,
            ErrorCategory::RateLimit,
            ErrorCategory::Connection,
            ErrorCategory::Timeout,
            ErrorCategory::Authentication,
            ErrorCategory::ServerError,
            ErrorCategory::McpToolError,
            ErrorCategory::SubAgentError,
            ErrorCategory::Unknown,
        ] {
            assert_eq!(serde_json::to_value(category).unwrap(), category.as_str());
        }
    }

    #[test]
    fn what_may_be_tried_again_follows_from_the_category() {
        let retryable = |error: Error| (error.category(), error.is_retryable());
        assert_eq!(retryable(ModelError::rate_limit("slow down", None).into()), (ErrorCategory::RateLimit, true));
        assert_eq!(retryable(ModelError::authentication("no key").into()), (ErrorCategory::Authentication, false));
        let tool = McpError::Tool { server: "s".into(), tool: "t".into(), message: "500".into() };
        assert_eq!(retryable(tool.into()), (ErrorCategory::McpToolError, false));
        assert_eq!(retryable(Error::BlankQuestion), (ErrorCategory::Unknown, false));
    }

    #[test]
    fn a_failure_inside_a_sub_agent_keeps_its_category() {
        let source = Box::new(Error::from(ModelError::rate_limit("slow down", None)));
        let error = Error::from(SubAgentError::Failed { agent: "scanner".into(), source });
        assert_eq!(error.category(), ErrorCategory::RateLimit);
        let source = Box::new(Error::other("odd"));
        let error = Error::from(SubAgentError::Failed { agent: "scanner".into(), source });
        assert_eq!(error.category(), ErrorCategory::SubAgentError);
    }
}
