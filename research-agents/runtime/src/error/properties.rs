//! Properties of an error for callers: its category, whether a retry may help, and a message for
//! users.

use std::time::Duration;

use research_mcp::McpError;

use crate::error::category::ErrorCategory;
use crate::error::classify::{of_foreign, of_model, of_tool};
use crate::error::model::{Error, SubAgentError};
use crate::error::wait;

impl Error {
    /// Returns the category. Typed causes decide; only the text of an untyped cause is read, by
    /// [`ErrorCategory::from_text`].
    pub fn category(&self) -> ErrorCategory {
        match self.root() {
            Self::Model(error) => of_model(error),
            Self::Tool(error) => of_tool(error),
            Self::NoDataSource {
                source: Some(error),
                ..
            } => of_tool(error),
            Self::NoDataSource { .. } => ErrorCategory::Connection,
            Self::Filters { .. }
            | Self::Condition { .. }
            | Self::UnknownField { .. }
            | Self::UnknownTool { .. }
            | Self::Refused(_) => ErrorCategory::McpToolError,

            // A failure inside a sub-agent keeps its category, if it has one.
            Self::SubAgent(error) => match &**error {
                SubAgentError::Failed { source, .. }
                    if source.category() != ErrorCategory::Unknown =>
                {
                    source.category()
                }
                _ => ErrorCategory::SubAgentError,
            },

            Self::NothingGathered { category, .. } => *category,
            Self::Other(error) => of_foreign(&**error),
            _ => ErrorCategory::Unknown,
        }
    }

    /// Returns `true` if a retry may succeed; after a token limit only one that asks for less.
    pub fn is_retryable(&self) -> bool {
        match self.root() {
            Self::Model(error) => error.is_retryable(),
            root => root.category().is_retryable(),
        }
    }

    /// Returns the delay that the other side asks for, if it does. For a tool it is read from the
    /// text of the error, because MCP has no field for it.
    pub fn retry_after(&self) -> Option<Duration> {
        match self.root() {
            Self::Model(error) => error.retry_after(),
            Self::Tool(error) => match &**error {
                McpError::Tool { message: text, .. } | McpError::Protocol { reason: text, .. } => {
                    wait::asked(text)
                }
                _ => None,
            },
            Self::SubAgent(error) => match &**error {
                SubAgentError::Failed { source, .. } => source.retry_after(),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns one sentence for users, without raw text of a provider, a tool, a model or a record.
    /// The `Display` text is for logs and operators.
    pub fn user_message(&self) -> String {
        match self.root() {
            Self::Model(error) => error.user_message(),
            Self::SubAgent(error) => match &**error {
                SubAgentError::Failed { source, .. }
                    if source.category() != ErrorCategory::Unknown =>
                {
                    source.user_message()
                }
                _ => ErrorCategory::SubAgentError.user_message().to_owned(),
            },

            Self::BlankQuestion => {
                "The question is blank; ask something about the data.".to_owned()
            }
            // Their texts come from the program alone.
            error @ (Self::Refused(_) | Self::Budget(_) | Self::LongQuestion { .. }) => {
                sentence(&error.to_string())
            }
            Self::ClarificationRequired { .. } => {
                "The question can be read in several ways; say what is meant.".to_owned()
            }
            Self::Config { key, .. } => format!("The setting `{key}` is out of its range."),
            Self::NothingGathered { category, .. } => {
                format!("Nothing could be found out. {}", category.user_message())
            }

            root => root.category().user_message().to_owned(),
        }
    }
}

/// Returns a clause as a sentence, with a capital and a full stop.
fn sentence(clause: &str) -> String {
    let mut chars = clause.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).chain(['.']).collect()
}
