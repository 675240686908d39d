//! From an answer of genai to one of the port.

use ::genai::adapter::AdapterKind;
use ::genai::chat::{ChatResponse, ContentPart, MessageContent, StopReason, ToolCall as SdkCall, Usage as SdkUsage};
use serde_json::Value;

use super::item;
use crate::call::ToolCall;
use crate::response::{FinishReason, Response, Usage};

/// Field of the metadata that holds the provider's own word for the end.
pub(super) const FINISH: &str = "finish_reason";

pub(super) fn response(kind: AdapterKind, answer: ChatResponse) -> Response {
    let mut response = Response::new(answer.provider_model_iden.model_name.as_str(), text(&answer.content));
    response.reasoning = answer.reasoning_content.filter(|text| !text.is_empty());
    response.provider_items = item::from_contents(kind, answer.content.parts());
    response.tool_calls = answer.content.tool_calls().into_iter().map(tool_call).collect();
    response.usage = usage(&answer.usage);
    response.finish = finish(answer.stop_reason.as_ref(), !response.tool_calls.is_empty());
    if let Some(reason) = &answer.stop_reason {
        response.metadata.insert(FINISH.to_owned(), reason.raw().into());
    }
    response.id = answer.response_id;
    response.raw = answer.captured_raw_body;
    response
}

fn text(content: &MessageContent) -> String {
    content.parts().iter().filter_map(ContentPart::as_text).collect()
}

pub(super) fn tool_call(call: &SdkCall) -> ToolCall {
    // Text is what genai could not read as JSON: the model's own words.
    let arguments = match &call.fn_arguments {
        Value::String(text) => text.clone(),
        Value::Null => "{}".to_owned(),
        other => other.to_string(),
    };
    ToolCall::new(&call.call_id, &call.fn_name, arguments)
}

pub(super) fn usage(usage: &SdkUsage) -> Usage {
    let count = |tokens: Option<i32>| tokens.and_then(|tokens| u64::try_from(tokens).ok()).unwrap_or(0);
    let prompt = usage.prompt_tokens_details.as_ref();
    let completion = usage.completion_tokens_details.as_ref();
    Usage::new(count(usage.prompt_tokens), count(usage.completion_tokens))
        .cached(count(prompt.and_then(|d| d.cached_tokens)), count(prompt.and_then(|d| d.cache_creation_tokens)))
        .reasoning(count(completion.and_then(|d| d.reasoning_tokens)))
}

/// Some providers say of a call for tools that the answer is complete.
pub(super) fn finish(reason: Option<&StopReason>, has_calls: bool) -> FinishReason {
    match reason {
        Some(StopReason::MaxTokens(_)) => FinishReason::Length,
        Some(StopReason::ContentFilter(_)) => FinishReason::ContentFilter,
        Some(StopReason::ToolCall(_)) => FinishReason::ToolCalls,
        _ if has_calls => FinishReason::ToolCalls,
        Some(StopReason::Completed(_) | StopReason::StopSequence(_)) => FinishReason::Stop,
        Some(StopReason::Other(_)) | None => FinishReason::Other,
    }
}
