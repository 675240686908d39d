//! From the events of the wire to the events of a stream.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use futures::stream::{self, Stream, StreamExt};
use serde_json::{Map, Value, json};

use super::content::{Kind, WireUsage, finish, item, metadata, turn_item};
use super::response::error;
use crate::error::ModelError;
use crate::http::Http;
use crate::sse::Event;
use crate::stream::{Accumulated, StreamEvent, ToolCallDelta};

/// Blocks that one answer may have. More are not believed.
const MAX_BLOCKS: usize = 4_096;

/// A block that is still coming.
#[derive(Debug)]
struct Block {
    kind: Kind,
    value: Value,
    /// Pieces of the field `input`, joined.
    input: String,
    /// Which tool call of the answer it is.
    call: usize,
    is_open: bool,
}

/// Reads the events of one answer.
#[derive(Debug, Default)]
pub(super) struct Reader {
    blocks: BTreeMap<u64, Block>,
    calls: usize,
    usage: WireUsage,
    stop_reason: Option<String>,
    /// Whether a block had pieces that cannot be put together here.
    is_broken: bool,
    is_finished: bool,
    ready: VecDeque<StreamEvent>,
    /// What the transport says of the answer, until it begins.
    headers: Map<String, Value>,
}

impl Reader {
    /// Nothing read yet. `headers` are what the transport says of the answer.
    pub(super) fn new(headers: Map<String, Value>) -> Self {
        Self { headers, ..Self::default() }
    }

    /// Whether the model has said that it finished.
    pub(super) fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// The next event that is complete.
    pub(super) fn pop(&mut self) -> Option<StreamEvent> {
        self.ready.pop_front()
    }

    /// Reads one event of the wire that is no error. One of an unknown type is skipped, as the API's versioning wants it.
    pub(super) fn read(&mut self, mut event: Value) -> Result<(), ModelError> {
        match event["type"].as_str() {
            Some("message_start") => self.start(&event["message"]),
            Some("content_block_start") => self.open(event["index"].as_u64(), event["content_block"].take())?,
            Some("content_block_delta") => self.delta(event["index"].as_u64(), &event["delta"])?,
            Some("content_block_stop") => self.close(event["index"].as_u64()),
            Some("message_delta") => self.change(&event),
            Some("message_stop") => self.finish(),
            _ => {}
        }
        Ok(())
    }

    fn start(&mut self, message: &Value) {
        let model = message["model"].as_str().unwrap_or_default().to_owned();
        self.ready.push_back(StreamEvent::Start { model, id: message["id"].as_str().map(str::to_owned) });
        let headers = std::mem::take(&mut self.headers);
        if !headers.is_empty() {
            self.ready.push_back(StreamEvent::Metadata(headers));
        }
        self.count(&message["usage"]);
    }

    fn count(&mut self, usage: &Value) {
        if usage.is_object() {
            self.usage.update(usage);
            self.ready.push_back(StreamEvent::Usage(self.usage.into()));
        }
    }

    fn open(&mut self, index: Option<u64>, value: Value) -> Result<(), ModelError> {
        let Some(index) = index.filter(|index| self.blocks.len() < MAX_BLOCKS && !self.blocks.contains_key(index))
        else {
            return Err(ModelError::invalid_response("a content block of the stream has no number of its own", None));
        };
        let kind = Kind::of(&value);
        let text = |name: &str| value[name].as_str().unwrap_or_default();
        self.ready.extend(match kind {
            Kind::Text => said(StreamEvent::Text, text("text")),
            Kind::Thinking => said(StreamEvent::Reasoning, text("thinking")),
            Kind::ToolUse => {
                let first = ToolCallDelta::new(self.calls, "").first(text("id"), text("name"));
                Some(StreamEvent::ToolCall(first))
            }
            Kind::Other => {
                tracing::debug!(block = ?value["type"], "skipped a content block of an unknown type");
                None
            }
        });
        let call = self.calls;
        self.calls += usize::from(kind == Kind::ToolUse);
        self.blocks.insert(index, Block { kind, value, input: String::new(), call, is_open: true });
        Ok(())
    }

    fn delta(&mut self, index: Option<u64>, delta: &Value) -> Result<(), ModelError> {
        let Some(block) = index.and_then(|index| self.blocks.get_mut(&index)).filter(|block| block.is_open) else {
            return Err(ModelError::invalid_response("a piece of the stream is of no open content block", None));
        };
        let text = |name: &str| delta[name].as_str().unwrap_or_default();
        match delta["type"].as_str() {
            Some("text_delta") => {
                append(&mut block.value, "text", text("text"));
                if block.kind == Kind::Text {
                    self.ready.extend(said(StreamEvent::Text, text("text")));
                }
            }
            Some("thinking_delta") => {
                append(&mut block.value, "thinking", text("thinking"));
                if block.kind == Kind::Thinking {
                    self.ready.extend(said(StreamEvent::Reasoning, text("thinking")));
                }
            }
            Some("signature_delta") => append(&mut block.value, "signature", text("signature")),
            Some("input_json_delta") => {
                let json = text("partial_json");
                block.input.push_str(json);
                if block.kind == Kind::ToolUse && !json.is_empty() {
                    self.ready.push_back(StreamEvent::ToolCall(ToolCallDelta::new(block.call, json)));
                }
            }
            Some("citations_delta") => match block.value.get_mut("citations") {
                Some(Value::Array(citations)) => citations.push(delta["citation"].clone()),
                _ => block.value["citations"] = json!([delta["citation"]]),
            },
            _ => self.is_broken = true,
        }
        Ok(())
    }

