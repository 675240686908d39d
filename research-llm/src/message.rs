//! Messages: who says what to whom.

mod image;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::call::ToolCall;

pub use image::{Image, ImageSource};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// The program: standing instructions.
    System,
    /// The one who asks.
    User,
    /// The model.
    Assistant,
    /// The program, with the results of the tools that the model called.
    Tool,
}

/// A piece of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Part {
    /// Plain text.
    #[non_exhaustive]
    Text {
        /// The text.
        text: String,
    },
    /// A picture for the model to look at.
    Image(Image),
    /// A tool call that the model made, as it is said again in the next request.
    ToolCall(ToolCall),
    /// What a tool answered.
    ToolResult(ToolResult),
    /// Something that only its provider understands, to be handed back unchanged.
    Provider(ProviderItem),
}

impl Part {
    /// A piece of plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// The text of a piece of plain text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            _ => None,
        }
    }
}

/// What a tool answered to a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolResult {
    /// Id of the call that is answered.
    pub call_id: String,
    /// Name of the tool.
    pub name: String,
    /// The answer, as text; a JSON answer as JSON text.
    pub content: String,
    /// Whether the tool failed; the content then says why.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

impl ToolResult {
    /// The answer to a call.
    pub fn new(call: &ToolCall, content: impl Into<String>) -> Self {
        Self { call_id: call.id.clone(), name: call.name.clone(), content: content.into(), is_error: false }
    }

    /// Marks the answer as a failure.
    #[must_use]
    pub fn error(mut self) -> Self {
        self.is_error = true;
        self
    }
}

/// A piece of an answer that only its provider understands and wants back, such as a signed block of reasoning.
///
/// A request to another provider leaves it out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProviderItem {
    /// The wire format that it belongs to, such as `anthropic` or `openai.responses`.
    pub format: String,
    /// The piece, as it came.
    pub item: Value,
}

impl ProviderItem {
    /// A piece of a wire format.
    pub fn new(format: impl Into<String>, item: Value) -> Self {
        Self { format: format.into(), item }
    }
}

/// One turn of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub parts: Vec<Part>,
    /// Whether the provider should keep everything up to here for later requests that begin alike. Providers that cache
    /// by themselves ignore it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cache: bool,
}

impl Message {
    /// A turn of one text.
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self::of(role, vec![Part::text(text)])
    }

    /// A turn of several pieces.
    #[must_use]
    pub fn of(role: Role, parts: Vec<Part>) -> Self {
        Self { role, parts, cache: false }
    }

    /// A standing instruction.
    pub fn system(text: impl Into<String>) -> Self {
        Self::new(Role::System, text)
    }

    /// A turn of the one who asks.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, text)
    }

    /// A turn of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, text)
    }

    /// The answers of tools.
    pub fn tools(results: impl IntoIterator<Item = ToolResult>) -> Self {
        Self::of(Role::Tool, results.into_iter().map(Part::ToolResult).collect())
    }

    /// Adds a piece.
    #[must_use]
    pub fn part(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    /// Adds a picture.
    #[must_use]
    pub fn image(self, image: Image) -> Self {
        self.part(Part::Image(image))
    }

    /// Marks the end of a beginning that later requests share.
    #[must_use]
    pub fn cached(mut self) -> Self {
        self.cache = true;
        self
    }

    /// All text of the turn, its pieces joined without a separator.
    #[must_use]
    pub fn text(&self) -> String {
        self.parts.iter().filter_map(Part::as_text).collect()
    }
}
