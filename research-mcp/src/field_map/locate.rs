//! Finds the list of records in a payload.

use std::borrow::Cow;
use std::collections::VecDeque;

use serde_json::Value;

use super::map::FieldMap;
use super::{path, table};
use crate::payload::keys::plain;
use crate::payload::places::PLACES;

/// Lists of objects under these names describe the result and are no records.
const NOT_RECORDS: &[&str] = &[
    "aggregations",
    "aggs",
    "buckets",
    "columns",
    "data_context",
    "error",
    "errors",
    "facets",
    "fields",
    "filters",
    "links",
    "notes",
    "pagination",
    "properties",
    "schema",
    "suggestions",
    "warnings",
];

/// Deepest object whose lists are looked at, counted from the payload.
const DEPTH: usize = 4;
/// Most fields of the count of a group.
const GROUP: usize = 4;

/// The records of a payload.
#[derive(Default)]
pub(super) struct Located<'a> {
    /// The records, of any JSON type.
    pub(super) records: Vec<Cow<'a, Value>>,
    /// They are samples of buckets, so that their order is not that of the result.
    pub(super) samples: bool,
}

/// The records: those of a table, those at the first named place that holds a non-empty list, the samples of the buckets, the
/// longest of the nearest lists of objects, or the payload itself when it is one document.
pub(super) fn records(payload: &Value) -> Located<'_> {
    let located = |records| Located { records, samples: false };
    if let Some(items) = payload.as_array() {
        return located(listed(items));
    }
    if let Some(records) = table::records(payload) {
        return located(records);
    }
    let named = || PLACES.iter().filter_map(|place| payload.pointer(place).and_then(Value::as_array));
    if let Some(items) = named().find(|items| !items.is_empty()) {
        return located(listed(items));
    }
    let mut records = Vec::new();
    for groups in ["aggregations", "aggs"].iter().filter_map(|name| payload.get(*name)) {
        samples(groups, &mut records);
    }
    if !records.is_empty() {
        return Located { records, samples: true };
    }
    // An empty list at a named place is the answer, whatever else the result holds.
    if named().next().is_some() {
        return Located::default();
    }
    match nearest(payload) {
        Some(items) => located(listed(items)),
        None if is_document(payload) => located(vec![Cow::Borrowed(payload)]),
        None => Located::default(),
    }
}

/// Whether a payload holds records or would hold them if there were any: a list, an object with one, or a single document. A named
/// place may hold null in place of an empty list.
pub(crate) fn holds_records(payload: &Value) -> bool {
    let is_list = |items: &[Value]| items.is_empty() || items.iter().any(|item| item.is_object() || item.is_array());
    if payload.is_array() || is_document(payload) {
        return true;
    }
    if PLACES.iter().any(|place| payload.pointer(place).is_some_and(|value| value.is_array() || value.is_null())) {
        return true;
    }
    let mut queue = VecDeque::from([(payload, 0)]);
    while let Some((value, depth)) = queue.pop_front() {
        let fields = value.as_object().into_iter().flatten();
        for (_, inner) in fields.filter(|(key, _)| !NOT_RECORDS.contains(&key.to_lowercase().as_str())) {
            match inner {
                Value::Object(_) if depth < DEPTH => queue.push_back((inner, depth + 1)),
                Value::Array(items) if is_list(items) => return true,
                _ => {}
            }
        }
    }
    false
}

/// The items of a list, without what GraphQL wraps around each; rows under a first row of names as records.
fn listed(items: &[Value]) -> Vec<Cow<'_, Value>> {
    if let Some(records) = table::with_header_row(items) {
        return records;
    }
    items.iter().map(|item| Cow::Borrowed(node(item).unwrap_or(item))).collect()
}

/// The node of an edge.
fn node(item: &Value) -> Option<&Value> {
    let fields = item.as_object()?;
    let node = fields.get("node").filter(|node| node.is_object())?;
    fields.keys().all(|key| matches!(key.as_str(), "node" | "cursor" | "__typename")).then_some(node)
}

