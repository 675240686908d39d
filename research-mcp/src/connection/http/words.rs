//! Errors of the transport in words for people.

use std::error::Error;

use rmcp::transport::streamable_http_client::StreamableHttpError;

use super::challenge::refusal;
use super::client::HttpError;

type Failure = StreamableHttpError<HttpError>;

/// An error of the transport in words for people, without the names that the SDK has for things.
pub(crate) fn words(error: &(dyn Error + 'static)) -> Option<String> {
    Some(match error.downcast_ref::<Failure>()? {
        Failure::Client(error) => error.to_string(),
        Failure::HttpStatus(_) => status(error)?,
        Failure::UnexpectedContentType(Some(kind)) => {
            format!("the server answers with `{kind}` where MCP has JSON or events; check the address")
        }
        Failure::UnexpectedContentType(None) => {
            "the server answers without a content type where MCP has JSON or events; check the address".to_owned()
        }
        Failure::UnexpectedEndOfStream | Failure::TransportChannelClosed => "the connection is closed".to_owned(),
        Failure::SessionExpired => "the server has forgotten the session, also after a new start".to_owned(),
        Failure::ReinitializationFailed(error) => format!("the server refuses a new session: {}", error.message),
        Failure::AuthRequired(_) | Failure::InsufficientScope(_) => sign_in(error)?,
        other => other.to_string(),
    })
}

/// A status that says why this one request failed, with the time after which another may pass.
pub(crate) fn status(error: &(dyn Error + 'static)) -> Option<String> {
    let Failure::HttpStatus(error) = error.downcast_ref::<Failure>()? else { return None };
    let wait = error.retry_after.as_ref().map(|wait| format!(", Retry-After: {wait}")).unwrap_or_default();
    Some(format!("the server answers HTTP {}{wait}", error.status))
}

/// What the server said when it did not accept the credentials, if that is what happened.
pub(crate) fn sign_in(error: &(dyn Error + 'static)) -> Option<String> {
    match error.downcast_ref::<Failure>()? {
        Failure::AuthRequired(error) => Some(refusal(401, &error.www_authenticate_header)),
        Failure::InsufficientScope(error) => Some(refusal(403, &error.www_authenticate_header)),
        _ => None,
    }
}
