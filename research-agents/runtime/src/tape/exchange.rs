//! The effects of a run as data: each request to a model and each tool call with its result, so
//! that the run can be replayed without the outside world.
//!
//! A run consists of tasks, and the code of a task is deterministic in what it sees. Therefore this
//! is what is recorded: the traffic, and what a task saw of the clock, of the user and of other
//! tasks, each under its task and its purpose. Times and properties of the machine are left out.

use std::time::Duration;

use research_mcp::{CallOutput, Elicitation, InputRequired, McpError, ToolListing};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::tape::fault::ToolFault;
use crate::tape::scrub;

/// An effect of a task outside of the process, with its exchanges.
///
/// ```
/// use research_agents_runtime::tape::{Effect, Exchange};
/// use serde_json::json;
///
/// let effect: Effect = serde_json::from_value(json!({
///     "at": "planner 0.0.0",
///     "what": "pause planner",
///     "with": "5f70",
///     "number": 0,
///     "exchanges": [{"type": "paused"}],
/// }))?;
///
/// assert_eq!(effect.exchanges, [Exchange::Paused]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// Place of the task in its run: its node, and the progress of the run.
    pub at: String,
    /// Kind of the effect, such as `tool search_events`, or the task of a model.
    pub what: String,
    /// Digest of its arguments, independent of the order of fields.
    pub with: String,
    /// Number of earlier effects of the task with the same kind and arguments.
    pub number: u32,
    /// The exchanges, in order; empty if the effect was cut off before the first one.
    pub exchanges: Vec<Exchange>,
}

/// One exchange with the outside world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Exchange {
    /// A model was asked.
    Model {
        /// The model, the request, and the answer or error, in the form of a line of a
        /// [`Recorder`](research_llm::layer::Recorder): without secrets.
        interaction: Value,
    },
    /// A tool was called.
    Tool {
        /// Exposed name of the tool.
        name: String,
        /// Arguments as they were sent.
        arguments: Map<String, Value>,
        /// The result or error.
        outcome: Outcome<CallOutput>,
    },
    /// The server of a tool that was called asked the user.
    ToolAsked {
        /// Exposed name of the tool.
        name: String,
        /// The question.
        question: ToolQuestion,
    },
    /// The tools were listed.
    Listing {
        /// The tools or the error.
        outcome: Outcome<ToolListing>,
    },
    /// The task saw that the run was cancelled, or that a limit was reached.
    Stopped {
        /// The limit that was reached; `None` if the run was cancelled.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<String>,
        /// `true` if the effect that it cut off had begun.
        #[serde(default)]
        begun: bool,
    },
    /// An effect that is neither a model nor a tool call took place, such as a file read.
    Local {
        /// The value of the effect.
        value: Value,
    },
    /// The task waited for the delay of a retry.
    Paused,
    /// The known context window of the model, where it differs from the one that the model states.
    Context {
        /// Size in tokens, request and answer together.
        tokens: u64,
    },
}

/// A question of a tool's server to the user during a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolQuestion {
    /// The server waits for answers, which the next request carries.
    Required(InputRequired),
    /// The server asked in the middle of the request, which was cancelled and is made again once
    /// the answer is known.
    Interrupting(Elicitation),
}

/// The result of a tool source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome<T> {
    /// A result; the tool may report an error in it.
    Given(T),
    /// A failure without a result.
    Failed(ToolFault),
}

impl Outcome<CallOutput> {
    /// Creates the outcome of a call, without its duration. Errors lose what is specific to the
    /// machine.
    pub fn from_call(result: &Result<CallOutput, McpError>) -> Self {
        match result {
            Ok(output) => {
                let mut output = output.clone();
                output.elapsed = Duration::ZERO;
                Self::Given(if output.is_error {
                    scrub::scrubbed(output)
                } else {
                    output
                })
            }
            Err(error) => Self::Failed(ToolFault::from_error(error)),
        }
    }
}

impl Outcome<ToolListing> {
    /// Creates the outcome of a listing. Failures lose what is specific to the machine.
    pub fn from_listing(result: &Result<ToolListing, McpError>) -> Self {
        match result {
            Ok(listing) => {
                let mut listing = listing.clone();
                listing
                    .failed
                    .iter_mut()
                    .for_each(|failed| failed.reason = scrub::scrubbed_text(&failed.reason));
                listing
                    .quarantined
                    .iter_mut()
                    .for_each(|tool| tool.reason = scrub::scrubbed_text(&tool.reason));
                Self::Given(listing)
            }
            Err(error) => Self::Failed(ToolFault::from_error(error)),
        }
    }
}

impl<T> Outcome<T> {
    /// Returns the recorded result.
    ///
    /// # Errors
    ///
    /// The error that was recorded.
    pub fn into_result(self) -> Result<T, McpError> {
        match self {
            Self::Given(value) => Ok(value),
            Self::Failed(fault) => Err(fault.into_error()),
        }
    }
}