/// The sample records below an aggregation, at any depth: `samples`, and the hits of Elasticsearch's `top_hits`.
fn samples<'a>(value: &'a Value, found: &mut Vec<Cow<'a, Value>>) {
    match value {
        Value::Object(fields) => {
            for (key, inner) in fields {
                match inner {
                    Value::Array(items) if key == "samples" || key == "hits" => {
                        found.extend(items.iter().map(Cow::Borrowed));
                    }
                    _ => samples(inner, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| samples(item, found)),
        _ => {}
    }
}

/// The longest list of objects among those nearest to the root.
fn nearest(payload: &Value) -> Option<&Vec<Value>> {
    let mut queue = VecDeque::from([(payload, 0)]);
    let mut best: Option<(usize, &Vec<Value>)> = None;
    while let Some((value, depth)) = queue.pop_front() {
        if best.is_some_and(|(found, _)| found < depth) {
            break;
        }
        let fields = value.as_object().into_iter().flatten();
        for (key, inner) in fields.filter(|(key, _)| !NOT_RECORDS.contains(&key.to_lowercase().as_str())) {
            match inner {
                Value::Object(_) if depth < DEPTH => queue.push_back((inner, depth + 1)),
                Value::Array(items) if are_groups(key, items) => {}
                Value::Array(items) if are_records(items) && best.is_none_or(|(_, best)| items.len() > best.len()) => {
                    best = Some((depth, items));
                }
                _ => {}
            }
        }
    }
    best.map(|(_, items)| items)
}

fn are_records(items: &[Value]) -> bool {
    let large = |item: &Value| item.as_object().is_some_and(|fields| fields.len() > 1) || node(item).is_some();
    items.iter().all(Value::is_object) && items.iter().any(large)
}

/// Whether a list holds the counts of groups, by its name and by what is in it.
fn are_groups(name: &str, items: &[Value]) -> bool {
    let name = plain(name);
    ["group", "bucket", "histogram", "timeline"].iter().any(|word| name.contains(word)) && items.iter().all(is_group)
}

/// Whether this is the count of a group: a few values with a number of records, and nothing that names a record.
fn is_group(item: &Value) -> bool {
    let counts = |name: &str| item.get(name).is_some_and(Value::is_u64);
    item.as_object().is_some_and(|fields| fields.len() <= GROUP)
        && (counts("count") || counts("doc_count"))
        && path::first_text(item, &FieldMap::default().id[..]).is_none_or(|_| item.get("key").is_some())
}

/// Whether an object without any list is a document of its own, as a tool returns that fetches one: it has an id, a title or an
/// address, and a text.
fn is_document(payload: &Value) -> bool {
    let map = FieldMap::default();
    let has = |paths: &[String]| path::first_text(payload, paths).is_some();
    has(&map.id) && (has(&map.title) || has(&map.url)) && (has(&map.snippet) || has(&map.content))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::payload::payload;

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
    fn counts_of_groups_beside_the_records_are_none() {
        let groups = json!([{"size": "large", "count": 2}, {"size": "small", "count": 1}]);
        let rows = json!([{"id": 1, "size": "large"}, {"id": 2, "size": "large"}, {"id": 3, "size": "small"}]);
        assert_eq!(count(json!({"groups": groups, "found": {"entries": rows}})), 3);
        assert_eq!(count(json!({ "groups": groups })), 0);
        assert_eq!(count(json!({"groups": [{"id": 1, "name": "a", "count": 2}]})), 1);
    }

    #[test]
    fn a_payload_that_has_a_content_field_of_its_own_is_no_envelope() {
        assert_eq!(count(json!({"content": "about", "documents": [{"a": 1, "b": 1}]})), 1);
    }

    #[test]
    fn lists_about_the_result_are_no_records() {
        let two = json!([{"a": 1, "b": 1}, {"a": 2, "b": 2}]);
        assert_eq!(count(json!({"warnings": two, "aggregations": {"x": {"buckets": two}}})), 0);
        assert_eq!(count(json!({"documents": [], "more": two})), 0);
        assert_eq!(count(json!({"a": {"b": {"things": two, "one": [{"a": 1, "b": 1}]}}})), 2);
        assert_eq!(count(json!({"numbers": [1, 2, 3]})), 0);
    }

    #[test]
    fn one_document_is_a_record_and_an_acknowledgement_is_none() {
        assert_eq!(count(json!({"id": "d", "title": "T", "text": "words", "metadata": {}})), 1);
        assert_eq!(count(json!({"id": 1, "status": "ok", "message": "done"})), 0);
    }
}
