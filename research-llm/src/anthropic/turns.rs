//! The conversation in the wire format: the system prompt, and turns of user and assistant that alternate.

use serde_json::{Value, json};

use super::content::{FORMAT, TURN_FORMAT};
use crate::call::ToolCall;
use crate::error::ModelError;
use crate::message::{Image, ImageSource, Message, Part, Role, ToolResult};

/// A conversation in the wire format.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// Blocks of the system prompt.
    pub(super) system: Vec<Value>,
    /// Who speaks, and the blocks of what is said.
    pub(super) turns: Vec<(&'static str, Vec<Value>)>,
}

impl Turns {
    /// Converts a conversation. System messages are gathered in the system prompt, wherever they stood; turns of the same
    /// side that follow each other become one, with the results of tools before everything else, as the API demands.
    pub(super) fn new(messages: &[Message]) -> Result<Self, ModelError> {
        let mut all = Self::default();
        for message in messages {
            let mut blocks = blocks(message)?;
            if message.cache {
                mark_last(&mut blocks);
            }
            all.push(message.role, blocks);
        }
        for (side, blocks) in &mut all.turns {
            if *side == "user" {
                blocks.sort_by_key(|block| block["type"] != "tool_result");
            }
        }
        all.trim_end();
        if all.turns.is_empty() {
            return Err(ModelError::invalid_request(
                "the conversation has no turn besides standing instructions",
                None,
            ));
        }
        Ok(all)
    }

    fn push(&mut self, role: Role, blocks: Vec<Value>) {
        let side = match role {
            Role::System => return self.system.extend(blocks),
            Role::Assistant => "assistant",
            Role::User | Role::Tool => "user",
        };
        match self.turns.last_mut() {
            _ if blocks.is_empty() => {}
            Some((last, before)) if *last == side => before.extend(blocks),
            _ => self.turns.push((side, blocks)),
        }
    }

    /// A last turn of the assistant is one to be continued, and the API refuses it if it ends in white space.
    fn trim_end(&mut self) {
        let Some(("assistant", blocks)) = self.turns.last_mut() else { return };
        let Some(Value::String(text)) = blocks.last_mut().and_then(|block| block.get_mut("text")) else { return };
        text.truncate(text.trim_end().len());
    }
}

/// Marks the last block that the API lets be marked.
fn mark_last(blocks: &mut [Value]) {
    let cacheable = |block: &&mut Value| !matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking"));
    if let Some(block) = blocks.iter_mut().rev().find(cacheable) {
        block["cache_control"] = json!({"type": "ephemeral"});
    }
}

fn blocks(message: &Message) -> Result<Vec<Value>, ModelError> {
    if let Some(whole) = whole_turn(message) {
        return Ok(whole);
    }
    // What the provider wants back stands first in a turn of the assistant.
    let (items, rest): (Vec<_>, Vec<_>) = message.parts.iter().partition(|part| matches!(part, Part::Provider(_)));
    items.into_iter().chain(rest).filter_map(|part| block(message.role, part).transpose()).collect()
}

fn block(role: Role, part: &Part) -> Result<Option<Value>, ModelError> {
    Ok(Some(match part {
        // The API refuses a text of nothing but white space.
        Part::Text { text } if text.trim().is_empty() => return Ok(None),
        Part::Text { text } => json!({"type": "text", "text": text}),
        Part::Image(picture) if matches!(role, Role::User | Role::Tool) => image(picture),
        Part::ToolCall(call) if role == Role::Assistant => tool_use(call),
        Part::ToolResult(result) if matches!(role, Role::User | Role::Tool) => tool_result(result),
        Part::Provider(item) if item.format == FORMAT && role == Role::Assistant => item.item.clone(),
        Part::Provider(_) => return Ok(None),
        Part::Image(_) => return Err(misplaced("a picture", role)),
        Part::ToolCall(_) => return Err(misplaced("a tool call", role)),
        Part::ToolResult(_) => return Err(misplaced("the result of a tool", role)),
    }))
}

#[cold]
fn misplaced(what: &str, role: Role) -> ModelError {
    let whose = match role {
        Role::System => "a standing instruction",
        Role::User => "a turn of the user",
        Role::Assistant => "a turn of the assistant",
        Role::Tool => "the answers of tools",
    };
    ModelError::invalid_request(format!("{what} cannot stand in {whose}"), None)
}

/// The turn exactly as it came, if it came in an order that its parts do not tell and if nobody has changed it since.
fn whole_turn(message: &Message) -> Option<Vec<Value>> {
    let content = message.parts.iter().find_map(|part| match part {
        Part::Provider(item) if item.format == TURN_FORMAT => item.item.as_array(),
        _ => None,
    })?;
    let text: String = content.iter().filter(|b| b["type"] == "text").filter_map(|b| b["text"].as_str()).collect();
    let calls = content.iter().filter(|b| b["type"] == "tool_use").filter_map(|b| b["id"].as_str());
    let said = message.parts.iter().filter_map(|part| match part {
        Part::ToolCall(call) => Some(call.id.as_str()),
        _ => None,
    });
    (text == message.text() && calls.eq(said)).then(|| content.clone())
}

fn image(image: &Image) -> Value {
    let source = match &image.source {
        ImageSource::Url(url) => json!({"type": "url", "url": url}),
        ImageSource::Base64 { media_type, data } => json!({"type": "base64", "media_type": media_type, "data": data}),
    };
    json!({"type": "image", "source": source})
}

fn tool_use(call: &ToolCall) -> Value {
    let input = match serde_json::from_str(&call.arguments) {
        Ok(Value::Object(input)) => Value::Object(input),
        _ if call.arguments.trim().is_empty() => json!({}),
        // The API takes objects only. This is the wrapper that Anthropic's page on fine-grained tool streaming proposes.
        _ => json!({"INVALID_JSON": call.arguments}),
    };
    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
}

fn tool_result(result: &ToolResult) -> Value {
    let mut block = json!({"type": "tool_result", "tool_use_id": result.call_id, "content": result.content});
    if result.is_error {
        block["is_error"] = Value::Bool(true);
    }
    block
}
