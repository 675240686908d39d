//! From server-sent events to the events of an answer, whatever the format.

use std::collections::VecDeque;

use futures::stream::{self, StreamExt};

use crate::error::ModelError;
use crate::http::EventSource;
use crate::sse;
use crate::stream::{Accumulated, EventStream, StreamEvent};

/// Whether the answer goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It does.
    More,
    /// The server has said that this was all.
    Done,
}

/// Reads the events of one answer in one format.
pub(super) trait Decoder: Send + 'static {
    /// Adds what an event says.
    fn event(&mut self, event: &sse::Event, out: &mut Vec<StreamEvent>) -> Result<Step, ModelError>;

    /// Adds what is left to say when the connection ended before the format did, or says that the answer broke off.
    fn end(&mut self, out: &mut Vec<StreamEvent>) -> Result<(), ModelError>;
}

struct State<D> {
    source: EventSource,
    decoder: D,
    answer: Accumulated,
    ready: VecDeque<StreamEvent>,
    /// How the answer ended, once it has.
    ended: Option<Result<(), ModelError>>,
}

/// The events of an answer. An error carries what had arrived before it.
pub(super) fn decode<D: Decoder>(source: EventSource, decoder: D, model: &str) -> EventStream<'static> {
    let answer = Accumulated::new(model);
    let state = State { source, decoder, answer, ready: VecDeque::new(), ended: None };
    stream::unfold(Some(state), |state| async {
        let mut state = state?;
        match state.next().await? {
            Ok(event) => Some((Ok(event), Some(state))),
            Err(error) => Some((Err(state.answer.interrupted(error)), None)),
        }
    })
    .boxed()
}

impl<D: Decoder> State<D> {
    async fn next(&mut self) -> Option<Result<StreamEvent, ModelError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                self.answer.add(event.clone());
                return Some(Ok(event));
            }
            match self.ended.take() {
                Some(Ok(())) => {
                    self.ended = Some(Ok(()));
                    return None;
                }
                Some(Err(error)) => return Some(Err(error)),
                None => {}
            }
            let mut out = Vec::new();
            let step = match self.source.next().await {
                Some(event) => event.and_then(|event| self.decoder.event(&event, &mut out)),
                None => self.decoder.end(&mut out).map(|()| Step::Done),
            };
            self.ended = match step {
                Ok(Step::More) => None,
                Ok(Step::Done) => Some(Ok(())),
                Err(error) => Some(Err(error)),
            };
            self.ready.extend(out);
        }
    }
}
