//! What has arrived of an answer so far.

use super::event::StreamEvent;
use crate::call::ToolCall;
use crate::error::ModelError;
use crate::response::{FinishReason, Response};

/// Joins the events of a stream to the answer they make.
///
/// ```
/// use research_llm::{Accumulated, FinishReason, ModelError, StreamEvent};
///
/// let mut answer = Accumulated::new("demo");
/// answer.add(StreamEvent::Text("Graz is".into()));
/// let error = answer.interrupted(ModelError::Truncated);
/// assert_eq!(error.received().map(|r| r.text.as_str()), Some("Graz is"));
/// ```
#[derive(Clone, Debug)]
pub struct Accumulated {
    response: Response,
    finish: Option<FinishReason>,
    is_empty: bool,
}

/// A stream that names a later call than this is not believed.
const MAX_CALLS: usize = 1_024;

impl Accumulated {
    /// Nothing yet of an answer of this model.
    pub fn new(model: impl Into<String>) -> Self {
        Self { response: Response::new(model, ""), finish: None, is_empty: true }
    }

    /// Adds a piece. Pieces of a call beyond the 1,024th are left out.
    pub fn add(&mut self, event: StreamEvent) {
        self.is_empty &= matches!(event, StreamEvent::Start { .. } | StreamEvent::Metadata(_));
        let response = &mut self.response;
        match event {
            StreamEvent::Start { model, id } => {
                if !model.is_empty() {
                    response.model = model;
                }
                response.id = id.or(response.id.take());
            }
            StreamEvent::Text(text) => response.text.push_str(&text),
            StreamEvent::Reasoning(text) => response.reasoning.get_or_insert_default().push_str(&text),
            StreamEvent::Item(item) => response.provider_items.push(item),
            StreamEvent::ToolCall(delta) if delta.index >= MAX_CALLS => {}
            StreamEvent::ToolCall(delta) => {
                if response.tool_calls.len() <= delta.index {
                    response.tool_calls.resize_with(delta.index + 1, ToolCall::default);
                }
                let call = &mut response.tool_calls[delta.index];
                call.id.push_str(delta.id.as_deref().unwrap_or_default());
                call.name.push_str(delta.name.as_deref().unwrap_or_default());
                call.arguments.push_str(&delta.arguments);
            }
            StreamEvent::Metadata(fields) => response.metadata.extend(fields),
            StreamEvent::Usage(usage) => response.usage = usage,
            StreamEvent::Finish(reason) => self.finish = Some(reason),
        }
    }

    /// What has arrived.
    #[must_use]
    pub fn so_far(&self) -> &Response {
        &self.response
    }

    /// Whether the model has said that it finished.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    /// The error that ended the stream, together with what had arrived; alone if nothing had.
    #[must_use]
    pub fn interrupted(self, error: ModelError) -> ModelError {
        if self.is_empty || error.received().is_some() { error } else { error.interrupting(self.response) }
    }

    /// The whole answer.
    ///
    /// # Errors
    /// [`ModelError::Truncated`], with what had arrived, if the model has not said that it finished.
    pub fn finish(self) -> Result<Response, ModelError> {
        match self.finish {
            Some(reason) => Ok(self.response.finish(reason)),
            None => Err(self.interrupted(ModelError::Truncated)),
        }
    }
}
