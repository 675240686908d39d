//! The client of OpenAI's formats over real HTTP on loopback: manners of servers, refusals of a schema, and faults.

#![cfg(all(feature = "openai", feature = "testing"))]
#![expect(clippy::unwrap_used, reason = "what a test prepares must succeed, in its helpers too")]

#[path = "openai/responses.rs"]
mod responses;

use std::net::Ipv4Addr;
use std::time::Duration;

use futures::StreamExt;
use research_llm::http::HttpLimits;
use research_llm::openai::{Api, OpenAi, OpenAiBuilder, Quirks, SchemaMode};
use research_llm::testing::{Answer, Ending, FakeServer};
use research_llm::{
    ChatModel, ChatModelExt, ErrorKind, FinishReason, Message, ModelError, Request, Response, StreamEvent, ToolResult,
    Usage, collect,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpSocket;

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct City {
    name: String,
    river: Option<String>,
}

const CITY: &str = r#"{"name": "Graz", "river": null}"#;

async fn server() -> FakeServer {
    FakeServer::start().await.unwrap()
}

fn client(server: &FakeServer) -> OpenAiBuilder {
    OpenAi::builder("gpt-4o").base_url(format!("{}/v1", server.url())).api_key("tok-MARKER")
}

fn question() -> Request {
    Request::new().user("Name a city.")
}

fn completion(text: &str) -> Value {
    json!({
        "id": "c1", "object": "chat.completion", "model": "gpt-4o-2024", "system_fingerprint": "fp_1",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7},
    })
}

