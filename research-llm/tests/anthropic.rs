//! The client of the messages API over real HTTP on loopback: headers, schemas and how they step down, streams.

#![cfg(all(feature = "anthropic", feature = "testing"))]

use research_llm::anthropic::{Anthropic, AnthropicBuilder};
use research_llm::testing::{Answer, FakeServer};
use research_llm::{ChatModel, ChatModelExt, Effort, ErrorKind, FinishReason, Message, OutputSchema, Request, collect};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct City {
    name: String,
}

const CITY: &str = r#"{"name": "Graz"}"#;

fn client(server: &FakeServer) -> AnthropicBuilder {
    Anthropic::builder("claude-haiku-4-5").base_url(server.url()).api_key("k-MARKER")
}

fn message(text: &str) -> Answer {
    let body = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-haiku-4-5",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn", "stop_sequence": null,
        "usage": {"input_tokens": 3, "output_tokens": 4},
    });
    Answer::json(200, &body).header("request-id", "req_1")
}

fn refusal(message: &str) -> Answer {
    let error = json!({"type": "invalid_request_error", "message": message});
    Answer::json(400, &json!({"type": "error", "error": error, "request_id": "req_1"}))
}

fn events(events: &[Value]) -> Answer {
    let text: String = events
        .iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default()))
        .collect();
    Answer::events(text).header("request-id", "req_1")
}

