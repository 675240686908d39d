//! A whole response as an answer.

use serde_json::Value;

use super::output::{self, BETWEEN_PARTS, Item, ending};
use crate::error::ModelError;
use crate::http::{Http, Reply};
use crate::openai::failure::of_object;
use crate::openai::usage::usage;
use crate::response::Response;

/// Reads an answer.
///
/// # Errors
/// What the body says of a failure, and [`ModelError::InvalidResponse`] for a body that is no response.
pub(crate) fn read(reply: Reply, model: &str, http: &Http, keep_raw: bool) -> Result<Response, ModelError> {
    let Reply { body, headers } = reply;
    if let Some(error) = failed(&body) {
        return Err(of_object(error, http));
    }
    let Some(items) = body.get("output").and_then(Value::as_array) else {
        return Err(ModelError::invalid_response("JSON that is no response: it holds no output", None));
    };
    let named = body.get("model").and_then(Value::as_str).filter(|name| !name.is_empty());
    let mut answer = Response::new(named.unwrap_or(model), "");
    let mut refuses = false;
    let mut thoughts: Vec<String> = Vec::new();
    for item in items {
        match output::read(item) {
            Item::Message { text, refused } => {
                answer.text.push_str(&text);
                refuses |= refused;
            }
            Item::Reasoning { parts, back } => {
                thoughts.extend(parts);
                answer.provider_items.extend(back);
            }
            Item::Call(call) => answer.tool_calls.push(call),
            Item::Other(item) => answer.provider_items.push(item),
        }
    }
    answer.reasoning = Some(thoughts.join(BETWEEN_PARTS)).filter(|text| !text.is_empty());
    answer.usage = body.get("usage").and_then(usage).unwrap_or_default();
    answer.id = body.get("id").and_then(Value::as_str).map(str::to_owned);
    answer.metadata = headers;
    answer.metadata.extend(metadata(&body));
    let (finish, said) = ending(&body, refuses, !answer.tool_calls.is_empty());
    answer.metadata.extend(said);
    answer.finish = finish;
    answer.raw = keep_raw.then_some(body);
    Ok(answer)
}

/// What the server says of its failure.
pub(super) fn failed(response: &Value) -> Option<&Value> {
    let error = response.get("error").filter(|error| !error.is_null());
    error.or_else(|| (response.get("status")? == "failed").then_some(response))
}

/// What a response says of itself.
pub(super) fn metadata(response: &Value) -> Option<(String, Value)> {
    let tier = response.get("service_tier").filter(|tier| tier.is_string())?;
    Some(("service_tier".to_owned(), tier.clone()))
}
