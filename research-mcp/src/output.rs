//! The result of a tool call: structured content, text, and whether the tool reports an error.

mod content;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::artifact::Artifact;
use crate::error::McpError;
use crate::payload::{broken, one_or_all, only_error_in, values};

pub use self::content::{Content, ResourceContent};

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
    /// A text that is JSON as a whole is taken as it is. Otherwise every block is looked at by itself: one that holds objects or
    /// lists, one or several after each other, is JSON, and everything else is prose and passed over. One value is given as it
    /// is, several as a list of all of them in their order. A block that begins as JSON does and breaks off is an error, however
    /// much of the rest could be read: its data would be lost unseen. So is one inside the envelopes that SDKs put around a
    /// result, and a result that holds nothing but an error.
    ///
    /// # Errors
    ///
    /// [`McpError::Tool`] when the tool reports an error, as such or as its result, [`McpError::NotJson`] when there is no JSON or
    /// some that breaks off, [`McpError::TooLarge`] when only head and tail of it are here.
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
        let (server, tool) = (self.server, self.tool);
        let cut = |text: &str, source| {
            let excerpt = text.chars().take(EXCERPT).collect();
            McpError::NotJson { server: server.clone(), tool: tool.clone(), excerpt, source }
        };
        let value = match self.structured {
            Some(content) => content,
            None => {
                let whole = serde_json::from_str(self.text.trim_start_matches('\u{feff}'));
                let whole = whole.or_else(|error| blocks(&self.content)?.ok_or(error));
                whole.map_err(|source| cut(&self.text, source))?
            }
        };
        if let Some((text, source)) = broken(&value) {
            return Err(cut(&text, source));
        }
        match only_error_in(&value) {
            Some(message) => Err(McpError::Tool { server, tool, message }),
            None => Ok(value),
        }
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

/// The JSON of the blocks: one value as it is, several as a list, `None` in prose.
fn blocks(content: &[Content]) -> serde_json::Result<Option<Value>> {
    let found: Vec<Vec<Value>> = content.iter().filter_map(Content::as_text).map(values).collect::<Result<_, _>>()?;
    Ok(one_or_all(found.into_iter().flatten().collect()))
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

    fn of_blocks(texts: &[&str]) -> CallOutput {
        let content = texts.iter().map(|text| Content::Text { text: (*text).into() }).collect();
        CallOutput { content, ..CallOutput::text("s", "t", texts.join("\n")) }
    }

    #[test]
    fn json_among_prose_is_found_when_it_is_a_block_of_its_own() {
        let of = |texts: &[&str]| of_blocks(texts).json().unwrap();
        assert_eq!(of(&["{\"a\": 2}", "That was all."]), json!({"a": 2}));
        assert_eq!(of(&["Two:", "{\"a\": 2}", "and", "{\"a\": 3}"]), json!([{"a": 2}, {"a": 3}]));
        assert_eq!(of(&["{\"total\": 2}", "[1, 2]", "[2] see there"]), json!([{"total": 2}, [1, 2]]));
        assert_eq!(of(&["{\"a\": 2}\n{\"a\": 3}"]), json!([{"a": 2}, {"a": 3}]));
        // A list of one stays what it is.
        assert_eq!(of(&["Found:", "[{\"a\": 2}]"]), json!([{"a": 2}]));
    }

    #[test]
    fn json_that_breaks_off_is_not_passed_over() {
        let error = of_blocks(&["{\"a\": 2}", "{\"a\": "]).json().unwrap_err();
        assert_eq!(error.kind(), McpErrorKind::NotJson);
        // Nor is JSON taken out of the middle of a sentence.
        assert_eq!(of_blocks(&["It is {\"a\": 2}."]).json().unwrap_err().kind(), McpErrorKind::NotJson);
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

    #[test]
    fn a_result_that_cannot_be_read_is_an_error_in_its_envelopes_too() {
        let cut = CallOutput::structured("s", "t", json!({"result": "{\"documents\": [{\"id\": 1}, {\"i"}));
        let error = cut.json().unwrap_err();
        assert_eq!(error.kind(), McpErrorKind::NotJson);
        assert!(error.to_string().contains("documents"), "{error}");
        let failed = CallOutput::structured("s", "t", json!({"error": "index unavailable"})).json().unwrap_err();
        assert_eq!(failed.kind(), McpErrorKind::Tool);
        assert!(failed.to_string().contains("index unavailable"), "{failed}");
        let both = json!({"error": "one shard is missing", "documents": [{"id": 1, "v": 2}]});
        assert_eq!(CallOutput::structured("s", "t", both.clone()).json().unwrap(), both);
    }
}
