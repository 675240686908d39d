//! Constructors of model errors: cold, and out of the way of the type.

use std::time::Duration;

use super::model_error::{Cause, ModelError};
use crate::response::{Response, Usage};

impl ModelError {
    /// The request exceeds what the model can hold.
    #[cold]
    pub fn token_limit(message: impl Into<String>, limit: Option<u64>, requested: Option<u64>) -> Self {
        Self::TokenLimit { message: message.into(), limit, requested }
    }

    /// Too many requests or tokens in a span of time.
    #[cold]
    pub fn rate_limit(message: impl Into<String>, retry_after: Option<Duration>) -> Self {
        Self::RateLimit { message: message.into(), retry_after }
    }

    /// The model could not be reached, or the connection broke.
    #[cold]
    pub fn connection(message: impl Into<String>, source: Option<Cause>) -> Self {
        Self::Connection { message: message.into(), source }
    }

    /// This error ended a stream after a part of the answer had arrived.
    #[cold]
    #[must_use]
    pub fn interrupting(self, received: Response) -> Self {
        Self::Interrupted { source: Box::new(self), received: Box::new(received) }
    }

    /// The answer is not of the provider's wire format.
    #[cold]
    pub fn invalid_response(message: impl Into<String>, source: Option<Cause>) -> Self {
        Self::InvalidResponse { message: message.into(), source }
    }

    /// No answer in time.
    #[cold]
    #[must_use]
    pub fn timeout(after: Duration) -> Self {
        Self::Timeout { after }
    }

    /// The provider, a gateway before it, or the operating system gave up waiting.
    #[cold]
    pub fn timed_out(message: impl Into<String>, retry_after: Option<Duration>, source: Option<Cause>) -> Self {
        Self::TimedOut { message: message.into(), retry_after, source }
    }

    /// The provider has no such model.
    #[cold]
    pub fn no_such_model(message: impl Into<String>) -> Self {
        Self::NoSuchModel { message: message.into() }
    }

    /// Every model of a chain failed: the models, as `provider:model`, with their errors.
    #[cold]
    #[must_use]
    pub fn all_failed(errors: Vec<(String, ModelError)>) -> Self {
        Self::AllFailed { errors }
    }

    /// The key is missing, wrong or not entitled. The message must not hold the key.
    #[cold]
    pub fn authentication(message: impl Into<String>) -> Self {
        Self::Authentication { message: message.into() }
    }

    /// The provider failed on its side.
    #[cold]
    pub fn server(status: Option<u16>, message: impl Into<String>, retry_after: Option<Duration>) -> Self {
        Self::Server { status, message: message.into(), retry_after }
    }

    /// The request is malformed.
    #[cold]
    pub fn invalid_request(message: impl Into<String>, source: Option<Cause>) -> Self {
        Self::InvalidRequest { message: message.into(), source }
    }

    /// No such model or provider in this build.
    #[cold]
    pub fn unknown_model(spec: impl Into<String>, problem: impl Into<String>, available: Vec<String>) -> Self {
        Self::UnknownModel { spec: spec.into(), problem: problem.into(), available }
    }

    /// The name of a model is not written in an accepted form.
    #[cold]
    pub(crate) fn malformed_spec(spec: &str, problem: &str, forms: Vec<String>) -> Self {
        Self::MalformedSpec { spec: spec.to_owned(), problem: problem.to_owned(), forms }
    }

    /// The model only answers certain tasks, and this request is none of them.
    #[cold]
    pub fn unsupported_task(model: impl Into<String>, task: Option<&str>, supported: &[&str]) -> Self {
        Self::UnsupportedTask {
            model: model.into(),
            task: task.map(str::to_owned),
            supported: supported.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    /// The model or its provider withheld the answer.
    #[cold]
    #[must_use]
    pub fn withheld(message: Option<String>, usage: Usage) -> Self {
        Self::Withheld { message, usage }
    }

    /// Anything else.
    #[cold]
    pub fn other(message: impl Into<String>, source: Option<Cause>) -> Self {
        Self::Other { message: message.into(), source }
    }
}
