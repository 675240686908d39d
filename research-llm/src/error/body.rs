//! Reads the bodies in which servers report failures.

use std::borrow::Cow;
use std::time::Duration;

use serde_json::Value;

use super::failure::Failure;
use super::model_error::ModelError;
use super::text;

impl Failure<'_> {
    /// The error that the body of an unsuccessful answer describes.
    ///
    /// Reads the forms of OpenAI, Anthropic, Google, Bedrock, Azure, OpenRouter, Mistral, llama.cpp, vLLM, Ollama and
    /// FastAPI; of a page its title, of other text the text. Of a body that no such server sends, a status like 404
    /// says only that the address is wrong.
    #[cold]
    pub fn from_body(status: u16, body: &str, retry_after: Option<Duration>) -> ModelError {
        match serde_json::from_str::<Value>(body) {
            Ok(json) if json.is_object() || json.is_array() => from_json(status, &json, retry_after),
            _ => from_text(status, body, retry_after),
        }
    }

    /// The error that an object of a stream, or of an unsuccessful answer, describes; `status` where there is one.
    #[cold]
    pub fn from_json(status: Option<u16>, json: &Value, retry_after: Option<Duration>) -> ModelError {
        from_json(status.unwrap_or_default(), json, retry_after)
    }
}

fn from_json(status: u16, json: &Value, retry_after: Option<Duration>) -> ModelError {
    // Google wraps the object of a streamed failure in a list.
    let json = json.get(0).unwrap_or(json);
    let inner = match json.get("error").or_else(|| json.pointer("/errors/0")) {
        Some(error) if error.is_object() => error,
        _ => json,
    };
    let message = message(json, inner);
    let mut failure = Failure::new(&message).retry_after(retry_after.or_else(|| delay(inner)));
    if status != 0 {
        failure = failure.status(status);
    }
    let numbers: Vec<String> = ["code", "statusCode"]
        .iter()
        .filter_map(|field| inner.get(*field).and_then(Value::as_u64))
        .map(|number| number.to_string())
        .collect();
    for place in [inner, json] {
        for field in ["code", "type", "status", "__type", "error_type"] {
            // Anthropic's outer object is of the type `error`, which says nothing.
            if let Some(code) = place.get(field).and_then(Value::as_str).filter(|code| *code != "error") {
                // Bedrock writes `namespace#Code`.
                failure = failure.code(code.rsplit('#').next().unwrap_or(code));
            }
        }
    }
    if let Some(code) = inner.pointer("/innererror/code").and_then(Value::as_str) {
        failure = failure.code(code);
    }
    for number in &numbers {
        failure = failure.code(number);
    }
    let count = |field: &str| inner.get(field).and_then(Value::as_u64);
    failure.tokens(count("n_ctx"), count("n_prompt_tokens")).into_error()
}

/// What the object says in words.
fn message<'a>(json: &'a Value, inner: &'a Value) -> Cow<'a, str> {
    let said = ["message", "Message", "detail", "error", "msg"]
        .iter()
        .find_map(|field| inner.get(*field).filter(|value| !value.is_null()).map(words))
        .unwrap_or_else(|| Cow::Owned(json.to_string()));
    // OpenRouter says that the provider failed, and keeps what the provider said beside it.
    match inner.pointer("/metadata/raw") {
        Some(raw) => Cow::Owned(format!("{said}: {}", words(raw))),
        None => said,
    }
}

/// Text as it is; the places and complaints of a failed validation; anything else as JSON.
fn words(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Object(map) if map.get("detail").is_some_and(|detail| !detail.is_null()) => words(&map["detail"]),
        Value::Object(map) if map.get("message").is_some_and(Value::is_string) => words(&map["message"]),
        Value::Array(complaints) if complaints.iter().any(|c| c.get("msg").is_some()) => {
            let said = complaints.iter().map(|complaint| {
                let place = complaint.get("loc").map_or_else(String::new, |loc| format!("{loc}: "));
                format!("{place}{}", complaint.get("msg").map_or(Cow::Borrowed(""), words))
            });
            Cow::Owned(said.collect::<Vec<_>>().join("; "))
        }
        other => Cow::Owned(other.to_string()),
    }
}

/// The delay that Google puts into the details.
fn delay(inner: &Value) -> Option<Duration> {
    let details = inner.get("details")?.as_array()?;
    details.iter().find_map(|detail| text::duration(detail.get("retryDelay")?.as_str()?))
}

fn from_text(status: u16, body: &str, retry_after: Option<Duration>) -> ModelError {
    let page = title(body);
    let said = page.unwrap_or_else(|| body.trim());
    // No provider speaks like this, so a status that blames the request blames the address.
    if matches!(status, 300..=399 | 404 | 405) || page.is_some() && status == 400 {
        return ModelError::invalid_response(format!("status {status}: {}", text::cut(said)), None);
    }
    let message = if said.is_empty() { format!("status {status} without a body") } else { said.to_owned() };
    Failure::new(&message).status(status).retry_after(retry_after).into_error()
}

/// The title of a page, or a stand-in; nothing if the text is no page.
fn title(body: &str) -> Option<&str> {
    let start = body.trim_start().get(..5).unwrap_or_default().to_ascii_lowercase();
    if !(start.starts_with("<!doc") || start.starts_with("<html")) {
        return None;
    }
    // Lower-casing ASCII keeps every place in the text.
    let lower = body.to_ascii_lowercase();
    let from = lower.find("<title>").map(|at| at + "<title>".len());
    let inside = from.and_then(|from| lower[from..].find("</title>").map(|end| &body[from..from + end]));
    Some(inside.map(str::trim).filter(|title| !title.is_empty()).unwrap_or("a web page"))
}
