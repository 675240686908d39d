//! From a stream of genai to one of the port.
//!
//! genai ends a stream that broke off like one that is complete: silently, or with an end that it made up. The end of
//! a complete answer carries the provider's reason; one without it is reported as truncated.

use std::collections::VecDeque;

use ::genai::adapter::AdapterKind;
use ::genai::chat::{ChatStream, ChatStreamEvent, ContentPart, StreamEnd};
use futures::stream::{self, Stream, StreamExt};
use serde_json::Map;

use super::{answer, item};
use crate::error::ModelError;
use crate::stream::{Accumulated, StreamEvent, ToolCallDelta};

struct State<F> {
    kind: AdapterKind,
    events: ChatStream,
    ready: VecDeque<StreamEvent>,
    so_far: Accumulated,
    failed: F,
    is_over: bool,
}

/// The events of an answer, the first of which says who answers. `failed` reads an error of genai.
pub(super) fn events<F>(
    kind: AdapterKind,
    model: &str,
    events: ChatStream,
    failed: F,
) -> impl Stream<Item = Result<StreamEvent, ModelError>> + Send
where
    F: Fn(::genai::Error) -> ModelError + Send,
{
    let start = StreamEvent::Start { model: model.to_owned(), id: None };
    let so_far = Accumulated::new(model);
    let state = State { kind, events, ready: VecDeque::from([start]), so_far, failed, is_over: false };
    stream::unfold(state, |mut state| async move {
        let event = next(&mut state).await?;
        Some((event, state))
    })
}

async fn next<F: Fn(::genai::Error) -> ModelError>(state: &mut State<F>) -> Option<Result<StreamEvent, ModelError>> {
    loop {
        if let Some(event) = state.ready.pop_front() {
            state.so_far.add(event.clone());
            return Some(Ok(event));
        }
        if state.is_over {
            return None;
        }
        let error = match state.events.next().await {
            Some(Ok(ChatStreamEvent::Chunk(chunk))) => {
                state.ready.push_back(StreamEvent::Text(chunk.content));
                continue;
            }
            Some(Ok(ChatStreamEvent::ReasoningChunk(chunk))) => {
                state.ready.push_back(StreamEvent::Reasoning(chunk.content));
                continue;
            }
            Some(Ok(ChatStreamEvent::End(end))) => match end.captured_stop_reason {
                Some(_) => {
                    state.is_over = true;
                    state.ready.extend(last(state.kind, &end));
                    continue;
                }
                None => ModelError::Truncated,
            },
            // Pieces of tool calls come without their number, so the calls are taken whole from the end; so are
            // signatures.
            Some(Ok(_)) => continue,
            Some(Err(error)) => (state.failed)(error),
            None => ModelError::Truncated,
        };
        state.is_over = true;
        let so_far = std::mem::replace(&mut state.so_far, Accumulated::new(""));
        return Some(Err(so_far.interrupted(error)));
    }
}

/// What the end of a complete answer says.
fn last(kind: AdapterKind, end: &StreamEnd) -> Vec<StreamEvent> {
    let parts: &[ContentPart] = end.captured_content.as_ref().map_or(&[], |content| content.parts());
    let calls = end.captured_tool_calls().unwrap_or_default();
    let has_calls = !calls.is_empty();
    let mut events: Vec<StreamEvent> = item::from_contents(kind, parts).into_iter().map(StreamEvent::Item).collect();
    events.extend(calls.into_iter().map(answer::tool_call).enumerate().map(|(index, call)| {
        StreamEvent::ToolCall(ToolCallDelta::new(index, call.arguments).first(call.id, call.name))
    }));
    if let Some(usage) = &end.captured_usage {
        events.push(StreamEvent::Usage(answer::usage(usage)));
    }
    let reason = end.captured_stop_reason.as_ref().map(|reason| (answer::FINISH, reason.raw()));
    let id = end.captured_response_id.as_deref().map(|id| ("response_id", id));
    let said = reason.into_iter().chain(id).map(|(field, value)| (field.to_owned(), value.into()));
    events.push(StreamEvent::Metadata(Map::from_iter(said)));
    events.push(StreamEvent::Finish(answer::finish(end.captured_stop_reason.as_ref(), has_calls)));
    events
}
