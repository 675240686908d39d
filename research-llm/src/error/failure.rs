//! From what a provider said of a failure to a typed error: codes and statuses first, words last.

use std::time::Duration;

use super::kind::ErrorKind;
use super::model_error::ModelError;
use super::rules::{self, Rule};
use super::text;
use crate::response::Usage;

/// What a provider said of a failure.
///
/// The rules are tried in this order: codes that mean one thing, the status, codes that servers use loosely, a status
/// that the text names, and at last the words of the text. Words refine a status only where providers are known to put
/// several things under one, such as a prompt that is too long under 400 or a used-up credit under 429.
///
/// ```
/// use research_llm::{ErrorKind, Failure, ModelError};
///
/// let error = Failure::new("prompt is too long: 210000 tokens > 200000 maximum")
///     .status(400)
///     .code("invalid_request_error")
///     .into_error();
/// assert!(matches!(error, ModelError::TokenLimit { limit: Some(200_000), requested: Some(210_000), .. }));
///
/// let error = Failure::new("Overloaded").code("overloaded_error").into_error();
/// assert_eq!(error.kind(), ErrorKind::ServerError);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a failure is turned into an error with `into_error`"]
pub struct Failure<'a> {
    message: &'a str,
    status: Option<u16>,
    codes: Vec<&'a str>,
    retry_after: Option<Duration>,
    limit: Option<u64>,
    requested: Option<u64>,
}

impl<'a> Failure<'a> {
    /// A failure of which the provider said this.
    pub fn new(message: &'a str) -> Self {
        Self { message, status: None, codes: Vec::new(), retry_after: None, limit: None, requested: None }
    }

    /// Sets the HTTP status.
    pub fn status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// Adds the provider's `type` or `code`, such as `rate_limit_error`. Those added first are asked first.
    pub fn code(mut self, code: &'a str) -> Self {
        self.codes.push(code);
        self
    }

    /// Sets how long the provider wants to be left alone. Without it, the text may say so.
    pub fn retry_after(mut self, after: Option<Duration>) -> Self {
        self.retry_after = after;
        self
    }

    /// Sets how many tokens fit and how many were asked for. Without them, the text may say so.
    pub fn tokens(mut self, limit: Option<u64>, requested: Option<u64>) -> Self {
        self.limit = limit;
        self.requested = requested;
        self
    }

    /// The category.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.classify(&text::normal(self.message))
    }

    /// The error. Of a message longer than 2,000 bytes it keeps the beginning.
    #[cold]
    pub fn into_error(self) -> ModelError {
        let words = text::normal(self.message);
        let message = text::cut(self.message);
        let retry_after = self.retry_after.or_else(|| text::wait(&words));
        let status = self.known_status();
        match self.classify(&words) {
            ErrorKind::TokenLimit => {
                let (limit, requested) = text::tokens(&words);
                ModelError::token_limit(message, self.limit.or(limit), self.requested.or(requested))
            }
            ErrorKind::RateLimit => ModelError::rate_limit(message, retry_after),
            ErrorKind::Connection => ModelError::connection(message, None),
            ErrorKind::Timeout => ModelError::timed_out(message, retry_after, None),
            ErrorKind::Authentication => ModelError::authentication(message),
            ErrorKind::ServerError => ModelError::server(status, message, retry_after),
            ErrorKind::InvalidRequest => ModelError::invalid_request(message, None),
            ErrorKind::InvalidResponse => ModelError::invalid_response(message, None),
            ErrorKind::UnknownModel => ModelError::no_such_model(message),
            ErrorKind::Withheld => ModelError::withheld(Some(message.to_owned()), Usage::default()),
            _ => ModelError::other(message, None),
        }
    }

    /// The status, or a code that is one: gateways send the status of a broken stream as a code.
    fn known_status(&self) -> Option<u16> {
        let of_code = || self.codes.iter().find_map(|code| code.parse().ok().filter(|n| (400..600).contains(n)));
        self.status.filter(|status| !(200..300).contains(status)).or_else(of_code)
    }

    fn classify(&self, words: &str) -> ErrorKind {
        let by_code = |rules: &[Rule]| self.codes.iter().find_map(|code| of_code(rules, code));
        if let Some(kind) = by_code(rules::CODES) {
            // Tokens per minute are also refused to a request that is larger than a whole minute's worth.
            return match kind {
                ErrorKind::RateLimit if never_fits(words) => ErrorKind::TokenLimit,
                kind => kind,
            };
        }
        let status = self.known_status();
        if let Some(kind) = status.and_then(rules::of_status) {
            return refined(kind, status, words);
        }
        if let Some(kind) = by_code(rules::WEAK_CODES) {
            return refined(kind, None, words);
        }
        if let Some(status) = text::status(words) {
            return rules::of_status(status).map_or(ErrorKind::Unknown, |kind| refined(kind, Some(status), words));
        }
        if never_fits(words) {
            return ErrorKind::TokenLimit;
        }
        let by_words = rules::TEXT.iter().find(|(_, patterns)| text::holds_any(words, patterns));
        by_words.map_or(ErrorKind::Unknown, |(kind, _)| *kind)
    }
}

fn of_code(rules: &[Rule], code: &str) -> Option<ErrorKind> {
    rules.iter().find(|(_, codes)| codes.iter().any(|known| known.eq_ignore_ascii_case(code))).map(|(kind, _)| *kind)
}

/// Whether a refusal for speed is about one request that is larger than the limit itself.
fn never_fits(words: &str) -> bool {
    let of_tokens = words.contains("tpm") || words.contains("tokens per min");
    text::holds_any(words, rules::TOO_LARGE)
        || of_tokens && matches!(text::tokens(words), (Some(limit), Some(requested)) if requested > limit)
}

/// The kind of a status or loose code, where the words may say more.
fn refined(kind: ErrorKind, status: Option<u16>, words: &str) -> ErrorKind {
    let says = |patterns: &[&str]| text::holds_any(words, patterns);
    match kind {
        ErrorKind::InvalidRequest if says(rules::TOO_LONG) => ErrorKind::TokenLimit,
        ErrorKind::InvalidRequest if says(rules::NOT_PAID) || says(rules::BAD_KEY) => ErrorKind::Authentication,
        ErrorKind::InvalidRequest if status == Some(404) && says(&["model", "deployment"]) => ErrorKind::UnknownModel,
        ErrorKind::InvalidRequest if matches!(status, None | Some(400 | 404)) && says(rules::NO_MODEL) => {
            ErrorKind::UnknownModel
        }
        ErrorKind::RateLimit if never_fits(words) => ErrorKind::TokenLimit,
        ErrorKind::RateLimit if says(rules::NOT_PAID) => ErrorKind::Authentication,
        ErrorKind::ServerError if says(rules::TOO_LONG) => ErrorKind::TokenLimit,
        // A gateway that moderates says with 403 that the input was flagged: the key is good.
        ErrorKind::Authentication if status == Some(403) && says(&["flagged", "moderation"]) => ErrorKind::Withheld,
        kind => kind,
    }
}
