//! Cursors: where the next page begins, bound to the query they were given for.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::super::error::QueryError;

/// Name of the argument, for errors.
const ARGUMENT: &str = "search_after";

/// Names a query by the data set and its filters; grouping and page size may change between pages.
pub(super) fn fingerprint(dataset: &str, filters: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(dataset);
    hash.update([0]);
    hash.update(filters);
    hash.finalize().iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

/// The cursor of the page that begins after so many records.
pub(super) fn write(fingerprint: &str, position: u64) -> Value {
    json!([format!("{fingerprint}.{position}")])
}

/// How many records come before the page.
pub(super) fn read(argument: Option<&Value>, fingerprint: &str, matched: u64) -> Result<u64, QueryError> {
    let text = match argument {
        None | Some(Value::Null) => return Ok(0),
        Some(Value::Array(parts)) if parts.is_empty() => return Ok(0),
        Some(Value::Array(parts)) if parts.len() == 1 => parts[0].as_str(),
        Some(other) => other.as_str(),
    };
    let parsed = text.and_then(|text| text.split_once('.')).and_then(|(query, position)| {
        let plain = !position.is_empty() && position.bytes().all(|byte| byte.is_ascii_digit());
        Some((query, position.parse().ok().filter(|_| plain)?))
    });
    let Some((query, position)): Option<(&str, u64)> = parsed else {
        let reason = "is no cursor of this tool; send back `search_after` of the page before, unchanged";
        return Err(QueryError::argument(ARGUMENT, reason));
    };
    if query != fingerprint || position > matched {
        let reason = "belongs to a query with other filters; send the same filters with every page";
        return Err(QueryError::argument(ARGUMENT, reason));
    }
    Ok(position)
}
