//! A stream that is watched on its way: what the layers that count share.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::stream::{self, Stream, StreamExt};

use crate::error::ModelError;
use crate::stream::{EventStream, StreamEvent};

/// Watches the events of one stream. It is dropped when the stream ends, or when nobody reads it any more.
pub(crate) trait Observer: Send + Unpin {
    /// An event is handed on.
    fn event(&mut self, event: &StreamEvent);

    /// The stream ends with an error, which is handed on.
    fn error(&mut self, error: &ModelError);
}

/// A stream that is opened when it is first polled.
pub(crate) fn lazily<'a>(open: impl FnOnce() -> EventStream<'a> + Send + 'a) -> EventStream<'a> {
    stream::once(async move { open() }).flatten().boxed()
}

/// A stream with an observer. After an error nothing more comes.
pub(crate) fn observe<'a>(inner: EventStream<'a>, observer: impl Observer + 'a) -> EventStream<'a> {
    Observed { inner: Some((inner, observer)) }.boxed()
}

struct Observed<'a, O> {
    inner: Option<(EventStream<'a>, O)>,
}

impl<O: Observer> Stream for Observed<'_, O> {
    type Item = Result<StreamEvent, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some((inner, observer)) = &mut self.inner else { return Poll::Ready(None) };
        let next = std::task::ready!(inner.poll_next_unpin(cx));
        match &next {
            Some(Ok(event)) => observer.event(event),
            Some(Err(error)) => {
                observer.error(error);
                self.inner = None;
            }
            None => self.inner = None,
        }
        Poll::Ready(next)
    }
}