fn hello() -> Vec<Value> {
    let usage = json!({"input_tokens": 3, "output_tokens": 1});
    vec![
        json!({"type": "message_start", "message": {"id": "msg_1", "model": "claude-x", "usage": usage}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hel"}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "lo"}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}}),
        json!({"type": "message_stop"}),
    ]
}

/// Of each request, whether it held its answer to a schema by the server's own means.
fn native(server: &FakeServer) -> Vec<bool> {
    let bodies = server.received().into_iter().map(|received| received.json().unwrap_or_default());
    bodies.map(|body| body["output_config"]["format"]["type"] == "json_schema").collect()
}

#[tokio::test]
async fn a_call_says_who_calls_and_the_answer_says_who_answered() {
    let server = FakeServer::start().await.unwrap();
    server.then(message("Graz"));
    let model = client(&server).base_url(format!("{}/v1", server.url())).beta("one").beta("two").build().unwrap();
    let answer = model.complete(&Request::new().user("Name a city.").keep_raw()).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.finish, answer.usage.total()), ("Graz", FinishReason::Stop, 7));
    assert_eq!(answer.metadata["request_id"], "req_1");
    assert_eq!(answer.raw.unwrap()["id"], "msg_1");

    let received = &server.received()[0];
    assert_eq!((received.method.as_str(), received.path.as_str()), ("POST", "/v1/messages"));
    assert_eq!(received.header("x-api-key"), Some("k-MARKER"));
    assert_eq!(received.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(received.header("anthropic-beta"), Some("one,two"));
    assert_eq!(received.json().unwrap()["max_tokens"], 21_333);
}

#[tokio::test]
async fn a_server_that_holds_answers_to_a_schema_is_told_the_schema() {
    let server = FakeServer::start().await.unwrap();
    server.then(message(CITY));
    let model = client(&server).build().unwrap();
    let city = model.structured::<City>(Request::new().user("?").effort(Effort::Low)).await.unwrap();
    assert_eq!(city.value.name, "Graz");
    let body = server.received()[0].json().unwrap();
    let schema = &body["output_config"]["format"]["schema"];
    assert_eq!((&schema["required"], &schema["additionalProperties"]), (&json!(["name"]), &json!(false)));
    assert!(!body["messages"].to_string().contains("properties"), "the schema is not said twice");
}

#[tokio::test]
async fn a_refused_ability_steps_down_to_the_prompt_and_is_remembered() {
    let server = FakeServer::start().await.unwrap();
    server.then(refusal("output_config: Extra inputs are not permitted"));
    for _ in 0..2 {
        server.then(message(CITY));
    }
    let model = client(&server).build().unwrap();
    for _ in 0..2 {
        let city = model.structured::<City>(Request::new().user("?")).await.unwrap();
        assert_eq!((city.value.name.as_str(), city.attempts), ("Graz", 1));
    }
    assert_eq!(native(&server), [true, false, false]);
    let prompt = server.received()[1].json().unwrap();
    let words = format!("{}{}", prompt["system"], prompt["messages"]);
    assert!(words.contains("properties"), "the schema is in the prompt: {words}");
}

#[tokio::test]
async fn a_refused_schema_steps_down_for_this_call_alone_also_when_streamed() {
    let server = FakeServer::start().await.unwrap();
    server.then(refusal("Schema is too complex for compilation."));
    server.then(events(&hello()));
    server.then(message(CITY));
    let model = client(&server).build().unwrap();
    let request = Request::new().user("?").schema(OutputSchema::of::<City>());
    let answer = collect("m", model.stream(request.clone())).await.unwrap();
    assert_eq!(answer.text, "Hello");
    model.complete(&request).await.unwrap();
    assert_eq!(native(&server), [true, false, true]);
}

#[tokio::test]
async fn other_refusals_are_not_sent_again_and_hold_no_key() {
    let server = FakeServer::start().await.unwrap();
    server.then(refusal("max_tokens: 900 > 800 for k-MARKER"));
    let model = client(&server).build().unwrap();
    let request = Request::new().user("?").schema(OutputSchema::of::<City>());
    let error = model.complete(&request).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    assert!(!format!("{error:?} {error} {model:?}").contains("MARKER"));
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn a_model_of_another_maker_gets_the_schema_in_the_prompt() {
    let server = FakeServer::start().await.unwrap();
    server.then(message(CITY));
    let model = Anthropic::builder("qwen").base_url(server.url()).build().unwrap();
    model.structured::<City>(Request::new().user("?")).await.unwrap();
    assert_eq!(native(&server), [false]);
    assert_eq!(server.received()[0].header("x-api-key"), None);
}

#[tokio::test]
async fn a_stream_is_the_answer_however_it_is_cut_into_chunks() {
    let server = FakeServer::start().await.unwrap();
    let model = client(&server).build().unwrap();
    for bytes in [1, 7, 4_096] {
        server.then(events(&hello()).pieces_of(bytes));
        let answer = collect("m", model.stream(Request::new().user("?"))).await.unwrap();
        assert_eq!((answer.text.as_str(), answer.usage.output_tokens), ("Hello", 2));
        assert_eq!(answer.metadata["request_id"], "req_1");
    }
    assert_eq!(server.received()[0].json().unwrap()["stream"], true);
}

#[tokio::test]
async fn an_overloaded_server_in_the_middle_of_a_stream_is_a_server_error_with_what_had_arrived() {
    let server = FakeServer::start().await.unwrap();
    let mut cut = hello();
    cut.truncate(4);
    cut.push(json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}));
    server.then(events(&cut));
    let model = client(&server).build().unwrap();
    let error = collect("m", model.stream(Request::new().user("?"))).await.unwrap_err();
    assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::ServerError, true));
    assert_eq!(error.received().unwrap().text, "Hello");
}

#[tokio::test]
async fn reasoning_makes_the_round_trip() {
    let server = FakeServer::start().await.unwrap();
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "sign"});
    let mut body = json!({
        "model": "claude-haiku-4-5", "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 2},
    });
    body["content"] = json!([thinking, {"type": "text", "text": "Graz."}]);
    server.then(Answer::json(200, &body));
    server.then(message("Yes."));
    let model = client(&server).build().unwrap();
    let question = Request::new().user("A city?").effort(Effort::High);
    let answer = model.complete(&question).await.unwrap();
    assert_eq!(answer.reasoning.as_deref(), Some("hm"));
    model.complete(&question.message(answer.to_message()).message(Message::user("Sure?"))).await.unwrap();
    let received = server.received();
    assert_eq!(received[0].json().unwrap()["thinking"], json!({"type": "enabled", "budget_tokens": 16_000}));
    assert_eq!(received[1].json().unwrap()["messages"][1]["content"][0], thinking);
}