fn chunk(delta: Value, finish: Option<&str>) -> Value {
    json!({"id": "c1", "object": "chat.completion.chunk", "model": "gpt-4o-2024",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
}

fn usage_chunk() -> Value {
    json!({"id": "c1", "model": "gpt-4o-2024", "choices": [],
        "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}})
}

/// The chunks as a stream, without the marker of its end.
fn chunks(chunks: &[Value]) -> String {
    chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect()
}

fn done(all: &[Value]) -> Answer {
    Answer::events(format!("{}data: [DONE]\n\n", chunks(all)))
}

fn hello() -> Vec<Value> {
    vec![
        chunk(json!({"role": "assistant", "content": ""}), None),
        chunk(json!({"content": "Hel"}), None),
        chunk(json!({"content": "lo"}), None),
        chunk(json!({}), Some("stop")),
        usage_chunk(),
    ]
}

async fn streamed(model: &OpenAi, request: Request) -> Result<Response, ModelError> {
    collect("gpt-4o", model.stream(request)).await
}

/// The way in which each request asked for its schema.
fn modes(server: &FakeServer) -> Vec<Value> {
    let bodies = server.received().into_iter().map(|received| received.json().unwrap());
    bodies.map(|body| body["response_format"]["type"].clone()).collect()
}

#[tokio::test]
async fn a_call_says_who_calls_and_the_answer_says_who_answered() {
    let server = server().await;
    server.then(Answer::json(200, &completion("Graz")).header("x-request-id", "req_1"));
    let model = client(&server).organization("org-1").project("proj-1").header("x-team", "moons").build().unwrap();
    let answer = model.complete(&question().keep_raw()).await.unwrap();
    assert_eq!(
        (answer.text.as_str(), answer.model.as_str(), answer.finish),
        ("Graz", "gpt-4o-2024", FinishReason::Stop)
    );
    assert_eq!((answer.usage, answer.id.as_deref()), (Usage::new(5, 2), Some("c1")));
    assert_eq!(
        (&answer.metadata["request_id"], &answer.metadata["system_fingerprint"]),
        (&json!("req_1"), &json!("fp_1"))
    );
    assert_eq!(answer.raw.unwrap()["object"], "chat.completion");

    let received = &server.received()[0];
    assert_eq!((received.method.as_str(), received.path.as_str()), ("POST", "/v1/chat/completions"));
    for (name, value) in [
        ("authorization", "Bearer tok-MARKER"),
        ("content-type", "application/json"),
        ("openai-organization", "org-1"),
        ("openai-project", "proj-1"),
        ("x-team", "moons"),
    ] {
        assert_eq!(received.header(name), Some(value));
    }
}

#[tokio::test]
async fn a_query_of_the_address_goes_with_every_call() {
    let server = server().await;
    server.then(Answer::json(200, &completion("x")));
    let model = client(&server).base_url(format!("{}/v1/?api-version=7", server.url())).build().unwrap();
    model.complete(&question()).await.unwrap();
    assert_eq!(server.received()[0].path, "/v1/chat/completions?api-version=7");
}

#[tokio::test]
async fn a_stream_starts_ends_once_and_says_the_same_as_the_whole_answer() {
    let server = server().await;
    server.then(done(&hello()).pieces_of(7));
    let model = client(&server).build().unwrap();
    let events: Vec<_> = model.stream(question()).map(Result::unwrap).collect().await;
    assert!(
        matches!(&events[0], StreamEvent::Start { model, id, .. } if model == "gpt-4o-2024" && id.as_deref() == Some("c1"))
    );
    assert_eq!(events.iter().filter(|event| matches!(event, StreamEvent::Finish(_))).count(), 1);
    assert_eq!(events.last(), Some(&StreamEvent::Finish(FinishReason::Stop)));
    let answer = collect("m", futures::stream::iter(events.into_iter().map(Ok))).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.usage), ("Hello", Usage::new(5, 2)));
    assert_eq!(server.received()[0].json().unwrap()["stream_options"]["include_usage"], true);
}

#[tokio::test]
async fn reasoning_calls_and_refusals_are_the_same_whole_and_streamed() {
    let tool = |arguments: &str| json!([{"index": 0, "id": "t1", "type": "function", "function": {"name": "f", "arguments": arguments}}]);
    let more = json!([{"index": 0, "function": {"arguments": "1}"}}]);
    for (whole, pieces, finish) in [
        (
            json!({"content": "", "reasoning_content": "hm, so", "tool_calls": tool("{\"a\":1}")}),
            vec![
                json!({"reasoning_content": "hm,"}),
                json!({"reasoning_content": " so"}),
                json!({"tool_calls": tool("{\"a\":")}),
                json!({"tool_calls": more}),
            ],
            // Some servers say `stop` though they want tools called.
            "stop",
        ),
        (
            json!({"content": null, "refusal": "I cannot."}),
            vec![json!({"refusal": "I "}), json!({"refusal": "cannot."})],
            "stop",
        ),
        (json!({"content": "cut"}), vec![json!({"content": "cu"}), json!({"content": "t"})], "length"),
    ] {
        let server = server().await;
        let mut body = completion("");
        body["choices"][0]["message"] = whole;
        body["choices"][0]["finish_reason"] = finish.into();
        body.as_object_mut().unwrap().remove("system_fingerprint");
        server.then(Answer::json(200, &body));
        let mut stream: Vec<Value> = pieces.into_iter().map(|piece| chunk(piece, None)).collect();
        stream.extend([chunk(json!({}), Some(finish)), usage_chunk()]);
        server.then(done(&stream));
        let model = client(&server).build().unwrap();
        let whole = model.complete(&question()).await.unwrap();
        assert_eq!(streamed(&model, question()).await.unwrap(), whole);
        assert!(whole.finish != FinishReason::Stop, "{whole:?}");
    }
}

#[tokio::test]
async fn a_refused_schema_mode_is_stepped_down_from_and_remembered() {
    let refused = || {
        Answer::json(
            500,
            &json!({"error": {"message": "response_format: input should be 'text' or 'json_object'", "type": "internal_server_error"}}),
        )
    };
    let server = server().await;
    for answer in [refused(), refused(), Answer::json(200, &completion(CITY)), Answer::json(200, &completion(CITY))] {
        server.then(answer);
    }
    let model = client(&server).build().unwrap();
    for _ in 0..2 {
        assert_eq!(model.structured::<City>(question()).await.unwrap().value.name, "Graz");
    }
    assert_eq!(
        modes(&server),
        [json!("json_schema"), json!("json_schema"), json!("json_object"), json!("json_object")]
    );
    assert_eq!(model.schema_mode(), SchemaMode::ObjectWithSchema);
    assert!(server.received()[3].json().unwrap()["response_format"]["schema"].is_object());
}

#[tokio::test]
async fn a_stream_steps_down_too_even_when_the_refusal_is_its_first_event() {
    let server = server().await;
    let refusal = json!({"error": {"message": "json_schema is not supported", "code": 400}});
    server.then(Answer::events(format!("data: {refusal}\n\n")));
    server
        .then(Answer::json(422, &json!({"detail": [{"loc": ["body", "response_format"], "msg": "extra forbidden"}]})));
    server.then(done(&hello()));
    let model = client(&server).build().unwrap();
    let request = question().schema(research_llm::OutputSchema::of::<City>());
    assert_eq!(streamed(&model, request).await.unwrap().text, "Hello");
    assert_eq!(model.schema_mode(), SchemaMode::ObjectWithSchema);
}

#[tokio::test]
async fn a_refusal_of_one_schema_is_not_held_against_the_next() {
    let server = server().await;
    server.then(Answer::json(400, &json!({"error": {"message": "Invalid schema for response_format 'City': bad", "type": "invalid_request_error"}})));
    server.then(Answer::json(200, &completion(CITY)));
    let model = client(&server).build().unwrap();
    model.structured::<City>(question()).await.unwrap();
    assert_eq!(model.schema_mode(), SchemaMode::Strict);
}

#[tokio::test]
async fn a_refusal_for_another_reason_is_passed_on_at_once() {
    let server = server().await;
    server.then(Answer::json(400, &json!({"error": {"message": "Unknown parameter: 'foo'"}})));
    let model = client(&server).build().unwrap();
    let error = model.structured::<City>(question()).await.unwrap_err();
    assert_eq!((error.kind(), server.received().len()), (ErrorKind::InvalidRequest, 1));
}

#[tokio::test]
async fn text_that_looks_like_a_tool_call_stays_text() {
    let server = server().await;
    let fenced = "```json\n{\"name\": \"f\", \"arguments\": {}}\n```";
    server.then(Answer::json(200, &completion(fenced)));
    let answer = client(&server).build().unwrap().complete(&question()).await.unwrap();
    assert!(answer.tool_calls.is_empty() && answer.text == fenced);
}

#[tokio::test]
async fn a_failure_in_the_middle_of_a_stream_is_typed_and_keeps_what_had_arrived() {
    let server = server().await;
    let failure = json!({"error": {"message": "Provider tok-MARKER overloaded", "code": 502}});
    let first = chunks(&hello()[..2]);
    server.then(Answer::events(format!("{first}data: {failure}\n\n")));
    server.then(Answer::events(format!("{first}data: no JSON\n\n")));
    server.then(Answer::events(first.clone()));
    server.then(Answer::events(first.clone()).ending(Ending::Close));
    server.then(done(&[hello().swap_remove(1), chunk(json!({}), Some("error"))]));
    let model = client(&server).build().unwrap();
    for kind in [
        ErrorKind::ServerError,
        ErrorKind::InvalidResponse,
        ErrorKind::Connection,
        ErrorKind::Connection,
        ErrorKind::ServerError,
    ] {
        let error = streamed(&model, question()).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert_eq!(error.received().unwrap().text, "Hel");
        assert!(!format!("{error:?}{error}").contains("MARKER"));
    }
}

#[tokio::test]
async fn a_stream_cut_at_any_event_is_never_silently_shorter() {
    let all = hello();
    let body = format!("{}data: [DONE]\n\n", chunks(&all));
    for cut in 0..body.len() {
        let server = server().await;
        // A body that ends with its connection has no other sign of its end.
        server.then(Answer::raw(format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{}",
            &body[..cut]
        )));
        match streamed(&client(&server).build().unwrap(), question()).await {
            Ok(answer) => assert_eq!((answer.text.as_str(), answer.usage), ("Hello", Usage::new(5, 2)), "cut at {cut}"),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Connection, "cut at {cut}: {error}"),
        }
    }
}

