//! What was recorded is replayed as it was, what was not is refused, and no secret is written down.

#![expect(clippy::unwrap_used, reason = "a test ends at a broken promise of its helpers")]

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use proptest::prelude::*;
use research_llm::layer::{NotRecorded, Recorder, Replayer};
use research_llm::testing::{Reply, ScriptedModel};
use research_llm::{
    ChatModel, ChatModelExt, EventStream, FinishReason, InvalidOutput, Message, ModelError, ModelInfo, ModelKind,
    ProviderItem, Request, Response, StreamEvent, ToolCall, ToolCallDelta, Usage, async_trait, collect,
};
use serde_json::{Map, Value, json};

/// A cassette in memory.
#[derive(Clone, Default)]
struct Tape(Arc<Mutex<Vec<u8>>>);

impl Tape {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    fn replayer(&self) -> Replayer {
        Replayer::parse(&self.text()).unwrap()
    }
}

impl Write for Tape {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn ask(text: &str) -> Request {
    Request::new().user(text)
}

/// Gives one prepared answer, whole and in pieces, to every request.
struct Fixed {
    info: ModelInfo,
    whole: Result<Response, ModelError>,
    pieces: Vec<Result<StreamEvent, ModelError>>,
}

impl Fixed {
    fn new(whole: Result<Response, ModelError>, pieces: Vec<Result<StreamEvent, ModelError>>) -> Self {
        Self { info: ModelInfo::new("p", "m", ModelKind::Language).context_tokens(8), whole, pieces }
    }
}

#[async_trait]
impl ChatModel for Fixed {
    fn info(&self) -> &ModelInfo {
        &self.info
    }
    async fn complete(&self, _: &Request) -> Result<Response, ModelError> {
        self.whole.clone()
    }
    fn stream(&self, _: Request) -> EventStream<'_> {
        futures::stream::iter(self.pieces.clone()).boxed()
    }
}

/// All that is promised of a replayed error.
fn facts(error: &ModelError) -> (String, String, Option<Duration>, String, Option<Response>, Usage, bool) {
    let kind = error.kind().to_string();
    let variant = format!("{error:?}").split([' ', '(', '{']).next().unwrap_or_default().to_owned();
    (
        format!("{kind} {variant}"),
        error.to_string(),
        error.retry_after(),
        error.user_message(),
        error.received().cloned(),
        error.usage(),
        error.is_retryable(),
    )
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![".{0,20}", "[a-z \\n\"\\\\äß漢🎉]{0,40}"]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        // Eighths survive being written as a decimal number and read again.
        any::<i32>().prop_map(|n| Value::from(f64::from(n) / 8.0)),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,6}", inner, 0..4)
                .prop_map(|fields| Value::Object(Map::from_iter(fields))),
        ]
    })
}

fn fields() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::btree_map("[a-z_]{1,8}", value(), 0..3).prop_map(Map::from_iter)
}

fn usage() -> impl Strategy<Value = Usage> {
    (any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>()).prop_map(
        |(input, output, read, written, reasoning)| {
            Usage::new(input, output).cached(read, written).reasoning(reasoning)
        },
    )
}

fn finish() -> impl Strategy<Value = FinishReason> {
    prop::sample::select(vec![
        FinishReason::Stop,
        FinishReason::Length,
        FinishReason::ToolCalls,
        FinishReason::ContentFilter,
        FinishReason::Other,
    ])
}

fn response() -> impl Strategy<Value = Response> {
    let calls = prop::collection::vec((text(), text(), text()), 0..3);
    let items = prop::collection::vec((text(), value()), 0..3);
    (
        (text(), text(), prop::option::of(text()), calls, items),
        (
            usage(),
            finish(),
            prop::option::of(text()),
            fields(),
            prop::option::of(value().prop_filter("null is none", |v| !v.is_null())),
        ),
    )
        .prop_map(|((model, text, reasoning, calls, items), (usage, finish, id, metadata, raw))| {
            let mut response = Response::new(model, text).usage(usage);
            response.reasoning = reasoning;
            response.tool_calls =
                calls.into_iter().map(|(id, name, arguments)| ToolCall::new(id, name, arguments)).collect();
            response.provider_items = items.into_iter().map(|(format, item)| ProviderItem::new(format, item)).collect();
            response.id = id;
            response.metadata = metadata;
            response.raw = raw;
            response.finish(finish)
        })
}

fn event() -> impl Strategy<Value = StreamEvent> {
    prop_oneof![
        text().prop_map(StreamEvent::Text),
        text().prop_map(StreamEvent::Reasoning),
        (0_usize..5, text(), prop::option::of((text(), text()))).prop_map(|(index, arguments, first)| {
            let delta = ToolCallDelta::new(index, arguments);
            StreamEvent::ToolCall(match first {
                Some((id, name)) => delta.first(id, name),
                None => delta,
            })
        }),
        (text(), value()).prop_map(|(format, item)| StreamEvent::Item(ProviderItem::new(format, item))),
        fields().prop_map(StreamEvent::Metadata),
        usage().prop_map(StreamEvent::Usage),
        finish().prop_map(StreamEvent::Finish),
    ]
}

