//! Requests of the messages format.

use super::*;
use crate::call::ToolCall;
use crate::message::{Image, Message, Part, ProviderItem, Role, ToolResult};
use crate::request::Effort;

fn sent(model: &str, request: &Request) -> Value {
    let quirks = Quirks::of_model(model);
    body(request, Target { model, quirks: &quirks, max_tokens: 1_000, schema: None, stream: false }).unwrap()
}

fn turns(request: &Request) -> Value {
    sent("m", request)["messages"].clone()
}

fn item(item: Value) -> Part {
    Part::Provider(ProviderItem::new("anthropic", item))
}

#[test]
fn a_plain_request_says_no_more_than_it_must() {
    let request = Request::new().system("Be brief.").user("Hello").temperature(0.7);
    assert_eq!(
        sent("claude-haiku-4-5", &request),
        json!({
            "model": "claude-haiku-4-5",
            "max_tokens": 1_000,
            "system": [{"type": "text", "text": "Be brief."}],
            "messages": [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}],
            "temperature": 0.7,
        })
    );
}

#[test]
fn turns_of_one_side_are_joined_with_the_results_of_tools_first() {
    let (one, two) = (ToolCall::new("c1", "f", r#"{"a":1}"#), ToolCall::new("c2", "g", ""));
    let request = Request::new()
        .user("Do it.")
        .message(Message::assistant("Well.").part(Part::ToolCall(one.clone())).part(Part::ToolCall(two.clone())))
        .user("Hurry!")
        .message(Message::tools([ToolResult::new(&one, "done"), ToolResult::new(&two, "no such thing").error()]));
    assert_eq!(
        turns(&request),
        json!([
            {"role": "user", "content": [{"type": "text", "text": "Do it."}]},
            {"role": "assistant", "content": [
                {"type": "text", "text": "Well."},
                {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}},
                {"type": "tool_use", "id": "c2", "name": "g", "input": {}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "done"},
                {"type": "tool_result", "tool_use_id": "c2", "content": "no such thing", "is_error": true},
                {"type": "text", "text": "Hurry!"},
            ]},
        ])
    );
}

#[test]
fn arguments_that_are_no_object_are_wrapped_and_not_lost() {
    let request = Request::new()
        .message(Message::of(Role::Assistant, vec![]).part(Part::ToolCall(ToolCall::new("c", "f", "{\"a\": "))));
    assert_eq!(turns(&request)[0]["content"][0]["input"], json!({"INVALID_JSON": "{\"a\": "}));
}

#[test]
fn pictures_go_by_address_or_with_the_request() {
    let message =
        Message::user("Look.").image(Image::url("https://h/p.png")).image(Image::bytes("image/png", b"hello"));
    let content = &turns(&Request::new().message(message))[0]["content"];
    assert_eq!(content[1], json!({"type": "image", "source": {"type": "url", "url": "https://h/p.png"}}));
    let data = json!({"type": "base64", "media_type": "image/png", "data": "aGVsbG8="});
    assert_eq!(content[2], json!({"type": "image", "source": data}));
}

#[test]
fn reasoning_goes_back_unchanged_and_first_and_only_to_its_own_provider() {
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "s", "new_field": 1});
    let message = Message::assistant("Well.")
        .part(Part::Provider(ProviderItem::new("openai.responses", json!({}))))
        .part(item(thinking.clone()))
        .part(item(json!({"type": "redacted_thinking", "data": "x"})));
    assert_eq!(
        turns(&Request::new().user("?").message(message).user("And?"))[1]["content"],
        json!([thinking, {"type": "redacted_thinking", "data": "x"}, {"type": "text", "text": "Well."}])
    );
}

#[test]
fn a_turn_that_was_kept_whole_goes_back_in_its_order_unless_it_was_changed() {
    let whole = json!([
        {"type": "text", "text": "Well."},
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "tool_use", "id": "c", "name": "f", "input": {}},
    ]);
    let message = |text: &str| {
        Message::of(Role::Assistant, vec![Part::Provider(ProviderItem::new("anthropic.turn", whole.clone()))])
            .part(item(whole[1].clone()))
            .part(Part::text(text))
            .part(Part::ToolCall(ToolCall::new("c", "f", "{}")))
    };
    assert_eq!(turns(&Request::new().user("?").message(message("Well.")))[1]["content"], whole);
    let changed = turns(&Request::new().user("?").message(message("Changed.")));
    assert_eq!(changed[1]["content"][0]["type"], "thinking");
    assert_eq!(changed[1]["content"][1]["text"], "Changed.");
}

#[test]
fn the_last_four_cache_marks_win() {
    let mut request = Request::new().message(Message::system("s").cached());
    for text in ["1", "2", "3", "4"] {
        request = request.message(Message::user(text).cached()).message(Message::assistant("ok"));
    }
    let marks = |body: &Value| body.to_string().matches("cache_control").count();
    let body = sent("m", &request);
    assert_eq!(marks(&body), 4);
    assert!(body["system"][0].get("cache_control").is_none());
    assert_eq!(body["messages"][0]["content"][0]["cache_control"], json!({"type": "ephemeral"}));
    // A mark for the whole request takes a place.
    assert_eq!(marks(&sent("m", &request.extra("cache_control", json!({"type": "ephemeral"})))), 4);
}

