//! The bridge to genai over real HTTP on loopback, in the wire formats of Gemini and Ollama.
#![cfg(feature = "genai")]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use std::time::Duration;

use futures::StreamExt;
use research_llm::genai::Genai;
use research_llm::http::HttpLimits;
use research_llm::testing::{Answer, Ending, FakeServer};
use research_llm::{
    ChatModel, ErrorKind, FinishReason, Image, Message, ModelError, OutputSchema, Part, Request, StreamEvent, ToolCall,
    ToolChoice, ToolDefinition, ToolResult, Usage, collect,
};
use serde_json::{Value, json};

const KEY: &str = "AIzaMARKER-0123456789";

fn gemini(server: &FakeServer) -> Genai {
    limited(server, HttpLimits::default())
}

fn limited(server: &FakeServer, limits: HttpLimits) -> Genai {
    Genai::builder("gemini", "gemini-x").base_url(server.url()).api_key(KEY).limits(limits).build().unwrap()
}

fn ollama(server: &FakeServer) -> Genai {
    Genai::builder("ollama", "qwen3").base_url(server.url()).build().unwrap()
}

fn candidate(parts: &Value, finish: Option<&str>) -> Value {
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    if let Some(finish) = finish {
        candidate["finishReason"] = finish.into();
    }
    json!({
        "candidates": [candidate],
        "usageMetadata": {
            "promptTokenCount": 12, "candidatesTokenCount": 5, "thoughtsTokenCount": 3,
            "cachedContentTokenCount": 4, "totalTokenCount": 20,
        },
        "modelVersion": "gemini-x-001",
    })
}

fn sse(events: &[Value]) -> String {
    events.iter().map(|event| format!("data: {event}\r\n\r\n")).collect()
}

fn weather() -> ToolDefinition {
    let parameters = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    ToolDefinition::new("weather", "Tells the weather.", parameters)
}

#[tokio::test]
async fn a_whole_answer_with_reasoning_and_usage() {
    let server = FakeServer::start().await.unwrap();
    let parts = json!([{"text": "Let me think.", "thought": true}, {"text": "Graz."}]);
    server.then(Answer::json(200, &candidate(&parts, Some("STOP"))));
    let request = Request::new()
        .system("Be brief.")
        .message(Message::user("Which city is this?").image(Image::bytes("image/png", &[1, 2, 3])))
        .max_output_tokens(50)
        .temperature(0.7)
        .stop("END")
        .keep_raw();
    let answer = gemini(&server).complete(&request).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.reasoning.as_deref()), ("Graz.", Some("Let me think.")));
    assert_eq!((answer.finish, &answer.metadata["finish_reason"]), (FinishReason::Stop, &json!("STOP")));
    assert_eq!(answer.usage, Usage::new(12, 8).cached(4, 0).reasoning(3));
    assert_eq!(answer.raw.unwrap()["modelVersion"], "gemini-x-001");

    let sent = server.received().remove(0);
    assert_eq!(sent.path, "/models/gemini-x:generateContent");
    assert_eq!(sent.header("x-goog-api-key"), Some(KEY));
    let body = sent.json().unwrap();
    assert!(body.to_string().contains("Be brief."), "{body}");
    assert_eq!(body["contents"][0]["parts"][1]["inline_data"]["mime_type"], "image/png", "{body}");
    assert_eq!(body["generationConfig"]["maxOutputTokens"], 50);
    assert_eq!(body["generationConfig"]["temperature"], 0.7);
    assert_eq!(body["generationConfig"]["stopSequences"], json!(["END"]));
}

#[tokio::test]
async fn tools_are_called_in_parallel_and_answered_with_their_signatures() {
    let server = FakeServer::start().await.unwrap();
    let parts = json!([
        {"functionCall": {"name": "weather", "args": {"city": "Graz"}}, "thoughtSignature": "sig-1"},
        {"functionCall": {"name": "weather", "args": {"city": "Linz"}}},
    ]);
    let model = gemini(&server);
    let ask = Request::new().user("Weather?").tool(weather()).tool_choice(ToolChoice::Required);

    server.then(Answer::json(200, &candidate(&parts, Some("STOP"))));
    let whole = model.complete(&ask).await.unwrap();
    server.then(Answer::events(sse(&[candidate(&parts, Some("STOP"))])));
    let streamed = collect("gemini-x", model.stream(ask.clone())).await.unwrap();

    for answer in [whole, streamed] {
        assert_eq!(answer.finish, FinishReason::ToolCalls);
        let cities: Vec<Value> =
            answer.tool_calls.iter().map(|call| serde_json::from_str(&call.arguments).unwrap()).collect();
        assert_eq!(cities, [json!({"city": "Graz"}), json!({"city": "Linz"})]);

        let results = answer.tool_calls.iter().map(|call| ToolResult::new(call, "rain"));
        let next = ask.clone().message(answer.to_message()).message(Message::tools(results));
        let next: Request = serde_json::from_value(serde_json::to_value(next).unwrap()).unwrap();
        server.then(Answer::json(200, &candidate(&json!([{"text": "Rain."}]), Some("STOP"))));
        assert_eq!(model.complete(&next).await.unwrap().text, "Rain.");
        let body = server.received().last().unwrap().json().unwrap();
        let text = body["contents"].to_string();
        assert_eq!(text.matches("functionCall").count(), 2, "{text}");
        assert_eq!(text.matches("functionResponse").count(), 2, "{text}");
        assert_eq!(text.matches("sig-1").count(), 1, "the signature goes back once: {text}");
        assert!(body["tools"].to_string().contains("weather"));
    }
}

