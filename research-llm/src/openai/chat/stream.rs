//! The pieces of a streamed chat completion.

use serde_json::{Map, Value};

use super::calls::Calls;
use super::response::{ending, item};
use super::{metadata, piece};
use crate::error::ModelError;
use crate::http::Http;
use crate::openai::decode::{Decoder, Step};
use crate::openai::failure::{of_object, of_reason};
use crate::openai::quirks::Quirks;
use crate::openai::usage::usage;
use crate::sse;
use crate::stream::StreamEvent;

/// Reads the chunks of one answer.
pub(crate) struct Chunks {
    http: Http,
    reasoning_back: Option<&'static str>,
    /// Whether the usage was asked for, so that a stream without it is not whole.
    usage_asked: bool,
    headers: Map<String, Value>,
    started: bool,
    calls: Calls,
    back: Value,
    refused: bool,
    finish: Option<String>,
    usage_since_finish: bool,
}

impl Chunks {
    /// At the start of an answer with these headers.
    pub(crate) fn new(http: Http, quirks: &Quirks, usage_asked: bool, headers: Map<String, Value>) -> Self {
        Self {
            http,
            reasoning_back: quirks.reasoning_back,
            usage_asked,
            headers,
            started: false,
            calls: Calls::default(),
            back: Value::Null,
            refused: false,
            finish: None,
            usage_since_finish: false,
        }
    }

    fn start(&mut self, chunk: &Value, out: &mut Vec<StreamEvent>) {
        let text = |field: &str| chunk.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
        let has_choice = chunk.pointer("/choices/0").is_some();
        // A gateway may send a chunk of its own, without a name and a choice, before the model's first.
        if self.started || (text("model").is_none() && !has_choice) {
            return;
        }
        self.started = true;
        let (model, id) = (text("model").unwrap_or_default().to_owned(), text("id").map(str::to_owned));
        out.push(StreamEvent::Start { model, id });
        let mut said = std::mem::take(&mut self.headers);
        said.extend(metadata(chunk));
        if !said.is_empty() {
            out.push(StreamEvent::Metadata(said));
        }
    }

    fn choice(&mut self, choice: &Value, out: &mut Vec<StreamEvent>) {
        // Some servers send the last piece, or everything, as a whole message.
        let delta = choice.get("delta").or_else(|| choice.get("message")).unwrap_or(&Value::Null);
        let reasoning = piece::reasoning(delta);
        if !reasoning.is_empty() {
            out.push(StreamEvent::Reasoning(reasoning));
        }
        let mut text = piece::text(delta);
        if let Some(refusal) = piece::refusal(delta) {
            self.refused = true;
            text.push_str(refusal);
        }
        if !text.is_empty() {
            out.push(StreamEvent::Text(text));
        }
        if let Some(more) = self.reasoning_back.and_then(|field| delta.get(field)) {
            piece::join(&mut self.back, more);
        }
        let pieces = delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
        out.extend(pieces.map(|piece| StreamEvent::ToolCall(self.calls.piece(piece))));
        if let Some(word) = choice.get("finish_reason").and_then(Value::as_str).filter(|word| !word.is_empty()) {
            self.finish = Some(word.to_owned());
        }
    }

    fn finish(&mut self, out: &mut Vec<StreamEvent>) -> Step {
        if let Some(field) = self.reasoning_back.filter(|_| !self.back.is_null()) {
            out.push(StreamEvent::Item(item(field, self.back.take())));
        }
        let (finish, said) = ending(self.finish.as_deref(), self.refused, !self.calls.is_empty());
        if !said.is_empty() {
            out.push(StreamEvent::Metadata(said));
        }
        out.push(StreamEvent::Finish(finish));
        Step::Done
    }
}

impl Decoder for Chunks {
    fn event(&mut self, event: &sse::Event, out: &mut Vec<StreamEvent>) -> Result<Step, ModelError> {
        let data = event.data.trim();
        if data == "[DONE]" {
            return if self.started { Ok(self.finish(out)) } else { Err(ModelError::Truncated) };
        }
        if data.is_empty() {
            return Ok(Step::More);
        }
        let chunk: Value = serde_json::from_str(data).map_err(|error| {
            ModelError::invalid_response("an event that is no JSON", Some(std::sync::Arc::new(error)))
        })?;
        let choice = chunk.pointer("/choices/0").cloned().unwrap_or_default();
        let error = [chunk.get("error"), choice.get("error")].into_iter().flatten().find(|error| !error.is_null());
        if let Some(error) = error {
            return Err(of_object(error, &self.http));
        }
        if event.event == "error" {
            return Err(of_object(&chunk, &self.http));
        }
        self.start(&chunk, out);
        self.choice(&choice, out);
        of_reason(self.finish.as_deref())?;
        let fields = [chunk.get("usage"), chunk.pointer("/x_groq/usage")];
        if let Some(usage) = fields.into_iter().flatten().find_map(usage) {
            self.usage_since_finish = self.finish.is_some();
            out.push(StreamEvent::Usage(usage));
        }
        Ok(Step::More)
    }

    /// A server that ends without `[DONE]` has finished if nothing that was asked for is missing.
    fn end(&mut self, out: &mut Vec<StreamEvent>) -> Result<(), ModelError> {
        if self.finish.is_none() || (self.usage_asked && !self.usage_since_finish) {
            return Err(ModelError::Truncated);
        }
        self.finish(out);
        Ok(())
    }
}
