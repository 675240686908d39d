//! From the body of an answer to a response, and from the body of an error to an error.

use serde_json::{Map, Value};

use super::content::{Kind, WireUsage, finish, item, metadata, turn_item};
use crate::call::ToolCall;
use crate::error::{Failure, ModelError};
use crate::response::Response;

/// Reads a whole answer. `headers` are what the transport says of it.
pub(super) fn response(
    model: &str,
    mut body: Value,
    headers: Map<String, Value>,
    keep_raw: bool,
) -> Result<Response, ModelError> {
    let raw = keep_raw.then(|| body.clone());
    let Some(Value::Array(blocks)) = body.get_mut("content").map(Value::take) else {
        return Err(ModelError::invalid_response("the answer has no list of content blocks", None));
    };
    let mut answer = Response::new(body["model"].as_str().unwrap_or(model), "");
    answer.id = body["id"].as_str().map(str::to_owned);
    answer.metadata = headers;
    answer.metadata.extend(metadata(&body));
    answer.raw = raw;
    let mut usage = WireUsage::default();
    usage.update(&body["usage"]);
    answer.usage = usage.into();
    answer.provider_items.extend(turn_item(&blocks));
    for block in blocks {
        match Kind::of(&block) {
            Kind::Text => answer.text.push_str(block["text"].as_str().unwrap_or_default()),
            Kind::ToolUse => answer.tool_calls.push(tool_call(&block)),
            Kind::Thinking => {
                if let Some(text) = block["thinking"].as_str().filter(|text| !text.is_empty()) {
                    answer.reasoning.get_or_insert_default().push_str(text);
                }
                answer.provider_items.push(item(block));
            }
            Kind::Other => tracing::debug!(block = ?block["type"], "skipped a content block of an unknown type"),
        }
    }
    Ok(answer.finish(finish(body["stop_reason"].as_str())))
}

fn tool_call(block: &Value) -> ToolCall {
    let word = |name: &str| block[name].as_str().unwrap_or_default();
    let input = block.get("input").filter(|input| !input.is_null());
    ToolCall::new(word("id"), word("name"), input.map_or_else(|| "{}".to_owned(), Value::to_string))
}

/// The error that a body or an event says, if it says one. It goes through `scrub`, because a server may echo a key.
pub(super) fn error(body: &Value, scrub: impl Fn(&str) -> String) -> Option<ModelError> {
    let error = body.get("error").filter(|error| !error.is_null())?;
    // One that comes in a stream has no status of its own: it gets the one that it has elsewhere.
    let status = match error["code"].as_u64() {
        Some(code) => u16::try_from(code).ok(),
        None => error["type"].as_str().and_then(status),
    };
    let text = scrub(&body.to_string());
    Some(match serde_json::from_str(&text) {
        Ok(clean) => Failure::from_json(status, &clean, None),
        Err(_) => Failure::new(&text).into_error(),
    })
}

/// The HTTP status of a type of error, from Anthropic's page on errors.
fn status(code: &str) -> Option<u16> {
    Some(match code {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "conflict_error" => 409,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "api_error" => 500,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
