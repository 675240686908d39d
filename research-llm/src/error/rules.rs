//! What codes, statuses and words of providers mean: data, in the order in which it is tried.

use super::kind::ErrorKind::{
    self, Authentication, Connection, InvalidRequest, RateLimit, ServerError, Timeout, TokenLimit, UnknownModel,
    Withheld,
};

/// A kind, and the codes or patterns that stand for it.
pub(super) type Rule = (ErrorKind, &'static [&'static str]);

/// Codes that mean one thing whatever the status is. Compared without regard to case.
pub(super) const CODES: &[Rule] = &[
    (
        TokenLimit,
        &[
            "context_length_exceeded",
            "context_window_exceeded",
            "contextwindowexceedederror",
            "exceed_context_size_error",
            "model_context_window_exceeded",
            "request_too_large",
            "string_above_max_length",
            "tokens_limit_reached",
        ],
    ),
    (
        Authentication,
        &[
            "access_denied",
            "accessdeniedexception",
            "account_deactivated",
            "authentication_error",
            "authenticationerror",
            "billing_error",
            "billing_hard_limit_reached",
            "billing_not_active",
            "expiredtokenexception",
            "incompletesignatureexception",
            "insufficient_credits",
            "insufficient_quota",
            "invalid_api_key",
            "invalid_authentication",
            "invalidsignatureexception",
            "missingauthenticationtokenexception",
            "payment_required",
            "permission_denied",
            "permission_error",
            "permissiondenied",
            "quota_exceeded",
            "unauthenticated",
            "unauthorized",
            "unrecognizedclientexception",
            "unsupported_country_region_territory",
        ],
    ),
    (UnknownModel, &["deploymentnotfound", "model_not_available", "model_not_found", "modelnotfound", "unknown_model"]),
    (
        RateLimit,
        &[
            "rate_limit_error",
            "rate_limit_exceeded",
            "rate_limited",
            "ratelimitreached",
            "requests",
            "resource_exhausted",
            "throttling_error",
            "throttlingexception",
            "tokens",
            "too_many_requests",
            "toomanyrequests",
            "toomanyrequestsexception",
        ],
    ),
    (
        Timeout,
        &[
            "cf_gateway_timeout",
            "deadline_exceeded",
            "modeltimeoutexception",
            "request_timeout",
            "timeout",
            "timeout_error",
        ],
    ),
    (
        ServerError,
        &[
            "capacity_exceeded",
            "engine_overloaded",
            "internal",
            "internal_error",
            "internalserverexception",
            "modelerrorexception",
            "modelnotreadyexception",
            "overloaded_error",
            "server_is_overloaded",
            "service_unavailable",
            "service_unavailable_error",
            "serviceunavailableexception",
            "slow_down",
            "unavailable",
            "unavailable_error",
        ],
    ),
    (Withheld, &["content_filter", "content_policy_violation", "moderation_blocked", "responsibleaipolicyviolation"]),
    (InvalidRequest, &["not_supported_error"]),
];

/// Codes that servers also send beside a status that says more.
pub(super) const WEAK_CODES: &[Rule] = &[
    (
        InvalidRequest,
        &[
            "badrequesterror",
            "failed_precondition",
            "invalid_argument",
            "invalid_request_error",
            "not_found_error",
            "notfounderror",
            "unprocessableentityerror",
            "validation",
            "validationexception",
        ],
    ),
    (ServerError, &["api_error", "internal_server_error", "internalservererror", "server_error"]),
];

