//! The error of a model, and what it says of itself.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use super::kind::ErrorKind;
use crate::response::{Response, Usage};

/// A shared cause, kept for the log and never shown to a user.
pub type Cause = Arc<dyn Error + Send + Sync>;

/// Why a model did not give a usable answer.
///
/// Whether a retry can help is a property of the error: [`is_retryable`](Self::is_retryable) and
/// [`retry_after`](Self::retry_after). [`user_message`](Self::user_message) says what happened without raw text of a
/// provider or a model in it; `Display` is for the log.
///
/// ```
/// use std::time::Duration;
/// use research_llm::{ErrorKind, ModelError};
///
/// let error = ModelError::rate_limit("too many requests", Some(Duration::from_secs(7)));
/// assert_eq!(error.kind(), ErrorKind::RateLimit);
/// assert!(error.is_retryable());
/// assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The request, or request and answer together, exceed what the model can hold.
    #[error("the request exceeds the model's token limit: {message}")]
    #[non_exhaustive]
    TokenLimit {
        /// The provider's words.
        message: String,
        /// What the model can hold, in tokens, when known.
        limit: Option<u64>,
        /// What was asked of it, in tokens, when known.
        requested: Option<u64>,
    },
    /// Too many requests or tokens in a span of time.
    #[error("rate limit: {message}")]
    #[non_exhaustive]
    RateLimit {
        /// The provider's words.
        message: String,
        /// How long the provider wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// The model could not be reached, or the connection broke.
    #[error("connection to the model failed: {message}")]
    #[non_exhaustive]
    Connection {
        /// What was tried.
        message: String,
        /// The transport's error.
        #[source]
        source: Option<Cause>,
    },
    /// A stream ended before the model said that it had finished.
    #[error("the model's answer broke off")]
    Truncated,
    /// A stream ended with an error after a part of the answer had arrived.
    #[error("the model's answer broke off after {} bytes of text: {source}", received.text.len())]
    #[non_exhaustive]
    Interrupted {
        /// Why it ended.
        #[source]
        source: Box<ModelError>,
        /// What had arrived.
        received: Box<Response>,
    },
    /// The answer is not of the provider's wire format: a page of a proxy, a redirect, or garbage.
    #[error("the model's server sent no answer that can be read: {message}; check the address of the server")]
    #[non_exhaustive]
    InvalidResponse {
        /// What came instead.
        message: String,
        /// What could not be read.
        #[source]
        source: Option<Cause>,
    },
    /// The call could cost more than the budget has left.
    #[error(
        "the budget of {limit} does not allow the call: {spent} are spent, {reserved} reserved, and it may need {needed}"
    )]
    #[non_exhaustive]
    BudgetExceeded {
        /// The budget, with its unit.
        limit: String,
        /// What is spent.
        spent: String,
        /// What calls in flight may still spend.
        reserved: String,
        /// What the call may need.
        needed: String,
    },
    /// No answer in time.
    #[error("the model did not answer within {after:?}")]
    #[non_exhaustive]
    Timeout {
        /// How long was waited.
        after: Duration,
    },
    /// The provider, a gateway before it, or the operating system gave up waiting.
    #[error("the call to the model timed out: {message}")]
    #[non_exhaustive]
    TimedOut {
        /// Who gave up, and on what.
        message: String,
        /// How long the provider wants to be left alone.
        retry_after: Option<Duration>,
        /// The transport's error.
        #[source]
        source: Option<Cause>,
    },
    /// The key is missing, wrong or not entitled.
    #[error("authentication with the model provider failed: {message}")]
    #[non_exhaustive]
    Authentication {
        /// What is wrong, without the key.
        message: String,
    },
    /// The provider failed on its side.
    #[error("the model provider failed{}: {message}", status.map(|s| format!(" with status {s}")).unwrap_or_default())]
    #[non_exhaustive]
    Server {
        /// HTTP status, when there was one.
        status: Option<u16>,
        /// The provider's words.
        message: String,
        /// How long the provider wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// The provider refuses the request as malformed.
    #[error("the model provider refused the request: {message}")]
    #[non_exhaustive]
    InvalidRequest {
        /// The provider's words.
        message: String,
        /// What made the request malformed, when it was found before sending.
        #[source]
        source: Option<Cause>,
    },
    /// The answer is not of the requested shape, after all attempts.
    #[error(transparent)]
    InvalidOutput(Box<InvalidOutput>),
    /// The model refused to answer, or its provider withheld the answer. The same request would end alike.
    #[error("the model withheld its answer{}", message.as_deref().map(|m| format!(": {m}")).unwrap_or_default())]
    #[non_exhaustive]
    Withheld {
        /// The model's or the provider's words, when there are any.
        message: Option<String>,
        /// What was used all the same.
        usage: Usage,
    },
    /// A re-ask after an unusable answer failed; what was spent and said before is kept.
    #[error("asking again after an unusable answer failed")]
    #[non_exhaustive]
    ReaskFailed {
        /// Why the re-ask failed.
        #[source]
        source: Box<ModelError>,
        /// The unusable answer before it.
        before: Box<InvalidOutput>,
    },
    /// The caller gave up.
    #[error("the model call was cancelled")]
    Cancelled,
    /// No such model or provider in this build.
    #[error("unknown model `{spec}`: {problem}; this build has {}", list(available))]
    #[non_exhaustive]
    UnknownModel {
        /// What was asked for.
        spec: String,
        /// What is wrong with it.
        problem: String,
        /// What can be asked for.
        available: Vec<String>,
    },
    /// The provider has no such model, or not for this key.
    #[error("the model provider has no such model: {message}")]
    #[non_exhaustive]
    NoSuchModel {
        /// The provider's words.
        message: String,
    },
    /// The name of a model is not written in an accepted form.
    #[error("malformed model name `{spec}`: {problem}; write {}", list(forms))]
    #[non_exhaustive]
    MalformedSpec {
        /// What was written.
        spec: String,
        /// What is wrong with it.
        problem: String,
        /// The accepted forms.
        forms: Vec<String>,
    },
    /// The model only answers certain tasks, and this request is none of them.
    #[error("the model `{model}` cannot answer {}; it answers {}", task.as_deref().map_or_else(|| "a request without a task".to_owned(), |t| format!("the task `{t}`")), list(supported))]
    #[non_exhaustive]
    UnsupportedTask {
        /// The model.
        model: String,
        /// The task of the request.
        task: Option<String>,
        /// The tasks that the model answers.
        supported: Vec<String>,
    },
    /// A scripted model has no answer left for this call.
    #[error("no scripted answer for call {call}{}", task.as_deref().map(|t| format!(" (task `{t}`)")).unwrap_or_default())]
    #[non_exhaustive]
    Unscripted {
        /// 1-based number of the call.
        call: usize,
        /// The task of the request.
        task: Option<String>,
    },
    /// Every model of a chain failed.
    #[error("all {} models failed: {}", errors.len(), each(errors))]
    #[non_exhaustive]
    AllFailed {
        /// The models, as `provider:model`, with their errors, in the order in which they were asked.
        errors: Vec<(String, ModelError)>,
    },
    /// Anything else.
    #[error("the model failed: {message}")]
    #[non_exhaustive]
    Other {
        /// What happened.
        message: String,
        /// The cause, when there is one.
        #[source]
        source: Option<Cause>,
    },
}

