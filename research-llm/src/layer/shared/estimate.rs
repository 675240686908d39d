//! What a call used where nobody said so.

use crate::error::ModelError;
use crate::request::Request;
use crate::response::{Response, Usage};
use crate::tokens;

/// Tokens of a request, estimated high.
pub(crate) fn input_tokens(request: &Request) -> u64 {
    tokens::estimate_request(request)
}

/// Tokens of an answer, or of what has arrived of it, estimated high.
pub(crate) fn output_tokens(response: &Response) -> u64 {
    let calls = response.tool_calls.iter().flat_map(|call| [&call.name, &call.arguments]);
    let texts = [Some(&response.text), response.reasoning.as_ref()].into_iter().flatten().chain(calls);
    texts.map(|text| tokens::estimate(text)).fold(0, u64::saturating_add)
}

/// A report of the usage with the parts that are missing filled in. Some servers report nothing, or nothing in streams.
pub(crate) fn fill(reported: Usage, input_tokens: u64, output_tokens: u64) -> Usage {
    let mut usage = reported;
    if usage.input_tokens == 0 {
        usage.input_tokens = input_tokens;
    }
    if usage.output_tokens == 0 {
        usage.output_tokens = output_tokens;
    }
    usage
}

/// Whether the connection failed before the request can have reached the provider.
pub(crate) fn was_never_sent(error: &ModelError) -> bool {
    let ModelError::Connection { source: Some(cause), .. } = error else { return false };
    let mut next: Option<&(dyn std::error::Error + 'static)> = Some(cause.as_ref());
    while let Some(error) = next {
        if is_no_connection(error) {
            return true;
        }
        next = error.source();
    }
    false
}

fn is_no_connection(error: &(dyn std::error::Error + 'static)) -> bool {
    use std::io::ErrorKind;

    #[cfg(feature = "http")]
    if error.downcast_ref::<reqwest::Error>().is_some_and(reqwest::Error::is_connect) {
        return true;
    }
    error.downcast_ref::<std::io::Error>().is_some_and(|error| {
        matches!(
            error.kind(),
            ErrorKind::ConnectionRefused
                | ErrorKind::NotFound
                | ErrorKind::HostUnreachable
                | ErrorKind::NetworkUnreachable
                | ErrorKind::AddrNotAvailable
        )
    })
}