#[tokio::test]
async fn a_schema_goes_to_a_provider_with_a_mode_for_it_and_into_the_prompt_of_another() {
    let server = FakeServer::start().await.unwrap();
    let schema = OutputSchema::new("City", json!({"type": "object", "properties": {"name": {"type": "string"}}}));
    let request = Request::new().user("Which city?").schema(schema);

    server.then(Answer::json(200, &candidate(&json!([{"text": "{\"name\":\"Graz\"}"}]), Some("STOP"))));
    let model = gemini(&server);
    assert!(model.info().abilities.schema);
    model.complete(&request).await.unwrap();
    let body = server.received()[0].json().unwrap();
    assert!(body["generationConfig"].to_string().contains("\"name\""), "{body}");
    assert_eq!(body["contents"][0]["parts"].to_string(), json!([{"text": "Which city?"}]).to_string());

    let model = ollama(&server);
    assert!(!model.info().abilities.schema);
    server.then(Answer::json(
        200,
        &json!({"model": "qwen3", "message": {"role": "assistant", "content": "{}"}, "done": true, "done_reason": "stop"}),
    ));
    model.complete(&request).await.unwrap();
    let body = server.received()[1].json().unwrap();
    assert!(body["messages"].to_string().contains("JSON schema"), "{body}");
}

#[tokio::test]
async fn every_result_reaches_ollama_and_no_key_does() {
    let server = FakeServer::start().await.unwrap();
    server.then(Answer::json(
        200,
        &json!({
            "model": "qwen3", "message": {"role": "assistant", "content": "Rain in both."},
            "done": true, "done_reason": "length", "prompt_eval_count": 7, "eval_count": 9,
        }),
    ));
    let calls = [ToolCall::new("1", "weather", "{\"city\":\"Graz\"}"), ToolCall::new("2", "weather", "not JSON")];
    let results = [ToolResult::new(&calls[0], "rain"), ToolResult::new(&calls[1], "no such city").error()];
    let asked = Message::of(research_llm::Role::Assistant, calls.into_iter().map(Part::ToolCall).collect());
    let request = Request::new().user("Weather?").tool(weather()).message(asked).message(Message::tools(results));
    let answer = ollama(&server).complete(&request).await.unwrap();
    assert_eq!((answer.finish, answer.usage), (FinishReason::Length, Usage::new(7, 9)));

    let sent = server.received().remove(0);
    assert_eq!(sent.header("authorization"), None);
    let body = sent.json().unwrap();
    let tools: Vec<&Value> = body["messages"].as_array().unwrap().iter().filter(|m| m["role"] == "tool").collect();
    assert_eq!(
        tools.iter().map(|m| m["content"].as_str().unwrap()).collect::<Vec<_>>(),
        ["rain", "Error: no such city"]
    );
}

#[tokio::test]
async fn a_stream_comes_in_pieces_and_ends_with_its_usage() {
    let server = FakeServer::start().await.unwrap();
    let events = [
        candidate(&json!([{"text": "Hm.", "thought": true}]), None),
        candidate(&json!([{"text": "Grüß "}]), None),
        candidate(&json!([{"text": "Gott"}]), Some("MAX_TOKENS")),
    ];
    server.then(Answer::events(sse(&events)).pieces_of(7));
    let model = gemini(&server);
    let events: Vec<StreamEvent> =
        model.stream(Request::new().user("Hello")).map(|event| event.unwrap()).collect().await;
    assert!(matches!(&events[0], StreamEvent::Start { model, .. } if model == "gemini-x"), "{events:?}");
    let texts: Vec<&str> =
        events.iter().filter_map(|e| if let StreamEvent::Text(t) = e { Some(t.as_str()) } else { None }).collect();
    assert_eq!(texts, ["Grüß ", "Gott"]);
    assert!(events.contains(&StreamEvent::Reasoning("Hm.".into())));
    assert!(events.contains(&StreamEvent::Usage(Usage::new(12, 8).cached(4, 0).reasoning(3))), "{events:?}");
    assert_eq!(events.last(), Some(&StreamEvent::Finish(FinishReason::Length)));
}

