//! The events of a streamed response.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::output::{self, BETWEEN_PARTS, Item, call_id, ending};
use super::response::{failed, metadata};
use crate::error::ModelError;
use crate::http::Http;
use crate::openai::decode::{Decoder, Step};
use crate::openai::failure::of_object;
use crate::openai::usage::usage;
use crate::sse;
use crate::stream::{StreamEvent, ToolCallDelta};

/// Reads the events of one answer.
pub(crate) struct Events {
    http: Http,
    headers: Map<String, Value>,
    started: bool,
    refused: bool,
    has_reasoning: bool,
    /// The calls by the server's number of their item: which one it is, and whether arguments have come.
    calls: BTreeMap<u64, (usize, bool)>,
    /// The items of which text has come.
    said: BTreeMap<u64, bool>,
}

impl Events {
    /// At the start of an answer with these headers.
    pub(crate) fn new(http: Http, headers: Map<String, Value>) -> Self {
        Self {
            http,
            headers,
            started: false,
            refused: false,
            has_reasoning: false,
            calls: BTreeMap::new(),
            said: BTreeMap::new(),
        }
    }

    fn start(&mut self, response: &Value, out: &mut Vec<StreamEvent>) {
        if std::mem::replace(&mut self.started, true) {
            return;
        }
        let text = |field: &str| response.get(field).and_then(Value::as_str).map(str::to_owned);
        out.push(StreamEvent::Start { model: text("model").unwrap_or_default(), id: text("id") });
        if !self.headers.is_empty() {
            out.push(StreamEvent::Metadata(std::mem::take(&mut self.headers)));
        }
    }

    fn say(&mut self, at: u64, text: &str, out: &mut Vec<StreamEvent>) {
        self.said.insert(at, true);
        if !text.is_empty() {
            out.push(StreamEvent::Text(text.to_owned()));
        }
    }

    fn think(&mut self, at: u64, text: &str, out: &mut Vec<StreamEvent>) {
        self.said.insert(at, true);
        if !text.is_empty() {
            self.has_reasoning = true;
            out.push(StreamEvent::Reasoning(text.to_owned()));
        }
    }

    /// Begins a part of the reasoning: after another one, with what stands between them.
    fn next_part(&mut self, out: &mut Vec<StreamEvent>) {
        if self.has_reasoning {
            out.push(StreamEvent::Reasoning(BETWEEN_PARTS.to_owned()));
        }
    }

    fn begin_call(&mut self, at: u64, item: &Value, out: &mut Vec<StreamEvent>) {
        if self.calls.contains_key(&at) {
            return;
        }
        let index = self.calls.len();
        let text = |field: &str| item.get(field).and_then(Value::as_str).unwrap_or_default();
        self.calls.insert(at, (index, !text("arguments").is_empty()));
        let delta = ToolCallDelta::new(index, text("arguments")).first(call_id(item), text("name"));
        out.push(StreamEvent::ToolCall(delta));
    }

    fn argue(&mut self, at: u64, arguments: &str, is_whole: bool, out: &mut Vec<StreamEvent>) {
        match self.calls.get_mut(&at) {
            // The whole arguments repeat the pieces.
            Some((_, has_arguments)) if is_whole && *has_arguments => {}
            Some((index, has_arguments)) if !arguments.is_empty() => {
                *has_arguments = true;
                out.push(StreamEvent::ToolCall(ToolCallDelta::new(*index, arguments)));
            }
            _ => {}
        }
    }

    /// Adds of a whole item what its pieces have not said.
    fn item(&mut self, at: u64, item: &Value, out: &mut Vec<StreamEvent>) {
        let was_said = self.said.contains_key(&at);
        match output::read(item) {
            Item::Message { text, refused } => {
                self.refused |= refused;
                if !was_said {
                    self.say(at, &text, out);
                }
            }
            Item::Reasoning { parts, back } => {
                for part in parts.iter().filter(|_| !was_said) {
                    self.next_part(out);
                    self.think(at, part, out);
                }
                out.extend(back.map(StreamEvent::Item));
            }
            Item::Call(call) => {
                self.begin_call(at, item, out);
                self.argue(at, &call.arguments, true, out);
            }
            Item::Other(item) => out.push(StreamEvent::Item(item)),
        }
    }

    fn finish(&mut self, response: &Value, out: &mut Vec<StreamEvent>) -> Step {
        self.start(response, out);
        let (finish, mut said) = ending(response, self.refused, !self.calls.is_empty());
        said.extend(metadata(response));
        if !said.is_empty() {
            out.push(StreamEvent::Metadata(said));
        }
        if let Some(usage) = response.get("usage").and_then(usage) {
            out.push(StreamEvent::Usage(usage));
        }
        out.push(StreamEvent::Finish(finish));
        Step::Done
    }
}

impl Decoder for Events {
    fn event(&mut self, event: &sse::Event, out: &mut Vec<StreamEvent>) -> Result<Step, ModelError> {
        let data = event.data.trim();
        if data.is_empty() || data == "[DONE]" {
            return Ok(Step::More);
        }
        let value: Value = serde_json::from_str(data).map_err(|error| {
            ModelError::invalid_response("an event that is no JSON", Some(std::sync::Arc::new(error)))
        })?;
        let kind = value.get("type").and_then(Value::as_str).unwrap_or(&event.event);
        let at = value.get("output_index").and_then(Value::as_u64).unwrap_or(0);
        let null = Value::Null;
        let field = |name: &str| value.get(name).unwrap_or(&null);
        let text = |name: &str| field(name).as_str().unwrap_or_default();
        match kind {
            "response.created" | "response.in_progress" => self.start(field("response"), out),
            "response.output_text.delta" => self.say(at, text("delta"), out),
            "response.refusal.delta" => {
                self.refused = true;
                self.say(at, text("delta"), out);
            }
            "response.reasoning_summary_part.added" | "response.reasoning_part.added" => self.next_part(out),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                self.think(at, text("delta"), out);
            }
            "response.output_item.added" if field("item")["type"] == "function_call" => {
                self.begin_call(at, field("item"), out);
            }
            "response.function_call_arguments.delta" => self.argue(at, text("delta"), false, out),
            "response.function_call_arguments.done" => self.argue(at, text("arguments"), true, out),
            "response.output_item.done" => self.item(at, field("item"), out),
            "response.completed" | "response.incomplete" => return Ok(self.finish(field("response"), out)),
            "response.failed" => {
                let error = failed(field("response")).unwrap_or(&value);
                return Err(of_object(error, &self.http));
            }
            "error" => {
                let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(&value);
                return Err(of_object(error, &self.http));
            }
            // A server that fails before it begins may send the error alone.
            "message" if !field("error").is_null() => return Err(of_object(field("error"), &self.http)),
            _ => {}
        }
        Ok(Step::More)
    }

    fn end(&mut self, _: &mut Vec<StreamEvent>) -> Result<(), ModelError> {
        Err(ModelError::Truncated)
    }
}
