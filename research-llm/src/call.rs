//! What a model is told of tools, and the calls it makes.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a model is told of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolDefinition {
    /// The name by which the model calls it. Providers take letters, digits, `_` and `-`, at most 64 of them.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// JSON schema of its arguments: an object.
    pub parameters: Value,
}

impl ToolDefinition {
    /// A tool with a schema written by hand.
    pub fn new(name: impl Into<String>, description: impl Into<String>, parameters: Value) -> Self {
        Self { name: name.into(), description: description.into(), parameters }
    }
}

/// Whether a model may, must or must not call tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolChoice {
    /// It decides.
    #[default]
    Auto,
    /// It must not.
    None,
    /// It must call at least one.
    Required,
    /// It must call this one.
    Tool(String),
}

impl ToolChoice {
    /// Whether the model decides.
    #[must_use]
    pub fn is_auto(&self) -> bool {
        *self == Self::Auto
    }
}

/// A call of a tool that the model asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCall {
    /// The provider's id of the call.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// The arguments as the model wrote them: JSON, unless the model erred.
    pub arguments: String,
}

impl ToolCall {
    /// A call with its arguments as JSON text.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.into() }
    }
}
