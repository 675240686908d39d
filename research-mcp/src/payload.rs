//! Takes a result out of its envelopes.

pub(crate) mod keys;
pub(crate) mod places;
pub(crate) mod schema;

use std::borrow::Cow;

use serde_json::Value;

use self::keys::plain;
use self::places::has_named_list;
use crate::tool::Object;

/// Takes a result out of its envelopes: `result.structuredContent`, the JSON in the text blocks of `result.content`, the same two
/// without `result`, or bare. Of several objects and lists the one that holds the records is taken, together with what the
/// others say of it; else objects are the records themselves.
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
    one_or_all(texts.flat_map(|text| values(text).unwrap_or_default()).collect())
}

/// The objects and lists of a text: one, or one after the other. None in prose.
///
/// # Errors
///
/// Where a text that begins as JSON does ceases to be it.
pub(crate) fn values(text: &str) -> serde_json::Result<Vec<Value>> {
    let text = trimmed(text);
    let parsed: serde_json::Result<Vec<Value>> = serde_json::Deserializer::from_str(text).into_iter().collect();
    match parsed {
        Ok(values) if values.iter().all(|value| value.is_object() || value.is_array()) => Ok(values),
        Err(error) if begins_as_json(text) => Err(error),
        _ => Ok(Vec::new()),
    }
}

fn trimmed(text: &str) -> &str {
    text.trim_start_matches('\u{feff}').trim_start()
}

/// Whether a text begins as an object with a name or as a list of objects, lists or texts does. Prose may begin with a bracket
/// too: `[1] A footnote`, `{curly}`.
fn begins_as_json(text: &str) -> bool {
    let next = |open| text.strip_prefix(open).and_then(|rest: &str| rest.trim_start().chars().next());
    next('{').is_some_and(|next| next == '"') || next('[').is_some_and(|next| matches!(next, '{' | '[' | '"'))
}

/// The value when there is one; all of them as a list when there are several.
pub(crate) fn one_or_all(mut found: Vec<Value>) -> Option<Value> {
    if found.len() > 1 {
        return Some(Value::Array(found));
    }
    found.pop()
}

/// Of several values the one that holds the records: an object with a list of them that shares no name with the others, or a
/// list among objects. What the others say stands beside the records then.
fn holder(values: &[Value]) -> Option<Value> {
    let (objects, lists): (Vec<&Value>, Vec<&Value>) = (
        values.iter().filter(|value| value.is_object()).collect(),
        values.iter().filter(|value| value.is_array()).collect(),
    );
    if objects.len() + lists.len() < values.len() || objects.is_empty() || lists.len() > 1 {
        return None;
    }
    let holders = objects.iter().filter(|object| has_named_list(object)).count();
    if lists.len() + holders != 1 {
        return None;
    }
    let mut joined = Object::new();
    for (name, value) in objects.into_iter().filter_map(Value::as_object).flatten() {
        // Records are alike; what speaks of a result and the result itself are not.
        if joined.insert(name.clone(), value.clone()).is_some() {
            return None;
        }
    }
    if let Some(records) = lists.first() {
        joined.insert("documents".to_owned(), (*records).clone());
    }
    Some(Value::Object(joined))
}

/// The Python SDK wraps what a tool returns, unless that is an object by its signature, as `{"result": …}`; often it is a JSON
/// text, or a list of them.
fn unwrapped(content: &Value) -> Cow<'_, Value> {
    if let Value::Array(items) = content {
        return holder(items).map_or(Cow::Borrowed(content), Cow::Owned);
    }
    let inner = content.as_object().filter(|fields| fields.len() == 1).and_then(|fields| fields.get("result"));
    match inner {
        Some(inner @ Value::Array(items)) => texts(items).map_or(Cow::Borrowed(inner), Cow::Owned),
        Some(inner @ Value::Object(_)) => Cow::Borrowed(inner),
        Some(Value::String(text)) => match one_or_all(values(text).unwrap_or_default()) {
            Some(Value::Array(items)) => Cow::Owned(holder(&items).unwrap_or(Value::Array(items))),
            Some(value) => Cow::Owned(value),
            None => Cow::Borrowed(content),
        },
        _ => Cow::Borrowed(content),
    }
}