#[tokio::test]
async fn a_server_without_a_final_marker_has_finished_when_nothing_is_missing() {
    let server = server().await;
    server.then(Answer::events(chunks(&hello())));
    server.then(Answer::events(chunks(&hello()[..4])));
    let model = client(&server).build().unwrap();
    assert_eq!(streamed(&model, question()).await.unwrap().text, "Hello");
    assert!(streamed(&model, question()).await.is_err(), "the usage was asked for and did not come");
    server.then(Answer::events(chunks(&hello()[..4])));
    let model = client(&server).quirks(Quirks::MISTRAL).build().unwrap();
    assert_eq!(streamed(&model, question()).await.unwrap().text, "Hello");
}

#[tokio::test]
async fn what_is_no_answer_is_told_as_such() {
    let page = "<html>tok-MARKER</html>";
    let failed = json!({"error": {"message": "upstream is overloaded", "code": 503}});
    for (answer, kind) in [
        (Answer::text(200, "text/html", page), ErrorKind::InvalidResponse),
        (Answer::text(200, "application/json", "{no"), ErrorKind::InvalidResponse),
        (Answer::json(200, &json!({"greeting": "hello"})), ErrorKind::InvalidResponse),
        (Answer::redirect(307, "http://127.0.0.1:1/?key=tok-MARKER"), ErrorKind::InvalidResponse),
        (Answer::redirect(302, "/login"), ErrorKind::InvalidResponse),
        (Answer::json(200, &failed), ErrorKind::ServerError),
        (Answer::json(200, &completion("cut")).cut(40), ErrorKind::Connection),
        (
            Answer::raw("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{\"id\":"),
            ErrorKind::Connection,
        ),
        (Answer::raw("what?"), ErrorKind::Connection),
        (
            Answer::json(401, &json!({"error": {"message": "Incorrect API key provided: tok-MARKER"}})),
            ErrorKind::Authentication,
        ),
        (Answer::text(502, "text/html", page), ErrorKind::ServerError),
    ] {
        let server = server().await;
        server.then(answer.clone());
        server.then(answer);
        let model = client(&server).build().unwrap();
        let whole = model.complete(&question()).await.unwrap_err();
        assert_eq!(whole.kind(), kind, "{whole:?}");
        let streamed = streamed(&model, question()).await.unwrap_err();
        assert_eq!(streamed.kind(), if kind == ErrorKind::Connection { streamed.kind() } else { kind }, "{streamed:?}");
        for shown in [format!("{whole:?}{whole}"), format!("{streamed:?}{streamed}")] {
            assert!(!shown.contains("MARKER"), "{shown}");
        }
        assert_eq!(server.received().len(), 2, "no redirect is followed and nothing is asked again");
    }
}

