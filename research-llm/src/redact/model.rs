//! A model whose answers have no secrets of this process.

use std::collections::{BTreeMap, VecDeque};

use async_trait::async_trait;
use futures::StreamExt;
use futures::stream;

use super::redactor::Redactor;
use crate::error::ModelError;
use crate::model::{ChatModel, ModelInfo};
use crate::request::Request;
use crate::response::Response;
use crate::stream::{EventStream, StreamEvent, ToolCallDelta};

/// A model whose answers have no [known](Redactor::known) secrets. In a stream, text that may be the beginning of a secret waits
/// until more of it is there.
#[derive(Clone, Debug)]
pub struct Redacted<M>(M);

impl<M> Redacted<M> {
    /// Removes the secrets from the answers of this model.
    pub fn new(model: M) -> Self {
        Self(model)
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for Redacted<M> {
    fn info(&self) -> &ModelInfo {
        self.0.info()
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        let answer = self.0.complete(request).await?;
        Ok(Redactor::known().all_of(answer))
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        let redactor = Redactor::known();
        let inner = self.0.stream(request);
        if redactor.is_empty() {
            return inner;
        }

        let pieces = Pieces { redactor, inner: Some(inner), runs: BTreeMap::new(), ready: VecDeque::new() };
        stream::unfold(pieces, |mut pieces| async { Some((pieces.next().await?, pieces)) }).boxed()
    }
}

/// The pieces that belong together: text, reasoning, and the arguments of each call.
type Run = (u8, usize);

struct Pieces<'m> {
    redactor: Redactor,
    inner: Option<EventStream<'m>>,
    /// Text that may be the beginning of a secret.
    runs: BTreeMap<Run, String>,
    ready: VecDeque<Result<StreamEvent, ModelError>>,
}

impl Pieces<'_> {
    async fn next(&mut self) -> Option<Result<StreamEvent, ModelError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            match self.inner.as_mut()?.next().await {
                Some(Ok(event)) => self.take(event),
                Some(Err(error)) => {
                    self.flush();
                    self.ready.push_back(Err(error));
                }
                None => {
                    self.inner = None;
                    self.flush();
                    return self.ready.pop_front();
                }
            }
        }
    }

    fn take(&mut self, event: StreamEvent) {
        match event {
            StreamEvent::Text(text) => self.piece((0, 0), &text, StreamEvent::Text),
            StreamEvent::Reasoning(text) => self.piece((1, 0), &text, StreamEvent::Reasoning),
            StreamEvent::ToolCall(delta) => {
                let ToolCallDelta { index, arguments, .. } = &delta;
                let (index, arguments) = (*index, arguments.clone());
                let first = self.redactor.all_of(ToolCallDelta { arguments: String::new(), ..delta });
                let write = |arguments| StreamEvent::ToolCall(ToolCallDelta { arguments, ..first });
                self.piece((2, index), &arguments, write);
            }
            other => {
                self.flush();
                self.ready.push_back(Ok(self.redactor.all_of(other)));
            }
        }
    }

    /// Adds a piece to its run, and passes on what cannot be a part of a secret any more.
    fn piece(&mut self, run: Run, text: &str, write: impl FnOnce(String) -> StreamEvent) {
        let held = self.runs.entry(run).or_default();
        held.push_str(text);

        let clean = self.redactor.text(held).into_owned();
        let end = self.redactor.open_end(&clean);
        *held = clean[end..].to_owned();
        self.ready.push_back(Ok(write(clean[..end].to_owned())));
    }

    /// Passes on everything that was held.
    fn flush(&mut self) {
        for ((kind, index), text) in std::mem::take(&mut self.runs) {
            if text.is_empty() {
                continue;
            }
            self.ready.push_back(Ok(match kind {
                0 => StreamEvent::Text(text),
                1 => StreamEvent::Reasoning(text),
                _ => StreamEvent::ToolCall(ToolCallDelta::new(index, text)),
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::redactor::register_secret;
    use super::*;
    use crate::model::ModelKind;
    use crate::response::FinishReason;

    /// A model that streams these events, and answers the text of all of them.
    struct Fixed(ModelInfo, Vec<StreamEvent>);

    #[async_trait]
    impl ChatModel for Fixed {
        fn info(&self) -> &ModelInfo {
            &self.0
        }

        async fn complete(&self, _: &Request) -> Result<Response, ModelError> {
            let text: String = self.1.iter().filter_map(text).collect();
            Ok(Response::new("m", text))
        }

        fn stream(&self, _: Request) -> EventStream<'_> {
            stream::iter(self.1.clone().into_iter().map(Ok)).boxed()
        }
    }

    fn text(event: &StreamEvent) -> Option<&str> {
        match event {
            StreamEvent::Text(text) => Some(text),
            StreamEvent::ToolCall(delta) => Some(&delta.arguments),
            _ => None,
        }
    }

    #[tokio::test]
    async fn a_key_in_pieces_is_removed_and_everything_else_arrives() {
        const KEY: &str = "streamed-key-of-a-test";
        register_secret(KEY);
        let said = format!("a {KEY}, and a str");
        for size in [1, 3, 7, 100] {
            let pieces: Vec<String> =
                said.as_bytes().chunks(size).map(|piece| String::from_utf8(piece.to_vec()).unwrap()).collect();
            let texts = pieces.iter().cloned().map(StreamEvent::Text);
            let calls = pieces.iter().map(|piece| StreamEvent::ToolCall(ToolCallDelta::new(0, piece)));
            let mut events: Vec<StreamEvent> = texts.collect();
            events.push(StreamEvent::ToolCall(ToolCallDelta::new(0, "").first("id", "tool")));
            events.extend(calls);
            events.push(StreamEvent::Finish(FinishReason::Stop));
            let model = Redacted::new(Fixed(ModelInfo::new("p", "m", ModelKind::Scripted), events));

            let arrived: Vec<StreamEvent> = model.stream(Request::new()).map(Result::unwrap).collect::<Vec<_>>().await;

            let is_call = |event: &&StreamEvent| matches!(event, StreamEvent::ToolCall(_));
            let (calls, texts): (Vec<_>, Vec<_>) = arrived.iter().partition(|event| is_call(event));
            for pieces in [calls, texts] {
                let text: String = pieces.into_iter().filter_map(text).collect();
                assert_eq!(text, "a [redacted], and a str", "{size}");
            }
            assert!(matches!(arrived.last(), Some(StreamEvent::Finish(_))), "{arrived:?}");
            let whole = model.complete(&Request::new()).await.unwrap().text;
            assert!(!whole.contains(KEY), "{whole}");
        }
    }
}
