//! Finds a value in a record by a path, without regard to case.

use serde_json::{Map, Value};

/// Where records of some sources keep their fields, beside an id and the like.
const WRAPPERS: &[&str] = &["attributes", "payload", "document", "metadata", "data"];

/// What may stand beside a wrapper; a record with anything more keeps its fields on the outside.
const BESIDE: &[&str] = &[
    "cursor",
    "distance",
    "href",
    "id",
    "kind",
    "links",
    "meta",
    "rank",
    "relationships",
    "score",
    "type",
    "values",
    "vector",
    "version",
];

/// The fields of a record that keeps them in an object of its own: Elasticsearch in `_source`, JSON:API in `attributes`, stores
/// of vectors in `payload` or `metadata`.
pub(super) fn inner(record: &Value) -> Option<&Map<String, Value>> {
    let outer = record.as_object()?;
    if let Some(source) = outer.get("_source").and_then(Value::as_object) {
        return Some(source);
    }
    let inner = WRAPPERS.iter().find_map(|name| outer.get(*name)?.as_object())?;
    let only =
        |key: &String| key.starts_with('_') || WRAPPERS.contains(&key.as_str()) || BESIDE.contains(&key.as_str());
    (!inner.is_empty() && outer.keys().all(only)).then_some(inner)
}

/// The first non-empty text at one of the paths, in the record or in the fields it wraps.
pub(super) fn first_text(record: &Value, paths: &[String]) -> Option<String> {
    paths.iter().find_map(|path| text_at(record, path))
}

/// The text at one path, in the record or in the fields it wraps.
pub(super) fn text_at(record: &Value, path: &str) -> Option<String> {
    find(record, path).or_else(|| in_object(inner(record)?, path))
}

fn find(value: &Value, path: &str) -> Option<String> {
    match value {
        Value::Object(fields) => in_object(fields, path),
        Value::Array(items) => items.iter().find_map(|item| find(item, path)),
        _ => None,
    }
}

fn in_object(fields: &Map<String, Value>, path: &str) -> Option<String> {
    if let Some(text) = get(fields, path.trim_end_matches("[]")).and_then(text) {
        return Some(text);
    }
    path.match_indices('.').find_map(|(dot, _)| {
        let (head, tail) = (path[..dot].trim_end_matches("[]"), &path[dot + 1..]);
        find(get(fields, head)?, tail)
    })
}

/// A field by its name; exactly, else without regard to case, else without regard to separators.
///
/// A leading underscore is never ignored: `_id` and `id` are two fields.
fn get<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    if let Some(value) = fields.get(name) {
        return Some(value);
    }
    let lower = name.to_lowercase();
    if let Some((_, value)) = fields.iter().find(|(key, _)| key.to_lowercase() == lower) {
        return Some(value);
    }
    if name.starts_with('_') {
        return None;
    }
    let bare = without_separators(&lower);
    fields
        .iter()
        .find(|(key, _)| !key.starts_with('_') && without_separators(&key.to_lowercase()) == bare)
        .map(|(_, value)| value)
}

fn without_separators(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, ' ' | '-' | '_')).collect()
}

/// A non-empty string, a number, or the first such element of a list.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => {
            let text = text.trim();
            (!text.is_empty()).then(|| text.to_owned())
        }
        Value::Number(number) => Some(number.to_string()),
        Value::Array(items) => items.iter().find_map(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_reach_every_shape() {
        let record = json!({
            "Title": "  A  ", "empty": "", "n": 7, "tags": ["", "x"], "a.b": "dotted key",
            "authors": [{"role": "editor"}, {"name": "Ada"}], "deep": {"er": {"est": 1}},
            "Doc ID": "d1", "_source": {"headline": "B"}, "flag": true
        });
        let at = |path: &str| text_at(&record, path);
        assert_eq!(at("title").as_deref(), Some("A"));
        assert_eq!(at("empty"), None);
        assert_eq!(at("n").as_deref(), Some("7"));
        assert_eq!(at("tags").as_deref(), Some("x"));
        assert_eq!(at("tags[]").as_deref(), Some("x"));
        assert_eq!(at("a.b").as_deref(), Some("dotted key"));
        assert_eq!(at("authors[].name").as_deref(), Some("Ada"));
        assert_eq!(at("DEEP.er.EST").as_deref(), Some("1"));
        assert_eq!(at("doc_id").as_deref(), Some("d1"));
        assert_eq!(at("headline").as_deref(), Some("B"));
        assert_eq!(at("_source.headline").as_deref(), Some("B"));
        assert_eq!(at("flag"), None);
    }

    #[test]
    fn wrapped_fields_are_found_unless_the_record_has_fields_outside() {
        let wrapped = json!({"id": 1, "type": "article", "attributes": {"title": "T"}});
        assert_eq!(text_at(&wrapped, "title").as_deref(), Some("T"));
        let plain = json!({"id": 1, "name": "N", "attributes": {"title": "of the colour"}});
        assert_eq!(text_at(&plain, "title"), None);
    }

    #[test]
    fn a_leading_underscore_counts() {
        assert_eq!(text_at(&json!({"id": 1}), "_id"), None);
        assert_eq!(text_at(&json!({"_id": 1}), "id"), None);
    }
}