/// The objects in a list of JSON texts; `None` when one of the items is anything else.
fn texts(items: &[Value]) -> Option<Value> {
    let objects: Option<Vec<Value>> =
        items.iter().map(|item| serde_json::from_str::<Value>(item.as_str()?).ok().filter(Value::is_object)).collect();
    objects.filter(|objects| !objects.is_empty()).map(Value::Array)
}

/// JSON that breaks off inside the envelopes of a result: its text, and where reading stopped. What was lost with the rest of it
/// nobody can tell.
pub(crate) fn broken(value: &Value) -> Option<(String, serde_json::Error)> {
    let result = value.get("result").filter(|result| is_envelope(result)).unwrap_or(value);
    if let Some(content) = result.get("structuredContent").filter(|content| !content.is_null()) {
        return broken_inside(content);
    }
    let blocks = result.get("content").and_then(Value::as_array).into_iter().flatten();
    let texts = blocks.filter(|block| block.get("type").is_some_and(|kind| kind == "text"));
    let mut found = Vec::new();
    for text in texts.filter_map(|block| block.get("text")?.as_str()) {
        match values(text) {
            Ok(parsed) => found.extend(parsed),
            Err(error) => return Some((text.to_owned(), error)),
        }
    }
    one_or_all(found).map_or_else(|| broken_inside(result), |parsed| broken_inside(&parsed))
}

/// The same of what the Python SDK wraps: a text, or a list of texts all of which begin as JSON does.
fn broken_inside(content: &Value) -> Option<(String, serde_json::Error)> {
    let texts: Vec<&str> = match content.as_object().filter(|fields| fields.len() == 1)?.get("result")? {
        Value::String(text) => vec![text.as_str()],
        Value::Array(items) => items.iter().map(Value::as_str).collect::<Option<_>>()?,
        _ => return None,
    };
    let are_json = texts.len() == 1 || texts.iter().all(|text| begins_as_json(trimmed(text)));
    let mut texts = texts.into_iter().filter(|_| are_json);
    texts.find_map(|text| Some((text.to_owned(), values(text).err()?)))
}

/// Names under which a result tells of an error, and of what may stand beside it in a result that tells of nothing else; as
/// [`plain`] writes them.
const ERRORS: &[&str] = &["error", "errors"];
const BESIDE_ERRORS: &[&str] = &[
    "code",
    "detail",
    "details",
    "errorcode",
    "hint",
    "iserror",
    "message",
    "ok",
    "reason",
    "requestid",
    "status",
    "statuscode",
    "success",
    "timestamp",
    "traceid",
    "type",
];

/// The error that a result tells of, whatever else it holds, in its own words.
pub(crate) fn error_in(payload: &Value) -> Option<String> {
    let fields = payload.as_object()?;
    let mut told = fields.iter().filter(|(name, _)| ERRORS.contains(&plain(name).as_str()));
    told.find_map(|(_, error)| words(error)).map(|error| match error {
        Said::Words(words) => words,
        Said::Yes => words_beside(fields).unwrap_or_else(|| "it gave no reason".to_owned()),
    })
}

/// The error of a result that tells of nothing else.
pub(crate) fn only_error_in(value: &Value) -> Option<String> {
    let payload = payload(value);
    let names = |name: &String| [ERRORS, BESIDE_ERRORS].iter().any(|names| names.contains(&plain(name).as_str()));
    payload.as_object().filter(|fields| fields.keys().all(names))?;
    error_in(&payload)
}

/// What stands under the name of an error.
enum Said {
    Words(String),
    /// That there is one.
    Yes,
}

/// `None` where it says that there is no error.
fn words(error: &Value) -> Option<Said> {
    match error {
        Value::String(text) => {
            Some(text.trim()).filter(|text| !text.is_empty()).map(|text| Said::Words(text.to_owned()))
        }
        Value::Object(fields) if fields.is_empty() => None,
        Value::Object(fields) => Some(Said::Words(words_beside(fields).unwrap_or_else(|| error.to_string()))),
        Value::Array(items) => items.iter().find_map(words),
        Value::Number(code) => (code.as_f64() != Some(0.0)).then(|| Said::Words(code.to_string())),
        Value::Bool(is_error) => is_error.then_some(Said::Yes),
        Value::Null => None,
    }
}

