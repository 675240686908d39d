//! What a request asks for, whatever its wire format.

use serde_json::{Map, Value};

use super::fields::{Fields, Read, Unreadable};
use crate::call::{ToolCall, ToolChoice, ToolDefinition};
use crate::message::{Image, ImageSource, Message, Part, Role};
use crate::request::OutputSchema;

/// What a provider was asked for, read back from the wire.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Asked {
    /// The model.
    pub model: String,
    /// The key that came along.
    pub key: Option<String>,
    /// Whether the answer is wanted as a stream.
    pub streamed: bool,
    /// Whether a stream is to say what the call used. True where a format always says it.
    pub counts_usage: bool,
    /// The standing instructions, joined by newlines.
    pub system: String,
    /// The conversation without the standing instructions, as [`turns`] makes it.
    pub turns: Vec<Message>,
    /// The tools on offer.
    pub tools: Vec<ToolDefinition>,
    /// Whether they may, must or must not be called.
    pub tool_choice: ToolChoice,
    /// Whether several may be called at once, if that is said.
    pub parallel_tool_calls: Option<bool>,
    /// The schema of the answer. A format that gives it no name leaves that empty.
    pub schema: Option<OutputSchema>,
    /// How long the answer may be, in tokens.
    pub max_output_tokens: Option<u64>,
    /// The temperature.
    pub temperature: Option<f64>,
    /// The share of the probability that is drawn from.
    pub top_p: Option<f64>,
    /// Texts that end the answer.
    pub stop: Vec<String>,
    /// The seed.
    pub seed: Option<u64>,
    /// How many pieces are marked for the provider's cache.
    pub cache_marks: usize,
    /// Whether the model is asked to think, and how, as the format says it.
    pub thinking: Option<Value>,
    /// Fields that the format does not have, or that are of no interest here.
    pub others: Map<String, Value>,
}

/// A conversation in the form in which two can be compared: without standing instructions, turns of the same role and
/// texts that follow each other joined, tool results without the name of the tool, and arguments in one way of writing.
#[must_use]
pub fn turns(messages: &[Message]) -> Vec<Message> {
    let mut turns: Vec<Message> = Vec::new();
    for message in messages.iter().filter(|message| message.role != Role::System) {
        let turn = match turns.pop_if(|last| last.role == message.role) {
            Some(turn) => turn,
            None => Message::of(message.role, Vec::new()),
        };
        turns.push(message.parts.iter().cloned().map(plain).fold(turn, joined));
    }
    turns
}

fn joined(mut turn: Message, part: Part) -> Message {
    match (turn.parts.last_mut(), part) {
        (Some(Part::Text { text }), Part::Text { text: more }) => text.push_str(&more),
        (_, part) => turn.parts.push(part),
    }
    turn
}

fn plain(part: Part) -> Part {
    match part {
        Part::ToolCall(mut call) => {
            if let Ok(arguments) = serde_json::from_str::<Value>(&call.arguments) {
                call.arguments = arguments.to_string();
            }
            Part::ToolCall(call)
        }
        Part::ToolResult(mut result) => {
            result.name.clear();
            Part::ToolResult(result)
        }
        other => other,
    }
}

impl Asked {
    /// Adds standing instructions.
    pub(super) fn instruct(&mut self, text: &str) {
        if !self.system.is_empty() {
            self.system.push('\n');
        }
        self.system.push_str(text);
    }

    /// Brings the conversation into its comparable form, and checks that calls and results belong together.
    pub(super) fn settle(&mut self, place: &str) -> Read<()> {
        self.turns = turns(&self.turns);
        let mut open: Vec<String> = Vec::new();
        for turn in &self.turns {
            if turn.role != Role::Tool && !open.is_empty() {
                return Err(Unreadable::new(place, format_args!("calls {open:?} have no result in the next turn")));
            }
            for part in &turn.parts {
                match part {
                    Part::ToolCall(ToolCall { id, .. }) => open.push(id.clone()),
                    Part::ToolResult(result) => {
                        let id = &result.call_id;
                        let Some(at) = open.iter().position(|call| call == id) else {
                            return Err(Unreadable::new(place, format_args!("a result for no open call: `{id}`")));
                        };
                        open.remove(at);
                    }
                    Part::Text { text } if text.is_empty() => return Err(Unreadable::new(place, "an empty text")),
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

/// A picture from an address, which may hold the picture itself.
pub(super) fn image(fields: &Fields, url: &str) -> Read<Image> {
    let Some(data) = url.strip_prefix("data:") else { return Ok(Image::url(url)) };
    match data.split_once(";base64,") {
        Some((media_type, data)) if media_type.starts_with("image/") => Ok(embedded(media_type, data)),
        _ => Err(fields.wrong(format_args!("no picture in base 64: {url}"))),
    }
}

/// A picture that came along.
pub(super) fn embedded(media_type: &str, data: &str) -> Image {
    Image { source: ImageSource::Base64 { media_type: media_type.to_owned(), data: data.to_owned() } }
}

/// The name of a tool or a schema, as providers take them.
pub(super) fn name(fields: &mut Fields) -> Read<String> {
    let name = fields.text("name")?;
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || name.len() > 64 || !name.chars().all(fits) {
        return Err(fields.wrong(format_args!("`{name}` is no name of 1 to 64 letters, digits, `_` or `-`")));
    }
    Ok(name)
}

/// A schema, which must be an object that describes an object.
pub(super) fn schema_of_object(fields: &mut Fields, field: &str) -> Read<Value> {
    let schema = fields.need(field)?;
    if schema.get("type").and_then(Value::as_str) == Some("object") {
        Ok(schema)
    } else {
        Err(fields.wrong(format_args!("`{field}` does not describe an object: {schema}")))
    }
}

/// Whether a request must not set a field together with thinking, such as a temperature other than 1.
pub(super) fn differs(value: Option<f64>, from: f64) -> bool {
    value.is_some_and(|value| (value - from).abs() > f64::EPSILON)
}
