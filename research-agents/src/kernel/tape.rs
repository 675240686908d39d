//! What a run did outside, as data: each question to a model and each call of a tool with what came of it, so that the run
//! can be gone through again without asking anybody.
//!
//! A run consists of tasks, and the code of a task always does the same when it sees the same. So that is what is kept: the
//! traffic, and what a task saw of the clock, of the person at the keyboard and of other tasks, each under the task and
//! under what it was for. Nothing here says when anything happened, or on which machine.

mod fault;
mod scrub;
mod task;
mod track;

use std::time::Duration;

use research_mcp::{CallOutput, McpError, ToolListing};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use fault::ToolFault;
pub(crate) use task::DIGITS;
pub use task::{Mark, Recording, Tape, TaskRecord, TaskTape};
pub use track::Track;

/// Something that a task did outside, with all that came of it.
///
/// ```
/// use research_agents::kernel::tape::{Effect, Exchange};
/// use serde_json::json;
///
/// let effect: Effect = serde_json::from_value(json!({
///     "at": "planner 0.0.0", "what": "pause planner", "with": "5f70", "number": 0, "exchanges": [{"type": "paused"}],
/// }))?;
/// assert_eq!(effect.exchanges, [Exchange::Paused]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// Where in the run the task stands: its node, and how far the run was.
    pub at: String,
    /// What it was, such as `tool search_events`, or the task of a model.
    pub what: String,
    /// A hash of what it was done with, whatever the order of fields.
    pub with: String,
    /// How often the task had done the same with the same before.
    pub number: u32,
    /// What came of it, in order. Nothing for what was cut off before anything came.
    pub exchanges: Vec<Exchange>,
}

/// One exchange with the world outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "most exchanges are the large ones, and few are held at once")]
pub enum Exchange {
    /// A model was asked.
    Model {
        /// The model, the request, and the answer or error, as a line of a
        /// [`Recorder`](research_llm::layer::Recorder) has them: without secrets.
        interaction: Value,
    },
    /// A tool was called.
    Tool {
        /// Its exposed name.
        name: String,
        /// Arguments as they were sent.
        arguments: Map<String, Value>,
        /// What it gave.
        outcome: Outcome<CallOutput>,
    },
    /// The tools were listed.
    Listing {
        /// What was listed.
        outcome: Outcome<ToolListing>,
    },
    /// The task found that the run was to end, or that a limit was reached.
    Stopped {
        /// The limit that was reached; none where somebody stopped the run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<String>,
        /// What was cut off had begun.
        #[serde(default)]
        begun: bool,
    },
    /// The task waited, and went on.
    Paused,
    /// What the model was known to hold by now, in tokens, other than it says itself.
    Context {
        /// Tokens of request and answer together.
        tokens: u64,
    },
}

/// What a tool source gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome<T> {
    /// A result, which may be one in which the tool reports an error.
    Given(T),
    /// None.
    Failed(ToolFault),
}

impl Outcome<CallOutput> {
    /// What a call gave, without how long it took, and of an error without what belongs to the machine.
    pub fn of_call(result: &Result<CallOutput, McpError>) -> Self {
        match result {
            Ok(output) => {
                let mut output = output.clone();
                output.elapsed = Duration::ZERO;
                Self::Given(if output.is_error { scrub::scrubbed(output) } else { output })
            }
            Err(error) => Self::Failed(ToolFault::of(error)),
        }
    }
}

impl Outcome<ToolListing> {
    /// What a listing gave, of failures without what belongs to the machine.
    pub fn of_listing(result: &Result<ToolListing, McpError>) -> Self {
        match result {
            Ok(listing) => {
                let mut listing = listing.clone();
                listing.failed.iter_mut().for_each(|failed| failed.reason = scrub::scrubbed_text(&failed.reason));
                listing.quarantined.iter_mut().for_each(|tool| tool.reason = scrub::scrubbed_text(&tool.reason));
                Self::Given(listing)
            }
            Err(error) => Self::Failed(ToolFault::of(error)),
        }
    }
}

impl<T> Outcome<T> {
    /// The result again.
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
