//! Failures that servers tell of inside an answer, and refusals of the schema mode.

use serde_json::Value;

use crate::error::{ErrorKind, Failure, ModelError};
use crate::http::Http;

/// The failure in an object with `message` and perhaps `code`, `type` and `status`, or in a plain text.
pub(super) fn of_object(error: &Value, http: &Http) -> ModelError {
    let text = |field: &str| error.get(field).and_then(Value::as_str);
    let message = error.as_str().or_else(|| text("message")).map_or_else(|| error.to_string(), str::to_owned);
    let message = http.scrub(&message);
    let mut failure = Failure::new(&message);
    for code in ["code", "type"].into_iter().filter_map(text) {
        failure = failure.code(code);
    }
    let numbers = ["code", "status", "status_code"].into_iter().filter_map(|field| error.get(field)?.as_u64());
    let status = numbers.filter_map(|number| u16::try_from(number).ok()).find(|status| (400..600).contains(status));
    if let Some(status) = status {
        failure = failure.status(status);
    }
    failure.into_error()
}

/// The failure of an answer that a gateway ended with the reason `error`, without saying more.
pub(super) fn of_reason(word: Option<&str>) -> Result<(), ModelError> {
    match word {
        Some("error") => Err(ModelError::server(None, "the provider ended the answer with an error", None)),
        _ => Ok(()),
    }
}

/// Words of a server that does not take the mode in which a schema was sent.
const MODE_WORDS: &[&str] = &[
    "response_format",
    "response format",
    "json_schema",
    "json schema",
    "json_object",
    "text.format",
    "grammar",
    "guided_json",
    "structured output",
    "structured_output",
];

/// What an error says of the schema mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The server does not take the mode.
    Mode,
    /// It takes the mode, but not this schema.
    Schema,
}

/// Whether a server refused the form in which the schema was sent.
pub(super) fn refusal(error: &ModelError) -> Option<Refusal> {
    let refusing = [ErrorKind::InvalidRequest, ErrorKind::ServerError, ErrorKind::Unsupported, ErrorKind::Unknown];
    if error.received().is_some() || !refusing.contains(&error.kind()) {
        return None;
    }
    let words = error.to_string().to_lowercase();
    if !MODE_WORDS.iter().any(|word| words.contains(word)) {
        return None;
    }
    Some(if words.contains("invalid schema") { Refusal::Schema } else { Refusal::Mode })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_of_the_mode_are_told_from_other_failures() {
        for (status, message, expected) in [
            (
                400,
                "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
                Some(Refusal::Mode),
            ),
            (400, "This model does not support response format `json_schema`.", Some(Refusal::Mode)),
            (500, "Input should be 'text' or 'json_object' [input: 'json_schema']", Some(Refusal::Mode)),
            (400, "Failed to parse grammar", Some(Refusal::Mode)),
            (
                400,
                "Invalid schema for response_format 'Plan': 'required' is required to be supplied",
                Some(Refusal::Schema),
            ),
            (429, "Too many requests with response_format", None),
            (400, "Unknown parameter: 'foo'", None),
            (500, "Internal error", None),
        ] {
            let error = Failure::new(message).status(status).into_error();
            assert_eq!(refusal(&error), expected, "{message}");
        }
    }
}
