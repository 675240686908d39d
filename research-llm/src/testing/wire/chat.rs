//! Chat completions of OpenAI, and of the many servers that speak like it.

mod read;

use serde_json::{Value, json};

use super::asked::Asked;
use super::fault::Fault;
use super::fields::Unreadable;
use super::format::{Frame, WireFormat, torn};
use super::openai::{self, CREATED};
use crate::response::{FinishReason, Response, Usage};
use crate::testing::server::Received;

/// The chat completions of OpenAI. Reasoning goes as `reasoning_content`, as DeepSeek, vLLM and llama.cpp send it.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct OpenAiChat;

impl OpenAiChat {
    /// The format.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

fn finish(reason: FinishReason) -> &'static str {
    match reason {
        FinishReason::Length => "length",
        FinishReason::ToolCalls => "tool_calls",
        FinishReason::ContentFilter => "content_filter",
        FinishReason::Stop | FinishReason::Other => "stop",
    }
}

fn usage(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.total(),
        "prompt_tokens_details": {"cached_tokens": usage.cache_read_tokens, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens, "audio_tokens": 0},
    })
}

/// An event with an object in it.
fn event(object: &Value, text: &str) -> Frame {
    Frame::new(format!("data: {object}\n\n"), text)
}

impl WireFormat for OpenAiChat {
    fn name(&self) -> &'static str {
        "OpenAI chat completions"
    }

    fn base_url(&self, server: &str) -> String {
        format!("{server}/v1")
    }

    fn answer(&self, response: &Response) -> Value {
        let mut message = json!({"role": "assistant", "refusal": null, "annotations": []});
        // A turn of tool calls alone has no content.
        let silent = response.text.is_empty() && !response.tool_calls.is_empty();
        message["content"] = if silent { Value::Null } else { json!(response.text) };
        if let Some(reasoning) = &response.reasoning {
            message["reasoning_content"] = json!(reasoning);
        }
        if !response.tool_calls.is_empty() {
            let calls = response.tool_calls.iter().map(|call| {
                json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}})
            });
            message["tool_calls"] = calls.collect();
        }
        json!({
            "id": response.id,
            "object": "chat.completion",
            "created": CREATED,
            "model": response.model,
            "choices": [
                {"index": 0, "message": message, "logprobs": null, "finish_reason": finish(response.finish)}
            ],
            "usage": usage(response.usage),
            "service_tier": "default",
        })
    }

    fn frames(&self, response: &Response) -> Vec<Frame> {
        let chunk = |choices: Value, usage: Value| {
            json!({
                "id": response.id,
                "object": "chat.completion.chunk",
                "created": CREATED,
                "model": response.model,
                "choices": choices,
                "usage": usage,
            })
        };
        let delta = |delta: Value, finish: Option<&str>| {
            chunk(json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}]), Value::Null)
        };
        let mut frames = vec![event(&delta(json!({"role": "assistant", "content": ""}), None), "")];
        for piece in torn(response.reasoning.as_deref().unwrap_or_default()) {
            frames.push(event(&delta(json!({"reasoning_content": piece}), None), ""));
        }
        for piece in torn(&response.text) {
            frames.push(event(&delta(json!({"content": piece}), None), &piece));
        }
        for piece in woven(response) {
            frames.push(event(&delta(json!({"tool_calls": [piece]}), None), ""));
        }
        frames.push(event(&delta(json!({}), Some(finish(response.finish))), ""));
        frames.push(event(&chunk(json!([]), usage(response.usage)), ""));
        frames.push(Frame::new("data: [DONE]\n\n", ""));
        frames
    }

    fn noise(&self) -> Vec<String> {
        vec![
            ": keep-alive\n\n".to_owned(),
            // A chunk without a choice, as content filters send them first.
            "data: {\"id\":\"\",\"object\":\"\",\"model\":\"\",\"choices\":[],\"prompt_filter_results\":[{\"x\":1}]}\n\n"
                .to_owned(),
            "\n\n".to_owned(),
            "retry: 3000\n\n".to_owned(),
        ]
    }

    fn error(&self, fault: Fault, message: &str) -> Value {
        json!({ "error": openai::error(fault, message) })
    }

    fn error_frame(&self, fault: Fault, message: &str) -> String {
        event(&self.error(fault, message), "").bytes
    }

    fn says(&self, usage: Usage) -> Usage {
        openai::says(usage)
    }

    fn reasoned(&self) -> Response {
        // Nothing is handed back here: servers want reasoning left out of the next turn.
        let mut response = Response::new("chat-model-1", "So it is 42.").usage(Usage::new(20, 30).reasoning(11));
        response.reasoning = Some("Six times seven is… 42.".to_owned());
        response.id = Some("chatcmpl-7".to_owned());
        response
    }

    fn read(&self, request: &Received) -> Result<Asked, Unreadable> {
        read::read(request)
    }
}

/// The pieces of all calls: first each call's id and name, then its arguments, a piece of each call in turn.
fn woven(response: &Response) -> Vec<Value> {
    let calls = || response.tool_calls.iter().enumerate();
    let mut pieces: Vec<Value> = calls()
        .map(|(index, call)| {
            let function = json!({"name": call.name, "arguments": ""});
            json!({"index": index, "id": call.id, "type": "function", "function": function})
        })
        .collect();
    let mut arguments: Vec<_> = calls().map(|(index, call)| (index, torn(&call.arguments))).collect();
    while !arguments.is_empty() {
        arguments.retain_mut(|(index, torn)| match torn.next() {
            None => false,
            Some(piece) => {
                pieces.push(json!({"index": index, "function": {"arguments": piece}}));
                true
            }
        });
    }
    pieces
}
