//! A whole answer as a stream, and a stream as a whole answer.

use futures::stream::{self, Stream, StreamExt};

use super::accumulate::Accumulated;
use super::event::{EventStream, StreamEvent, ToolCallDelta};
use crate::error::ModelError;
use crate::response::Response;

/// Bytes after which [`replay`] ends a piece of text at the next space.
const PIECE: usize = 48;

/// A stream that says a whole answer in pieces: for models that know their answer at once, and for tests.
pub fn replay(response: Response) -> impl Stream<Item = Result<StreamEvent, ModelError>> + Send + 'static {
    let mut events = vec![StreamEvent::Start { model: response.model, id: response.id }];
    if let Some(reasoning) = response.reasoning {
        events.push(StreamEvent::Reasoning(reasoning));
    }
    events.extend(response.provider_items.into_iter().map(StreamEvent::Item));
    events.extend(pieces(&response.text).map(|piece| StreamEvent::Text(piece.to_owned())));
    events.extend(response.tool_calls.into_iter().enumerate().map(|(index, call)| {
        StreamEvent::ToolCall(ToolCallDelta::new(index, call.arguments).first(call.id, call.name))
    }));
    if !response.metadata.is_empty() {
        events.push(StreamEvent::Metadata(response.metadata));
    }
    events.push(StreamEvent::Usage(response.usage));
    events.push(StreamEvent::Finish(response.finish));
    stream::iter(events.into_iter().map(Ok))
}

/// The stream of a model that answers only as a whole: lazy, then a [`replay`] of the answer, or its error.
pub fn replay_lazily<'a>(answer: impl Future<Output = Result<Response, ModelError>> + Send + 'a) -> EventStream<'a> {
    stream::once(answer)
        .flat_map(|answer| match answer {
            Ok(response) => replay(response).left_stream(),
            Err(error) => stream::once(async { Err(error) }).right_stream(),
        })
        .boxed()
}

fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let start = (PIECE..rest.len()).find(|&at| rest.is_char_boundary(at)).unwrap_or(rest.len());
        let end = rest[start..].find(' ').map_or(rest.len(), |space| start + space + 1);
        let (piece, tail) = rest.split_at(end);
        rest = tail;
        Some(piece)
    })
}

/// Reads a stream to its end and joins the pieces.
///
/// # Errors
/// The error of the stream, or [`ModelError::Truncated`] if it ends without a finish; either one wrapped with what had
/// arrived ([`ModelError::received`]) when anything had.
///
/// ```
/// use research_llm::{Response, collect, replay};
///
/// # futures::executor::block_on(async {
/// let answer = Response::new("demo", "A text that is long enough to come in more than a single piece.");
/// let again = collect("demo", replay(answer.clone())).await?;
/// assert_eq!(again, answer);
/// # Ok::<(), research_llm::ModelError>(()) }).unwrap();
/// ```
pub async fn collect<S>(model: &str, events: S) -> Result<Response, ModelError>
where
    S: Stream<Item = Result<StreamEvent, ModelError>>,
{
    let mut events = std::pin::pin!(events);
    let mut answer = Accumulated::new(model);
    while let Some(event) = events.next().await {
        match event {
            Ok(event) => answer.add(event),
            Err(error) => return Err(answer.interrupted(error)),
        }
    }
    answer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::ToolCall;
    use crate::message::ProviderItem;
    use crate::response::{FinishReason, Usage};
    use futures::executor::block_on;

    #[test]
    fn a_replayed_answer_collects_to_itself() {
        let mut answer = Response::new("m", "äöü ".repeat(100)).usage(Usage::new(7, 9)).finish(FinishReason::ToolCalls);
        answer.reasoning = Some("because".into());
        answer.tool_calls.push(ToolCall::new("1", "f", "{}"));
        answer.provider_items.push(ProviderItem::new("demo", serde_json::json!({"signed": true})));
        answer.metadata.insert("request_id".into(), "r1".into());
        answer.id = Some("a1".into());
        let events: Vec<_> = block_on(replay(answer.clone()).collect());
        assert!(events.len() > 5, "text of 700 bytes comes in several pieces");
        assert_eq!(block_on(collect("m", stream::iter(events))).unwrap(), answer);
    }

    #[test]
    fn pieces_of_a_tool_call_are_joined_by_index() {
        let events = [
            StreamEvent::ToolCall(ToolCallDelta::new(1, "{\"a\"").first("c1", "g")),
            StreamEvent::ToolCall(ToolCallDelta::new(0, "{}").first("c0", "f")),
            StreamEvent::ToolCall(ToolCallDelta::new(1, ":1}")),
            StreamEvent::Finish(FinishReason::ToolCalls),
        ];
        let answer = block_on(collect("m", stream::iter(events.map(Ok)))).unwrap();
        assert_eq!(answer.tool_calls[0].name, "f");
        assert_eq!(answer.tool_calls[1].arguments, "{\"a\":1}");
    }

    #[test]
    fn a_stream_without_a_finish_is_truncated_and_keeps_what_came() {
        let events = stream::iter([Ok(StreamEvent::Text("half".into()))]);
        let error = block_on(collect("m", events)).unwrap_err();
        assert!(matches!(&error, ModelError::Interrupted { source, .. } if matches!(**source, ModelError::Truncated)));
        assert_eq!(error.received().unwrap().text, "half");
    }
}