#[tokio::test]
async fn a_stream_that_is_cut_anywhere_is_an_error_or_whole() {
    let server = FakeServer::start().await.unwrap();
    let model = gemini(&server);
    let body = sse(&[candidate(&json!([{"text": "one "}]), None), candidate(&json!([{"text": "two"}]), Some("STOP"))]);
    for (cut, ending) in (0..=body.len()).flat_map(|cut| [(cut, Ending::Proper), (cut, Ending::Close)]) {
        server.then(Answer::events(body.as_str()).cut(cut).ending(ending));
        match collect("gemini-x", model.stream(Request::new().user("Count."))).await {
            Ok(answer) => assert_eq!(answer.text, "one two", "cut at {cut}"),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Connection, "{cut}: {error:?}");
                let text = error.received().map_or("", |received| received.text.as_str());
                assert!(["", "one ", "one two"].contains(&text), "{cut}: {text}");
            }
        }
    }

    // The end that genai makes up for Ollama is told from a real one too.
    server.then(Answer::text(200, "application/x-ndjson", "{\"message\":{\"content\":\"half\"},\"done\":false}\n"));
    let error = collect("qwen3", ollama(&server).stream(Request::new().user("Hi"))).await.unwrap_err();
    assert!(matches!(&error, ModelError::Interrupted { source, .. } if matches!(**source, ModelError::Truncated)));
    assert_eq!(error.received().unwrap().text, "half");
}

#[tokio::test]
async fn failures_are_typed_and_hold_no_key() {
    let server = FakeServer::start().await.unwrap();
    let model = gemini(&server);
    let failure =
        |code: u16, status: &str| json!({"error": {"code": code, "message": format!("no: {KEY}"), "status": status}});
    let cases = [
        (Answer::json(429, &failure(429, "RESOURCE_EXHAUSTED")).header("retry-after", "7"), ErrorKind::RateLimit),
        (Answer::json(401, &failure(401, "UNAUTHENTICATED")), ErrorKind::Authentication),
        (Answer::json(500, &failure(500, "INTERNAL")), ErrorKind::ServerError),
        (Answer::json(400, &failure(400, "INVALID_ARGUMENT")), ErrorKind::InvalidRequest),
        (Answer::redirect(302, "http://127.0.0.1:9/"), ErrorKind::InvalidResponse),
    ];
    for (answer, kind) in cases {
        server.then(answer.clone());
        server.then(answer);
        let whole = model.complete(&Request::new().user("Hi")).await.unwrap_err();
        let streamed = collect("m", model.stream(Request::new().user("Hi"))).await.unwrap_err();
        for error in [whole, streamed] {
            assert_eq!(error.kind(), kind, "{error:?}");
            assert!(!format!("{error} {error:?} {model:?}").contains("MARKER"), "{error:?}");
            let after = (kind == ErrorKind::RateLimit).then(|| Duration::from_secs(7));
            assert_eq!(error.retry_after(), after);
        }
    }
    server.then(Answer::text(200, "text/html", "<html>a proxy</html>"));
    let error = model.complete(&Request::new().user("Hi")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidResponse, "{error:?}");
}

#[tokio::test]
async fn a_stall_and_a_deadline_are_time_limits() {
    // A busy machine may reach a short limit before anything has arrived at either side, so there are longer ones, each with
    // a server of its own.
    let growing = || [50, 400, 3_000, 20_000].map(Duration::from_millis).into_iter();
    let mut stalled = None;
    for idle in growing() {
        let server = FakeServer::start().await.unwrap();
        let first = sse(&[candidate(&json!([{"text": "one "}]), None)]);
        server.then(Answer::events(first).ending(Ending::Stall));
        let model = limited(&server, HttpLimits::default().idle(idle));
        let error = collect("m", model.stream(Request::new().user("Hi"))).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout);
        stalled = error.received().map(|received| received.text.clone());
        if stalled.is_some() {
            break;
        }
    }
    assert_eq!(stalled.as_deref(), Some("one "));

    for limit in growing() {
        let server = FakeServer::start().await.unwrap();
        server.then(Answer::silence());
        let soon = tokio::time::Instant::now() + limit;
        let error = gemini(&server).complete(&Request::new().user("Hi").deadline(soon)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout);
        if !server.received().is_empty() {
            return server.until_left(0).await;
        }
    }
    panic!("the request was never sent");
}

#[tokio::test]
async fn dropping_a_stream_closes_the_connection() {
    let server = FakeServer::start().await.unwrap();
    let model = gemini(&server);
    let first = sse(&[candidate(&json!([{"text": "one "}]), None)]);
    server.then(Answer::events(first).ending(Ending::Stall));
    let mut stream = model.stream(Request::new().user("Hi"));
    assert!(server.received().is_empty(), "nothing is sent before the stream is polled");
    while !matches!(stream.next().await.unwrap().unwrap(), StreamEvent::Text(_)) {}
    drop(stream);
    server.until_left(0).await;
}
