//! A whole chat completion as an answer.

use serde_json::{Map, Value};

use super::{FORMAT, calls, finish_reason, metadata, piece};
use crate::error::ModelError;
use crate::http::{Http, Reply};
use crate::message::ProviderItem;
use crate::openai::failure::{of_object, of_reason};
use crate::openai::quirks::Quirks;
use crate::openai::usage::usage;
use crate::response::{FinishReason, Response};

/// Reads an answer.
///
/// # Errors
/// What the body says of a failure, and [`ModelError::InvalidResponse`] for a body that is no chat completion.
pub(crate) fn read(
    reply: Reply,
    model: &str,
    quirks: &Quirks,
    http: &Http,
    keep_raw: bool,
) -> Result<Response, ModelError> {
    let Reply { body, headers } = reply;
    let choice = body.pointer("/choices/0");
    let error = [body.get("error"), choice.and_then(|choice| choice.get("error"))].into_iter().flatten();
    if let Some(error) = error.into_iter().find(|error| !error.is_null()) {
        return Err(of_object(error, http));
    }
    let Some(message) = choice.and_then(|choice| choice.get("message")).filter(|message| message.is_object()) else {
        return Err(ModelError::invalid_response("JSON that is no chat completion: it holds no message", None));
    };
    let named = body.get("model").and_then(Value::as_str).filter(|name| !name.is_empty());
    let mut answer = Response::new(named.unwrap_or(model), piece::text(message));
    answer.reasoning = Some(piece::reasoning(message)).filter(|text| !text.is_empty());
    answer.tool_calls = calls::whole(message);
    answer.usage = body.get("usage").and_then(usage).unwrap_or_default();
    answer.id = body.get("id").and_then(Value::as_str).filter(|id| !id.is_empty()).map(str::to_owned);
    answer.metadata = headers;
    answer.metadata.extend(metadata(&body));
    if let Some(field) = quirks.reasoning_back
        && let Some(value) = message.get(field).filter(|value| !value.is_null())
    {
        answer.provider_items.push(item(field, value.clone()));
    }
    let word = choice.and_then(|choice| choice.get("finish_reason")).and_then(Value::as_str);
    of_reason(word)?;
    let (finish, said) = ending(word, piece::refusal(message).is_some(), !answer.tool_calls.is_empty());
    answer.metadata.extend(said);
    answer.finish = finish;
    if let Some(refusal) = piece::refusal(message) {
        answer.text.push_str(refusal);
    }
    answer.raw = keep_raw.then_some(body);
    Ok(answer)
}

/// A piece that goes back with the tool calls of the turn.
pub(super) fn item(field: &str, value: Value) -> ProviderItem {
    ProviderItem::new(FORMAT, Value::Object(Map::from_iter([(field.to_owned(), value)])))
}

/// Why the model stopped, and what is to be said of that: some servers say `stop` though there are tool calls.
pub(super) fn ending(word: Option<&str>, refused: bool, has_calls: bool) -> (FinishReason, Map<String, Value>) {
    let (finish, is_own) = word.map_or((FinishReason::Stop, false), finish_reason);
    let mut said = Map::new();
    if let Some(word) = word.filter(|_| is_own) {
        said.insert("finish_reason".to_owned(), word.into());
    }
    if refused {
        said.insert("refusal".to_owned(), true.into());
        return (FinishReason::ContentFilter, said);
    }
    (if has_calls && finish == FinishReason::Stop { FinishReason::ToolCalls } else { finish }, said)
}
