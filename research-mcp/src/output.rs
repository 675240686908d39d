//! The result of a tool call: structured content, text, and whether the tool reports an error.

mod content;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::content::{Content, ResourceContent};
use crate::artifact::Artifact;
use crate::error::McpError;

/// What a tool returned. Everything in it is untrusted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CallOutput {
    /// Name of the server in the hub.
    pub server: String,
    /// Name of the tool as the server spells it.
    pub tool: String,
    /// Structured content, when there is any.
    pub structured: Option<Value>,
    /// The text blocks and the text resources, joined by line ends.
    pub text: String,
    /// All blocks in their order, pictures and links to resources among them.
    pub content: Vec<Content>,
    /// Why the structured content does not fit the schema that the tool promised, when it does not. Checked with the feature
    /// `validate`, once the tool was listed.
    pub invalid: Option<String>,
    /// The whole result, when only head and tail of it are here as text; see [`Overflow::Keep`](crate::Overflow::Keep).
    pub artifact: Option<Artifact>,
    /// The tool reports an error; `text` holds its words.
    pub is_error: bool,
    /// Size of the content in bytes of JSON.
    pub bytes: usize,
    /// From the request to the result.
    pub elapsed: Duration,
}

impl CallOutput {
    /// A result with structured content and no text.
    pub fn structured(server: impl Into<String>, tool: impl Into<String>, content: Value) -> Self {
        let bytes = content.to_string().len();
        Self { structured: Some(content), bytes, ..Self::text(server, tool, "") }
    }

    /// A result with text and no structured content.
    pub fn text(server: impl Into<String>, tool: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            server: server.into(),
            tool: tool.into(),
            structured: None,
            bytes: text.len(),
            content: if text.is_empty() { Vec::new() } else { vec![Content::Text { text: text.clone() }] },
            invalid: None,
            artifact: None,
            text,
            is_error: false,
            elapsed: Duration::ZERO,
        }
    }

    /// A result in which the tool reports an error.
    pub fn error(server: impl Into<String>, tool: impl Into<String>, message: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(server, tool, message) }
    }

    /// The structured content, or else the JSON in the text.
    ///
    /// # Errors
    ///
    /// [`McpError::Tool`] when the tool reports an error, [`McpError::NotJson`] when there is no JSON, [`McpError::TooLarge`] when
    /// only head and tail of it are here.
    pub fn json(&self) -> Result<Value, McpError> {
        self.clone().into_json()
    }

    /// The same as [`json`](Self::json), without a copy.
    ///
    /// # Errors
    ///
    /// As for [`json`](Self::json).
    pub fn into_json(self) -> Result<Value, McpError> {
        if self.is_error {
            return Err(self.into_error());
        }
        if let Some(artifact) = self.artifact {
            let (bytes, limit) = (artifact.bytes, self.text.len());
            return Err(McpError::TooLarge { server: self.server, tool: self.tool, bytes, limit });
        }
        if let Some(content) = self.structured {
            return Ok(content);
        }
        let text = self.text.trim_start_matches('\u{feff}');
        let parsed = serde_json::from_str(text).or_else(|error| several(text).or_else(|| self.only()).ok_or(error));
        match parsed {
            Ok(value) => Ok(value),
            Err(source) => Err(McpError::NotJson {
                server: self.server,
                tool: self.tool,
                excerpt: self.text.chars().take(EXCERPT).collect(),
                source,
            }),
        }
    }

    /// The one block that is a JSON object or list, among blocks of prose.
    fn only(&self) -> Option<Value> {
        let parsed = |block: &Content| serde_json::from_str::<Value>(block.as_text()?).ok();
        let mut found = self.content.iter().filter_map(parsed).filter(|value| value.is_object() || value.is_array());
        found.next().filter(|_| found.next().is_none())
    }

    fn into_error(self) -> McpError {
        let message = match (&self.structured, self.text.trim()) {
            (Some(content), "") => content.to_string(),
            (None, "") => "it gave no reason".to_owned(),
            (_, text) => text.to_owned(),
        };
        McpError::Tool { server: self.server, tool: self.tool, message }
    }
}

/// The objects of several text blocks, as servers send that give every item of a list a block of its own.
fn several(text: &str) -> Option<Value> {
    let values: Vec<Value> = serde_json::Deserializer::from_str(text).into_iter().collect::<Result<_, _>>().ok()?;
    (values.len() > 1 && values.iter().all(Value::is_object)).then_some(Value::Array(values))
}

/// Characters of a result that an error shows.
const EXCERPT: usize = 200;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::McpErrorKind;

    #[test]
    fn structured_content_wins_over_text() {
        let mut output = CallOutput::structured("s", "t", json!({"a": 1}));
        output.text = "{\"a\": 2}".into();
        assert_eq!(output.json().unwrap(), json!({"a": 1}));
    }

    #[test]
    fn text_is_parsed_when_there_is_no_structured_content() {
        assert_eq!(CallOutput::text("s", "t", "\u{feff}{\"a\": 2}\n").json().unwrap(), json!({"a": 2}));
    }

    #[test]
    fn json_among_prose_is_found_when_it_is_a_block_of_its_own() {
        let mut output = CallOutput::text("s", "t", "{\"a\": 2}\nThat was all.");
        let block = |text: &str| Content::Text { text: text.into() };
        output.content = vec![block("{\"a\": 2}"), block("That was all.")];
        assert_eq!(output.json().unwrap(), json!({"a": 2}));
        output.content.push(block("{\"a\": 3}"));
        assert_eq!(output.json().unwrap_err().kind(), McpErrorKind::NotJson);
    }

    #[test]
    fn prose_is_a_typed_error_with_an_excerpt() {
        let error = CallOutput::text("s", "t", "Found 3 events").json().unwrap_err();
        assert_eq!(error.kind(), McpErrorKind::NotJson);
        assert!(error.to_string().contains("Found 3 events"), "{error}");
    }

    #[test]
    fn an_error_of_the_tool_is_not_taken_for_data() {
        let error = CallOutput::error("s", "t", "{\"error\": \"no such field\"}").json().unwrap_err();
        assert_eq!(error.kind(), McpErrorKind::Tool);
        assert!(error.to_string().contains("no such field"), "{error}");
    }
}