fn error() -> impl Strategy<Value = ModelError> {
    let wait = || prop::option::of((0_u64..1_000_000, 0_u32..1_000_000_000).prop_map(|(s, n)| Duration::new(s, n)));
    let cause = |text: Option<String>| text.map(|text| Arc::new(std::io::Error::other(text)) as research_llm::Cause);
    let causes = || prop::option::of(text());
    let numbers = || prop::option::of(any::<u64>());
    let plain = prop_oneof![
        (text(), numbers(), numbers()).prop_map(|(m, a, b)| ModelError::token_limit(m, a, b)),
        (text(), wait()).prop_map(|(m, w)| ModelError::rate_limit(m, w)),
        (text(), causes()).prop_map(move |(m, c)| ModelError::connection(m, cause(c))),
        (text(), causes()).prop_map(move |(m, c)| ModelError::invalid_response(m, cause(c))),
        (text(), causes()).prop_map(move |(m, c)| ModelError::invalid_request(m, cause(c))),
        (text(), causes()).prop_map(move |(m, c)| ModelError::other(m, cause(c))),
        (text(), wait(), causes()).prop_map(move |(m, w, c)| ModelError::timed_out(m, w, cause(c))),
        (prop::option::of(any::<u16>()), text(), wait()).prop_map(|(s, m, w)| ModelError::server(s, m, w)),
        wait().prop_map(|w| ModelError::timeout(w.unwrap_or_default())),
        text().prop_map(ModelError::authentication),
        text().prop_map(ModelError::no_such_model),
        Just(ModelError::Cancelled),
        Just(ModelError::Truncated),
        (text(), text(), prop::collection::vec(text(), 0..3)).prop_map(|(s, p, a)| ModelError::unknown_model(s, p, a)),
        (text(), causes()).prop_map(|(m, t)| ModelError::unsupported_task(m, t.as_deref(), &["a", "b"])),
        (text(), text(), text(), usage())
            .prop_map(|(s, p, r, u)| ModelError::InvalidOutput(Box::new(InvalidOutput::new(s, p, r).after(2, u)))),
    ];
    plain.prop_recursive(2, 4, 2, |inner| {
        prop_oneof![
            (inner.clone(), response()).prop_map(|(error, received)| error.interrupting(received)),
            prop::collection::vec((text(), inner), 1..3).prop_map(ModelError::all_failed),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_whole_answer_is_replayed_as_it_was(answer in response()) {
        let tape = Tape::default();
        let again = futures::executor::block_on(async {
            let model = Fixed::new(Ok(answer.clone()), vec![]).with(Recorder::to_writer(tape.clone()));
            model.complete(&ask("q")).await.unwrap();
            tape.replayer().complete(&ask("q")).await.unwrap()
        });
        prop_assert_eq!(again, answer);
    }

    #[test]
    fn an_error_is_replayed_as_it_was(error in error()) {
        let tape = Tape::default();
        let again = futures::executor::block_on(async {
            let model = Fixed::new(Err(error.clone()), vec![]).with(Recorder::to_writer(tape.clone()));
            model.complete(&ask("q")).await.unwrap_err();
            tape.replayer().complete(&ask("q")).await.unwrap_err()
        });
        prop_assert_eq!(facts(&again), facts(&error));
        let cause = |error: &ModelError| std::error::Error::source(error).map(ToString::to_string);
        prop_assert_eq!(cause(&again), cause(&error));
    }

    #[test]
    fn a_stream_is_replayed_event_by_event(events in prop::collection::vec(event(), 0..12), end in prop::option::of(error())) {
        let mut pieces: Vec<Result<StreamEvent, ModelError>> = events.into_iter().map(Ok).collect();
        match end {
            Some(error) => pieces.push(Err(error)),
            None => pieces.push(Ok(StreamEvent::Finish(FinishReason::Stop))),
        }
        let tape = Tape::default();
        let again: Vec<_> = futures::executor::block_on(async {
            let model = Fixed::new(Err(ModelError::Cancelled), pieces.clone()).with(Recorder::to_writer(tape.clone()));
            assert_eq!(model.stream(ask("q")).count().await, pieces.len());
            tape.replayer().stream(ask("q")).collect().await
        });
        prop_assert_eq!(again.len(), pieces.len());
        for (again, piece) in again.iter().zip(&pieces) {
            match (again, piece) {
                (Ok(again), Ok(piece)) => prop_assert_eq!(again, piece),
                (Err(again), Err(piece)) => prop_assert_eq!(facts(again), facts(piece)),
                _ => prop_assert!(false, "{:?} is not {:?}", again, piece),
            }
        }
    }
}

#[tokio::test]
async fn equal_requests_get_their_answers_in_order_and_each_once() {
    let tape = Tape::default();
    let model = ScriptedModel::new().then("one").then("other").then("two").with(Recorder::to_writer(tape.clone()));
    for text in ["q", "r", "q"] {
        model.complete(&ask(text)).await.unwrap();
    }
    let replayer = tape.replayer();
    assert_eq!((replayer.left(), replayer.info().id().as_str()), (3, "scripted:scripted"));
    for (text, answer) in [("q", "one"), ("q", "two")] {
        assert_eq!(replayer.complete(&ask(text)).await.unwrap().text, answer);
    }
    let unused = replayer.finish().unwrap_err().to_string();
    assert!(unused.contains("1 interactions") && unused.contains("\"r\""), "{unused}");
    let error = replayer.complete(&ask("q")).await.unwrap_err();
    assert_eq!(NotRecorded::of(&error).unwrap().used, 2);
    assert!(error.to_string().contains("recorded 2 times"), "{error}");
    replayer.complete(&ask("r")).await.unwrap();
    replayer.finish().unwrap();
}

#[tokio::test]
async fn in_order_the_next_request_must_be_the_next_recorded() {
    let tape = Tape::default();
    let model = ScriptedModel::new().then("1").then("2").with(Recorder::to_writer(tape.clone()));
    model.complete(&ask("q")).await.unwrap();
    model.complete(&ask("r")).await.unwrap();
    let replayer = tape.replayer().in_order();
    let error = replayer.complete(&ask("r")).await.unwrap_err();
    let difference = NotRecorded::of(&error).unwrap().difference.clone().unwrap();
    assert_eq!((difference.recorded.as_str(), difference.asked.as_str()), ("\"q\"", "\"r\""));
    replayer.complete(&ask("q")).await.unwrap();
    replayer.complete(&ask("r")).await.unwrap();
}

#[tokio::test]
async fn a_request_that_was_not_recorded_names_the_nearest_difference() {
    let tape = Tape::default();
    let model = ScriptedModel::new().then("1").then("2").then("3").with(Recorder::to_writer(tape.clone()));
    for request in [ask("q").temperature(0.1), ask("something quite different").max_output_tokens(5)] {
        model.complete(&request).await.unwrap();
    }
    let replayer = tape.replayer();
    let error = replayer.complete(&ask("q").temperature(0.2)).await.unwrap_err();
    let reason = NotRecorded::of(&error).unwrap();
    let difference = reason.difference.as_ref().unwrap();
    assert_eq!((reason.left, reason.used, difference.path.as_str()), (2, 0, "/temperature"));
    assert!(difference.recorded.starts_with("0.1") && difference.asked.starts_with("0.2"), "{difference:?}");
    assert!(!error.is_retryable());

    let error = replayer.stream(ask("q").temperature(0.1)).next().await.unwrap().unwrap_err();
    let difference = NotRecorded::of(&error).unwrap().difference.clone().unwrap();
    assert_eq!((difference.path.as_str(), difference.recorded.as_str()), ("mode", "complete"));
    assert_eq!(replayer.left(), 2, "what is refused uses nothing up");
}

#[tokio::test]
async fn a_stream_that_was_left_is_replayed_as_far_as_it_was_read() {
    let tape = Tape::default();
    let model = ScriptedModel::new().then("word ".repeat(40)).with(Recorder::to_writer(tape.clone()));
    let mut left = model.stream(ask("q"));
    left.next().await.unwrap().unwrap();
    left.next().await.unwrap().unwrap();
    drop(left);
    let events: Vec<_> = tape.replayer().stream(ask("q")).collect().await;
    assert_eq!(events.len(), 3);
    assert!(matches!(events[1], Ok(StreamEvent::Text(_))));
    assert!(matches!(events[2], Err(ModelError::Truncated)));
}

#[tokio::test]
async fn several_models_share_a_cassette() {
    let tape = Tape::default();
    let recorder = Recorder::to_writer(tape.clone());
    for name in ["a", "b"] {
        let info = ModelInfo::new("p", name, ModelKind::Language);
        let model = ScriptedModel::named(info).then(name).with(recorder.clone());
        model.complete(&ask("q")).await.unwrap();
    }
    let replayer = tape.replayer().model("p:b");
    assert_eq!((replayer.left(), replayer.info().name.as_str()), (1, "b"));
    assert_eq!(replayer.complete(&ask("q")).await.unwrap().text, "b");
}

#[tokio::test]
async fn no_secret_is_written_down() {
    const MARKER: &str = "MARKER-51f0c2";
    const SHAPED: &str = "sk-ant-api03-abcdefghijklmnopqrstuvwx";
    let tape = Tape::default();
    let mut answer = Response::new("m", format!("your key is {MARKER}, and {SHAPED}")).tool_call(ToolCall::new(
        "1",
        "f",
        format!("{{\"auth\":\"{MARKER}\"}}"),
    ));
    answer.metadata.insert("echo".into(), MARKER.into());
    answer.raw = Some(json!({ "text": MARKER }));
    let pieces = vec![
        Ok(StreamEvent::Text("it is MARKER-".into())),
        Ok(StreamEvent::Text("51f0c2 and sk-ant-api03-abcdefgh".into())),
        Ok(StreamEvent::Text("ijklmnopqrstuvwx".into())),
        Err(ModelError::authentication(format!("wrong key {MARKER}")).interrupting(answer.clone())),
    ];
    let request = ask(&format!("is {MARKER} my key?"))
        .message(Message::assistant(SHAPED))
        .extra("api_key", "short-one")
        .extra("options", json!({"accessToken": "short-two", "max_tokens": 5}));
    let recorder = Recorder::to_writer(tape.clone()).secret(MARKER);
    let model = Fixed::new(Ok(answer), pieces).with(recorder);
    model.complete(&request).await.unwrap();
    assert!(collect("m", model.stream(request.clone())).await.is_err());

    let written = tape.text();
    assert_eq!(written.lines().count(), 2);
    for secret in [MARKER, "51f0c2", SHAPED, "ijklmnopqrstuvwx", "short-one", "short-two"] {
        assert!(!written.contains(secret), "{secret} in {written}");
    }
    assert!(written.contains("\"max_tokens\":5"), "{written}");

    let replayer = tape.replayer().secret(MARKER);
    assert!(replayer.complete(&request).await.unwrap().text.starts_with("your key is [redacted], and [redacted]"));
    let error = collect("m", replayer.stream(request)).await.unwrap_err();
    assert!(error.to_string().contains("[redacted]"), "{error}");
}

#[tokio::test]
async fn a_cassette_that_a_crash_cut_off_keeps_its_whole_lines() {
    let tape = Tape::default();
    let model = ScriptedModel::new().then("äöü").then("second").with(Recorder::to_writer(tape.clone()));
    model.complete(&ask("q")).await.unwrap();
    model.complete(&ask("r")).await.unwrap();
    let bytes = tape.text().into_bytes();
    let first = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    let directory = tempfile::tempdir().unwrap();
    for cut in 0..bytes.len() {
        let path = directory.path().join("cut.jsonl");
        std::fs::write(&path, &bytes[..cut]).unwrap();
        let replayer = Replayer::open(&path).unwrap();
        assert_eq!(replayer.left(), usize::from(cut >= first), "cut at {cut}");
        assert_eq!(replayer.is_torn(), cut != 0 && cut != first, "cut at {cut}");
    }

    // What is recorded next begins a line of its own.
    let path = directory.path().join("cut.jsonl");
    std::fs::write(&path, &bytes[..first + 20]).unwrap();
    let recorder = Recorder::append(&path).unwrap();
    ScriptedModel::new().then("third").with(recorder.clone()).complete(&ask("s")).await.unwrap();
    recorder.finish().unwrap();
    let replayer = Replayer::open(&path).unwrap();
    assert!(!replayer.is_torn());
    assert_eq!(replayer.complete(&ask("q")).await.unwrap().text, "äöü");
    assert_eq!(replayer.complete(&ask("s")).await.unwrap().text, "third");
}

#[test]
fn what_is_no_cassette_is_refused_with_its_line() {
    let tape = Tape::default();
    let model = ScriptedModel::new().then("a").with(Recorder::to_writer(tape.clone()));
    futures::executor::block_on(model.complete(&ask("q"))).unwrap();
    let good = tape.text();
    let error = Replayer::parse(&format!("{good}\n{{}}\n")).unwrap_err();
    assert!(error.to_string().contains("line 3"), "{error}");
    let newer = good.replace("\"form\":1", "\"form\":2");
    assert!(Replayer::parse(&newer).unwrap_err().to_string().contains("form 2"));
    assert!(Replayer::open("no/such/cassette").is_err());
}

#[tokio::test]
async fn trouble_with_the_file_does_not_disturb_the_call_and_is_told() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::from(std::io::ErrorKind::StorageFull))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let recorder = Recorder::to_writer(Full);
    let model = ScriptedModel::new().then(Reply::text("a")).with(recorder.clone());
    recorder.finish().unwrap();
    assert_eq!(model.complete(&ask("q")).await.unwrap().text, "a");
    assert!(recorder.finish().is_err());
    assert!(Recorder::create("no/such/directory/cassette").is_err());
}
