//! The error of this crate, and the nine categories that users see.

mod category;
mod classify;
mod wait;

use std::time::Duration;

use research_core::{BuildError, RunError};
use research_llm::ModelError;
use research_mcp::McpError;

use crate::kernel::policy::Refusal;
use crate::kernel::{Clarification, Exceeded, PromptError};
use crate::subagent::SubAgentError;

pub use category::ErrorCategory;
pub(crate) use classify::{is_cut, of_tool};

/// What can go wrong in a research system.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The question has no word.
    #[error("the question is blank; ask something about the data")]
    BlankQuestion,
    /// The thread holds the unfinished research of another question.
    #[error(
        "the thread `{thread}` holds the unfinished research of another question, {stored:?}; ask that one to go on with it, or use another thread"
    )]
    OtherQuestion {
        /// The thread.
        thread: String,
        /// Its question.
        stored: String,
    },
    /// The thread holds a run that was begun without a recording, which cannot be made up for.
    #[error(
        "the run of the thread `{thread}` was begun without a recording and cannot be exported; run it on another thread, recorded from its start"
    )]
    NotRecorded {
        /// The thread.
        thread: String,
    },
    /// A bundle cannot be gone through again.
    #[error("the bundle cannot be replayed: {problem}")]
    NotReplayable {
        /// Why, and what to do.
        problem: String,
    },
    /// A replay took another way than the recording.
    #[error(
        "the run took another way than the recording: {what}; replay it with the program that wrote the bundle, and with the same sub-agents"
    )]
    Diverged {
        /// Where.
        what: String,
    },
    /// The run waits until its user says what is meant.
    #[error("the thread `{thread}` waits for an answer: {clarification}; resume it with the answer")]
    ClarificationRequired {
        /// The thread.
        thread: String,
        /// What is asked.
        clarification: Box<Clarification>,
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
    /// The policy does not allow a call.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A budget is used up.
    #[error(transparent)]
    Budget(#[from] Exceeded),
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

    /// The category. Typed causes decide first; only where a cause is but words are its words looked at, by
    /// [`ErrorCategory::from_text`].
    pub fn category(&self) -> ErrorCategory {
        match self.root() {
            Self::Model(error) => classify::of_model(error),
            Self::Tool(error) => classify::of_tool(error),
            Self::NoDataSource { source: Some(error), .. } => classify::of_tool(error),
            Self::NoDataSource { .. } => ErrorCategory::Connection,
            Self::Filters { .. }
            | Self::Condition { .. }
            | Self::UnknownField { .. }
            | Self::UnknownTool { .. }
            | Self::Refused(_) => ErrorCategory::McpToolError,
            Self::SubAgent(error) => match &**error {
                SubAgentError::Failed { source, .. } if source.category() != ErrorCategory::Unknown => {
                    source.category()
                }
                _ => ErrorCategory::SubAgentError,
            },
            Self::NothingGathered { category, .. } => *category,
            Self::Other(error) => classify::of_foreign(&**error),
            _ => ErrorCategory::Unknown,
        }
    }

    /// Whether the same may succeed when it is tried again; a token limit only with less to hold.
    pub fn is_retryable(&self) -> bool {
        match self.root() {
            Self::Model(error) => error.is_retryable(),
            root => root.category().is_retryable(),
        }
    }

    /// How long the other side wants to be left alone, when it said so. Of a tool the words are read, for MCP has no other
    /// place for it.
    pub fn retry_after(&self) -> Option<Duration> {
        match self.root() {
            Self::Model(error) => error.retry_after(),
            Self::Tool(error) => match &**error {
                McpError::Tool { message: words, .. } | McpError::Protocol { reason: words, .. } => wait::asked(words),
                _ => None,
            },
            Self::SubAgent(error) => match &**error {
                SubAgentError::Failed { source, .. } => source.retry_after(),
                _ => None,
            },
            _ => None,
        }
    }

    /// One sentence for a person, without raw text of a provider, a tool, a model or a record in it. `Display` is for the
    /// log and for the one who set the run up.
    pub fn user_message(&self) -> String {
        match self.root() {
            Self::Model(error) => error.user_message(),
            Self::SubAgent(error) => match &**error {
                SubAgentError::Failed { source, .. } if source.category() != ErrorCategory::Unknown => {
                    source.user_message()
                }
                _ => ErrorCategory::SubAgentError.user_message().to_owned(),
            },
            Self::BlankQuestion => "The question is blank; ask something about the data.".to_owned(),
            // These hold nothing but our own words.
            error @ (Self::Refused(_) | Self::Budget(_)) => sentence(&error.to_string()),
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

/// Words with a capital and a full stop.
fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).chain(['.']).collect()
}

fn run_text(error: &RunError) -> String {
    error.find::<Error>().map_or_else(|| error.to_string(), ToString::to_string)
}

fn hint(suggestion: Option<&str>) -> String {
    suggestion.map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default()
}

#[cfg(test)]
mod tests;