/// The kind of a status without regard to the text beside it.
///
/// 402 is what gateways send when the credit is used up; 409 is a lock that was not got in time, which official clients
/// try again; 424 is Bedrock's name for a failure of the model; 498 is Groq's full flexible tier; 499 comes from a
/// gateway that saw the connection close; 520 to 530 are Cloudflare's, of which 522 and 524 are time limits; 529 is
/// Anthropic's overload.
pub(super) fn of_status(status: u16) -> Option<ErrorKind> {
    Some(match status {
        300..=399 => ErrorKind::InvalidResponse,
        401 | 402 | 403 | 407 => Authentication,
        408 | 504 | 522 | 524 | 598 | 599 => Timeout,
        413 => TokenLimit,
        429 => RateLimit,
        499 => Connection,
        409 | 424 | 425 | 498 => ServerError,
        501 | 505 => InvalidRequest,
        400..=499 => InvalidRequest,
        500..=599 => ServerError,
        _ => return None,
    })
}

/// The text says that the prompt, or prompt and answer together, are too long. `*` stands for any text.
///
/// A complaint about the limit of the answer alone is none of these: a shorter prompt would not help.
pub(super) const TOO_LONG: &[&str] = &[
    "maximum context length",
    "max context length",
    "model's context length is only",
    "context length exceeded",
    "context_length_exceeded",
    "exceeds the context length",
    "exceeds the context window",
    "exceed context window",
    "exceed context limit",
    "exceeds the available context size",
    "exceeded the context",
    "context window exceeded",
    // llama.cpp sends it with 500.
    "context size has been exceeded",
    "context window of this model",
    "exceeds the model's context",
    "exceeds model context",
    // vLLM subtracts the prompt from the context to find how long the answer may be.
    "max_tokens must be at least 1, got -",
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "input too long",
    "inputs tokens + max_new_tokens must be",
    "must have less than*tokens. given",
    "maximum prompt length",
    "too large for model with*maximum context",
    "input token count*exceeds the maximum number of tokens",
    "prompt token count*exceeds the limit",
    "total number of tokens in the prompt cannot exceed",
    "larger than the maximum context",
    "longer than the maximum model length",
    "reduce the length of the messages",
    "reduce the length of the prompt",
    "reduce your prompt",
    "string too long. expected a string with maximum length",
    "request exceeds the maximum size",
    "request body too large for*model",
];

/// The text of a refusal for speed says that this one request can never pass.
pub(super) const TOO_LARGE: &[&str] = &["request too large", "request is too large", "reduce your message size"];

/// The text says that there is no money or no contract for the call.
pub(super) const NOT_PAID: &[&str] = &[
    "credit balance is too low",
    "exceeded your current quota",
    "insufficient credits",
    "insufficient quota",
    "insufficient balance",
    "insufficient_quota",
    "requires more credits",
    "account is not active",
    "check your plan and billing",
    "billing hard limit",
    "spend limit",
    "usage limits. you will regain access",
];

/// The text says that the key is missing or wrong.
pub(super) const BAD_KEY: &[&str] = &[
    "incorrect api key",
    "invalid api key",
    "invalid x-api-key",
    "invalid bearer token",
    "invalid authentication",
    "api key not valid",
    "api key expired",
    "api key is missing",
    "no api key",
    "didn't provide an api key",
    "api_key client option must be set",
    "no auth credentials found",
    "no cookie auth credentials",
    "authentication fails",
    "authentication failed",
    "authentication error",
    "could not resolve authentication method",
    "security token included in the request is",
    "token has expired",
    "access token expired",
    "not authorized to perform",
    "don't have access to the model",
    "missing bearer",
    "user not found",
];

/// The text says that there is no such model. Under 404 it is enough that it speaks of a model.
pub(super) const NO_MODEL: &[&str] = &[
    "model*does not exist",
    "model*doesn't exist",
    "model*not found, try pulling",
    "model not found",
    "no such model",
    "unknown model",
    "invalid model",
    "not a valid model",
    "model identifier is invalid",
    "no endpoints found for",
    "deployment*does not exist",
    "model*has been decommissioned",
];

