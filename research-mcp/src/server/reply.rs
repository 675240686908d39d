//! What a tool replies.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::output::Content;

/// The result of a tool: blocks of content, and structured content.
///
/// ```
/// use research_mcp::Content;
/// use research_mcp::server::ToolReply;
/// use serde_json::json;
///
/// let reply = ToolReply::structured(json!({"total": 3})).with(Content::text("three records"));
/// assert_eq!(reply.to_string(), "three records");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolReply {
    pub(super) content: Vec<Content>,
    pub(super) structured: Option<Value>,
}

impl ToolReply {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::default().with(Content::text(text))
    }

    /// Structured content. It is sent as text too, for clients that read nothing else, unless there is other content.
    pub fn structured(value: Value) -> Self {
        Self { content: Vec::new(), structured: Some(value) }
    }

    /// Anything that serializes, as structured content.
    ///
    /// # Errors
    ///
    /// When it has no form in JSON, as a map whose keys are no strings.
    pub fn json<T: Serialize>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::to_value(value).map(Self::structured)
    }

    /// Blocks of content in their order.
    pub fn content(blocks: impl IntoIterator<Item = Content>) -> Self {
        Self { content: blocks.into_iter().collect(), structured: None }
    }

    /// With one more block of content.
    #[must_use]
    pub fn with(mut self, block: Content) -> Self {
        self.content.push(block);
        self
    }
}

/// Its text.
impl fmt::Display for ToolReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<&str> = self.content.iter().filter_map(Content::as_text).collect();
        f.write_str(&texts.join("\n"))
    }
}
