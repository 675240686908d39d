//! A key that is given to a provider is found nowhere again.

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex, OnceLock};

use futures::StreamExt;
use research_llm::anthropic::Anthropic;
use research_llm::layer::Recorder;
use research_llm::openai::{Api, OpenAi};
use research_llm::testing::wire::{AnthropicMessages, Fault, OpenAiChat, OpenAiResponses, WireFormat};
use research_llm::testing::{Answer, FakeServer};
use research_llm::{ChatModel, ChatModelExt, Request, Response};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// What is looked for. Each key has its own tail.
const MARKER: &str = "MARKER";

/// Keeps every line of the log, at every level, that holds the marker.
struct Log;

fn caught() -> &'static Mutex<Vec<String>> {
    static CAUGHT: OnceLock<Mutex<Vec<String>>> = OnceLock::new();
    CAUGHT.get_or_init(Mutex::default)
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }
}

impl Line {
    fn keep(self) {
        if self.0.contains(MARKER) {
            caught().lock().unwrap().push(self.0);
        }
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut line = Line(span.metadata().name().to_owned());
        span.record(&mut line);
        line.keep();
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, values: &Record<'_>) {
        let mut line = Line(String::new());
        values.record(&mut line);
        line.keep();
    }
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().target().to_owned());
        event.record(&mut line);
        line.keep();
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// The cassette that a recorder writes.
#[derive(Clone, Default)]
struct Tape(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Tape {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Everything that is said of a model's calls: errors, events, answers, cassette.
async fn said<M: ChatModel + 'static>(
    model: M,
    format: &dyn WireFormat,
    server: &FakeServer,
    key: &str,
) -> Vec<String> {
    let tape = Tape::default();
    let model = model.with(Recorder::to_writer(tape.clone()));
    let words = format!("the key {key} and Bearer {key} are wrong");
    let answer = Response::new("m-1", "fine");
    let stream =
        |end: &str| format.frames(&answer).into_iter().map(|frame| frame.bytes).take(4).collect::<String>() + end;
    let mut answers = vec![
        Answer::json(200, &format.answer(&answer)),
        Answer::events(stream("data: [DONE]\n\n")),
        Answer::text(502, "text/html", words.clone()),
        Answer::text(200, "text/html", words.clone()),
        Answer::text(200, "application/json", words.clone()),
        Answer::events(stream(&format!("data: {{{words}\n\n"))),
        Answer::redirect(307, &format!("http://user:{key}@example.org/{key}")),
        Answer::text(429, "application/json", format!("{{\"{key}\":\"{key}\"}}")).header("x-request-id", key),
        Answer::raw(format!("HTTP/1.1 {key}\r\n{key}: {key}\r\n\r\n")),
    ];
    for fault in [Fault::WrongKey, Fault::Malformed, Fault::RateLimit, Fault::Internal, Fault::TooLong] {
        answers.push(Answer::json(fault.status(), &format.error(fault, &words)));
        answers.push(Answer::events(stream(&format.error_frame(fault, &words))));
    }
    let mut said = Vec::new();
    let request = Request::new().user("Hello").max_output_tokens(100);
    for answer in answers {
        server.then(answer.clone());
        match model.complete(&request).await {
            Ok(response) => said.push(format!("{response:?}")),
            Err(error) => said.extend(texts(&error)),
        }
        server.then(answer);
        let events: Vec<_> = model.stream(request.clone()).collect().await;
        said.push(format!("{events:?}"));
        said.extend(events.iter().filter_map(|event| event.as_ref().err()).flat_map(texts));
    }
    let cassette = String::from_utf8(tape.0.lock().unwrap().clone()).unwrap();
    assert!(cassette.lines().count() >= said.len() / 8, "the cassette has only {} lines", cassette.lines().count());
    said.push(cassette);
    said
}

fn texts(error: &research_llm::ModelError) -> Vec<String> {
    let mut texts = vec![format!("{error:?}"), error.to_string(), error.user_message()];
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        texts.push(format!("{cause} {cause:?}"));
        source = cause.source();
    }
    texts
}

#[tokio::test]
async fn a_key_is_in_no_debug_error_event_log_or_cassette() {
    // Other tests of this program log too; what they say of their own keys is not kept.
    tracing::subscriber::set_global_default(Log).unwrap();
    tracing::trace!(probe = "sk-MARKER-probe", "the log is heard");
    assert_eq!(caught().lock().unwrap().drain(..).count(), 1);

    for (number, api) in [Some(Api::Chat), Some(Api::Responses), None].into_iter().enumerate() {
        let server = FakeServer::start().await.unwrap();
        let key = format!("sk-MARKER-0123456789-{number}");
        let said = match api {
            Some(api) => {
                let format: &dyn WireFormat =
                    if api == Api::Chat { &OpenAiChat::new() } else { &OpenAiResponses::new() };
                let builder = OpenAi::builder("gpt-4o")
                    .api(api)
                    .base_url(format.base_url(&server.url()))
                    .header("x-proxy-key", key.as_str())
                    .api_key(key.as_str());
                let shown = format!("{builder:?} {:#?}", builder.clone().build());
                let model = builder.build().unwrap();
                let mut said = said(model.clone(), format, &server, &key).await;
                said.extend([shown, format!("{model:?} {:?}", model.info())]);
                said
            }
            None => {
                let format = AnthropicMessages::new();
                let builder = Anthropic::builder("claude-haiku-4-5")
                    .base_url(format.base_url(&server.url()))
                    .header("x-proxy-key", key.as_str())
                    .api_key(key.as_str());
                let shown = format!("{builder:?} {:#?}", builder.clone().build());
                let model = builder.build().unwrap();
                let mut said = said(model.clone(), &format, &server, &key).await;
                said.extend([shown, format!("{model:?} {:?}", model.info())]);
                said
            }
        };
        // The key did go out, so it could have come back.
        assert!(server.received().iter().all(|request| request.headers.iter().any(|(_, value)| value.contains(&key))));
        let leaks: Vec<_> = said.iter().filter(|text| text.contains(MARKER)).collect();
        assert!(leaks.is_empty(), "{leaks:#?}");
    }
    let logged = caught().lock().unwrap().clone();
    assert!(logged.is_empty(), "{logged:#?}");
}