#[tokio::test]
async fn a_delay_that_the_server_wants_is_kept() {
    let server = server().await;
    let busy = || Answer::json(429, &json!({"error": {"message": "Rate limit reached", "type": "requests"}}));
    server.then(busy().header("retry-after", "7"));
    server.then(busy().header("retry-after-ms", "250"));
    server.then(
        busy().header("date", "Fri, 20 Nov 2026 07:00:00 GMT").header("retry-after", "Fri, 20 Nov 2026 07:00:30 GMT"),
    );
    server.then(Answer::json(503, &json!({"error": "busy"})).header("retry-after", "2"));
    let model = client(&server).build().unwrap();
    for (kind, ms) in [
        (ErrorKind::RateLimit, 7_000),
        (ErrorKind::RateLimit, 250),
        (ErrorKind::RateLimit, 30_000),
        (ErrorKind::ServerError, 2_000),
    ] {
        let error = model.complete(&question()).await.unwrap_err();
        assert_eq!((error.kind(), error.retry_after()), (kind, Some(Duration::from_millis(ms))));
    }
}

/// How a stream that stalls ends at a limit. A busy machine may reach a short one before anything has arrived, so there are
/// longer ones, each with a server of its own.
async fn stalled(call: impl AsyncFn(OpenAiBuilder, Duration) -> Result<Response, ModelError>) -> ModelError {
    let mut ended = None;
    for limit in [50, 400, 3_000, 20_000].map(Duration::from_millis) {
        let server = server().await;
        server.then(Answer::events(chunks(&hello()[..2])).ending(Ending::Stall));
        let error = call(client(&server), limit).await.unwrap_err();
        if ended.insert(error).received().is_some() {
            break;
        }
    }
    ended.unwrap()
}

