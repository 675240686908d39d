//! What the headers of an answer say.

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use serde_json::{Map, Value};

use super::secrets::Secrets;

/// Headers that hold the server's id of the request.
const REQUEST_IDS: &[&str] = &["x-request-id", "request-id"];

/// Beginnings of the headers that tell the state of the rate limits.
const RATE_LIMITS: &[&str] = &["x-ratelimit-", "anthropic-ratelimit-"];

/// The request's id as `request_id`, and the state of the rate limits under the names of their headers.
pub(super) fn metadata(headers: &HeaderMap, secrets: &Secrets) -> Map<String, Value> {
    let mut kept = Map::new();
    for (name, value) in headers {
        let name = name.as_str();
        let field = match name {
            _ if REQUEST_IDS.contains(&name) => "request_id",
            _ if RATE_LIMITS.iter().any(|start| name.starts_with(start)) => name,
            _ => continue,
        };
        if let Ok(value) = value.to_str() {
            kept.insert(field.to_owned(), secrets.scrub(value).into());
        }
    }
    kept
}

/// The media type, in lower case and without parameters.
pub(super) fn content_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

/// Whether the answer is of a type. One that does not say what it is gets read.
pub(super) fn is_of_type(headers: &HeaderMap, is_wanted: impl Fn(&str) -> bool) -> bool {
    !headers.contains_key(CONTENT_TYPE) || content_type(headers).is_some_and(|kind| is_wanted(&kind))
}
