//! The error of the research crates, and the error of a sub-agent call.

use research_core::{BuildError, RunError};
use research_llm::ModelError;
use research_mcp::McpError;

use crate::ask::prompt::PromptError;
use crate::clarify::clarification::Clarification;
use crate::error::category::ErrorCategory;
use crate::limits::budget::Exceeded;
use crate::limits::policy::refusal::Refusal;

/// An error of a research system.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The question is blank.
    #[error("the question is blank; ask something about the data")]
    BlankQuestion,
    /// The question is longer than what a run reads.
    #[error(
        "the question has {bytes} bytes and may have {limit}; ask a shorter one, and name the rest \
         of it as filters"
    )]
    LongQuestion {
        /// Its length in bytes.
        bytes: usize,
        /// The maximum.
        limit: usize,
    },
    /// The thread holds the unfinished research of another question.
    #[error(
        "the thread `{thread}` holds the unfinished research of another question, {stored:?}; ask \
         that one to go on with it, or use another thread"
    )]
    OtherQuestion {
        /// The thread.
        thread: String,
        /// The question of the thread.
        stored: String,
    },
    /// The thread holds a run that began without a recording. It cannot be recorded afterwards.
    #[error(
        "the run of the thread `{thread}` was begun without a recording and cannot be exported; \
         run it on another thread, recorded from its start"
    )]
    NotRecorded {
        /// The thread.
        thread: String,
    },
    /// A bundle cannot be replayed.
    #[error("the bundle cannot be replayed: {problem}")]
    NotReplayable {
        /// The reason, and what to do.
        problem: String,
    },
    /// A replay took another path than the recording.
    #[error(
        "the run took another way than the recording: {what}; replay it with the program that \
         wrote the bundle, and with the same sub-agents"
    )]
    Diverged {
        /// The place where it diverged.
        what: String,
    },
    /// The run waits until its user answers a question.
    #[error(
        "the thread `{thread}` waits for an answer: {clarification}; resume it with the answer"
    )]
    ClarificationRequired {
        /// The thread.
        thread: String,
        /// The question.
        clarification: Box<Clarification>,
    },
    /// A setting is out of its range.
    #[error("`{key}` {problem}")]
    Config {
        /// The setting.
        key: &'static str,
        /// The problem.
        problem: String,
    },
    /// A condition of the filters cannot be applied to its field.
    #[error("the filter on `{field}` {problem}")]
    Condition {
        /// The field.
        field: String,
        /// The problem, and what to write instead.
        problem: String,
    },
    /// The filters are not a JSON object.
    #[error("the filters are no JSON object: {problem}")]
    Filters {
        /// The problem, with line and column.
        problem: String,
    },
    /// The data tool has no such field.
    #[error(
        "tool `{tool}` has no field `{field}`{}; its fields are: {}",
        hint(.suggestion.as_deref()),
        valid.join(", ")
    )]
    UnknownField {
        /// The tool.
        tool: String,
        /// The requested field.
        field: String,
        /// The closest field.
        suggestion: Option<String>,
        /// All fields.
        valid: Vec<String>,
    },
    /// No server has the requested tool.
    #[error(
        "no tool is named `{name}`{}; there are: {}",
        hint(.suggestion.as_deref()),
        known.join(", ")
    )]
    UnknownTool {
        /// The requested name.
        name: String,
        /// The closest tool.
        suggestion: Option<String>,
        /// All tools.
        known: Vec<String>,
    },
    /// No data source is left: nothing can be researched.
    #[error("there is no data source: {}", reasons(.problems))]
    NoDataSource {
        /// The problem of each server.
        problems: Vec<String>,
        /// The typed cause, if listing the tools failed as a whole.
        source: Option<Box<McpError>>,
    },
    /// The run ended before any results were gathered, so there is nothing to report.
    #[error("nothing could be found out: {reason}")]
    NothingGathered {
        /// Why nothing was gathered.
        reason: String,
        /// Category of the failure behind it.
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
    /// The graph is invalid.
    #[error(transparent)]
    Graph(#[from] BuildError),
    /// The run of the graph failed.
    #[error("{}", run_text(.0))]
    Run(Box<RunError>),
    /// An error of the host's own code.
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
    /// Wraps an error of the host's own code, such as a sub-agent.
    pub fn other(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Other(error.into())
    }

    /// Returns the error with which a node ended the run, if one did, and otherwise this error.
    pub fn root(&self) -> &Self {
        match self {
            Self::Run(run) => run.find::<Self>().map_or(self, Self::root),
            other => other,
        }
    }
}

fn run_text(error: &RunError) -> String {
    error
        .find::<Error>()
        .map_or_else(|| error.to_string(), ToString::to_string)
}

fn reasons(problems: &[String]) -> String {
    if problems.is_empty() {
        "no server offers a tool".to_owned()
    } else {
        problems.join("; ")
    }
}

fn hint(suggestion: Option<&str>) -> String {
    suggestion
        .map(|name| format!(" (did you mean `{name}`?)"))
        .unwrap_or_default()
}

/// An argument that has the right type and a wrong value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` {problem}")]
pub struct InvalidInput {
    /// Path of the argument.
    pub field: String,
    /// The problem.
    pub problem: String,
}

impl InvalidInput {
    /// Creates the error of an argument.
    pub fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            problem: problem.into(),
        }
    }
}

/// Why a call of a sub-agent failed. The run continues.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubAgentError {
    /// No agent has this name.
    #[error(
        "no sub-agent is named `{name}`{}; there are: {}",
        hint(.suggestion.as_deref()),
        known.join(", ")
    )]
    Unknown {
        /// The requested name.
        name: String,
        /// The closest registered name.
        suggestion: Option<String>,
        /// All registered names.
        known: Vec<String>,
    },
    /// An argument is missing, of the wrong type, or has a wrong value.
    #[error("sub-agent `{agent}` cannot take its arguments: {wrong}")]
    InvalidInput {
        /// The agent.
        agent: String,
        /// The argument and its problem.
        wrong: InvalidInput,
    },
    /// The agent returned a value that does not match its output schema.
    #[error("sub-agent `{agent}` returned a result that does not fit its schema at `{path}`")]
    InvalidOutput {
        /// The agent.
        agent: String,
        /// Path of the value that does not match.
        path: String,
        /// The problem.
        source: serde_json::Error,
    },
    /// The agent failed.
    #[error("sub-agent `{agent}` failed: {source}")]
    Failed {
        /// The agent.
        agent: String,
        /// The error of the agent.
        source: Box<Error>,
    },
}

impl SubAgentError {
    #[cold]
    pub(crate) fn invalid_input(agent: &str, wrong: InvalidInput) -> Self {
        Self::InvalidInput {
            agent: agent.to_owned(),
            wrong,
        }
    }

    #[cold]
    pub(crate) fn output(agent: &str, path: &str, source: serde_json::Error) -> Self {
        Self::InvalidOutput {
            agent: agent.to_owned(),
            path: path.to_owned(),
            source,
        }
    }

    #[cold]
    pub(crate) fn failed(agent: &str, source: Error) -> Self {
        Self::Failed {
            agent: agent.to_owned(),
            source: Box::new(source),
        }
    }

    /// Returns `true` if no agent has the requested name.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown { .. })
    }

    /// Returns `true` if an argument is wrong.
    pub fn is_invalid_input(&self) -> bool {
        matches!(self, Self::InvalidInput { .. })
    }
}
