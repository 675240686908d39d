//! Takes a result out of its envelopes.

use std::borrow::Cow;

use serde_json::Value;

use super::locate;

/// Takes a result out of its envelopes: `result.structuredContent`, the JSON in the text blocks of `result.content`, the same two
/// without `result`, or bare. Several blocks with an object each are a list of those objects.
pub(crate) fn payload(value: &Value) -> Cow<'_, Value> {
    let result = value.get("result").filter(|result| is_envelope(result)).unwrap_or(value);
    if let Some(content) = result.get("structuredContent").filter(|content| !content.is_null()) {
        return unwrapped(content);
    }
    match result.get("content").and_then(Value::as_array).and_then(|blocks| of_blocks(blocks)) {
        Some(parsed) => Cow::Owned(unwrapped(&parsed).into_owned()),
        None => unwrapped(result),
    }
}

/// The JSON in the text blocks; blocks of prose are passed over.
fn of_blocks(blocks: &[Value]) -> Option<Value> {
    let texts = blocks.iter().filter_map(|block| block.get("text").and_then(Value::as_str));
    one_or_list(texts.flat_map(values).collect())
}

/// The objects and lists of a text: one, or one after the other. None when anything else stands between them.
fn values(text: &str) -> Vec<Value> {
    let text = text.trim_start_matches('\u{feff}');
    let parsed: Result<Vec<Value>, _> = serde_json::Deserializer::from_str(text).into_iter().collect();
    parsed.ok().filter(|values| values.iter().all(|value| value.is_object() || value.is_array())).unwrap_or_default()
}

/// Of several values the one that holds records, when only one does; else objects are the records themselves.
fn one_or_list(mut found: Vec<Value>) -> Option<Value> {
    if found.len() > 1 && found.iter().all(Value::is_object) {
        let mut holders = (0..found.len()).filter(|at| locate::has_named_list(&found[*at]));
        return match (holders.next(), holders.next()) {
            (Some(only), None) => Some(found.swap_remove(only)),
            _ => Some(Value::Array(found)),
        };
    }
    (!found.is_empty()).then(|| found.swap_remove(0))
}

/// The Python SDK wraps what a tool returns, unless that is an object by its signature, as `{"result": …}`; often it is a JSON
/// text, or a list of them.
fn unwrapped(content: &Value) -> Cow<'_, Value> {
    let inner = content.as_object().filter(|fields| fields.len() == 1).and_then(|fields| fields.get("result"));
    match inner {
        Some(inner @ Value::Array(items)) => texts(items).map_or(Cow::Borrowed(inner), Cow::Owned),
        Some(inner @ Value::Object(_)) => Cow::Borrowed(inner),
        Some(Value::String(text)) => one_or_list(values(text)).map_or(Cow::Borrowed(content), Cow::Owned),
        _ => Cow::Borrowed(content),
    }
}

/// The objects in a list of JSON texts; `None` when one of the items is anything else.
fn texts(items: &[Value]) -> Option<Value> {
    let objects: Option<Vec<Value>> =
        items.iter().map(|item| serde_json::from_str::<Value>(item.as_str()?).ok().filter(Value::is_object)).collect();
    objects.filter(|objects| !objects.is_empty()).map(Value::Array)
}

fn is_envelope(result: &Value) -> bool {
    result.get("structuredContent").is_some() || result.get("content").is_some_and(Value::is_array)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn blocks(texts: &[&str]) -> Value {
        let blocks: Vec<Value> = texts.iter().map(|text| json!({"type": "text", "text": text})).collect();
        payload(&json!({ "content": blocks })).into_owned()
    }

    #[test]
    fn every_block_with_an_object_is_a_record() {
        assert_eq!(blocks(&["{\"a\": 1}", "{\"a\": 2}"]), json!([{"a": 1}, {"a": 2}]));
        assert_eq!(blocks(&["Two were found:", "{\"a\": 1}", "{\"a\": 2}"]), json!([{"a": 1}, {"a": 2}]));
        assert_eq!(blocks(&["{\"a\": 1}\n{\"a\": 2}"]), json!([{"a": 1}, {"a": 2}]));
        assert_eq!(blocks(&["{\"items\": [{\"a\": 1}]}", "{\"note\": 1}"]), json!({"items": [{"a": 1}]}));
    }

    #[test]
    fn what_the_python_sdk_wraps_is_unwrapped() {
        for wrapped in [json!([{"a": 1}]), json!("[{\"a\": 1}]"), json!(["{\"a\": 1}"])] {
            assert_eq!(*payload(&json!({"structuredContent": {"result": wrapped}})), json!([{"a": 1}]));
        }
        assert_eq!(*payload(&json!({"result": {"items": []}})), json!({"items": []}));
        assert_eq!(*payload(&json!({"result": "prose"})), json!({"result": "prose"}));
        assert_eq!(*payload(&json!({"result": [1, 2]})), json!([1, 2]));
    }
}