#[test]
fn a_free_place_marks_the_tools_and_reasoning_is_never_marked() {
    let tool = |name: &str| ToolDefinition::new(name, "", json!({"properties": {}}));
    let message = Message::assistant("Well.").part(item(json!({"type": "thinking"})));
    let request = Request::new().tool(tool("f")).tool(tool("g")).user("?").message(message.cached()).user("!");
    let body = sent("m", &request);
    assert_eq!(
        body["tools"],
        json!([
            {"name": "f", "input_schema": {"type": "object", "properties": {}}},
            {"name": "g", "input_schema": {"type": "object", "properties": {}}, "cache_control": {"type": "ephemeral"}},
        ])
    );
    let said = &body["messages"][1]["content"];
    assert_eq!((said[0].get("cache_control"), said[1].get("cache_control").is_some()), (None, true));
}

#[test]
fn tool_choices_have_their_own_words() {
    let asked = |choice: ToolChoice, parallel: Option<bool>| {
        let mut request = Request::new().user("?").tool(ToolDefinition::new("f", "F.", json!({})));
        request.tool_choice = choice;
        request.parallel_tool_calls = parallel;
        sent("m", &request).get("tool_choice").cloned()
    };
    assert_eq!(asked(ToolChoice::Auto, None), None);
    assert_eq!(asked(ToolChoice::None, Some(false)), Some(json!({"type": "none"})));
    assert_eq!(asked(ToolChoice::Required, Some(true)), Some(json!({"type": "any"})));
    let one = json!({"type": "tool", "name": "f", "disable_parallel_tool_use": true});
    assert_eq!(asked(ToolChoice::Tool("f".into()), Some(false)), Some(one));
    assert_eq!(asked(ToolChoice::Auto, Some(false)), Some(json!({"type": "auto", "disable_parallel_tool_use": true})));
}

#[test]
fn sampling_is_cut_down_to_what_the_model_takes() {
    let request = Request::new().user("?").temperature(0.0).top_p(0.9);
    let taken = |model: &str, request: &Request| {
        let body = sent(model, request);
        (body.get("temperature").is_some(), body.get("top_p").is_some())
    };
    assert_eq!(taken("qwen", &request), (true, true));
    assert_eq!(taken("claude-sonnet-4-5", &request), (true, false));
    assert_eq!(taken("claude-sonnet-4-5", &Request::new().user("?").top_p(0.9)), (false, true));
    assert_eq!(taken("claude-opus-5", &request), (false, false));
    assert_eq!(taken("claude-opus-4-6", &request.clone().effort(Effort::High)), (false, false));
    assert_eq!(taken("claude-opus-4-6", &request.effort(Effort::Minimal)), (true, false));
}

#[test]
fn schema_and_effort_share_a_field_and_extra_has_the_last_word() {
    let schema = json!({"type": "object"});
    let quirks = Quirks::of_model("claude-opus-5");
    let target = Target { model: "claude-opus-5", quirks: &quirks, max_tokens: 9, schema: Some(&schema), stream: true };
    let request = Request::new().user("?").effort(Effort::Low).extra("stream", false).extra("top_k", 3);
    let body = body(&request, target).unwrap();
    let format = json!({"type": "json_schema", "schema": schema});
    assert_eq!(body["output_config"], json!({"effort": "low", "format": format}));
    assert_eq!((&body["stream"], &body["top_k"]), (&json!(false), &json!(3)));
}

#[test]
fn what_the_api_would_refuse_is_refused_here_or_mended() {
    let kind = |request: &Request| {
        let quirks = Quirks::UNKNOWN;
        let target = Target { model: "m", quirks: &quirks, max_tokens: 9, schema: None, stream: false };
        body(request, target).unwrap_err().kind()
    };
    use crate::error::ErrorKind::InvalidRequest;
    assert_eq!(kind(&Request::new().system("s").user(" \n")), InvalidRequest);
    assert_eq!(kind(&Request::new().message(Message::system("s").image(Image::url("u")))), InvalidRequest);
    assert_eq!(kind(&Request::new().message(Message::assistant("s").image(Image::url("u")))), InvalidRequest);
    let begun = turns(&Request::new().user("?").message(Message::assistant("The answer is \n")));
    assert_eq!(begun[1]["content"][0]["text"], "The answer is");
}

#[test]
fn what_is_not_for_the_wire_stays_here() {
    let request = Request::new()
        .user("?")
        .task(crate::Task::new("MARKER", json!("MARKER")))
        .schema(crate::OutputSchema::new("MARKER", json!({})));
    assert!(!sent("m", &request).to_string().contains("MARKER"));
}