/// What text alone means, when neither a code nor a status has said it. The first match counts.
pub(super) const TEXT: &[Rule] = &[
    (TokenLimit, TOO_LONG),
    (TokenLimit, TOO_LARGE),
    (Authentication, NOT_PAID),
    (Authentication, BAD_KEY),
    (Authentication, &["unauthorized", "permission denied", "access denied", "forbidden"]),
    (
        RateLimit,
        &[
            "rate limit",
            "rate_limit",
            "ratelimit",
            "rate-limit",
            "too many requests",
            "requests per minute",
            "tokens per minute",
            "please wait before trying again",
            "resource has been exhausted",
            "resource exhausted",
            "quota exceeded",
            "throttling",
            "throttled",
        ],
    ),
    (
        Timeout,
        &[
            "timed out",
            "timeout",
            "time-out",
            "gateway time out",
            "request time out",
            "connection time out",
            "read time out",
            "time out after",
            "time out while",
            "deadline exceeded",
            "deadline has elapsed",
            "etimedout",
        ],
    ),
    (
        Connection,
        &[
            "connection reset",
            "connection refused",
            "connection aborted",
            "connection closed",
            "connection error",
            "connection was closed",
            "connection lost",
            "closed before message completed",
            "broken pipe",
            "unexpected eof",
            "unexpected end of file",
            "close_notify",
            "incomplete chunked read",
            "incompletemessage",
            "server disconnected",
            "socket hang up",
            "econnreset",
            "econnrefused",
            "epipe",
            "enotfound",
            "eai_again",
            "failed to lookup address",
            "name or service not known",
            "temporary failure in name resolution",
            "getaddrinfo",
            "nodename nor servname",
            "dns error",
            "network is unreachable",
            "no route to host",
            "host unreachable",
            "error sending request",
            "error decoding response body",
            "tls handshake",
            "upstream connect error",
        ],
    ),
    (
        ServerError,
        &[
            "internal server error",
            "internal error",
            "server error",
            "bad gateway",
            "service unavailable",
            "temporarily unavailable",
            "overloaded",
            "high demand",
            "at capacity",
            "capacity exceeded",
            "no capacity",
            "server busy",
            "too busy",
            "server had an error",
            "loading model",
            "model runner has unexpectedly stopped",
        ],
    ),
    (UnknownModel, NO_MODEL),
    (InvalidRequest, &["invalid request", "bad request", "unsupported parameter", "unrecognized request argument"]),
];

/// First words of the reasons of statuses: a number is a status where one of these follows it.
pub(super) const REASONS: &[(u16, &[&str])] = &[
    (400, &["bad"]),
    (401, &["unauthorized", "authorization"]),
    (402, &["payment"]),
    (403, &["forbidden"]),
    (404, &["not"]),
    (408, &["request"]),
    (413, &["payload", "request", "content"]),
    (429, &["too"]),
    (500, &["internal"]),
    (502, &["bad"]),
    (503, &["service"]),
    (504, &["gateway"]),
    (529, &["overloaded", "site"]),
];

/// Words after which a number is a status.
pub(super) const STATUS_WORDS: &[&str] = &["status", "code", "status_code", "statuscode", "http", "http_status"];

/// Words before the number of tokens that fit.
pub(super) const LIMIT_AFTER: &[&str] = &[
    "maximum context length is",
    "maximum context length of",
    "context length is only",
    "maximum prompt length is",
    "exceed context window of",
    "available context size",
    "maximum number of tokens allowed",
    "exceeds the limit of",
    "prompt cannot exceed",
    "must be <=",
    "must have less than",
    "with maximum length",
    "limit",
];

/// Words after the number of tokens that fit.
pub(super) const LIMIT_BEFORE: &[&str] = &["maximum context length", "maximum"];

/// Words before the number of tokens that were asked for.
pub(super) const REQUESTED_AFTER: &[&str] = &[
    "you requested about",
    "however, you requested",
    "however you requested",
    "messages resulted in",
    "your request has",
    "prompt contains at least",
    "prompt contains",
    "request contains",
    "you passed",
    "prompt is too long",
    "requested tokens",
    "input token count of",
    "input token count",
    "prompt token count of",
    "with length",
    "received",
    "request",
    "requested",
];
