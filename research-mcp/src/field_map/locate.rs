//! Finds the payload of a result and the list of records in it.

use std::borrow::Cow;

use serde_json::Value;

/// Where results keep their records, in the order of trust.
const PLACES: &[&str] = &[
    "/documents",
    "/results",
    "/matches",
    "/items",
    "/records",
    "/data",
    "/hits/hits",
    "/hits",
    "/data/documents",
    "/data/results",
    "/data/items",
    "/data/records",
];

/// Takes a result out of its envelopes: `result.structuredContent`, `result.content[0].text` as JSON, the same two without
/// `result`, or bare.
pub(crate) fn payload(value: &Value) -> Cow<'_, Value> {
    let result = value.get("result").filter(|result| is_envelope(result)).unwrap_or(value);
    if let Some(content) = result.get("structuredContent").filter(|content| !content.is_null()) {
        return unwrapped(content);
    }
    let parsed = result
        .get("content")
        .and_then(Value::as_array)
        .and_then(|blocks| blocks.iter().find_map(|block| block.get("text").and_then(Value::as_str)))
        .and_then(|text| serde_json::from_str::<Value>(text).ok())
        .filter(|parsed| parsed.is_object() || parsed.is_array());
    parsed.map_or_else(|| unwrapped(result), Cow::Owned)
}

/// The Python SDK wraps what a tool returns, unless that is an object, as `{"result": …}`; often it is a JSON text.
fn unwrapped(content: &Value) -> Cow<'_, Value> {
    let inner = content.as_object().filter(|fields| fields.len() == 1).and_then(|fields| fields.get("result"));
    match inner {
        Some(inner @ Value::Array(_)) => Cow::Borrowed(inner),
        Some(Value::String(text)) => match serde_json::from_str::<Value>(text) {
            Ok(parsed @ (Value::Object(_) | Value::Array(_))) => Cow::Owned(parsed),
            _ => Cow::Borrowed(content),
        },
        _ => Cow::Borrowed(content),
    }
}

fn is_envelope(result: &Value) -> bool {
    result.get("structuredContent").is_some() || result.get("content").is_some_and(Value::is_array)
}

/// The records of a payload.
pub(super) struct Located<'a> {
    /// The records, of any JSON type.
    pub(super) records: Vec<&'a Value>,
    /// They are samples of buckets, so that their order is not that of the result.
    pub(super) samples: bool,
}

/// The records at the first place that holds a non-empty list, else the samples of the buckets.
pub(super) fn records(payload: &Value) -> Located<'_> {
    if let Some(records) = payload.as_array() {
        return Located { records: records.iter().collect(), samples: false };
    }
    for place in PLACES {
        if let Some(Value::Array(records)) = payload.pointer(place)
            && !records.is_empty()
        {
            return Located { records: records.iter().collect(), samples: false };
        }
    }
    let samples = payload
        .pointer("/aggregations/group_by/buckets")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|bucket| bucket.get("samples").and_then(Value::as_array))
        .flatten()
        .collect();
    Located { records: samples, samples: true }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn count(value: Value) -> usize {
        records(&payload(&value)).records.len()
    }

    #[test]
    fn every_envelope_and_place_is_known() {
        let two = json!([{"a": 1, "b": 1}, {"a": 2, "b": 2}]);
        for place in ["documents", "results", "matches", "items", "records", "data"] {
            assert_eq!(count(json!({ place: two })), 2, "{place}");
        }
        assert_eq!(count(two.clone()), 2);
        assert_eq!(count(json!({"hits": {"total": 2, "hits": two}})), 2);
        assert_eq!(count(json!({"result": {"structuredContent": {"documents": two}}})), 2);
        assert_eq!(count(json!({"structuredContent": {"documents": two}})), 2);
        let text = json!({"documents": two}).to_string();
        assert_eq!(count(json!({"result": {"content": [{"type": "text", "text": text}]}})), 2);
        assert_eq!(count(json!({"content": [{"type": "text", "text": text}]})), 2);
        let buckets = json!([{"key": "x", "samples": two}, {"key": "y", "samples": two}]);
        assert_eq!(count(json!({"documents": [], "aggregations": {"group_by": {"buckets": buckets}}})), 4);
    }

    #[test]
    fn documents_win_over_samples() {
        let value = json!({
            "documents": [{"a": 1, "b": 1}],
            "aggregations": {"group_by": {"buckets": [{"samples": [{"a": 2, "b": 2}, {"a": 3, "b": 3}]}]}}
        });
        assert_eq!(count(value), 1);
    }

    #[test]
    fn a_payload_that_has_a_content_field_of_its_own_is_no_envelope() {
        assert_eq!(count(json!({"content": "about", "documents": [{"a": 1, "b": 1}]})), 1);
    }
}