#[tokio::test]
async fn every_limit_ends_a_call_that_goes_on_for_too_long() {
    let short = Duration::from_millis(50);
    let limits = HttpLimits::default();
    let ending_at = |limit| question().deadline(tokio::time::Instant::now() + limit);
    let silent = server().await;
    silent.otherwise(|_| Answer::silence());
    let whole = client(&silent).limits(limits.whole(short)).build().unwrap();
    assert_eq!(whole.complete(&question()).await.unwrap_err().kind(), ErrorKind::Timeout);
    let patient = client(&silent).build().unwrap();
    assert_eq!(patient.complete(&ending_at(short)).await.unwrap_err().kind(), ErrorKind::Timeout);
    let empty = server().await;
    empty.then(Answer::events("").ending(Ending::Stall));
    let first_byte = client(&empty).limits(limits.first_byte(short)).build().unwrap();
    assert_eq!(streamed(&first_byte, question()).await.unwrap_err().kind(), ErrorKind::Timeout);

    let idle =
        stalled(async |client, limit| streamed(&client.limits(limits.idle(limit)).build().unwrap(), question()).await);
    let deadline = stalled(async |client, limit| streamed(&client.build().unwrap(), ending_at(limit)).await);
    for error in [idle.await, deadline.await] {
        assert_eq!((error.kind(), error.received().unwrap().text.as_str()), (ErrorKind::Timeout, "Hel"));
    }

    let large = server().await;
    let small = client(&large).limits(limits.max_body(64)).build().unwrap();
    large.then(Answer::json(200, &completion("Graz")));
    assert_eq!(small.complete(&question()).await.unwrap_err().kind(), ErrorKind::InvalidResponse);
    large.then(done(&hello()));
    assert_eq!(streamed(&small, question()).await.unwrap_err().kind(), ErrorKind::InvalidResponse);
}

#[tokio::test]
async fn a_stream_that_is_never_silent_ends_at_the_limit_of_the_whole() {
    let server = server().await;
    let limits = HttpLimits::default().stream(Duration::from_millis(200));
    let comments = ": still here\n\n".repeat(100_000);
    server.then(Answer::events(comments).pieces_of(8).pause(Duration::from_millis(5)));

    let error = streamed(&client(&server).limits(limits).build().unwrap(), question()).await.unwrap_err();

    assert_eq!(error.kind(), ErrorKind::Timeout);
}

#[tokio::test]
async fn a_dropped_call_closes_its_connection() {
    let server = server().await;
    let model = client(&server).build().unwrap();
    server.then(Answer::silence());
    let request = question();
    tokio::select! {
        answer = model.complete(&request) => panic!("{answer:?}"),
        () = server.until_received(1) => {}
    }
    server.until_left(0).await;
    server.then(Answer::events(chunks(&hello()[..2])).ending(Ending::Stall));
    let mut stream = model.stream(question());
    while !matches!(stream.next().await.unwrap().unwrap(), StreamEvent::Text(_)) {}
    drop(stream);
    server.until_left(1).await;
}

#[tokio::test]
async fn an_address_without_a_server_is_a_failed_connection_that_names_it() {
    // A port that is taken and not listened at: nobody else can come to answer there.
    let deaf = TcpSocket::new_v4().unwrap();
    deaf.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let url = format!("http://{}", deaf.local_addr().unwrap());
    let model =
        OpenAi::builder("m").base_url(format!("{}/v1?key=MARKER", url.replace("//", "//u:MARKER@"))).build().unwrap();
    let error = model.complete(&question()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connection);
    let shown = format!("{error:?}{error}{model:?}");
    assert!(shown.contains(&url) && !shown.contains("MARKER"), "{shown}");
}
