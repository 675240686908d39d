//! Errors of models as data, so that a replayed error is the recorded one.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{Cause, InvalidOutput, ModelError};
use crate::response::{Response, Usage};

/// A [`ModelError`] that can be written down. Of a cause its text is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "error", rename_all = "snake_case")]
pub(super) enum Fault {
    TokenLimit { message: String, limit: Option<u64>, requested: Option<u64> },
    RateLimit { message: String, retry_after: Option<Duration> },
    Connection { message: String, cause: Option<String> },
    Truncated,
    Interrupted { source: Box<Fault>, received: Box<Response> },
    InvalidResponse { message: String, cause: Option<String> },
    BudgetExceeded { limit: String, spent: String, reserved: String, needed: String },
    Timeout { after: Duration },
    Authentication { message: String },
    Server { status: Option<u16>, message: String, retry_after: Option<Duration> },
    InvalidRequest { message: String, cause: Option<String> },
    InvalidOutput(Output),
    ReaskFailed { source: Box<Fault>, before: Output },
    Cancelled,
    UnknownModel { spec: String, problem: String, available: Vec<String> },
    MalformedSpec { spec: String, problem: String, forms: Vec<String> },
    UnsupportedTask { model: String, task: Option<String>, supported: Vec<String> },
    Unscripted { call: usize, task: Option<String> },
    TimedOut { message: String, retry_after: Option<Duration>, cause: Option<String> },
    NoSuchModel { message: String },
    Withheld { message: Option<String>, usage: Usage },
    AllFailed { errors: Vec<(String, Fault)> },
    Other { message: String, cause: Option<String> },
}

/// An answer that does not fit, as data.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Output {
    schema: String,
    problem: String,
    raw: String,
    attempts: u32,
    usage: Usage,
}

impl Output {
    fn of(output: &InvalidOutput) -> Self {
        let InvalidOutput { schema, problem, raw, attempts, usage } = output.clone();
        Self { schema, problem, raw, attempts, usage }
    }

    fn into_output(self) -> Box<InvalidOutput> {
        Box::new(InvalidOutput::new(self.schema, self.problem, self.raw).after(self.attempts, self.usage))
    }
}

/// The text of a cause that was recorded.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct RecordedCause(String);

/// A cause and the causes behind it in one line.
fn text(cause: &Option<Cause>) -> Option<String> {
    let cause = cause.as_ref()?;
    let mut text = cause.to_string();
    let mut next = cause.source();
    while let Some(behind) = next {
        let more = behind.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        next = behind.source();
    }
    Some(text)
}

fn cause(text: Option<String>) -> Option<Cause> {
    text.map(|text| Arc::new(RecordedCause(text)) as Cause)
}

impl Fault {
    pub(super) fn of(error: &ModelError) -> Self {
        match error.clone() {
            ModelError::TokenLimit { message, limit, requested } => Self::TokenLimit { message, limit, requested },
            ModelError::RateLimit { message, retry_after } => Self::RateLimit { message, retry_after },
            ModelError::Connection { message, source } => Self::Connection { message, cause: text(&source) },
            ModelError::Truncated => Self::Truncated,
            ModelError::Interrupted { source, received } => {
                Self::Interrupted { source: Box::new(Self::of(&source)), received }
            }
            ModelError::InvalidResponse { message, source } => Self::InvalidResponse { message, cause: text(&source) },
            ModelError::BudgetExceeded { limit, spent, reserved, needed } => {
                Self::BudgetExceeded { limit, spent, reserved, needed }
            }
            ModelError::Timeout { after } => Self::Timeout { after },
            ModelError::Authentication { message } => Self::Authentication { message },
            ModelError::Server { status, message, retry_after } => Self::Server { status, message, retry_after },
            ModelError::InvalidRequest { message, source } => Self::InvalidRequest { message, cause: text(&source) },
            ModelError::InvalidOutput(output) => Self::InvalidOutput(Output::of(&output)),
            ModelError::ReaskFailed { source, before } => {
                Self::ReaskFailed { source: Box::new(Self::of(&source)), before: Output::of(&before) }
            }
            ModelError::Cancelled => Self::Cancelled,
            ModelError::UnknownModel { spec, problem, available } => Self::UnknownModel { spec, problem, available },
            ModelError::MalformedSpec { spec, problem, forms } => Self::MalformedSpec { spec, problem, forms },
            ModelError::UnsupportedTask { model, task, supported } => Self::UnsupportedTask { model, task, supported },
            ModelError::Unscripted { call, task } => Self::Unscripted { call, task },
            ModelError::TimedOut { message, retry_after, source } => {
                Self::TimedOut { message, retry_after, cause: text(&source) }
            }
            ModelError::NoSuchModel { message } => Self::NoSuchModel { message },
            ModelError::Withheld { message, usage } => Self::Withheld { message, usage },
            ModelError::AllFailed { errors } => Self::AllFailed {
                errors: errors.iter().map(|(model, error)| (model.clone(), Self::of(error))).collect(),
            },
            ModelError::Other { message, source } => Self::Other { message, cause: text(&source) },
        }
    }

    pub(super) fn into_error(self) -> ModelError {
        match self {
            Self::TokenLimit { message, limit, requested } => ModelError::TokenLimit { message, limit, requested },
            Self::RateLimit { message, retry_after } => ModelError::RateLimit { message, retry_after },
            Self::Connection { message, cause: text } => ModelError::Connection { message, source: cause(text) },
            Self::Truncated => ModelError::Truncated,
            Self::Interrupted { source, received } => {
                ModelError::Interrupted { source: Box::new(source.into_error()), received }
            }
            Self::InvalidResponse { message, cause: text } => {
                ModelError::InvalidResponse { message, source: cause(text) }
            }
            Self::BudgetExceeded { limit, spent, reserved, needed } => {
                ModelError::BudgetExceeded { limit, spent, reserved, needed }
            }
            Self::Timeout { after } => ModelError::Timeout { after },
            Self::Authentication { message } => ModelError::Authentication { message },
            Self::Server { status, message, retry_after } => ModelError::Server { status, message, retry_after },
            Self::InvalidRequest { message, cause: text } => {
                ModelError::InvalidRequest { message, source: cause(text) }
            }
            Self::InvalidOutput(output) => ModelError::InvalidOutput(output.into_output()),
            Self::ReaskFailed { source, before } => {
                ModelError::ReaskFailed { source: Box::new(source.into_error()), before: before.into_output() }
            }
            Self::Cancelled => ModelError::Cancelled,
            Self::UnknownModel { spec, problem, available } => ModelError::UnknownModel { spec, problem, available },
            Self::MalformedSpec { spec, problem, forms } => ModelError::MalformedSpec { spec, problem, forms },
            Self::UnsupportedTask { model, task, supported } => ModelError::UnsupportedTask { model, task, supported },
            Self::Unscripted { call, task } => ModelError::Unscripted { call, task },
            Self::TimedOut { message, retry_after, cause: text } => {
                ModelError::TimedOut { message, retry_after, source: cause(text) }
            }
            Self::NoSuchModel { message } => ModelError::NoSuchModel { message },
            Self::Withheld { message, usage } => ModelError::Withheld { message, usage },
            Self::AllFailed { errors } => ModelError::AllFailed {
                errors: errors.into_iter().map(|(model, fault)| (model, fault.into_error())).collect(),
            },
            Self::Other { message, cause: text } => ModelError::Other { message, source: cause(text) },
        }
    }
}
