//! Resources and prompts as a server lists them. All of it is the server's own words and untrusted.

use serde::{Deserialize, Serialize};

use crate::output::Content;

/// A resource of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Resource {
    /// Name of the server in the hub.
    pub server: String,
    /// Its address.
    pub uri: String,
    /// What the server calls it.
    pub name: String,
    /// Title for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its media type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// Its size in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
}

/// The addresses of many resources, by one pattern (RFC 6570).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ResourceTemplate {
    /// Name of the server in the hub.
    pub server: String,
    /// The pattern, such as `file:///{path}`.
    pub uri_template: String,
    /// What the server calls it.
    pub name: String,
    /// Title for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the resources hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Their media type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
}

/// A prompt that a server offers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptInfo {
    /// Name of the server in the hub.
    pub server: String,
    /// What the server calls it.
    pub name: String,
    /// Title for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What can be filled in.
    #[serde(default)]
    pub arguments: Vec<PromptArgument>,
}

/// Something that can be filled into a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptArgument {
    /// What the server calls it.
    pub name: String,
    /// What it means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether the prompt needs it.
    #[serde(default)]
    pub required: bool,
}

/// One turn of a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptMessage {
    /// Who speaks: `user` or `assistant`.
    pub role: String,
    /// What is said.
    pub content: Content,
}

impl PromptMessage {
    /// A turn of the user.
    #[must_use]
    pub fn user(content: Content) -> Self {
        Self { role: "user".to_owned(), content }
    }

    /// A turn of the model.
    #[must_use]
    pub fn assistant(content: Content) -> Self {
        Self { role: "assistant".to_owned(), content }
    }
}
