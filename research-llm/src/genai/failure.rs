//! From an error of genai to one of the port: by status and type, and never with the payload or the key in it.

use std::sync::Arc;
use std::time::Duration;

use ::genai::webc::{Error as WebError, StreamTimeout};
use ::genai::{BoxError, Error, resolver};
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::error::{Cause, Failure, ModelError};
use crate::http::{Http, HttpLimits, retry_after};

/// Reads an error of genai.
pub(super) fn model_error(error: Error, limits: &HttpLimits, http: &Http) -> ModelError {
    Reader { limits, http }.error(error)
}

struct Reader<'a> {
    limits: &'a HttpLimits,
    http: &'a Http,
}

impl Reader<'_> {
    fn error(&self, error: Error) -> ModelError {
        match error {
            Error::HttpError { status, body, headers, .. } => self.status(status, &body, &headers),
            Error::WebModelCall { webc_error, .. } | Error::WebAdapterCall { webc_error, .. } => self.web(webc_error),
            Error::WebStream { error, cause, .. } => self.stream(error, &cause),
            Error::ChatResponse { body, .. } => self.event(&body),
            Error::Resolver { resolver_error, .. } | Error::ModelMapperFailed { cause: resolver_error, .. } => {
                self.resolver(&resolver_error)
            }
            Error::RequiresApiKey { .. } | Error::NoAuthResolver { .. } | Error::NoAuthData { .. } => {
                ModelError::authentication("the provider needs a key, and none was given")
            }
            Error::ChatReqHasNoMessages { .. }
            | Error::LastChatMessageIsNotUser { .. }
            | Error::MessageRoleNotSupported { .. }
            | Error::MessageContentTypeNotSupported { .. }
            | Error::JsonModeWithoutInstruction
            | Error::AdapterNotSupported { .. }
            | Error::CacheBreakpointNoEligibleContent { .. }
            | Error::AdapterKindMismatch { .. } => {
                ModelError::invalid_request(self.http.scrub(&error.to_string()), Some(Arc::new(error)))
            }
            Error::NoChatResponse { .. } => ModelError::invalid_response("the provider sent no answer", None),
            Error::InvalidJsonResponseElement { info } => ModelError::invalid_response(info, None),
            // Its text holds the whole request and the whole answer; the cause alone is worth keeping.
            Error::ChatResponseGeneration { cause, .. } => {
                ModelError::invalid_response(format!("the answer has no known form: {}", self.http.scrub(&cause)), None)
            }
            // A stream that breaks off in the middle of an event leaves the beginning of its JSON.
            Error::StreamParse { serde_error, .. } if serde_error.is_eof() => ModelError::Truncated,
            Error::StreamParse { serde_error, .. } | Error::SerdeJson(serde_error) => {
                ModelError::invalid_response("a piece of the answer is no JSON", Some(Arc::new(serde_error)))
            }
            Error::JsonValueExt(error) => {
                ModelError::invalid_response(format!("a field of the answer is missing or wrong: {error}"), None)
            }
            other => ModelError::other(self.http.scrub(&other.to_string()), None),
        }
    }

    fn status(&self, status: StatusCode, body: &str, headers: &HeaderMap) -> ModelError {
        if status.is_redirection() {
            return ModelError::invalid_response(format!("a redirect with status {}", status.as_u16()), None);
        }
        let after: Option<Duration> = retry_after(status.as_u16(), headers);
        Failure::from_body(status.as_u16(), &self.http.scrub(body), after)
    }

    fn web(&self, error: WebError) -> ModelError {
        match error {
            WebError::ResponseFailedStatus { status, body, headers } => self.status(status, &body, &headers),
            WebError::ResponseFailedNotJson { content_type, .. } => {
                let shown: String = content_type.chars().take(80).collect();
                ModelError::invalid_response(format!("the answer is `{shown}` and no JSON"), None)
            }
            WebError::ResponseFailedInvalidJson { cause, .. } => {
                ModelError::invalid_response(format!("the answer is no JSON: {cause}"), None)
            }
            WebError::JsonValueExt(error) => {
                ModelError::invalid_response(format!("a field of the answer is missing or wrong: {error}"), None)
            }
            WebError::Reqwest(error) => self.transport(error),
        }
    }

    fn stream(&self, error: BoxError, cause: &str) -> ModelError {
        let error = match error.downcast::<Error>() {
            Ok(error) => return self.error(*error),
            Err(error) => error,
        };
        let error = match error.downcast::<reqwest::Error>() {
            Ok(error) => return self.transport(*error),
            Err(error) => error,
        };
        match error.downcast_ref::<StreamTimeout>() {
            Some(StreamTimeout::Headers) => ModelError::timeout(self.limits.first_byte),
            Some(StreamTimeout::Read) => ModelError::timeout(self.limits.idle),
            None => ModelError::invalid_response(self.http.scrub(cause), Some(Cause::from(error))),
        }
    }

    fn transport(&self, error: reqwest::Error) -> ModelError {
        // The address may hold a key.
        let error = error.without_url();
        if error.is_timeout() {
            return ModelError::timeout(if error.is_connect() { self.limits.connect } else { self.limits.whole });
        }
        let message = if error.is_connect() { "the server cannot be reached" } else { "the connection broke" };
        ModelError::connection(message, Some(Arc::new(error)))
    }

    fn resolver(&self, error: &resolver::Error) -> ModelError {
        match error {
            resolver::Error::ApiKeyEnvNotFound { env_name } => {
                ModelError::authentication(format!("there is no key: set the environment variable {env_name}"))
            }
            other => ModelError::authentication(self.http.scrub(&other.to_string())),
        }
    }

    /// An error that the provider sent in the middle of a stream, in whichever of the usual forms.
    fn event(&self, body: &Value) -> ModelError {
        let error = body.get("error").unwrap_or(body);
        let field = |name: &str| error.get(name).and_then(Value::as_str);
        let text = self.http.scrub(field("message").or(error.as_str()).unwrap_or("an error without a message"));
        let mut failure = Failure::new(&text);
        // A type or a status in words says more than a number that repeats the status of HTTP.
        for code in ["type", "status", "code"].into_iter().filter_map(field) {
            failure = failure.code(code);
        }
        if let Some(status) = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok()) {
            failure = failure.status(status);
        }
        failure.into_error()
    }
}
