//! The events of a streamed answer.

use futures::stream::BoxStream;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::ModelError;
use crate::message::ProviderItem;
use crate::response::{FinishReason, Usage};

/// A stream of events, or of the error that ended it.
pub type EventStream<'a> = BoxStream<'a, Result<StreamEvent, ModelError>>;

/// A piece of an answer.
///
/// A complete stream ends with exactly one [`Finish`](Self::Finish). One that ends without it broke off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StreamEvent {
    /// The answer begins. Says who answers, where the provider says so.
    #[non_exhaustive]
    Start {
        /// The model, as the provider names it.
        model: String,
        /// The provider's id of the answer.
        id: Option<String>,
    },
    /// More text.
    Text(String),
    /// More of the model's reasoning.
    Reasoning(String),
    /// More of a tool call.
    ToolCall(ToolCallDelta),
    /// A piece that the provider wants back in the next turn, whole.
    Item(ProviderItem),
    /// More of what the provider says of the answer; a field replaces the one of the same name.
    Metadata(Map<String, Value>),
    /// What the call has used so far; each one replaces the one before.
    Usage(Usage),
    /// The model stopped.
    Finish(FinishReason),
}

/// A piece of a tool call. Pieces of the same `index` belong together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCallDelta {
    /// Which call of the answer, from 0.
    pub index: usize,
    /// Id of the call, in its first piece.
    pub id: Option<String>,
    /// Name of the tool, in the first piece.
    pub name: Option<String>,
    /// More of the arguments.
    pub arguments: String,
}

impl ToolCallDelta {
    /// More arguments for a call.
    pub fn new(index: usize, arguments: impl Into<String>) -> Self {
        Self { index, arguments: arguments.into(), ..Self::default() }
    }

    /// Makes it the first piece of a call.
    #[must_use]
    pub fn first(mut self, id: impl Into<String>, name: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self.name = Some(name.into());
        self
    }
}
