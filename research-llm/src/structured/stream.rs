//! Structured answers while they are being written.

use std::ops::ControlFlow;

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use serde::de::DeserializeOwned;

use super::answer::Partial;
use super::grow::Growth;
use super::session::Session;
use crate::error::ModelError;
use crate::model::ChatModel;
use crate::stream::{Accumulated, EventStream, StreamEvent};

pub(super) fn pieces<'a, M, T>(
    model: &'a M,
    session: Result<Session, ModelError>,
) -> BoxStream<'a, Result<Partial<T>, ModelError>>
where
    M: ChatModel + ?Sized,
    T: DeserializeOwned + Send + 'a,
{
    let session = match session {
        Ok(session) => session,
        Err(error) => return stream::once(async { Err(error) }).boxed(),
    };
    let asking = Some(Asking { model, session, call: None });
    stream::unfold(asking, |asking| async {
        let mut asking = asking?;
        let piece = asking.next().await;
        let is_last = matches!(piece, Ok(Partial::Done(_)) | Err(_));
        Some((piece, (!is_last).then_some(asking)))
    })
    .boxed()
}

struct Asking<'a, M: ?Sized> {
    model: &'a M,
    session: Session,
    call: Option<Call<'a>>,
}

/// One answer under way.
struct Call<'a> {
    events: EventStream<'a>,
    answer: Accumulated,
    growth: Growth,
}

impl<M: ChatModel + ?Sized> Asking<'_, M> {
    async fn next<T: DeserializeOwned>(&mut self) -> Result<Partial<T>, ModelError> {
        let mut call = self.call.take().unwrap_or_else(|| Call {
            events: self.model.stream(self.session.request().clone()),
            answer: Accumulated::new(&self.model.info().name),
            growth: Growth::new(),
        });
        let ended = loop {
            match call.events.next().await {
                Some(Ok(event)) => {
                    let is_text = matches!(event, StreamEvent::Text(_));
                    call.answer.add(event);
                    let text = &call.answer.so_far().text;
                    if let Some(value) = is_text.then(|| call.growth.value(text, self.session.schema())).flatten() {
                        self.call = Some(call);
                        return Ok(Partial::Value(value));
                    }
                }
                Some(Err(error)) => break Err(call.answer.interrupted(error)),
                None => break call.answer.finish(),
            }
        };
        match self.session.judge(ended) {
            ControlFlow::Break(end) => end.map(|done| Partial::Done(Box::new(done))),
            ControlFlow::Continue(problem) => Ok(Partial::Again { problem }),
        }
    }
}
