//! What several layers do with a stream: wait for its first content, keep what arrived for its errors, add to its metadata.

use futures::stream::{self, StreamExt};
use serde_json::{Map, Value};

use crate::error::ModelError;
use crate::stream::{Accumulated, EventStream, StreamEvent};

/// Whether the event is a part of the answer that cannot be taken back, or the end of the answer.
fn is_content(event: &StreamEvent) -> bool {
    !matches!(event, StreamEvent::Start { .. } | StreamEvent::Metadata(_) | StreamEvent::Usage(_))
}

/// Waits for the first content of a stream, and gives the stream with everything that came before it.
///
/// # Errors
/// The error of the stream if nothing of the answer came before it, so that another stream can take its place.
pub(crate) async fn begun<'a>(model: &str, mut events: EventStream<'a>) -> Result<EventStream<'a>, ModelError> {
    let mut held = Vec::new();
    loop {
        match events.next().await {
            Some(Ok(event)) => {
                let is_content = is_content(&event);
                held.push(Ok(event));
                if is_content {
                    return Ok(watched(model, stream::iter(held).chain(events).boxed()));
                }
            }
            Some(Err(error)) => return Err(error),
            None => return Err(ModelError::Truncated),
        }
    }
}

/// The stream, whose error carries what had arrived, and which breaks off with an error if it ends without a finish.
pub(crate) fn watched<'a>(model: &str, events: EventStream<'a>) -> EventStream<'a> {
    let state = Some((events, Accumulated::new(model)));
    stream::unfold(state, |state| async move {
        let (mut events, mut answer) = state?;
        match events.next().await {
            Some(Ok(event)) => {
                answer.add(event.clone());
                Some((Ok(event), Some((events, answer))))
            }
            Some(Err(error)) => Some((Err(answer.interrupted(error)), None)),
            None if answer.is_finished() => None,
            None => Some((Err(answer.interrupted(ModelError::Truncated)), None)),
        }
    })
    .boxed()
}

/// The stream, with a field of metadata behind its start.
pub(crate) fn marked<'a>(events: EventStream<'a>, field: &'static str, value: Value) -> EventStream<'a> {
    let mut mark = Some(StreamEvent::Metadata(Map::from_iter([(field.to_owned(), value)])));
    events
        .flat_map(move |event| {
            // A stream that never says that it starts gets the field before its first content.
            let (before, after) = match &event {
                Ok(StreamEvent::Start { .. }) => (None, mark.take()),
                Ok(event) if is_content(event) => (mark.take(), None),
                _ => (None, None),
            };
            stream::iter(before.map(Ok).into_iter().chain([event]).chain(after.map(Ok)))
        })
        .boxed()
}
