//! The server's side of the wire formats refuses what a real server would refuse.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use research_llm::testing::Received;
use research_llm::testing::wire::{AnthropicMessages, OpenAiChat, OpenAiResponses, WireFormat};
use serde_json::{Value, json};

fn problem(format: &dyn WireFormat, path: &str, body: &Value) -> Option<String> {
    let mut request = Received::default();
    request.method = "POST".to_owned();
    request.path = path.to_owned();
    request.headers = vec![
        ("content-type".to_owned(), "application/json".to_owned()),
        ("anthropic-version".to_owned(), "2023-06-01".to_owned()),
    ];
    request.body = body.to_string().into_bytes();
    format.read(&request).err().map(|unreadable| unreadable.problem)
}

/// Bodies that a real server takes, but for the fields given, and a word of what is wrong with those.
fn check(format: &dyn WireFormat, path: &str, base: &Value, cases: &[(Value, &str)]) {
    assert_eq!(problem(format, path, base), None);
    assert!(problem(format, "/v1/elsewhere", base).unwrap().contains("elsewhere"));
    for (fields, word) in cases {
        let mut body = base.clone();
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let problem = problem(format, path, &body);
        assert!(problem.as_ref().is_some_and(|problem| problem.contains(word)), "{fields}: {problem:?}");
    }
}

#[test]
fn chat_completions_are_read_strictly() {
    let user = json!({"role": "user", "content": "Hi"});
    let call = json!({"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let calling = json!({"role": "assistant", "tool_calls": [call]});
    let base = json!({"model": "m", "messages": [user]});
    let strict = |schema: Value| json!({"response_format": {"type": "json_schema", "json_schema": {"name": "A", "strict": true, "schema": schema}}});
    check(
        &OpenAiChat::new(),
        "/v1/chat/completions",
        &base,
        &[
            (json!({"model": null}), "`model` is missing"),
            (json!({"messages": []}), "no messages"),
            (json!({"messages": [{"role": "tool", "tool_call_id": "c1", "content": "x"}]}), "no open call"),
            (json!({"messages": [user, calling, user]}), "no result"),
            (json!({"messages": [{"role": "robot", "content": "x"}]}), "robot"),
            (json!({"messages": [{"role": "user", "content": "x", "cache": true}]}), "no field `cache`"),
            (json!({"max_tokens": 5, "max_completion_tokens": 5}), "together"),
            (json!({"stream_options": {"include_usage": true}}), "only a stream"),
            (json!({"temperature": "hot"}), "a number"),
            (json!({"tools": [{"type": "function", "function": {"name": "a b", "parameters": {}}}]}), "no name"),
            (strict(json!({"type": "array", "items": {}})), "object"),
            (strict(json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false})), "require `a`"),
            (strict(json!({"type": "object", "properties": {"a": {}}, "required": ["a"]})), "additionalProperties"),
        ],
    );
}

#[test]
fn responses_are_read_strictly() {
    let base = json!({"model": "m", "store": false, "input": [{"role": "user", "content": "Hi"}]});
    let thought = json!({"type": "reasoning", "id": "r", "summary": []});
    check(
        &OpenAiResponses::new(),
        "/v1/responses",
        &base,
        &[
            (json!({"input": null}), "`input` is missing"),
            (
                json!({"input": [{"type": "message", "role": "user", "content": [{"type": "text", "text": "x"}]}]}),
                "text",
            ),
            (json!({"input": [{"type": "function_call_output", "call_id": "c1", "output": "x"}]}), "no open call"),
            (json!({"input": [thought]}), "encrypted_content"),
            (json!({"include": ["reasoning.encrypted_content"], "store": true}), "not stored"),
            (json!({"text": {"format": {"type": "json_schema", "schema": {}}}}), "`name` is missing"),
        ],
    );
}

#[test]
fn messages_are_read_strictly() {
    let user = json!({"role": "user", "content": "Hi"});
    let calling = json!({"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {}}]});
    let result = json!({"type": "tool_result", "tool_use_id": "c1", "content": "x"});
    let text = |text: &str| json!({"type": "text", "text": text, "cache_control": {"type": "ephemeral"}});
    let base = json!({"model": "m", "max_tokens": 5, "messages": [user]});
    check(
        &AnthropicMessages::new(),
        "/v1/messages",
        &base,
        &[
            (json!({"max_tokens": null}), "`max_tokens` is missing"),
            (json!({"messages": [{"role": "system", "content": "x"}]}), "system"),
            (json!({"messages": [{"role": "assistant", "content": "x"}]}), "first message"),
            (json!({"messages": [user, calling, user]}), "no result"),
            (json!({"messages": [user, calling, {"role": "user", "content": [text("x"), result]}]}), "come first"),
            (json!({"messages": [{"role": "user", "content": [result]}]}), "no open call"),
            (json!({"messages": [{"role": "user", "content": [{"type": "text", "text": ""}]}]}), "empty text"),
            (json!({"system": (["a", "b", "c", "d", "e"].map(text))}), "5 cache marks"),
            (json!({"thinking": {"type": "enabled", "budget_tokens": 2_048}}), "budget"),
            (json!({"thinking": {"type": "adaptive"}, "temperature": 0.5}), "temperature"),
            (json!({"tool_choice": {"type": "any"}}), "without tools"),
            (
                json!({"output_config": {"format": {"type": "json_schema", "schema": {"properties": {}}}}}),
                "additionalProperties",
            ),
            (
                json!({"output_config": {"format": {"type": "json_schema", "schema": {"type": "integer", "minimum": 0}}}}),
                "`minimum`",
            ),
        ],
    );
}
