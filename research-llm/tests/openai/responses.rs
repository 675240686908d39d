//! The responses format of the provider, over real HTTP on loopback.

use super::*;

fn response() -> Value {
    json!({
        "id": "r1", "object": "response", "status": "completed", "model": "gpt-5-2025", "error": null,
        "incomplete_details": null,
        "output": [
            {"type": "reasoning", "id": "rs1", "summary": [{"type": "summary_text", "text": "First."},
                {"type": "summary_text", "text": "Then."}], "encrypted_content": "gAAA"},
            {"type": "message", "id": "m1", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": "Let me see.", "annotations": []}]},
            {"type": "function_call", "id": "f1", "call_id": "c1", "name": "weather", "arguments": "{\"at\":\"Graz\"}"},
            {"type": "function_call", "id": "f2", "call_id": "c2", "name": "weather", "arguments": "{\"at\":\"Linz\"}"},
        ],
        "usage": {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 8,
            "output_tokens_details": {"reasoning_tokens": 3}, "total_tokens": 17},
    })
}

fn response_events() -> String {
    let body = response();
    let mut early = body.clone();
    early["status"] = "in_progress".into();
    early["output"] = json!([]);
    early["usage"] = Value::Null;
    let call = |at: u64, item: &str, id: &str| {
        json!({"type": "response.output_item.added", "output_index": at,
        "item": {"type": "function_call", "id": item, "call_id": id, "name": "weather", "arguments": ""}})
    };
    let events = [
        json!({"type": "response.created", "response": early}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "summary": []}}),
        json!({"type": "response.reasoning_summary_part.added", "output_index": 0, "summary_index": 0}),
        json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "First."}),
        json!({"type": "response.reasoning_summary_part.added", "output_index": 0, "summary_index": 1}),
        json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "Then."}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": body["output"][0]}),
        json!({"type": "response.output_text.delta", "output_index": 1, "delta": "Let me "}),
        json!({"type": "response.output_text.delta", "output_index": 1, "delta": "see."}),
        json!({"type": "response.output_item.done", "output_index": 1, "item": body["output"][1]}),
        call(2, "f1", "c1"),
        call(3, "f2", "c2"),
        json!({"type": "response.function_call_arguments.delta", "output_index": 3, "delta": "{\"at\":\"Linz\"}"}),
        json!({"type": "response.function_call_arguments.delta", "output_index": 2, "delta": "{\"at\":"}),
        json!({"type": "response.something.new", "output_index": 2}),
        json!({"type": "response.function_call_arguments.delta", "output_index": 2, "delta": "\"Graz\"}"}),
        json!({"type": "response.function_call_arguments.done", "output_index": 2, "arguments": "{\"at\":\"Graz\"}"}),
        json!({"type": "response.output_item.done", "output_index": 2, "item": body["output"][2]}),
        json!({"type": "response.output_item.done", "output_index": 3, "item": body["output"][3]}),
        json!({"type": "response.completed", "response": body}),
    ];
    events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())).collect()
}

fn responses(server: &FakeServer) -> OpenAi {
    let builder = OpenAi::builder("gpt-5").base_url(format!("{}/v1", server.url())).api_key("tok-MARKER");
    builder.api(Api::Responses).build().unwrap()
}

#[tokio::test]
async fn a_response_is_the_same_whole_and_streamed_and_its_reasoning_goes_back() {
    let server = server().await;
    server.then(Answer::json(200, &response()));
    server.then(Answer::events(response_events()));
    server.then(Answer::json(200, &response()));
    let model = responses(&server);
    let whole = model.complete(&question()).await.unwrap();
    assert_eq!(whole.reasoning.as_deref(), Some("First.\n\nThen."));
    assert_eq!(
        (whole.text.as_str(), whole.finish, whole.tool_calls.len()),
        ("Let me see.", FinishReason::ToolCalls, 2)
    );
    assert_eq!(whole.usage, Usage::new(9, 8).cached(4, 0).reasoning(3));
    assert_eq!(streamed(&model, question()).await.unwrap(), whole);

    let results = whole.tool_calls.iter().map(|call| ToolResult::new(call, "rain"));
    let next = question().message(whole.to_message()).message(Message::tools(results));
    model.complete(&next).await.unwrap();
    let received = server.received();
    assert_eq!(received[0].path, "/v1/responses");
    let sent = received[2].json().unwrap();
    assert_eq!(sent["store"], false);
    assert_eq!(sent["input"][1], response()["output"][0]);
    let kinds: Vec<_> = sent["input"].as_array().unwrap().iter().map(|item| item["type"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "message",
            "reasoning",
            "message",
            "function_call",
            "function_call",
            "function_call_output",
            "function_call_output"
        ]
    );
}

#[tokio::test]
async fn a_server_that_does_not_hold_its_responses_to_a_schema_is_told_in_the_prompt() {
    let server = server().await;
    let mut body = response();
    body["output"] = json!([{"type": "message", "content": [{"type": "output_text", "text": CITY}]}]);
    server.then(Answer::json(200, &body));
    let model = client(&server).quirks(Quirks::LLAMA_CPP).api(Api::Responses).build().unwrap();
    assert!(!model.info().abilities.schema);
    assert_eq!(model.structured::<City>(question()).await.unwrap().value.name, "Graz");
    let sent = server.received()[0].json().unwrap();
    assert!(sent.get("text").is_none() && sent["input"].to_string().contains("JSON schema"), "{sent}");
}

#[tokio::test]
async fn a_response_that_fails_or_stops_early_says_why() {
    let server = server().await;
    let model = responses(&server);
    let mut failed = response();
    failed["status"] = "failed".into();
    failed["error"] = json!({"code": "rate_limit_exceeded", "message": "Rate limit reached for tok-MARKER"});
    server.then(Answer::json(200, &failed));
    server.then(Answer::events(format!("data: {}\n\n", json!({"type": "response.failed", "response": failed}))));
    let error = json!({"type": "error", "code": "rate_limit_exceeded", "message": "Rate limit reached", "param": null});
    server.then(Answer::events(format!("event: error\ndata: {error}\n\n")));
    for error in [
        model.complete(&question()).await.unwrap_err(),
        streamed(&model, question()).await.unwrap_err(),
        streamed(&model, question()).await.unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::RateLimit, "{error}");
        assert!(!format!("{error:?}").contains("MARKER"));
    }
    let mut cut = response();
    cut["status"] = "incomplete".into();
    cut["incomplete_details"] = json!({"reason": "max_output_tokens"});
    server.then(Answer::json(200, &cut));
    server.then(Answer::events(format!("data: {}\n\n", json!({"type": "response.incomplete", "response": cut}))));
    assert_eq!(model.complete(&question()).await.unwrap().finish, FinishReason::Length);
    assert_eq!(streamed(&model, question()).await.unwrap().finish, FinishReason::Length);
    let started = response_events();
    server.then(Answer::events(started[..started.find("event: response.completed").unwrap()].to_owned()));
    let error = streamed(&model, question()).await.unwrap_err();
    assert_eq!((error.kind(), error.received().unwrap().text.as_str()), (ErrorKind::Connection, "Let me see."));
}