/// An answer that does not fit the requested type. Nothing of it is lost: the text, the place and the usage are here.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the model's answer is no valid `{schema}` after {attempts} attempts: {problem}")]
#[non_exhaustive]
pub struct InvalidOutput {
    /// Name of the requested schema.
    pub schema: String,
    /// What is wrong, with the path to the place.
    pub problem: String,
    /// The last answer, word for word.
    pub raw: String,
    /// How many answers were tried.
    pub attempts: u32,
    /// What all attempts used together.
    pub usage: Usage,
}

impl InvalidOutput {
    /// Describes an answer that does not fit.
    #[must_use]
    pub fn new(schema: impl Into<String>, problem: impl Into<String>, raw: impl Into<String>) -> Self {
        Self { schema: schema.into(), problem: problem.into(), raw: raw.into(), attempts: 1, usage: Usage::default() }
    }

    /// Sets how many answers were tried and what they used together.
    #[must_use]
    pub fn after(mut self, attempts: u32, usage: Usage) -> Self {
        self.attempts = attempts;
        self.usage = usage;
        self
    }
}

impl ModelError {
    /// The category.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::TokenLimit { .. } => ErrorKind::TokenLimit,
            Self::RateLimit { .. } => ErrorKind::RateLimit,
            Self::Connection { .. } | Self::Truncated => ErrorKind::Connection,
            Self::Interrupted { source, .. } => source.kind(),
            Self::InvalidResponse { .. } => ErrorKind::InvalidResponse,
            Self::BudgetExceeded { .. } => ErrorKind::Budget,
            Self::Timeout { .. } | Self::TimedOut { .. } => ErrorKind::Timeout,
            Self::Authentication { .. } => ErrorKind::Authentication,
            Self::Server { .. } => ErrorKind::ServerError,
            Self::InvalidRequest { .. } => ErrorKind::InvalidRequest,
            Self::InvalidOutput(_) => ErrorKind::InvalidOutput,
            Self::Withheld { .. } => ErrorKind::Withheld,
            Self::ReaskFailed { source, .. } => source.kind(),
            Self::Cancelled => ErrorKind::Cancelled,
            Self::UnknownModel { .. } | Self::MalformedSpec { .. } | Self::NoSuchModel { .. } => {
                ErrorKind::UnknownModel
            }
            Self::AllFailed { errors } => errors.last().map_or(ErrorKind::Unknown, |(_, error)| error.kind()),
            Self::UnsupportedTask { .. } => ErrorKind::Unsupported,
            Self::Unscripted { .. } | Self::Other { .. } => ErrorKind::Unknown,
        }
    }

    /// Whether the same request may succeed later, or (for a token limit) a smaller one.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(
            self.kind(),
            ErrorKind::TokenLimit
                | ErrorKind::RateLimit
                | ErrorKind::Connection
                | ErrorKind::Timeout
                | ErrorKind::ServerError
        )
    }

    /// How long the provider wants to be left alone, when it said so.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimit { retry_after, .. }
            | Self::Server { retry_after, .. }
            | Self::TimedOut { retry_after, .. } => *retry_after,
            // The chain can be asked again as soon as one of its models may answer.
            Self::AllFailed { errors } => {
                errors.iter().filter(|(_, error)| error.is_retryable()).map(|(_, error)| error.retry_after()).min()?
            }
            Self::ReaskFailed { source, .. } | Self::Interrupted { source, .. } => source.retry_after(),
            _ => None,
        }
    }

    /// What had arrived of the answer when its stream ended with this error.
    #[must_use]
    pub fn received(&self) -> Option<&Response> {
        match self {
            Self::Interrupted { received, .. } => Some(received),
            Self::ReaskFailed { source, .. } => source.received(),
            Self::AllFailed { errors } => errors.last()?.1.received(),
            _ => None,
        }
    }

    /// What unusable and broken answers are known to have cost; zero for a call that was never answered.
    #[must_use]
    pub fn usage(&self) -> Usage {
        match self {
            Self::InvalidOutput(output) => output.usage,
            Self::Withheld { usage, .. } => *usage,
            Self::Interrupted { received, .. } => received.usage,
            Self::ReaskFailed { before, source } => before.usage + source.usage(),
            Self::AllFailed { errors } => errors.iter().map(|(_, error)| error.usage()).sum(),
            _ => Usage::default(),
        }
    }

    /// One sentence for a person, without raw text of a provider or a model in it.
    #[must_use]
    pub fn user_message(&self) -> String {
        match self.kind() {
            ErrorKind::TokenLimit => "The material is too long for the model.".into(),
            ErrorKind::RateLimit => "The model's provider asks to slow down.".into(),
            ErrorKind::Connection => "The model could not be reached, or the connection broke.".into(),
            ErrorKind::Timeout => "The model did not answer in time.".into(),
            ErrorKind::Authentication => {
                "The model's provider does not accept the key, or its account may not make the call.".into()
            }
            ErrorKind::ServerError => "The model's provider has a problem on its side.".into(),
            ErrorKind::InvalidRequest => "The model's provider refused the request.".into(),
            ErrorKind::InvalidResponse => "The model's server sent no answer that can be read.".into(),
            ErrorKind::Budget => "The budget does not allow another call of the model.".into(),
            ErrorKind::InvalidOutput => "The model did not answer in the required form.".into(),
            ErrorKind::Withheld => "The model declined to answer.".into(),
            ErrorKind::Cancelled => "The call was cancelled.".into(),
            // The specification is the user's own word, and the list is ours; what a provider says is not.
            ErrorKind::UnknownModel => match self {
                Self::UnknownModel { .. } | Self::MalformedSpec { .. } => format!("{self}."),
                _ => "The model's provider has no such model.".into(),
            },
            ErrorKind::Unsupported => "This model cannot do what was asked of it.".into(),
            ErrorKind::Unknown => "The model failed for an unknown reason.".into(),
        }
    }
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn each(errors: &[(String, ModelError)]) -> String {
    errors.iter().map(|(model, error)| format!("{model}: {error}")).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_passing_trouble_is_retryable() {
        let retryable = [
            ModelError::token_limit("m", Some(10), Some(12)),
            ModelError::rate_limit("m", None),
            ModelError::connection("m", None),
            ModelError::Truncated,
            ModelError::Truncated.interrupting(Response::new("m", "half an ans")),
            ModelError::timeout(Duration::from_secs(1)),
            ModelError::server(Some(503), "m", None),
        ];
        let terminal = [
            ModelError::authentication("m"),
            ModelError::invalid_request("m", None),
            ModelError::InvalidOutput(Box::new(InvalidOutput::new("T", "p", "raw"))),
            ModelError::Cancelled,
            ModelError::unknown_model("x", "p", vec![]),
            ModelError::unsupported_task("offline", None, &["a"]),
            ModelError::other("m", None),
        ];
        assert!(retryable.iter().all(ModelError::is_retryable));
        assert!(!terminal.iter().any(ModelError::is_retryable));
    }

    #[test]
    fn user_messages_hold_no_raw_text() {
        let raw = "sk-SECRET said the server";
        for error in [
            ModelError::token_limit(raw, None, None),
            ModelError::rate_limit(raw, None),
            ModelError::connection(raw, None),
            ModelError::Truncated.interrupting(Response::new("m", raw)),
            ModelError::invalid_response(raw, None),
            ModelError::authentication(raw),
            ModelError::server(None, raw, None),
            ModelError::invalid_request(raw, None),
            ModelError::other(raw, None),
            ModelError::InvalidOutput(Box::new(InvalidOutput::new("T", raw, raw))),
        ] {
            assert!(!error.user_message().contains("SECRET"), "{error:?}");
        }
    }

    #[test]
    fn a_failed_reask_keeps_kind_delay_cause_and_spending() {
        let before = InvalidOutput::new("T", "p", "raw").after(2, Usage::new(3, 4));
        let error = ModelError::ReaskFailed {
            source: Box::new(ModelError::rate_limit("m", Some(Duration::from_millis(5)))),
            before: Box::new(before),
        };
        assert_eq!(error.kind(), ErrorKind::RateLimit);
        assert_eq!(error.retry_after(), Some(Duration::from_millis(5)));
        assert_eq!(error.usage(), Usage::new(3, 4));
        assert!(error.source().is_some_and(|s| s.to_string().contains("rate limit")));
    }

    #[test]
    fn an_unknown_model_lists_what_there_is() {
        let error = ModelError::unknown_model("gpt:x", "no provider `gpt`", vec!["offline".into()]);
        assert!(error.to_string().contains("this build has offline"));
    }
}