fn words_beside(fields: &Object) -> Option<String> {
    let text = |name: &str| fields.get(name)?.as_str().map(str::trim).filter(|text| !text.is_empty());
    ["message", "detail", "reason"].into_iter().find_map(text).map(str::to_owned)
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
    }

    #[test]
    fn of_several_blocks_the_records_are_taken_with_what_the_others_say_of_them() {
        let joined = json!({"items": [{"a": 1}], "total": 9});
        assert_eq!(blocks(&["{\"items\": [{\"a\": 1}]}", "{\"total\": 9}"]), joined);
        assert_eq!(blocks(&["{\"total\": 9}", "[{\"a\": 1}]"]), json!({"documents": [{"a": 1}], "total": 9}));
        // Records with a list of their own are records all the same.
        let alike = json!([{"id": 1, "items": [2]}, {"id": 2}]);
        assert_eq!(blocks(&["{\"id\": 1, \"items\": [2]}", "{\"id\": 2}"]), alike);
        assert_eq!(*payload(&alike), alike);
    }

    #[test]
    fn prose_is_told_from_json_that_breaks_off() {
        for prose in ["Found 3.", "[1] A footnote", "{curly} words", "3", "", "null"] {
            assert!(values(prose).unwrap().is_empty(), "{prose}");
        }
        for broken in ["{\"a\": 1", "[{\"a\": 1}, {", "{\"a\": 1} and more"] {
            assert!(values(broken).is_err(), "{broken}");
        }
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

    #[test]
    fn json_that_breaks_off_is_found_in_every_envelope() {
        let cut = "{\"documents\": [{\"id\": 1}, {\"i";
        let inside = json!({"result": cut});
        let block = json!({"content": [{"type": "text", "text": "Found:"}, {"type": "text", "text": cut}]});
        let wrapped = json!({"content": [{"type": "text", "text": inside.to_string()}]});
        for value in [
            inside.clone(),
            json!({"structuredContent": inside}),
            json!({"result": {"structuredContent": {"result": cut}}}),
            block.clone(),
            json!({ "result": block }),
            wrapped,
            json!({"result": ["{\"id\": 1}", cut]}),
        ] {
            let (text, error) = broken(&value).unwrap_or_else(|| panic!("{value}"));
            assert!(text == cut && error.is_eof(), "{value}: {text}");
        }
        for whole in [
            json!({"result": "{\"documents\": []}"}),
            json!({"result": "Found {nothing}"}),
            json!({"result": ["[1] see there", cut]}),
            json!({"result": cut, "total": 1}),
            json!({"content": [{"id": 1, "text": cut}]}),
            json!({"documents": [{"id": 1, "text": cut}]}),
        ] {
            assert!(broken(&whole).is_none(), "{whole}");
        }
    }

    #[test]
    fn a_result_that_is_only_an_error_is_told_from_one_that_also_holds_something() {
        let only = |value: Value| only_error_in(&value);
        assert_eq!(only(json!({"error": "index unavailable"})).as_deref(), Some("index unavailable"));
        assert_eq!(only(json!({"Error": {"code": 7, "message": "gone"}, "status": 500})).as_deref(), Some("gone"));
        assert_eq!(only(json!({"error": true, "message": "gone"})).as_deref(), Some("gone"));
        assert_eq!(only(json!({"errors": [{"detail": "a"}, {"detail": "b"}]})).as_deref(), Some("a"));
        assert_eq!(only(json!({"result": "{\"error\": \"gone\"}"})).as_deref(), Some("gone"));
        assert_eq!(only(json!({"error": true})).as_deref(), Some("it gave no reason"));
        for none in [
            json!({"error": null}),
            json!({"error": "", "errors": []}),
            json!({"error": false, "status": "ok"}),
            json!({"error": 0}),
            json!({"error": "few", "documents": [{"id": 1}]}),
            json!({"message": "done"}),
            json!([{"error": "x"}]),
        ] {
            assert_eq!(only(none.clone()), None, "{none}");
        }
        assert_eq!(error_in(&json!({"error": "few", "documents": []})).as_deref(), Some("few"));
    }
}
