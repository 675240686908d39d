//! The calls of a plan, pending and completed.

use research_agents_runtime::error::ErrorCategory;
use research_agents_runtime::event::Note;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::data::contribution::Contribution;
use crate::data::record::{Object, SubAgentCall, ToolCall};

/// A planned call that is being made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "path", rename_all = "snake_case")]
pub enum Call {
    /// A sub-agent.
    Agent(SubAgentCall),
    /// A tool.
    Tool(ToolCall),
}

/// The result of one call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallOutcome {
    /// The call.
    pub call: Call,
    /// Duration in milliseconds.
    pub elapsed_ms: u64,
    /// Whether it read data, or tried to.
    pub fetched_data: bool,
    /// Its contribution; empty if it failed.
    pub contribution: Box<Contribution>,
    /// The failure, if it failed.
    pub error: Option<CallError>,
}

/// The failure of a call, as the state keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallError {
    /// One of nine categories.
    pub category: ErrorCategory,
    /// The message, which may contain text from a server, a model or a plan.
    pub message: String,
    /// The message for the reader of a report, without text from outside the program. Empty if
    /// there is only the full message.
    #[serde(default)]
    pub told: String,
    /// Whether the call could not be made, because its arguments or its name are wrong.
    #[serde(default)]
    pub is_invalid: bool,
}

impl CallError {
    /// Returns the note that the run keeps of the failure.
    pub(crate) fn note(&self) -> Note {
        if self.told.is_empty() {
            return Note::from(self.message.as_str());
        }
        Note::own(self.told.as_str()).in_full(self.message.as_str())
    }
}

/// A completed call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompletedCall {
    /// The iteration in which it was planned.
    pub iteration: u32,
    /// Id of the call in its plan.
    pub id: String,
    /// Name of the agent or tool.
    pub name: String,
    /// Arguments.
    pub arguments: Object,
    /// Duration in milliseconds.
    pub elapsed_ms: u64,
    /// Whether it read data, or tried to.
    pub fetched_data: bool,
    /// The failure, if the call failed.
    pub error: Option<CallError>,
}

/// Returns the tools that the arguments of a planned call name, else the first enabled one. The
/// scanner chooses its tools by the same rule.
pub(crate) fn asked_tools(arguments: &Object, enabled: &[String]) -> Vec<String> {
    let one = arguments.get("tool_name").into_iter();
    let several = arguments
        .get("tool_names")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let names = several
        .chain(one)
        .filter_map(Value::as_str)
        .filter(|name| !name.is_empty())
        .map(str::to_owned);
    let mut named: Vec<String> = names.collect();
    if named.is_empty() {
        named.extend(enabled.first().cloned());
    }
    named
}
