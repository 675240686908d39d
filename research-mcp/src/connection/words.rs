//! What an error of the SDK means, in words for people.

use std::error::Error;

use rmcp::service::ClientInitializeError;

#[cfg(feature = "http")]
use super::http;

/// Characters of what a server said that are shown.
const SHOWN: usize = 500;

/// Why a handshake failed. None of it holds more of the server's words than its error message.
pub(super) fn handshake(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::TransportError { error, .. } => transport(error.error.as_ref()),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => handshake(fallback),
        ClientInitializeError::ConnectionClosed(_) => "it hung up before it answered".to_owned(),
        ClientInitializeError::JsonRpcError(error) => {
            let said: String = error.message.chars().take(SHOWN).collect();
            format!("it refused: {said} (code {})", error.code.0)
        }
        ClientInitializeError::ExpectedInitResponse(_) | ClientInitializeError::ExpectedInitResult(_) => {
            "it answered something that is no handshake".to_owned()
        }
        ClientInitializeError::ConflictInitResponseId(..) | ClientInitializeError::UncorrelatedErrorResponse { .. } => {
            "it answered a question that was not asked".to_owned()
        }
        other => other.to_string(),
    }
}

/// Why a message could not be sent.
pub(super) fn transport(error: &(dyn Error + 'static)) -> String {
    #[cfg(feature = "http")]
    if let Some(words) = http::words(error) {
        return words;
    }
    error.to_string()
}

/// What the server said when it did not accept the credentials, if that is what happened.
pub(super) fn sign_in(error: &(dyn Error + 'static)) -> Option<String> {
    #[cfg(feature = "http")]
    return http::sign_in(error);
    #[cfg(not(feature = "http"))]
    {
        let _ = error;
        None
    }
}

/// The status with which a server that is still there refused one request.
pub(super) fn status(error: &(dyn Error + 'static)) -> Option<String> {
    #[cfg(feature = "http")]
    return http::status(error);
    #[cfg(not(feature = "http"))]
    {
        let _ = error;
        None
    }
}

/// The error of the transport that ended a handshake.
pub(super) fn beneath(error: &ClientInitializeError) -> Option<&(dyn Error + 'static)> {
    match error {
        ClientInitializeError::TransportError { error, .. } => Some(error.error.as_ref()),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => beneath(fallback),
        _ => None,
    }
}