    fn close(&mut self, index: Option<u64>) {
        let Some(block) = index.and_then(|index| self.blocks.get_mut(&index)).filter(|block| block.is_open) else {
            return;
        };
        block.is_open = false;
        match block.kind {
            Kind::Thinking => self.ready.push_back(StreamEvent::Item(item(block.value.clone()))),
            Kind::ToolUse if block.input.is_empty() => {
                // A call without arguments, or one that a server sends in a single piece.
                let input = block.value.get("input").filter(|input| !input.is_null());
                let input = input.map_or_else(|| "{}".to_owned(), Value::to_string);
                self.ready.push_back(StreamEvent::ToolCall(ToolCallDelta::new(block.call, input)));
            }
            _ => {}
        }
        if !block.input.is_empty() {
            match serde_json::from_str(&block.input) {
                Ok(input) => block.value["input"] = input,
                Err(_) => self.is_broken = true,
            }
        }
    }

    fn change(&mut self, event: &Value) {
        let delta = &event["delta"];
        if let Some(reason) = delta["stop_reason"].as_str() {
            self.stop_reason = Some(reason.to_owned());
        }
        let said = metadata(delta);
        if !said.is_empty() {
            self.ready.push_back(StreamEvent::Metadata(said));
        }
        self.count(&event["usage"]);
    }

    fn finish(&mut self) {
        let open: Vec<u64> = self.blocks.iter().filter(|(_, block)| block.is_open).map(|(&index, _)| index).collect();
        for index in open {
            self.close(Some(index));
        }
        let blocks: Vec<Value> = std::mem::take(&mut self.blocks).into_values().map(|block| block.value).collect();
        if let Some(turn) = turn_item(&blocks).filter(|_| !self.is_broken) {
            self.ready.push_back(StreamEvent::Item(turn));
        }
        self.ready.push_back(StreamEvent::Finish(finish(self.stop_reason.as_deref())));
        self.is_finished = true;
    }
}

fn said(event: impl Fn(String) -> StreamEvent, text: &str) -> Option<StreamEvent> {
    (!text.is_empty()).then(|| event(text.to_owned()))
}

/// Lengthens a field of text.
fn append(value: &mut Value, field: &str, text: &str) {
    match value.get_mut(field) {
        Some(Value::String(before)) => before.push_str(text),
        _ => value[field] = text.into(),
    }
}

/// An answer that is being read.
pub(super) struct Answer<S> {
    reader: Reader,
    received: Accumulated,
    source: S,
    http: Http,
}

impl<S> Answer<S>
where
    S: Stream<Item = Result<Event, ModelError>> + Send + Unpin,
{
    /// The answer of a model. `headers` are what the transport says of it.
    pub(super) fn new(model: &str, http: Http, headers: Map<String, Value>, source: S) -> Self {
        Self { reader: Reader::new(headers), received: Accumulated::new(model), source, http }
    }

    /// The events, and at most one error, which carries what had arrived. Nothing is read after the finish.
    pub(super) fn events(self) -> impl Stream<Item = Result<StreamEvent, ModelError>> + Send {
        stream::unfold(Some(self), |answer| async {
            let mut answer = answer?;
            match answer.next().await? {
                Ok(event) => Some((Ok(event), Some(answer))),
                Err(error) => Some((Err(answer.received.interrupted(error)), None)),
            }
        })
    }

    async fn next(&mut self) -> Option<Result<StreamEvent, ModelError>> {
        loop {
            if let Some(event) = self.reader.pop() {
                self.received.add(event.clone());
                return Some(Ok(event));
            }
            if self.reader.is_finished() {
                return None;
            }
            let read = match self.source.next().await {
                Some(Ok(event)) => self.read(&event.data),
                Some(Err(error)) => Err(error),
                None => Err(ModelError::Truncated),
            };
            if let Err(error) = read {
                return Some(Err(error));
            }
        }
    }

    fn read(&mut self, data: &str) -> Result<(), ModelError> {
        let event: Value = serde_json::from_str(data).map_err(|error| {
            ModelError::invalid_response("an event of the stream is no JSON", Some(Arc::new(error)))
        })?;
        match error(&event, |text| self.http.scrub(text)) {
            Some(error) => Err(error),
            None => self.reader.read(event),
        }
    }
}

#[cfg(test)]
mod tests;
