//! A tool as a server listed it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A JSON object.
pub type Object = Map<String, Value>;

/// A tool of one server. Title, description and schemas are the server's own words and untrusted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tool {
    /// Name of the server in the hub.
    pub server: String,
    /// Name as the server spells it.
    pub name: String,
    /// Name to call it by: unique in the hub, 1 to 64 characters of `[A-Za-z0-9_-]`.
    pub exposed_name: String,
    /// Title for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it does; empty when the server does not say.
    #[serde(default)]
    pub description: String,
    /// JSON schema of the arguments.
    pub input_schema: Object,
    /// JSON schema of the structured content of a result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Object>,
    /// What the server says about the tool's behaviour.
    #[serde(default)]
    pub hints: ToolHints,
}

impl Tool {
    /// A tool with these names and no description; the exposed name is the name itself.
    pub fn new(server: impl Into<String>, name: impl Into<String>, input_schema: Object) -> Self {
        let name = name.into();
        Self { server: server.into(), exposed_name: name.clone(), name, input_schema, ..Self::default() }
    }

    /// Sets the description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }
}

/// MCP's tool annotations: hints, which a server may get wrong or lie about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolHints {
    /// It changes nothing.
    #[serde(rename = "readOnlyHint", skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// It may destroy something.
    #[serde(rename = "destructiveHint", skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// Calling it twice has the effect of calling it once.
    #[serde(rename = "idempotentHint", skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// It deals with things outside the server.
    #[serde(rename = "openWorldHint", skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
}
